package vault_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gitvault/gitstore"
	"gitvault/vault"
)

// serve starts git http-backend on loopback, with a password; three of ten
// answers fail if it is told to.
func serve(t *testing.T, failing bool) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	root := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "--bare", "r.git"}, {"-C", "r.git", "config", "http.receivepack", "true"}} {
		cmd := exec.Command(git, args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	backend := &cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada"}, Stderr: discard{}}
	var mu sync.Mutex
	luck := rand.New(rand.NewPCG(1, 2))
	broken := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return luck.IntN(10) < 3
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, ok := r.BasicAuth()
		switch {
		case !ok || user != "ada" || pass != "s3same":
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case failing && broken():
			http.Error(w, "out of order", http.StatusServiceUnavailable)
		default:
			backend.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/r.git"
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func synchome(t *testing.T, name string) *vault.Home {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("durability: fast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git, _ := exec.LookPath("git")
	h, err := vault.Open(vault.Options{
		Home: dir, Dir: dir, Account: "ada", Host: "example.org", Git: git, UserHome: filepath.Join(dir, "home"),
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "GIT_CONFIG_NOSYSTEM=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Four clones sync after each of their changes, all at once, over http: every
// entry gets everywhere, and all end with the same files.
func TestClonesSyncAtOnce(t *testing.T) {
	for _, failing := range []bool{false, true} {
		t.Run(fmt.Sprintf("failing %v", failing), func(t *testing.T) {
			clones, changes := 4, 10
			if failing {
				clones, changes = 2, 4
			}
			ctx := context.Background()
			url := strings.Replace(serve(t, failing), "http://", "http://ada:s3same@", 1)
			homes := make([]*vault.Home, clones)
			for i := range homes {
				homes[i] = synchome(t, fmt.Sprint("clone", i))
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
	url := strings.Replace(serve(t, false), "http://", "http://ada:wr0ngword@", 1)
	h := synchome(t, "home")
	m, err := h.AddRemote(ctx, vault.NewRemote{Scope: vault.UserScope, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope})
	if vault.CodeOf(err) != vault.Failed || !strings.Contains(err.Error(), "access denied") || strings.Contains(err.Error()+m.URL, "wr0ngword") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
