package vault_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/gitserver"
	"gitvault/vault"
)

// Replicas that change at random, by commands and by hand, and sync now and
// then: in the end all are the same, and every entry that nobody forgot is
// there, or a version of it beside it.
func TestReplicasConverge(t *testing.T) {
	t.Parallel()
	runs := 2
	if os.Getenv("VAULT_LONG") != "" {
		runs = 40
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { converge(t, rand.New(rand.NewPCG(uint64(seed), 7))) })
	}
}

func converge(t *testing.T, luck *rand.Rand) {
	ctx := context.Background()
	bare := filepath.Join(t.TempDir(), "r.git")
	cmd := exec.Command("git", "init", "-q", "--bare", bare)
	cmd.Env = gitserver.Environ(t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	homes := make([]*vault.Home, 2+luck.IntN(3))
	for i := range homes {
		homes[i] = newMachine(t).open(t)
		addsRemote(t, homes[i], bare)
	}
	var alive []string // words of which each has to be somewhere in the end
	word := func() string { return fmt.Sprintf("w%dx", luck.Uint32()) }
	step := func(h *vault.Home) {
		list, err := h.List(ctx, vault.ListQuery{Scope: vault.UserScope, All: true, Body: true})
		if err != nil {
			t.Fatal(err)
		}
		what := luck.IntN(10)
		if len(list) == 0 {
			what = 0
		}
		kinds := []vault.Kind{vault.Decision, vault.Decision, vault.Convention, vault.Preference}
		switch {
		case what < 4:
			w := word()
			alive = append(alive, w)
			if _, err := h.Remember(ctx, vault.Draft{Scope: vault.UserScope, Kind: kinds[luck.IntN(len(kinds))], Title: "About " + w, Text: "It is " + w + "."}); err != nil {
				t.Fatal(err)
			}
		case what < 7:
			e := list[luck.IntN(len(list))]
			w := word()
			alive = append(alive, w)
			text := e.Body + "\n\nThen " + w + "."
			if _, err := h.Edit(ctx, e.ID, vault.Edit{Scope: vault.UserScope, Text: &text}); err != nil {
				t.Fatal(err)
			}
		case what < 8: // by hand
			s, err := h.Scope(vault.UserScope)
			if err != nil {
				t.Fatal(err)
			}
			w := word()
			alive = append(alive, w)
			f, err := os.OpenFile(filepath.Join(s.Dir(), "conventions.md"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err == nil {
				_, err = fmt.Fprintf(f, "\n## By hand\n\nTyped %s.\n", w)
			}
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		case what < 9:
			e := list[luck.IntN(len(list))]
			if _, err := h.Forget(ctx, vault.UserScope, []string{e.ID}, ""); err != nil {
				t.Fatal(err)
			}
			kept := alive[:0]
			for _, w := range alive { // what was forgotten may be gone
				if !strings.Contains(e.Title+e.Body, w) {
					kept = append(kept, w)
				}
			}
			alive = kept
		default:
			syncs(t, h)
		}
	}
	for range 45 {
		step(homes[luck.IntN(len(homes))])
	}
	for range 2 {
		for _, h := range homes {
			syncs(t, h)
		}
	}
	var texts string
	for i, h := range homes {
		if headOf(t, h) != headOf(t, homes[0]) {
			t.Errorf("replica %d is at another commit", i)
		}
		sound(t, h)
		findings, err := h.Check(ctx, vault.UserScope, false)
		if err != nil {
			t.Error(err)
		}
		for _, f := range findings {
			if f.Severity == "error" {
				t.Errorf("%+v", f)
			}
		}
	}
	list, err := homes[0].List(ctx, vault.ListQuery{Scope: vault.UserScope, All: true, Body: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		texts += e.Title + "\n" + e.Body + "\n"
	}
	for _, w := range alive {
		if !strings.Contains(texts, w) {
			t.Errorf("%s is lost", w)
		}
	}
}
