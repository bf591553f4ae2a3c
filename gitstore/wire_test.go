package gitstore

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"gitvault/internal/gitserver"
)

// A server that is silent for too long is given up, by either client.
func TestSilentServerIsGivenUp(t *testing.T) {
	t.Parallel()
	srv, err := gitserver.NewHTTP(t.TempDir())
	if errors.Is(err, gitserver.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	if _, err := srv.Create("r.git"); err != nil {
		t.Fatal(err)
	}
	srv.Stall(func() {})
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	url := srv.URL("r.git", gitserver.Password)
	for name, program := range map[string]string{"system": git, "builtin": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testRepo(t, map[string]string{"a.md": "one\n"})
			tx := begin(t, r)
			if err := tx.EditConfig(func(c []byte) ([]byte, error) {
				return append(c, "[remote \"origin\"]\n\turl = "+url+"\n"...), nil
			}); err != nil {
				t.Fatal(err)
			}
			if err := tx.Close(); err != nil {
				t.Fatal(err)
			}
			at := Remote{Name: "origin", URL: url, Branch: "main"}
			w := Wire{Git: program, Environ: gitserver.Environ(t.TempDir()), Silence: time.Second}
			for what, ask := range map[string]func() error{
				"fetch":    func() error { _, err := r.Fetch(context.Background(), w, at); return err },
				"branches": func() error { _, err := r.Branches(context.Background(), w, at); return err },
			} {
				began := time.Now()
				if err := ask(); !errors.Is(err, ErrSilent) {
					t.Errorf("%s: %v", what, err)
				}
				if took := time.Since(began); took > time.Minute {
					t.Errorf("%s took %s", what, took)
				}
			}
		})
	}
}
