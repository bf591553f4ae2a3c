package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInitMakesARepositoryThatGitLikes(t *testing.T) {
	r := testRepo(t, map[string]string{"decisions.md": "# Decisions\n", "preferences/a.md": "a\n", ".gitattributes": "* -text\n"})
	sound(t, r)
	if got := content(t, r, "preferences/a.md"); got != "a\n" {
		t.Errorf("content %q", got)
	}
	if got := git(t, r.dir, "log", "--format=%an <%ae> %s"); got != "Ada Lovelace <ada@example.org> init\n" {
		t.Errorf("log %q", got)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, r.dir, "clone", "-q", r.dir, clone)
	if data, err := os.ReadFile(filepath.Join(clone, "decisions.md")); err != nil || string(data) != "# Decisions\n" {
		t.Errorf("clone: %q %v", data, err)
	}
	again, created, err := Init(context.Background(), r.dir, fast, Change{})
	if err != nil || created {
		t.Fatalf("second Init: created %v, %v", created, err)
	}
	again.Close()
}

func TestInitKeepsWhatStandsThere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "decisions.md"), []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := makeRepo(t, dir, fast, map[string]string{"decisions.md": "theirs\n"})
	if got := content(t, r, "decisions.md"); got != "mine\n" {
		t.Errorf("content %q", got)
	}
	if f, ok := look(t, r).File("decisions.md"); !ok || !f.Dirty {
		t.Errorf("file %+v", f)
	}
}

func TestCommit(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "one\n", "d/x.md": "x\n", "d/e/y.md": "y\n"})
	first, _ := r.Head()
	out := commit(t, r, change("second\n\nwith a body\n\nVault-Op: edit", map[string]string{"a.md": "two\n", "d/new.md": "new\n", "n/e/w.md": "w"}, "d/e/y.md"))
	if out.Unchanged || out.Commit == first {
		t.Fatalf("outcome %+v", out)
	}
	sound(t, r)
	for path, want := range map[string]string{"a.md": "two\n", "d/new.md": "new\n", "n/e/w.md": "w", "d/x.md": "x\n"} {
		if got := content(t, r, path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if _, err := os.Lstat(r.workPath("d/e")); err == nil {
		t.Error("the emptied folder is still there")
	}
	if got := git(t, r.dir, "show", "--format=%s", "--name-status"); got != "second\n\nM\ta.md\nD\td/e/y.md\nA\td/new.md\nA\tn/e/w.md\n" {
		t.Errorf("git show: %q", got)
	}
	// The second commit of an unchanged tree is none.
	out = commit(t, r, change("nothing", map[string]string{"a.md": "two\n"}))
	if !out.Unchanged {
		t.Errorf("outcome %+v", out)
	}
	sound(t, r)
}

func TestSeveralCommitsInOneTurn(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "1"})
	tx := begin(t, r)
	for _, s := range []string{"2", "3", "4"} {
		if _, err := tx.Commit(change("to "+s, map[string]string{"a.md": s})); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	if got := git(t, r.dir, "log", "--format=%s"); got != "to 4\nto 3\nto 2\ninit\n" {
		t.Errorf("log %q", got)
	}
	if _, err := tx.Commit(change("late", map[string]string{"a.md": "5"})); err == nil {
		t.Error("commit after the end")
	}
}

