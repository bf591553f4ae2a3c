package gitstore

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// readCounter counts the files whose content is read.
type readCounter struct {
	fsys.OS
	names []string
}

func (c *readCounter) Open(name string) (fsys.File, error) {
	c.names = append(c.names, name)
	return c.OS.Open(name)
}

func (c *readCounter) ReadFile(name string) ([]byte, error) {
	c.names = append(c.names, name)
	return c.OS.ReadFile(name)
}

func (c *readCounter) worktree(r *Repo) (n int) {
	for _, name := range c.names {
		if !strings.HasPrefix(name, r.git) {
			n++
		}
	}
	c.names = nil
	return n
}

func TestCleanFilesAreNotRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scope")
	w := makeRepo(t, dir, fast, map[string]string{"a.md": "a", "d/b.md": "b", ".gitignore": "x"})
	commit(t, w, change("x", map[string]string{"a.md": "a2", "c.md": "c"}))
	c := &readCounter{}
	r, err := Open(dir, Options{FS: c})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.names = nil
	for range 2 {
		look(t, r)
		if n := c.worktree(r); n != 0 {
			t.Errorf("%d files of the worktree were read", n)
		}
	}
	// A new time alone costs one reading per look, until the next commit.
	later := time.Now().Add(-time.Hour)
	if err := os.Chtimes(r.workPath("d/b.md"), later, later); err != nil {
		t.Fatal(err)
	}
	look(t, r)
	if n := c.worktree(r); n != 1 {
		t.Errorf("%d files were read", n)
	}
	commit(t, w, change("y", map[string]string{"c.md": "c2"}))
	look(t, r)
	if n := c.worktree(r); n != 0 {
		t.Errorf("%d files were read", n)
	}
	if f, _ := look(t, r).File("d/b.md"); f.Dirty {
		t.Error("a new time is no edit")
	}
}

func TestAnEditOfTheSameSizeInTheSameInstantIsSeen(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "aaaa"})
	for i := range 200 {
		text := string(rune('a'+i%26)) + "aaa"
		commit(t, r, change("x", map[string]string{"a.md": text}))
		edit := "z" + text[1:]
		write(t, r, "a.md", edit) // in place, at once, and of the same size
		if f, _ := look(t, r).File("a.md"); f.Dirty != (edit != text) {
			t.Fatalf("round %d: %+v", i, f)
		}
		if text != edit {
			take := change("adopt", nil)
			take.Take = []string{"a.md"}
			commit(t, r, take)
			write(t, r, "a.md", "y"+text[1:])
			if f, _ := look(t, r).File("a.md"); f.Dirty != (text[0] != 'y' || true) {
				t.Fatalf("round %d after adoption: %+v", i, f)
			}
			take = change("adopt", nil)
			take.Take = []string{"a.md"}
			commit(t, r, take)
		}
	}
	sound(t, r)
}

func TestOtherThingsInAFilesPlace(t *testing.T) {
	r := testRepo(t, map[string]string{"dir.md": "d", "link.md": "l", "empty.md": "e", "p/x.md": "x", "pipe.md": "p"})
	for _, p := range []string{"dir.md", "link.md", "p/x.md", "p", "pipe.md"} {
		if err := os.Remove(r.workPath(p)); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "x.md"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(r.workPath("dir.md"), 0o777), os.Symlink(filepath.Join(outside, "x.md"), r.workPath("link.md")), os.Symlink(outside, r.workPath("p")), os.WriteFile(r.workPath("empty.md"), nil, 0o666)); err != nil {
		t.Skip(err)
	}
	if err := mkfifo(r.workPath("pipe.md")); err != nil {
		t.Skip(err)
	}
	v := look(t, r)
	for _, want := range []struct {
		path string
		mode Mode
		err  bool
	}{{"dir.md", ModeDir, false}, {"link.md", ModeSymlink, false}, {"empty.md", ModeFile, false}, {"p/x.md", 0, true}, {"pipe.md", 0, false}} {
		f, ok := v.File(want.path)
		if !ok || !f.Dirty || f.Missing || f.WorkMode != want.mode || (f.Err != nil) != want.err {
			t.Errorf("%s: %+v", want.path, f)
		}
		if data, err := v.ReadHead(want.path); err != nil || len(data) != 1 {
			t.Errorf("%s: head has %q %v", want.path, data, err)
		}
		if data, err := v.Read(want.path); err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("%s: %q %v", want.path, data, err)
		}
	}
	tx := begin(t, r)
	defer tx.Close()
	for _, p := range []string{"dir.md", "link.md", "p/x.md", "pipe.md"} {
		if _, err := tx.Commit(change("x", map[string]string{p: "new"})); !errors.Is(err, ErrPath) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "x.md")); string(data) != "secret" {
		t.Errorf("written outside: %q", data)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scope")
	makeRepo(t, dir, fast, map[string]string{"a.md": "a"}).Close()
	f := faultfs.New(fsys.OS{}, faultfs.Plan{At: 1, Kind: faultfs.Fail, Err: syscall.EROFS, Sticky: true})
	r, err := Open(dir, Options{FS: f})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := look(t, r).Read("a.md"); err != nil || string(data) != "a" {
		t.Errorf("%q %v", data, err)
	}
	if n := len(f.Steps()); n != 0 {
		t.Errorf("a reader wrote: %q", f.Steps())
	}
	tx := begin(t, r)
	defer tx.Close()
	if _, err := tx.Commit(change("x", map[string]string{"a.md": "b"})); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
}

