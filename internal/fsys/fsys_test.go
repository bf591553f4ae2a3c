package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestPlaceAndExchange(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name, want string) {
		t.Helper()
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s: %q %v", name, data, err)
		}
	}
	put(a, "1")
	put(b, "2")
	if err := (OS{}).Exchange(a, b); err != nil {
		t.Fatal(err)
	}
	has(a, "2")
	has(b, "1")
	if err := (OS{}).Place(a, b); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Place over a file: %v", err)
	}
	has(b, "1")
	if err := (OS{}).Place(a, filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	has(filepath.Join(dir, "c"), "2")
	if err := (OS{}).Exchange(a, b); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Exchange with nothing: %v", err)
	}
	has(b, "1")
}

func TestMkdirAllTellsWhatToSync(t *testing.T) {
	dir := t.TempDir()
	changed, err := MkdirAll(OS{}, filepath.Join(dir, "x", "y"), 0o777)
	if err != nil || len(changed) != 2 || changed[0] != dir || changed[1] != filepath.Join(dir, "x") {
		t.Errorf("%q %v", changed, err)
	}
	if changed, err := MkdirAll(OS{}, filepath.Join(dir, "x", "y"), 0o777); err != nil || len(changed) != 0 {
		t.Errorf("%q %v", changed, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := MkdirAll(OS{}, filepath.Join(dir, "f"), 0o777); err == nil {
		t.Error("a file passes for a folder")
	}
}
