package main

import (
	"path/filepath"
	"testing"
)

// Which folder a client's variable names: a path, a list, or JSON.
func TestTheFolderThatAClientNames(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for value, want := range map[string]string{
		one: one, one + "," + two: one, "/gone/1," + two: two, one + string(filepath.ListSeparator) + two: one,
		`["` + filepath.ToSlash(two) + `"]`: two, "/gone/1": "", ".": "", "": "", ",": "",
	} {
		if got := firstFolder(value); got != want {
			t.Errorf("%q names %q, not %q", value, got, want)
		}
	}
}
