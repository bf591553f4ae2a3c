package gitstore

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestGoToACommitOfAnother(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a", "b.md": "b", "gone.md": "g", "d/x.md": "x"})
	clone := t.TempDir() + "/clone"
	git(t, r.dir, "clone", "-q", r.dir, clone)
	other, err := Open(clone, fast)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	write(t, other, "run.sh", "#!/bin/sh\n")
	if err := errors.Join(os.Chmod(other.workPath("run.sh"), 0o755), os.Symlink("a.md", other.workPath("link")), os.Remove(other.workPath("gone.md")), os.RemoveAll(other.workPath("d"))); err != nil {
		t.Skip(err)
	}
	write(t, other, "d", "a file now")
	write(t, other, "odd: name*.md", "odd")
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-qm", "theirs")
	git(t, r.dir, "fetch", "-q", clone, "main:refs/remotes/origin/main")
	theirs, err := r.Resolve("origin/main")
	if err != nil {
		t.Fatal(err)
	}

	// A hand edit stands in the way until it is accounted for.
	write(t, r, "run.sh", "mine")
	tx := begin(t, r)
	var ce *ChangedError
	if _, err := tx.Commit(Change{To: theirs}); !errors.As(err, &ce) || len(ce.Paths) != 1 || ce.Paths[0] != "run.sh" {
		t.Fatal(err)
	}
	if err := os.Remove(r.workPath("run.sh")); err != nil {
		t.Fatal(err)
	}
	tx.Refresh()
	out, err := tx.Commit(Change{To: theirs})
	if err != nil || out.Commit != theirs {
		t.Fatal(out, err)
	}
	tx.Close()
	sound(t, r)
	if to, err := os.Readlink(r.workPath("link")); err != nil || to != "a.md" {
		t.Errorf("%q %v", to, err)
	}
	if got := content(t, r, "d"); got != "a file now" {
		t.Errorf("%q", got)
	}
	// And back again, by the same means: what is a link becomes a file.
	write(t, other, "more.md", "more")
	if err := os.Remove(other.workPath("link")); err != nil {
		t.Fatal(err)
	}
	write(t, other, "link", "a file")
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-qm", "theirs again")
	git(t, r.dir, "fetch", "-q", clone, "main:refs/remotes/origin/main")
	theirs, _ = r.Resolve("origin/main")
	commit(t, r, Change{To: theirs})
	sound(t, r)
	if fi, err := os.Lstat(r.workPath("link")); err != nil || !fi.Mode().IsRegular() {
		t.Error("the link is still one")
	}
}

func TestMergesOfOurOwn(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	head, _ := r.Head()
	tx := begin(t, r)
	blob := Object{TypeBlob, []byte("theirs")}
	tree := TreeObject([]TreeEntry{{Name: "a.md", Mode: ModeFile, Hash: BlobHash([]byte("a"))}, {Name: "t.md", Mode: ModeFile, Hash: BlobHash(blob.Data)}})
	side := CommitObject(&Commit{Tree: HashOf(TypeTree, tree.Data), Parents: []Hash{head}, Author: me, Committer: me, Message: "side"})
	if err := tx.Write([]Object{blob, tree, side}); err != nil {
		t.Fatal(err)
	}
	theirs := HashOf(TypeCommit, side.Data)
	if err := tx.UpdateRef("refs/remotes/origin/main", ZeroHash, theirs); err != nil {
		t.Fatal(err)
	}
	if err := tx.UpdateRef("refs/remotes/origin/main", ZeroHash, head); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	c := change("merge", map[string]string{"t.md": "theirs", "x.sh": "x", "a.md": "a2"})
	c.Modes = map[string]Mode{"x.sh": ModeExec}
	c.Parents = []Hash{theirs}
	if _, err := tx.Commit(c); err != nil {
		t.Fatal(err)
	}
	// A merge of the same tree is a commit all the same.
	c = change("merge again", nil)
	c.Parents = []Hash{theirs}
	if out, err := tx.Commit(c); err != nil || out.Unchanged {
		t.Fatal(out, err)
	}
	git(t, r.dir, "pack-refs", "--all")
	if err := tx.UpdateRef("refs/remotes/origin/main", theirs, ZeroHash); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"refs/heads/main", "HEAD", "../x", "refs/heads/a..b"} {
		if err := tx.UpdateRef(name, ZeroHash, theirs); !errors.Is(err, ErrPath) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tx.Close()
	sound(t, r)
	if got := strings.Fields(git(t, r.dir, "for-each-ref", "--format=%(refname)")); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if base, err := r.MergeBase(context.Background(), theirs, head); err != nil || base != head {
		t.Error(base, err)
	}
}
