package vault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gitvault/gitstore"
	"gitvault/internal/gitserver"
	"gitvault/vault"
)

// serve starts git http-backend on loopback with one empty repository, r.git.
func serve(t *testing.T) *gitserver.HTTP {
	t.Helper()
	srv, err := gitserver.NewHTTP(t.TempDir())
	if errors.Is(err, gitserver.ErrMissing) {
		t.Skip(err)
	}
	if err == nil {
		t.Cleanup(srv.Close)
		_, err = srv.Create("r.git")
	}
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// A machine is a person's home and vault, apart from all others.
type machine struct {
	dir     string
	config  string            // more of config.yaml
	environ map[string]string // more of the environment
	random  io.Reader         // of ids and pauses; nil: a real one
	told    []string          // notices
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{dir: t.TempDir(), environ: map[string]string{}}
	if err := os.MkdirAll(m.person(), 0o755); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) person() string { return filepath.Join(m.dir, "person") }

// open opens the vault as a process does.
func (m *machine) open(t *testing.T) *vault.Home {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, "config.yaml"), []byte("durability: fast\n"+m.config), 0o600); err != nil {
		t.Fatal(err)
	}
	git, _ := exec.LookPath("git")
	environ := append(gitserver.Environ(m.person()), "TMPDIR="+os.TempDir())
	for k, v := range m.environ {
		environ = append(environ, k+"="+v)
	}
	h, err := vault.Open(vault.Options{
		Home: m.dir, Dir: m.dir, Account: "ada", Host: "example.org", Git: git, UserHome: m.person(), Environ: environ,
		Env:    func(name string) (string, bool) { v, ok := m.environ[name]; return v, ok },
		Notice: func(s string) { m.told = append(m.told, s) },
		Random: m.random,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Clones sync after each of their changes, all at once, over http, also where
// three of ten answers fail or are cut: every entry gets everywhere, and all end
// with the same files. VAULT_LONG=1 makes it eight clones and fifty changes.
func TestClonesSyncAtOnce(t *testing.T) {
	for _, failing := range []bool{false, true} {
		t.Run(fmt.Sprintf("failing %v", failing), func(t *testing.T) {
			t.Parallel()
			clones, changes := 4, 10
			if os.Getenv("VAULT_LONG") != "" {
				clones, changes = 8, 50
			}
			ctx := context.Background()
			srv := serve(t)
			if failing {
				srv.Fail(30)
			}
			url := srv.URL("r.git", gitserver.Password)
			homes := make([]*vault.Home, clones)
			for i := range homes {
				homes[i] = newMachine(t).open(t)
				if _, err := homes[i].AddRemote(ctx, vault.NewRemote{Scope: vault.UserScope, URL: url, Branch: "main"}); err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for i, h := range homes {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for n := range changes {
						if _, err := h.Remember(ctx, vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: fmt.Sprintf("Clone %d decides %d.", i, n)}); err != nil {
							t.Error(err)
							return
						}
						if _, err := h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope}); err != nil {
							t.Error(err)
							return
						}
					}
				}()
			}
			wg.Wait()
			var trees []gitstore.Hash
			for _, h := range homes {
				if _, err := h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope}); err != nil {
					t.Fatal(err)
				}
				s, err := h.Scope(vault.UserScope)
				if err != nil {
					t.Fatal(err)
				}
				r, err := gitstore.Open(s.Dir(), gitstore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				head, err := r.Head()
				if err != nil {
					t.Fatal(err)
				}
				c, err := r.Commit(head)
				if err != nil {
					t.Fatal(err)
				}
				trees = append(trees, c.Tree)
				data, err := os.ReadFile(filepath.Join(s.Dir(), "decisions.md"))
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Count(string(data), "\n## Clone "); got != clones*changes {
					t.Errorf("%d entries, want %d", got, clones*changes)
				}
			}
			for _, tree := range trees[1:] {
				if tree != trees[0] {
					t.Errorf("trees differ: %v", trees)
				}
			}
		})
	}
}

// A wrong password is one clear line without the password in it, and no prompt.
func TestWrongPassword(t *testing.T) {
	ctx := context.Background()
	url := serve(t).URL("r.git", "wr0ngword")
	h := newMachine(t).open(t)
	m, err := h.AddRemote(ctx, vault.NewRemote{Scope: vault.UserScope, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope})
	if vault.CodeOf(err) != vault.Failed || !strings.Contains(err.Error(), "access denied") || strings.Contains(err.Error()+m.URL, "wr0ngword") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// Two machines edit one entry again and again, each as it has it, and sync at
// the same time: every word that either wrote is in the end on both, in the
// entry or beside it. VAULT_LONG=1 makes it a hundred edits each.
func TestTwoEditOneEntry(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rounds := 8
	if os.Getenv("VAULT_LONG") != "" {
		rounds = 100
	}
	url := serve(t).URL("r.git", gitserver.Password)
	homes := []*vault.Home{newMachine(t).open(t), newMachine(t).open(t)}
	done, err := homes[0].Remember(ctx, vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Title: "Queue", Text: "Begun."})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range homes {
		addsRemote(t, h, url)
		syncs(t, h)
	}
	edit := func(h *vault.Home, word string) error {
		now, err := h.Get(ctx, vault.UserScope, []string{done.Entry.ID})
		if err != nil {
			return err
		}
		body := now[0].Body + "\n\n" + word
		if _, err = h.Edit(ctx, done.Entry.ID, vault.Edit{Text: &body}); err != nil {
			return err
		}
		_, err = h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope})
		return err
	}
	var wg sync.WaitGroup
	for i, h := range homes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range rounds {
				if err := edit(h, fmt.Sprintf("Word%dof%d.", n, i)); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	for _, h := range append(homes, homes[0]) {
		syncs(t, h)
	}
	var texts []string
	for _, h := range homes {
		s, err := h.Scope(vault.UserScope)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(s.Dir(), "decisions.md"))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
		sound(t, h)
	}
	if texts[0] != texts[1] || strings.Contains(texts[0], "<<<<") {
		t.Errorf("the two differ or hold markers:\n%s\n%s", texts[0], texts[1])
	}
	for i := range homes {
		for n := range rounds {
			if word := fmt.Sprintf("Word%dof%d.", n, i); !strings.Contains(texts[0], word) {
				t.Errorf("%s is lost", word)
			}
		}
	}
}