func TestHandEditsAreSeenAndNotOverwritten(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "one\n", "b.md": "b\n", "c.md": "c\n"})
	write(t, r, "a.md", "edited\n")
	write(t, r, "new.md", "new\n")
	if err := os.Remove(r.workPath("b.md")); err != nil {
		t.Fatal(err)
	}
	v := look(t, r)
	want := map[string]string{"a.md": "dirty", "b.md": "missing", "c.md": "clean", "new.md": "untracked"}
	for _, f := range v.Files() {
		got := "clean"
		switch {
		case f.Untracked:
			got = "untracked"
		case f.Missing:
			got = "missing"
		case f.Dirty:
			got = "dirty"
		}
		if want[f.Path] != got {
			t.Errorf("%s is %s", f.Path, got)
		}
		delete(want, f.Path)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	for path, text := range map[string]string{"a.md": "edited\n", "b.md": "b\n", "c.md": "c\n", "new.md": "new\n"} {
		if data, err := v.Read(path); err != nil || string(data) != text {
			t.Errorf("Read %s: %q %v", path, data, err)
		}
	}
	if data, err := v.ReadHead("a.md"); err != nil || string(data) != "one\n" {
		t.Errorf("ReadHead: %q %v", data, err)
	}

	tx := begin(t, r)
	defer tx.Close()
	for _, c := range []Change{
		change("x", map[string]string{"a.md": "over"}),
		change("x", map[string]string{"b.md": "over"}),
		change("x", map[string]string{"new.md": "over"}),
		change("x", nil, "a.md"),
	} {
		var ce *ChangedError
		if _, err := tx.Commit(c); !errors.As(err, &ce) || !errors.Is(err, ErrChanged) || len(ce.Paths) != 1 {
			t.Errorf("overwriting: %v", err)
		}
	}
	c := change("adopt", map[string]string{"a.md": "edited\nwith id\n"})
	c.Expect = map[string][]byte{"a.md": []byte("edited\n")}
	c.Take = []string{"new.md", "b.md"}
	if _, err := tx.Commit(c); err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	if got := git(t, r.dir, "show", "--format=", "--name-status"); got != "M\ta.md\nD\tb.md\nA\tnew.md\n" {
		t.Errorf("git show: %q", got)
	}
}

func TestPathsThatAreRefused(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "one\n", "d/x.md": "x"})
	if err := os.Symlink(t.TempDir(), r.workPath("out")); err != nil {
		t.Skip("no symbolic links here")
	}
	tx := begin(t, r)
	defer tx.Close()
	for _, p := range []string{
		"", "/etc/passwd", "../x", "a/../../x", "./x", "a//b", ".git/config", ".GIT/config", "d/.git/x", "git~1/x", "GIT~1", ".git./x", ".git /x", ".git::$INDEX_ALLOCATION/x",
		".g\u200cit/x", "con", "d/NUL.md", "com1.txt", "lpt9", "a:b", `a\b`, "a\x00b", "a\nb", "dot.", "space ", "A.md", "D/x.md", "a.md/x", "d", "out/x", "D", "\xff.md", strings.Repeat("x", 256),
	} {
		if _, err := tx.Commit(change("x", map[string]string{p: "evil"})); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if _, err := tx.Commit(change("x", map[string]string{"fine/näme (1).md": "ok", ".hidden": "ok", "gitlike/.gitignore": "x", "d.md": "ok"})); err != nil {
		t.Error(err)
	}
}

func TestUnfinishedOperations(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "one\n"})
	commit(t, r, change("two", map[string]string{"a.md": "two\n"}))
	try := func(name, want string) {
		t.Helper()
		if _, err := r.Begin(context.Background()); !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if v := look(t, r); len(v.Files()) != 1 {
			t.Errorf("%s: files %v", name, v.Files())
		} else if data, err := v.ReadHead("a.md"); err != nil || string(data) != "two\n" {
			t.Errorf("%s: head has %q %v", name, data, err)
		}
	}
	git(t, r.dir, "checkout", "-q", "HEAD~1")
	try("detached", "git switch main")
	git(t, r.dir, "switch", "-q", "-c", "side")
	try("side", "git switch main")
	write(t, r, "a.md", "three\n")
	git(t, r.dir, "commit", "-qam", "three")
	git(t, r.dir, "switch", "-q", "main")
	if out, err := tryGit(t, r.dir, nil, "merge", "side"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	try("merge", "git merge --abort")
	git(t, r.dir, "merge", "--abort")
	_, _ = tryGit(t, r.dir, nil, "cherry-pick", "side")
	try("cherry-pick", "git cherry-pick --abort")
	git(t, r.dir, "cherry-pick", "--abort")
	_, _ = tryGit(t, r.dir, nil, "rebase", "side")
	try("rebase", "git rebase --abort")
	git(t, r.dir, "rebase", "--abort")
	git(t, r.dir, "bisect", "start")
	try("bisect", "git bisect reset")
	git(t, r.dir, "bisect", "reset")
	tx := begin(t, r)
	tx.Close()
	sound(t, r)
}

