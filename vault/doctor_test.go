package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorNamesDamagedObjects takes objects away and spoils them: doctor names
// each, the other scope goes on serving, and nothing proposes deleting.
func TestDoctorNamesDamagedObjects(t *testing.T) {
	spoil := map[string]func(path string) error{
		"missing": os.Remove,
		"noise": func(path string) error {
			if err := os.Chmod(path, 0o644); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("noise"), 0o644)
		},
	}
	for name, damage := range spoil {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			someEntries(t, l)
			if found, err := l.open(t).Doctor(ctx, Checkup{Fix: true}); err != nil || len(found) > 0 {
				t.Fatalf("sound scopes: %v %+v", err, found)
			}
			objects, err := filepath.Glob(filepath.Join(l.project(), ".git", "objects", "??", "*"))
			if err != nil || len(objects) == 0 {
				t.Fatal(objects, err)
			}
			for _, path := range objects {
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				id := filepath.Base(filepath.Dir(path)) + filepath.Base(path)
				found, err := l.open(t).Doctor(ctx, Checkup{})
				if err != nil {
					t.Fatal(err)
				}
				named := false
				for _, f := range found {
					named = named || strings.Contains(f.Message, id)
					if f.Scope == UserScope || strings.Contains(f.Message+f.Fix, "delet") {
						t.Errorf("%+v", f)
					}
				}
				if !named {
					t.Errorf("%s is not named: %+v", id, found)
				}
				if _, err := idOf(l.userOnly(t), "Answer in short sentences."); err != nil {
					t.Errorf("the other scope: %v", err)
				}
				_ = os.Remove(path)
				if err := os.WriteFile(path, before, 0o444); err != nil {
					t.Fatal(err)
				}
			}
			l.sound(t)
		})
	}
}

// userOnly opens the home from a folder that is no project.
func (l *lab) userOnly(t testing.TB) *Home {
	t.Helper()
	o := l.options()
	o.Dir = l.path("person")
	h, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestCacheMayBeNoise fills, truncates and takes away everything under the
// cache at any time: answers stay what they were.
func TestCacheMayBeNoise(t *testing.T) {
	l := newLab(t)
	someEntries(t, l)
	answers := func() string {
		var b strings.Builder
		h := l.open(t)
		list, err := h.List(ctx, ListQuery{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			b.WriteString(e.ID + e.Title + "\n")
		}
		hits, err := h.Recall(ctx, RecallQuery{Text: "static pages"})
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range hits.Hits {
			b.WriteString(hit.ID + "\n")
		}
		block, err := h.Context(ctx, ContextQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return b.String() + block.Text
	}
	want := answers()
	for name, spoil := range map[string]func(path string) error{
		"noise":     func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("\x7fnoise\x00", 99)), 0o644) },
		"truncated": func(p string) error { return os.Truncate(p, 3) },
		"empty":     func(p string) error { return os.Truncate(p, 0) },
		"read-only": func(p string) error { return os.Chmod(p, 0o444) },
		"a folder": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Mkdir(p, 0o755)
		},
		"gone": os.Remove,
	} {
		n := 0
		for _, dir := range l.scopes() {
			_ = filepath.WalkDir(filepath.Join(dir, ".git", "vault", "cache"), func(p string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					n++
					return spoil(p)
				}
				return nil
			})
		}
		if n == 0 {
			t.Fatal("there is no cache")
		}
		if got := answers(); got != want {
			t.Errorf("%s: other answers:\n%s\nnot\n%s", name, got, want)
		}
		l.seed++
		id := l.remember(t, Decision, "", "Written over "+name+".")
		if _, err := l.open(t).Forget(ctx, "", []string{id}, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, dir := range l.scopes() { // what a folder was put in place of
			_ = os.RemoveAll(filepath.Join(dir, ".git", "vault", "cache"))
		}
		if got := answers(); got != want {
			t.Errorf("%s: other answers afterwards", name)
		}
	}
	l.sound(t)
}
