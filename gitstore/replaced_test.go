package gitstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Of the files that commits replaced the last few are kept, and one of them
// that somebody writes to is handed over as rescued, under its name in the
// worktree; a copy of it with another time is not.
func TestReplacedFilesAreKeptForAWhile(t *testing.T) {
	const name = "notes/100% für später.md"
	r := testRepo(t, map[string]string{name: "version 0\n"})
	turn := func(n int) (rescued []Rescued) {
		t.Helper()
		tx, err := r.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Close()
		if rescued, err = tx.Rescued(); err != nil {
			t.Fatal(err)
		}
		for _, s := range rescued {
			if err := tx.Settled(s); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := tx.Commit(change("edit", map[string]string{name: fmt.Sprintf("version %d\n", n)})); err != nil {
			t.Fatal(err)
		}
		return rescued
	}
	old, err := os.OpenFile(r.workPath(name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Skip(err)
	}
	defer old.Close()
	for n := range keepReplaced - 1 {
		turn(n + 1)
	}
	if _, err := old.WriteString("and more\n"); err != nil {
		t.Fatal(err)
	}
	got := turn(100)
	if len(got) != 1 || got[0].Path != name || string(got[0].Data) != "version 0\nand more\n" {
		t.Errorf("rescued: %q", got)
	}
	for n := range keepReplaced {
		turn(200 + n)
	}
	list, err := os.ReadDir(r.replacedDir())
	if err != nil || len(list) != keepReplaced {
		t.Errorf("%d files are kept, %v", len(list), err)
	}
	for _, e := range list {
		if err := os.Chtimes(filepath.Join(r.replacedDir(), e.Name()), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if got := turn(300); len(got) != 0 {
		t.Errorf("rescued: %q", got)
	}
	if _, err := os.Stat(r.rescueDir()); err == nil {
		t.Error("the folder of rescued texts is left")
	}
	sound(t, r)
}
