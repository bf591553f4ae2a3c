package gitstore

import (
	"context"
	"strings"
	"testing"
)

func TestDropUnreachable(t *testing.T) {
	r := testRepo(t, map[string]string{"README.md": "read me\n"})
	git(t, r.dir, "config", "core.logAllRefUpdates", "true")
	r.packAfter = 20
	m := newRemember(t, r)
	step := func(n int) {
		for range n {
			m.next(t)
			if _, err := r.Maintain(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	step(20)
	base, _ := r.Head()
	secret := commit(t, r, change("secret", map[string]string{"secret.md": strings.Repeat("hunter2\n", 50)}))
	hash := BlobHash([]byte(strings.Repeat("hunter2\n", 50)))
	step(30)
	write(t, r, "staged.md", "staged")
	git(t, r.dir, "add", "staged.md")
	git(t, r.dir, "commit", "-qm", "by hand") // makes reflogs
	step(3)
	// Written anew without it, upon what was there before.
	head, _ := r.Head()
	files, err := r.Tree(head)
	if err != nil {
		t.Fatal(err)
	}
	delete(files, "secret.md")
	var entries []TreeEntry
	for path, e := range files {
		if !strings.Contains(path, "/") {
			e.Name = path
			entries = append(entries, e)
		}
	}
	tree := TreeObject(entries)
	anew := CommitObject(&Commit{Tree: HashOf(TypeTree, tree.Data), Parents: []Hash{base}, Author: me, Committer: me, Message: "anew"})
	tx := begin(t, r)
	defer tx.Close()
	if err := tx.Write([]Object{tree, anew}); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(Change{To: HashOf(TypeCommit, anew.Data)}); err != nil {
		t.Fatal(err)
	}
	if err := tx.DropUnreachable(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []Hash{secret.Commit, hash, head} {
		if r.Has(h) {
			t.Errorf("%s is still there", h)
		}
	}
	tx.Close()
	sound(t, r)
	if n := len(strings.Fields(git(t, r.dir, "log", "--format=%h"))); n != 22 {
		t.Errorf("%d commits", n)
	}
	step(30)
	sound(t, r)
}