func TestExecutablesAndLinksOfOthersAreKept(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	write(t, r, "run.sh", "#!/bin/sh\n")
	if err := errors.Join(os.Chmod(r.workPath("run.sh"), 0o755), os.Symlink("a.md", r.workPath("link"))); err != nil {
		t.Skip(err)
	}
	take := change("adopt", nil)
	take.Take = []string{"run.sh", "link"}
	commit(t, r, take)
	sound(t, r)
	commit(t, r, change("x", map[string]string{"run.sh": "#!/bin/bash\n", "a.md": "b"}))
	sound(t, r)
	if got := git(t, r.dir, "ls-tree", "HEAD", "run.sh", "link"); !strings.Contains(got, "100755") || !strings.Contains(got, "120000") {
		t.Errorf("%s", got)
	}
	if fi, err := os.Stat(r.workPath("run.sh")); err != nil || fi.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	if err := os.Chmod(r.workPath("a.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f, _ := look(t, r).File("a.md"); !f.Dirty {
		t.Error("a new executable bit is not seen")
	}
}

func TestIgnoredFilesAreLeftAlone(t *testing.T) {
	r := testRepo(t, map[string]string{".gitignore": "*.log\nbuild/\n!keep.log\n/only-top\n", "a.md": "a", "d/.gitignore": "local\n"})
	for _, p := range []string{"x.log", "keep.log", "build/x", "d/build/y", "d/local", "local", "only-top", "d/only-top", "a.md~", ".a.md.swp", ".DS_Store", "d/new.md"} {
		write(t, r, p, "x")
	}
	var got []string
	for _, f := range look(t, r).Files() {
		if f.Untracked {
			got = append(got, f.Path)
		}
	}
	want := strings.Split(strings.TrimSpace(git(t, r.dir, "ls-files", "--others", "--exclude-standard")), "\n")
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q, git has %q", got, want)
	}
}

