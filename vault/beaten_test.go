package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/gitserver"
	"gitvault/vault"
)

// onPush puts a hook into a repository that runs before its branch moves.
func onPush(t *testing.T, repo, script string) {
	t.Helper()
	head := "#!/bin/sh\nunset $(git rev-parse --local-env-vars) GIT_QUARANTINE_PATH\nPATH=$PATH:$(git --exec-path)\n"
	if err := os.WriteFile(filepath.Join(repo, "hooks", "pre-receive"), []byte(head+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// Somebody else is quicker five times: it tries again, and ends.
func TestPushBeatenFiveTimes(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serve(t)
		m := newMachine(t)
		m.config = config
		h := m.open(t)
		remembers(t, h, "Queue in Postgres.")
		addsRemote(t, h, srv.URL("r.git", gitserver.Password))
		syncs(t, h)
		onPush(t, srv.Dir("r.git"), `test "$(git rev-list --count --grep=other main)" -ge 5 && exit 0
git update-ref refs/heads/main $(git -c user.name=x -c user.email=x@example.org commit-tree main^{tree} -p main -m other)
`)
		remembers(t, h, "Redis for the rest.")
		if d := syncs(t, h); d.Tries != 6 || d.Received != 5 {
			t.Errorf("%+v", d)
		}
		sound(t, h)
	})
}

// zeros make all pauses short.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Somebody else is quicker each time: it ends at its bound, and says truly what
// holds. It takes many tries, so only VAULT_LONG=1 has it run.
func TestPushBeatenToTheBound(t *testing.T) {
	if os.Getenv("VAULT_LONG") == "" {
		t.Skip("VAULT_LONG is not set")
	}
	t.Parallel()
	srv := serve(t)
	m := newMachine(t)
	h := m.open(t)
	remembers(t, h, "Queue in Postgres.")
	addsRemote(t, h, srv.URL("r.git", gitserver.Password))
	syncs(t, h)
	onPush(t, srv.Dir("r.git"), "git update-ref refs/heads/main $(git -c user.name=x -c user.email=x@example.org commit-tree main^{tree} -p main -m other)\n")
	remembers(t, h, "Redis for the rest.")
	m.random = zeros{}
	h = m.open(t)
	done, err := h.Sync(context.Background(), vault.SyncQuery{Scope: vault.UserScope})
	if vault.CodeOf(err) != vault.Busy || !strings.Contains(err.Error(), "others pushed first 250 times in a row") || done[0].Sent != 0 || done[0].Received != 249 {
		t.Errorf("%v %+v", err, done)
	}
	sound(t, h)
}

// A branch that nobody moves and that can't be moved either: it ends, and says
// truly that nothing was sent.
func TestPushNeverTaken(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	h := newMachine(t).open(t)
	remembers(t, h, "Queue in Postgres.")
	addsRemote(t, h, srv.URL("r.git", gitserver.Password))
	syncs(t, h)
	onPush(t, srv.Dir("r.git"), "touch refs/heads/main.lock\n")
	remembers(t, h, "Redis for the rest.")
	done, err := h.Sync(context.Background(), vault.SyncQuery{Scope: vault.UserScope})
	if vault.CodeOf(err) != vault.Busy || !strings.Contains(err.Error(), "nothing of yours is there yet") || done[0].Tries != 10 || done[0].Sent != 0 {
		t.Errorf("%v %+v", err, done)
	}
	list, err := h.Remotes(context.Background(), vault.UserScope)
	if err != nil || list[0].Ahead != 1 || list[0].LastError == "" {
		t.Errorf("%+v %v", list, err)
	}
}

// Commands that do not sync reach for no remote, however it is.
func TestRemoteCostsOthersNothing(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	h := newMachine(t).open(t)
	remembers(t, h, "Queue in Postgres.")
	addsRemote(t, h, srv.URL("r.git", gitserver.Password))
	syncs(t, h)
	asked := 0
	srv.Stall(func() { asked++ })
	ctx := context.Background()
	remembers(t, h, "Redis for the rest.")
	for what, err := range map[string]error{
		"list":    second(h.List(ctx, vault.ListQuery{})),
		"recall":  second(h.Recall(ctx, vault.RecallQuery{Text: "queue"})),
		"context": second(h.Context(ctx, vault.ContextQuery{})),
		"status":  second(h.Status(ctx)),
		"remotes": second(h.Remotes(ctx, "")),
		"log":     second(h.Log(ctx, vault.LogQuery{})),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	srv.Resume()
	if asked != 0 {
		t.Errorf("the remote was asked %d times", asked)
	}
}

func second[T any](_ T, err error) error { return err }
