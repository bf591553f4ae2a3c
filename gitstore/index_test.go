package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawIndex(t *rapid.T) *index {
	name := rapid.StringMatching(`[a-zé .]{1,12}`)
	seen := map[string]bool{}
	x := &index{entries: []indexEntry{}}
	for range rapid.IntRange(0, 12).Draw(t, "entries") {
		parts := rapid.SliceOfN(name, 1, 4).Draw(t, "parts")
		path := strings.Join(parts, "/")
		if rapid.IntRange(0, 20).Draw(t, "long") == 0 {
			path += strings.Repeat("x", 5000)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		u := func(s string) uint32 { return rapid.Uint32().Draw(t, s) }
		e := indexEntry{
			path: path, mode: rapid.SampledFrom([]Mode{ModeFile, ModeExec, ModeSymlink, ModeSubmodule}).Draw(t, "mode"),
			stat:  statData{u("a"), u("b"), u("c"), u("d"), u("e"), u("f"), u("g"), u("h"), u("i")},
			stage: rapid.IntRange(0, 3).Draw(t, "stage"), assumeValid: rapid.Bool().Draw(t, "assume"),
			skipWorktree: rapid.Bool().Draw(t, "skip"), intentToAdd: rapid.Bool().Draw(t, "ita"),
		}
		copy(e.hash[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "hash"))
		x.entries = append(x.entries, e)
	}
	sort.Slice(x.entries, func(i, j int) bool { return x.entries[i].before(&x.entries[j]) })
	if rapid.Bool().Draw(t, "tree") {
		x.tree = &cacheTree{entries: len(x.entries), subs: []*cacheTree{{name: "sub", entries: -1}, {name: "é", entries: 3}}}
	}
	return x
}

func TestIndexComesBackAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawIndex(t)
		y, err := decodeIndex(x.encode())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x.entries, y.entries) || !reflect.DeepEqual(x.tree, y.tree) {
			t.Fatalf("wrote %+v\nread %+v", x, y)
		}
	})
}

