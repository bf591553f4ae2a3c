package gitstore

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// saves are the ways in which editors save a file.
var saves = map[string]func(name, text string) error{
	"in place": func(name, text string) error { return os.WriteFile(name, []byte(text), 0o666) },
	"by rename": func(name, text string) error {
		if err := os.WriteFile(name+"~", []byte(text), 0o666); err != nil {
			return err
		}
		return os.Rename(name+"~", name)
	},
	"moved aside": func(name, text string) error {
		_ = os.Rename(name, name+"~") // gone, if the commit has just deleted it
		err := os.WriteFile(name, []byte(text), 0o666)
		_ = os.Remove(name + "~")
		return err
	},
}

// TestAnEditorSavesAtEveryStep lets somebody save a file just before each step
// of a commit that replaces that file. Whatever happens, that text is in the
// worktree afterwards, or it was seen before the commit began.
func TestAnEditorSavesAtEveryStep(t *testing.T) {
	cases := map[string]Change{
		"replaced": change("change", map[string]string{"a.md": "two\n", "b.md": "b2\n"}),
		"new":      change("change", map[string]string{"n/new.md": "new\n"}),
		"deleted":  change("change", nil, "a.md"),
	}
	targets := map[string]string{"replaced": "a.md", "new": "n/new.md", "deleted": "a.md"}
	for kind, c := range cases {
		for how, save := range saves {
			if how == "moved aside" && kind == "new" {
				continue
			}
			t.Run(kind+" "+how, func(t *testing.T) {
				for at := 1; ; at++ {
					dir := filepath.Join(t.TempDir(), "scope")
					makeRepo(t, dir, fast, map[string]string{"a.md": "one\n", "b.md": "b\n"}).Close()
					const text = "saved by hand\n"
					path := filepath.Join(dir, filepath.FromSlash(targets[kind]))
					saved := false
					f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Call, Func: func() {
						if kind == "new" {
							_ = os.Mkdir(filepath.Dir(path), 0o777)
						}
						if err := save(path, text); err != nil {
							t.Fatal(err)
						}
						saved = true
					}})
					acked, err := writeAs(dir, f, c)
					if err != nil && !errors.Is(err, ErrChanged) {
						t.Fatalf("step %d: %v", at, err)
					}
					if !saved {
						break
					}
					data, rerr := os.ReadFile(path)
					if rerr != nil || string(data) != text {
						t.Fatalf("step %d of %q: the saved text is lost: worktree has %q (%v), commit returned %v", at, f.Steps(), data, rerr, err)
					}
					r, err := Open(dir, fast)
					if err != nil {
						t.Fatal(err)
					}
					if file, ok := look(t, r).File(targets[kind]); !ok || !file.Dirty && !file.Untracked {
						t.Fatalf("step %d: the saved text is not seen: %+v", at, file)
					}
					tx := begin(t, r)
					take := change("adopt", nil)
					take.Take = []string{targets[kind]}
					if _, err := tx.Commit(take); err != nil {
						t.Fatal(err)
					}
					tx.Close()
					if tidy(t, r); at%10 == 0 {
						sound(t, r)
					}
					if n := strings.Count(git(t, dir, "log", "--format=%s"), "change"); n != len(acked) {
						t.Fatalf("step %d: %d commits, %d acknowledged", at, n, len(acked))
					}
					r.Close()
				}
			})
		}
	}
}

// TestGitCommitsAtEveryStep runs plain git just before each step of a commit.
func TestGitCommitsAtEveryStep(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for name, run := range map[string][]string{
		"commit -am": {"commit", "-qam", "by hand"},
		"add":        {"add", "b.md"},
		"status":     {"status"},
		"gc":         {"gc", "-q"},
		"pack-refs":  {"pack-refs", "--all"},
	} {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				dir := filepath.Join(t.TempDir(), "scope")
				makeRepo(t, dir, fast, map[string]string{"a.md": "one\n", "b.md": "b\n"}).Close()
				if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("b by hand\n"), 0o666); err != nil {
					t.Fatal(err)
				}
				ran, gitOK := false, false
				f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Call, Func: func() {
					ran = true
					out, err := tryGit(t, dir, nil, run...)
					if gitOK = err == nil; !gitOK && !strings.Contains(out, ".lock") {
						t.Errorf("step %d: git: %s", at, out)
					}
				}})
				acked, err := writeAs(dir, f, change("change", map[string]string{"a.md": "two\n"}))
				if err != nil && !errors.Is(err, ErrChanged) {
					t.Fatalf("step %d: %v", at, err)
				}
				if !ran {
					return
				}
				r, err := Open(dir, fast)
				if err != nil {
					t.Fatal(err)
				}
				tx := begin(t, r)
				v, err := tx.View()
				if err != nil {
					t.Fatal(err)
				}
				if b, _ := v.File("b.md"); b.Dirty {
					take := change("adopt", nil)
					take.Take = []string{"b.md"}
					if _, err := tx.Commit(take); err != nil {
						t.Fatal(err)
					}
				}
				tx.Close()
				tidy(t, r)
				if at%7 == 0 {
					sound(t, r)
				}
				if got := content(t, r, "b.md"); got != "b by hand\n" {
					t.Fatalf("step %d: b.md is %q", at, got)
				}
				log := git(t, dir, "log", "--format=%s")
				want := map[string]int{"change": len(acked), "by hand": 0}
				if gitOK && name == "commit -am" {
					want["by hand"] = 1
				}
				for subject, n := range want {
					if got := strings.Count("\n"+log, "\n"+subject+"\n"); got != n {
						t.Fatalf("step %d: %q is %d times in the history, not %d:\n%s\n%s", at, subject, got, n, log, strings.Join(f.Steps(), "\n"))
					}
				}
				if len(acked) > 0 && content(t, r, "a.md") != "two\n" {
					t.Fatalf("step %d: a.md is %q", at, content(t, r, "a.md"))
				}
				r.Close()
			}
		})
	}
}

// TestReadersAtEveryStep takes a View before each step: it shows one commit,
// whole, and nothing as edited by hand.
func TestReadersAtEveryStep(t *testing.T) {
	for at, done := 1, false; !done; at++ {
		dir := filepath.Join(t.TempDir(), "scope")
		makeRepo(t, dir, fast, map[string]string{"a.md": "a1", "b.md": "b1", "c.md": "c1", "gone.md": "g"}).Close()
		reader, err := Open(dir, fast)
		if err != nil {
			t.Fatal(err)
		}
		done = true
		f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Call, Func: func() {
			done = false
			start := time.Now()
			v, err := reader.View(context.Background())
			if err != nil {
				t.Fatalf("step %d: %v", at, err)
			}
			if d := time.Since(start); d > fast.LockTimeout/2 { // it would wait that long for the writer, who waits for it
				t.Errorf("step %d: the reader waited for %v", at, d)
			}
			var all []string
			for _, f := range v.Files() {
				if f.Dirty || f.Missing || f.Untracked {
					t.Errorf("step %d: %+v", at, f)
				}
				data, err := v.Read(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, string(data))
			}
			if s := strings.Join(all, " "); s != "a1 b1 c1 g" && s != "a2 b2 c1 n2" {
				t.Errorf("step %d: torn: %q", at, s)
			}
		}})
		if _, err := writeAs(dir, f, change("change", map[string]string{"a.md": "a2", "b.md": "b2", "n/n.md": "n2"}, "gone.md")); err != nil {
			t.Fatal(err)
		}
		reader.Close()
	}
}