func TestHistory(t *testing.T) {
	ctx := context.Background()
	r := testRepo(t, map[string]string{"a.md": "0", "d/b.md": "b"})
	for _, s := range []string{"1", "2", "3"} {
		commit(t, r, change("n"+s, map[string]string{"a.md": s}))
	}
	git(t, r.dir, "tag", "-a", "-m", "tag", "v1", "HEAD~1")
	git(t, r.dir, "checkout", "-q", "-b", "side", "HEAD~2")
	write(t, r, "side.md", "side")
	git(t, r.dir, "add", ".")
	git(t, r.dir, "commit", "-qm", "side")
	git(t, r.dir, "checkout", "-q", "main")
	git(t, r.dir, "merge", "-q", "--no-edit", "side")
	sound(t, r)

	check := func(stage string) {
		t.Helper()
		for _, rev := range []string{"HEAD", "@", "main", "side", "v1", "HEAD~2", "HEAD^2", "HEAD^^", "HEAD~1^1~1", "refs/heads/main", "HEAD^0"} {
			want := strings.TrimSpace(git(t, r.dir, "rev-parse", rev+"^{commit}"))
			got, err := r.Resolve(rev)
			if err != nil || got.String() != want {
				t.Errorf("%s: Resolve %s: %s %v, want %s", stage, rev, got, err, want)
			}
			if got, err := r.Resolve(want[:7]); err != nil || got.String() != want {
				t.Errorf("%s: Resolve %s: %s %v", stage, want[:7], got, err)
			}
		}
		for _, rev := range []string{"nope", "HEAD~100", "HEAD^3", "abc", "", "ffff", "HEAD~x", "../../x", "main~-1"} {
			if _, err := r.Resolve(rev); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: Resolve %q: %v", stage, rev, err)
			}
		}
		head, _ := r.Head()
		var subjects []string
		for c, err := range r.Log(ctx, head) {
			if err != nil {
				t.Fatal(err)
			}
			subjects = append(subjects, c.Subject())
		}
		if len(subjects) != 6 || subjects[0] != "Merge branch 'side'" {
			t.Errorf("%s: log %q", stage, subjects)
		}
		side, _ := r.Resolve("side")
		n3, _ := r.Resolve("HEAD^1")
		base, err := r.MergeBase(ctx, n3, side)
		if want := strings.TrimSpace(git(t, r.dir, "merge-base", n3.String(), "side")); err != nil || base.String() != want {
			t.Errorf("%s: merge base %s %v, want %s", stage, base, err, want)
		}
		if ok, err := r.IsAncestor(ctx, side, head); !ok || err != nil {
			t.Errorf("%s: IsAncestor %v %v", stage, ok, err)
		}
		if ok, err := r.IsAncestor(ctx, n3, side); ok || err != nil {
			t.Errorf("%s: IsAncestor %v %v", stage, ok, err)
		}
		diff, err := r.DiffTrees(base, head)
		if err != nil || len(diff) != 2 || diff[0].Path != "a.md" || diff[1].Path != "side.md" || !diff[1].Old.Hash.IsZero() {
			t.Errorf("%s: diff %v %v", stage, diff, err)
		}
		if data, err := r.Blob(diff[0].New.Hash); err != nil || string(data) != "3" {
			t.Errorf("%s: blob %q %v", stage, data, err)
		}
		files, err := r.Tree(head)
		if err != nil || len(files) != 3 || files["d/b.md"].Mode != ModeFile {
			t.Errorf("%s: tree %v %v", stage, files, err)
		}
	}
	check("loose")
	git(t, r.dir, "gc", "-q")
	check("packed")
	fresh, err := Open(r.dir, fast)
	if err != nil {
		t.Fatal(err)
	}
	r = fresh
	defer fresh.Close()
	check("reopened")
	commit(t, r, change("after gc", map[string]string{"a.md": "4"}))
	sound(t, r)
}