func FuzzDecodeIndex(f *testing.F) {
	x := &index{entries: []indexEntry{{path: "a", mode: ModeFile}, {path: "b/c", mode: ModeExec, skipWorktree: true}}, tree: &cacheTree{entries: 2}}
	f.Add(x.encode())
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A checksum of zeros is let pass, so that the rest is reached.
		if y, err := decodeIndex(append(data, make([]byte, 20)...)); err == nil {
			if _, err := decodeIndex(y.encode()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestGitsOwnIndexesAreRead(t *testing.T) {
	for _, setup := range [][]string{
		{"update-index", "--index-version", "4"},
		{"update-index", "--index-version", "3"},
		{"update-index", "--untracked-cache"},
		{"-c", "index.threads=2", "-c", "index.recordEndOfIndexEntries=true", "-c", "index.recordOffsetTable=true", "read-tree", "HEAD"},
		{"-c", "index.skipHash=true", "read-tree", "HEAD"},
		{"update-index", "--assume-unchanged", "d/a.md"},
		{"read-tree", "HEAD"},
		{"read-tree", "--empty"},
		{"rm", "-q", "--cached", "d/a.md"},
		{"update-index", "--chmod=+x", "d/a.md"},
		{"pack-refs", "--all"},
	} {
		t.Run(strings.Join(setup, " "), func(t *testing.T) {
			files := map[string]string{}
			for i := range 30 {
				files[fmt.Sprintf("d/%c%d.md", 'a'+i%3, i)] = "x"
			}
			files["d/a.md"], files["z.md"] = "a", "z"
			r := testRepo(t, files)
			if out, err := tryGit(t, r.dir, nil, setup...); err != nil {
				t.Skip(out)
			}
			for _, f := range look(t, r).Files() {
				if f.Dirty || f.Missing || f.Untracked {
					t.Errorf("%+v", f)
				}
			}
			commit(t, r, change("x", map[string]string{"d/b1.md": "changed", "new/x.md": "new"}))
			sound(t, r)
		})
	}
}

func TestBrokenIndexesAreMadeAgain(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(p string) error { return os.Truncate(p, 0) },
		"cut":     func(p string) error { return os.Truncate(p, 50) },
		"noise":   func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("noise", 100)), 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			r := testRepo(t, map[string]string{"a.md": "a", "d/b.md": "b"})
			write(t, r, "d/b.md", "edited")
			if err := damage(r.indexPath()); err != nil {
				t.Fatal(err)
			}
			if f, _ := look(t, r).File("a.md"); f.Dirty {
				t.Errorf("%+v", f)
			}
			begin(t, r).Close()
			if got := git(t, r.dir, "status", "--porcelain"); got != " M d/b.md\n" {
				t.Errorf("%q", got)
			}
			commit(t, r, change("x", map[string]string{"a.md": "a2"}))
			if got := git(t, r.dir, "status", "--porcelain"); got != " M d/b.md\n" {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhatAPersonStagedStaysStaged(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a", "b.md": "b", "c.md": "c"})
	write(t, r, "b.md", "staged")
	write(t, r, "new.md", "new")
	git(t, r.dir, "add", "b.md", "new.md")
	write(t, r, "later.md", "later")
	git(t, r.dir, "add", "-N", "later.md")
	commit(t, r, change("x", map[string]string{"a.md": "a2"}))
	if got := git(t, r.dir, "status", "--porcelain"); got != "M  b.md\n A later.md\nA  new.md\n" {
		t.Errorf("%q", got)
	}
	if got := git(t, r.dir, "show", "--format=", "--name-only"); got != "a.md\n" {
		t.Errorf("%q", got)
	}
	take := change("adopt", nil)
	take.Take = []string{"b.md", "new.md", "later.md"}
	commit(t, r, take)
	sound(t, r)
}

func TestAStaleIndexIsPutRight(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a", "b.md": "b"})
	old, err := os.ReadFile(r.indexPath())
	if err != nil {
		t.Fatal(err)
	}
	commit(t, r, change("x", map[string]string{"a.md": "a2", "c.md": "c"}, "b.md"))
	// As after a power cut that took the new index.
	if err := os.WriteFile(r.indexPath(), old, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, f := range look(t, r).Files() {
		if f.Dirty || f.Missing || f.Untracked {
			t.Errorf("%+v", f)
		}
	}
	begin(t, r).Close()
	sound(t, r)
}

func TestSkippedFilesAreNotMissing(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a", "b.md": "b"})
	git(t, r.dir, "update-index", "--skip-worktree", "b.md")
	if err := os.Remove(r.workPath("b.md")); err != nil {
		t.Fatal(err)
	}
	v := look(t, r)
	if f, _ := v.File("b.md"); f.Missing || f.Dirty {
		t.Errorf("%+v", f)
	}
	if data, err := v.Read("b.md"); err != nil || string(data) != "b" {
		t.Errorf("%q %v", data, err)
	}
	commit(t, r, change("x", map[string]string{"a.md": "a2"}))
	sound(t, r)
}

func TestSplitAndSparseIndexes(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a", "d/b.md": "b", "e/c.md": "c"})
	git(t, r.dir, "update-index", "--split-index")
	if f, ok := look(t, r).File("a.md"); !ok || f.Dirty {
		t.Errorf("%+v", f)
	}
	commit(t, r, change("x", map[string]string{"a.md": "a2"}))
	sound(t, r)
	if out, err := tryGit(t, r.dir, nil, "sparse-checkout", "set", "--cone", "--sparse-index", "d"); err != nil {
		t.Skip(out)
	}
	if data, err := look(t, r).ReadHead("e/c.md"); err != nil || string(data) != "c" {
		t.Errorf("%q %v", data, err)
	}
	if _, err := r.Begin(context.Background()); !errors.Is(err, ErrUnfinished) {
		t.Errorf("%v", err)
	}
	git(t, r.dir, "sparse-checkout", "disable")
	commit(t, r, change("x", map[string]string{"a.md": "a3"}))
	sound(t, r)
}

func TestClonesByPlainGitAreWrittenTo(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	dir := filepath.Join(t.TempDir(), "clone")
	git(t, r.dir, "clone", "-q", r.dir, dir)
	c, err := Open(dir, fast)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	commit(t, c, change("x", map[string]string{"a.md": "a2"}))
	sound(t, c)
	// With a reflog there, it goes on.
	if got := git(t, dir, "log", "-g", "--format=%gs", "main"); !strings.HasPrefix(got, "commit: x\nclone:") {
		t.Errorf("%q", got)
	}
	if got := git(t, dir, "log", "-g", "--format=%gs"); !strings.HasPrefix(got, "commit: x\nclone:") {
		t.Errorf("%q", got)
	}
	// A clone that has only the newest of several commits.
	commit(t, r, change("y", map[string]string{"a.md": "a3"}))
	thin := filepath.Join(t.TempDir(), "thin")
	git(t, r.dir, "clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.dir), thin)
	s, err := Open(thin, fast)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commit(t, s, change("z", map[string]string{"a.md": "a4"}))
	sound(t, s)
	if _, err := s.Resolve("HEAD~2"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	// The clone of a repository without commits.
	empty := filepath.Join(t.TempDir(), "empty")
	git(t, r.dir, "init", "-q", "-b", "main", empty)
	e, err := Open(empty, fast)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if v := look(t, e); !v.Head.IsZero() || len(v.Files()) != 0 {
		t.Errorf("%+v", v)
	}
	commit(t, e, change("first", map[string]string{"a.md": "a"}))
	sound(t, e)
}

func TestFormatsThatAreRefused(t *testing.T) {
	for _, config := range []string{
		"[core]\n\trepositoryformatversion = 2\n",
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n",
		"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n",
	} {
		r := testRepo(t, map[string]string{"a.md": "a"})
		if err := os.WriteFile(filepath.Join(r.git, "config"), []byte(config), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(r.dir, fast); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: %v", config, err)
		}
	}
	if _, err := Open(t.TempDir(), fast); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	lost := testRepo(t, map[string]string{"a.md": "a"})
	if err := os.Remove(filepath.Join(lost.git, "HEAD")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Init(context.Background(), lost.dir, fast, Change{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v", err)
	}
}