func TestWildmatchAsGitDoes(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	patterns := []string{
		"foo", "/foo", "foo/", "*.c", "f?o", "[a-c]x", "[!a]x", "[^a]x", "a/b", "a/*", "a/**", "**/foo", "**", "*", "a/**/b", "**/a/**", "a**b", "a**/b", "\\*x", "x\\", "[]]", "[a", "[[:digit:]]x", "foo*bar", "!foo",
		"#x", "\\#x", "\\!x", "x ", "x\\ ", "/", "//a", "a//b", "*/b", "/*/b", "/**/b", "***", "a/", "a/b/", "[a-]x", "[\\]]x", "?", "*.*", ".*", "ä*", "[z-a]x",
	}
	paths := []string{"foo", "d/foo", "foo/x", "a.c", "d/e.c", "fxo", "ax", "bx", "-x", "a/b", "a/b/c", "a/x/b", "a/x/y/b", "x/a/b", "ab", "axb", "a1b/b", "*x", "x", "]", "[a", "1x", "foo1bar", "foo/bar", "#x", "!x", "x ", "b", "c/b", ".h", "äö", "zx", "]x"}
	for _, p := range patterns {
		if err := os.WriteFile(filepath.Join(r.git, "info", "exclude"), []byte(p+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd, err := tryGit(t, r.dir, nil, append([]string{"-c", "core.quotePath=false", "check-ignore", "--no-index", "--"}, paths...)...)
		if err != nil && cmd != "" && !strings.Contains(err.Error(), "exit status 1") {
			t.Fatal(cmd, err)
		}
		ignored := map[string]bool{}
		for line := range strings.Lines(cmd) {
			ignored[strings.Trim(strings.TrimSuffix(line, "\n"), `"`)] = true
		}
		w := &walker{ignores: ignores{fs: r.fs, dir: r.dir, git: r.git}}
		for _, path := range paths {
			if got := w.ignored(path); got != ignored[path] {
				t.Errorf("pattern %q, path %q: %v, git says %v", p, path, got, ignored[path])
			}
		}
	}
}

func TestAnybodysConfigurationAndEnvironmentHaveNoEffect(t *testing.T) {
	home := t.TempDir()
	hooks, templates := filepath.Join(home, "hooks"), filepath.Join(home, "templates", "hooks")
	config := "[core]\n\tautocrlf = true\n\teol = crlf\n\thooksPath = " + filepath.ToSlash(hooks) + "\n\tfsmonitor = /bin/false\n[commit]\n\tgpgsign = true\n[user]\n\tsigningKey = nobody\n[init]\n\ttemplateDir = " + filepath.ToSlash(filepath.Dir(templates)) + "\n\tdefaultBranch = other\n[safe]\n\tdirectory = /nowhere\n[index]\n\tversion = 4\n"
	hook := []byte("#!/bin/sh\nexit 1\n")
	if err := errors.Join(os.MkdirAll(hooks, 0o777), os.MkdirAll(templates, 0o777), os.WriteFile(filepath.Join(home, "config"), []byte(config), 0o666),
		os.WriteFile(filepath.Join(hooks, "pre-commit"), hook, 0o777), os.WriteFile(filepath.Join(templates, "post-checkout"), hook, 0o777)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
	t.Setenv("GIT_DIR", filepath.Join(home, "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(home, "index"))
	t.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(home, "objects"))
	r := testRepo(t, map[string]string{"a.md": "a\nb\n", ".gitattributes": "* -text -filter -ident\n"})
	commit(t, r, change("x", map[string]string{"a.md": "a\r\nb\n"}))
	sound(t, r)
	// With that configuration git finds the same, and a clone is the same.
	if out, err := tryGit(t, r.dir, []string{"GIT_CONFIG_GLOBAL=" + filepath.Join(home, "config")}, "-c", "core.fsmonitor=false", "status", "--porcelain"); err != nil || out != "" {
		t.Errorf("%s %v", out, err)
	}
	for _, kv := range GitEnv(os.Environ()) {
		if strings.HasPrefix(kv, "GIT_DIR=") || strings.HasPrefix(kv, "GIT_INDEX_FILE=") {
			t.Error(kv)
		}
	}
}

// TestNoiseInTheRepositoryNeverPanics changes and cuts every file of .git and
// asks everything: what comes back is right, or an error.
func TestNoiseInTheRepositoryNeverPanics(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	make := func() *Repo {
		r := testRepo(t, map[string]string{"a.md": strings.Repeat("line\n", 100), "d/b.md": "b"})
		commit(t, r, change("x", map[string]string{"a.md": strings.Repeat("line\n", 101)}))
		return r
	}
	packed := make()
	git(t, packed.dir, "gc", "-q")
	for _, r := range []*Repo{make(), packed} {
		var files []string
		_ = filepath.WalkDir(r.git, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !strings.Contains(path, "sample") {
				files = append(files, path)
			}
			return nil
		})
		for _, name := range files {
			sane, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for round := range 6 {
				bad := bytes.Clone(sane)
				switch {
				case round == 0 || len(bad) == 0:
					bad = nil
				case round == 1:
					bad = bad[:len(bad)/2]
				case round == 2:
					for i := range bad {
						bad[i] = byte(rnd.Uint32())
					}
				default:
					bad[rnd.IntN(len(bad))] ^= byte(1 + rnd.IntN(255))
				}
				os.Remove(name)
				if err := os.WriteFile(name, bad, 0o666); err != nil {
					t.Fatal(err)
				}
				askEverything(t, r.dir, name)
			}
			os.Remove(name)
			if err := os.WriteFile(name, sane, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func askEverything(t *testing.T, dir, name string) {
	t.Helper()
	ctx := context.Background()
	r, err := Open(dir, fast)
	if err != nil {
		return
	}
	defer r.Close()
	if v, err := r.View(ctx); err == nil {
		for _, f := range v.Files() {
			data, err := v.ReadHead(f.Path)
			if err == nil && BlobHash(data) != f.Hash {
				t.Errorf("%s damaged: %s has a wrong content", name, f.Path)
			}
		}
	}
	head, err := r.Head()
	if err != nil {
		return
	}
	_, _ = r.Resolve("HEAD~1")
	_, _ = r.Resolve(head.String()[:6])
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s damaged: %v", name, err)
			}
			break
		}
		_, _ = r.Tree(c.Hash)
	}
}
