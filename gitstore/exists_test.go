package gitstore

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExists(t *testing.T) {
	is := func(want bool, when, dir string) {
		t.Helper()
		if got := Exists(dir, Options{}); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	dir := t.TempDir()
	is(false, "nothing", dir)
	git := filepath.Join(dir, ".git")
	if err := os.MkdirAll(filepath.Join(git, "vault", "state", "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	is(false, "just begun", dir)
	marker := filepath.Join(git, "vault", "state", "tmp", "making")
	if err := os.WriteFile(marker, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(git, "objects"), 0o777); err != nil {
		t.Fatal(err)
	}
	is(false, "being made", dir)
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	is(true, "without its HEAD", dir)

	r := testRepo(t, map[string]string{"a.md": "a\n"})
	is(true, "whole", r.dir)
}
