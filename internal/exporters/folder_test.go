package exporters

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFolderKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	save := func(force bool, files ...File) error { return SaveFolder(dir, "html", files, force) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) { must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	reads := func(name, want string) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		if want == "" && os.IsNotExist(err) {
			return
		}
		if string(data) != want {
			t.Errorf("%s is %q, want %q (%v)", name, data, want, err)
		}
	}
	must(save(false, File{"a.html", []byte("a")}, File{"x/b.html", []byte("b")}, File{"x/c.html", []byte("c")}))
	write("mine.txt", "mine")
	must(save(false, File{"a.html", []byte("a2")}, File{"x/c.html", []byte("c")}))
	reads("a.html", "a2")
	reads("x/b.html", "")
	reads("mine.txt", "mine")

	write("a.html", "changed by hand")
	if err := save(false, File{"a.html", []byte("a3")}, File{"d.html", []byte("d")}); !errors.Is(err, ErrNotOurs) {
		t.Errorf("got %v", err)
	}
	reads("a.html", "changed by hand")
	reads("d.html", "")
	must(save(false)) // what was changed stays, though it is no longer part of it
	reads("a.html", "changed by hand")
	must(save(true, File{"a.html", []byte("a4")}))
	reads("a.html", "a4")

	outside := filepath.Join(t.TempDir(), "outside")
	must(os.WriteFile(outside, []byte("outside"), 0o644))
	if os.Symlink(outside, filepath.Join(dir, "link.html")) == nil {
		_ = save(true, File{"link.html", []byte("x")})
		if data, _ := os.ReadFile(outside); string(data) != "outside" {
			t.Errorf("wrote through a symlink: %q", data)
		}
	}
}

func TestFileIsNotOverwritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "AGENTS.md")
	for _, step := range []struct {
		text  string
		force bool
		ok    bool
	}{{"a", false, true}, {"a", false, true}, {"b", false, false}, {"b", true, true}} {
		if err := SaveFile(name, []byte(step.text), step.force); (err == nil) != step.ok {
			t.Errorf("%+v: %v", step, err)
		}
	}
}
