package gitstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var when = time.Unix(1_700_000_000, 0).UTC()

var me = Signature{Name: "Ada Lovelace", Email: "ada@example.org", When: when}

func change(msg string, put map[string]string, del ...string) Change {
	c := Change{Message: msg, Author: me, Committer: me, Delete: del, Put: map[string][]byte{}}
	for p, s := range put {
		c.Put[p] = []byte(s)
	}
	return c
}

// fast keeps tests that are not about durability quick, and has them wait for
// one another on a machine that is busy.
var fast = Options{Durability: Fast, LockTimeout: time.Minute}

func testRepo(t testing.TB, files map[string]string) *Repo {
	t.Helper()
	return makeRepo(t, filepath.Join(t.TempDir(), "scope"), fast, files)
}

func makeRepo(t testing.TB, dir string, o Options, files map[string]string) *Repo {
	t.Helper()
	r, created, err := Init(context.Background(), dir, o, change("init", files))
	if err != nil || !created {
		t.Fatalf("Init: %v, created %v", err, created)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func begin(t testing.TB, r *Repo) *Tx {
	t.Helper()
	tx, err := r.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func commit(t testing.TB, r *Repo, c Change) Outcome {
	t.Helper()
	tx := begin(t, r)
	defer tx.Close()
	out, err := tx.Commit(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func look(t testing.TB, r *Repo) *View {
	t.Helper()
	v, err := r.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func write(t testing.TB, r *Repo, path, data string) {
	t.Helper()
	name := r.workPath(path)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, r *Repo, path string) string {
	t.Helper()
	data, err := os.ReadFile(r.workPath(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// git runs the real git, away from anybody's configuration.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, nil, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(t testing.TB, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(GitEnv(os.Environ()), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Hand", "GIT_AUTHOR_EMAIL=hand@example.org", "GIT_COMMITTER_NAME=Hand", "GIT_COMMITTER_EMAIL=hand@example.org", "TZ=UTC")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// sound has git say that the repository is in order and nothing is pending.
func sound(t testing.TB, r *Repo) {
	t.Helper()
	if out := git(t, r.dir, "status", "--porcelain"); out != "" {
		t.Fatalf("git status is not clean:\n%s", out)
	}
	if out := git(t, r.dir, "fsck", "--strict", "--no-dangling"); out != "" {
		t.Fatalf("git fsck:\n%s", out)
	}
	// status alone may have forgiven a stale index by reading the files.
	if out := git(t, r.dir, "diff-index", "--cached", "HEAD"); out != "" {
		t.Fatalf("index and HEAD differ:\n%s", out)
	}
	tidy(t, r)
}

// tidy checks the same without git: everything that the newest commit reaches
// can be read, the index knows all of it, the worktree holds it, and nothing
// is left over.
func tidy(t testing.TB, r *Repo) {
	t.Helper()
	v := look(t, r)
	if !v.indexOK || v.index.tree == nil {
		t.Fatal("the index does not hold what is committed")
	}
	for _, f := range v.Files() {
		if f.Dirty || f.Missing || f.Untracked || f.Err != nil {
			t.Fatalf("not clean: %+v", f)
		}
	}
	for c, err := range r.Log(context.Background(), v.Head) {
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Tree(c.Hash)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range files {
			if _, err := r.Blob(e.Hash); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = filepath.WalkDir(filepath.Join(r.git, "objects"), func(path string, d os.DirEntry, err error) error {
		if h, ok := ParseHash(filepath.Base(filepath.Dir(path)) + d.Name()); ok {
			if _, _, err := r.objects.readLoose(r.objects.root, h); err != nil {
				t.Fatalf("loose object: %v", err)
			}
		}
		return nil
	})
	left, err := os.ReadDir(r.tmpDir())
	if err != nil || len(left) > 0 {
		t.Fatalf("left behind: %v %v", left, err)
	}
	for _, name := range []string{r.journalPath(), r.indexPath() + ".lock", r.refPath() + ".lock"} {
		if _, err := os.Lstat(name); err == nil {
			t.Fatalf("left behind: %s", name)
		}
	}
}
