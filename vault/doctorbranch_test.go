package vault

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gitvault/gitstore"
)

// worktree is what stands in a scope's folder, .git left out.
func worktree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[path] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func spoil(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) fixed(t testing.TB) []Trouble {
	t.Helper()
	found, err := l.open(t).Doctor(ctx, Checkup{Fix: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if strings.Contains(f.Message+f.Fix, "delet") || strings.Contains(f.Message+f.Fix, "rm -") {
			t.Errorf("it proposes to delete: %+v", f)
		}
	}
	return found
}

// TestDoctorBringsBranchesBack breaks what leads to the newest commit, in the
// ways a lost power supply does: a damaged scope refuses writes while the other
// goes on, the files are not touched, nothing that stood in them is lost, and
// git finds nothing to say afterwards.
func TestDoctorBringsBranchesBack(t *testing.T) {
	objectsOf := func(t *testing.T, l *lab, revs ...string) []string {
		var out []string
		s, err := l.open(t).Scope(ProjectScope)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		head, err := r.Head()
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Commit(head)
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Tree(head)
		if err != nil {
			t.Fatal(err)
		}
		for _, rev := range revs {
			h := map[string]gitstore.Hash{"commit": head, "tree": c.Tree, "blob": files["decisions.md"].Hash}[rev]
			out = append(out, filepath.Join(l.project(), ".git", "objects", h.String()[:2], h.String()[2:]))
		}
		return out
	}
	empty := func(revs ...string) func(*testing.T, *lab, string) {
		return func(t *testing.T, l *lab, _ string) {
			for _, path := range objectsOf(t, l, revs...) {
				spoil(t, path, "")
			}
		}
	}
	ref := func(name, text string) func(*testing.T, *lab, string) {
		return func(t *testing.T, l *lab, git string) { spoil(t, filepath.Join(git, name), text) }
	}
	gone := func(names ...string) func(*testing.T, *lab, string) {
		return func(t *testing.T, l *lab, git string) {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(git, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	const main = "refs/heads/main"
	for name, test := range map[string]struct {
		damage func(t *testing.T, l *lab, git string)
		reads  bool // readers go on all the same
	}{
		"branch empty":          {ref(main, ""), false},
		"branch zeroed":         {ref(main, strings.Repeat("\x00", 41)), false},
		"branch of noughts":     {ref(main, strings.Repeat("0", 40)+"\n"), true},
		"branch noise":          {ref(main, "\x7f\x13noise"), false},
		"branch to nowhere":     {ref(main, strings.Repeat("ab", 20)+"\n"), false},
		"branch gone":           {gone(main), true},
		"refs gone":             {gone("refs"), true},
		"branch and index gone": {gone(main, "index"), true},
		"branch is a folder": {func(t *testing.T, l *lab, git string) {
			gone(main)(t, l, git)
			spoil(t, filepath.Join(git, main, "x"), "")
		}, true},
		"HEAD empty":               {ref("HEAD", ""), true},
		"HEAD zeroed":              {ref("HEAD", strings.Repeat("\x00", 21)), true},
		"HEAD gone":                {gone("HEAD"), false},
		"HEAD and branch gone":     {gone("HEAD", main), false},
		"last commit empty":        {empty("commit"), false},
		"last objects empty":       {empty("commit", "tree", "blob"), false},
		"last tree empty":          {empty("tree"), true},
		"last blob empty":          {empty("blob"), true},
		"index zeroed":             {ref("index", strings.Repeat("\x00", 500)), true},
		"index empty":              {ref("index", ""), true},
		"packed-refs noise":        {ref("packed-refs", "# pack-refs with: peeled fully-peeled sorted\nnoise\x00\n"), true},
		"shallow noise":            {ref("shallow", "noise\n"), true},
		"configuration zeroed":     {ref("config", strings.Repeat("\x00", 300)), true},
		"remote's ref empty":       {ref("refs/remotes/origin/main", ""), true},
		"reflog about what's gone": {ref("logs/HEAD", strings.Repeat("0", 40)+" "+strings.Repeat("cd", 20)+" Ada <a@b> 1700000000 +0000\tcommit: x\n"), true},
		"stray empty object":       {ref("objects/ab/"+strings.Repeat("c", 38), ""), true},
		"journal noise":            {ref("vault/state/journal", "\x00\x00"), true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			someEntries(t, l)
			first := l.remember(t, Decision, "", "Keep the first of two.")
			last := l.remember(t, Decision, "", "Keep the last of two.")
			before, files := l.state(t, l.open(t)), worktree(t, l.project())
			git := filepath.Join(l.project(), ".git")
			test.damage(t, l, git)

			found, err := l.open(t).Doctor(ctx, Checkup{})
			if err != nil || len(found) == 0 {
				t.Fatalf("it finds %+v: %v", found, err)
			}
			if !test.reads {
				if _, err := l.open(t).Remember(ctx, Draft{Kind: Decision, Scope: ProjectScope, Text: "Not now."}); err == nil {
					t.Error("a damaged scope was written to")
				} else if !strings.Contains(err.Error(), "'vault doctor") || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is no help: %v", err)
				}
			}
			l.remember(t, Preference, "", "Written to the other one.")
			if !slices.ContainsFunc(l.fixed(t), func(f Trouble) bool { return f.Fixed }) {
				t.Fatal("nothing is mended")
			}
			if now := worktree(t, l.project()); !mapsEqual(now, files) {
				t.Errorf("the files are not what they were: %v", now)
			}
			l.seed++
			l.remember(t, Decision, "", "Written afterwards.")
			if left := l.fixed(t); len(left) > 0 {
				t.Errorf("still: %+v", left)
			}
			after := l.state(t, l.open(t))
			for key, text := range before {
				if after[key] != text {
					t.Errorf("%s was\n%s\nand is\n%s", key, text, after[key])
				}
			}
			if texts := fmt.Sprint(after); !strings.Contains(texts, first) || !strings.Contains(texts, last) {
				t.Error("an id is gone")
			}
			l.sound(t)
		})
	}
}

func mapsEqual(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// TestDoctorOverRandomDamage does anything to any files of a scope's .git:
// doctor says so, mends what it can, and touches no file of the person's.
func TestDoctorOverRandomDamage(t *testing.T) {
	rounds := 20
	if *long {
		rounds = 2000
	}
	whole := newLab(t)
	someEntries(t, whole)
	for i := range 4 {
		whole.remember(t, Decision, "", fmt.Sprintf("Choice number %d stands.", i))
	}
	if hasGit() {
		if out, err := whole.git(t, whole.project(), "gc", "--quiet"); err != nil {
			t.Fatal(err, out)
		}
	}
	whole.remember(t, Decision, "", "The last choice stands.")
	refused := 0
	for i := range rounds {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		l := newLab(t)
		copyTree(t, whole.path("home"), l.path("home"))
		l.seed = whole.seed
		git := filepath.Join(l.project(), ".git")
		var paths []string
		_ = filepath.WalkDir(git, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, path)
			}
			return nil
		})
		var done []string
		for range 1 + random.IntN(3) {
			path := paths[random.IntN(len(paths))]
			how := damageFile(t, random, path)
			done = append(done, how+" "+strings.TrimPrefix(path, git))
		}
		files := worktree(t, l.project())
		if _, err := l.open(t).Doctor(ctx, Checkup{}); err != nil {
			t.Fatalf("%d %v: %v", i, done, err)
		}
		found := l.fixed(t)
		if !mapsEqual(worktree(t, l.project()), files) {
			t.Fatalf("%d %v: the files are not what they were", i, done)
		}
		_, err := l.open(t).Remember(ctx, Draft{Kind: Decision, Scope: ProjectScope, Text: "Written afterwards."})
		if err != nil && !slices.ContainsFunc(found, func(f Trouble) bool {
			return !f.Fixed && (f.Severity == SeverityError || f.Rule == "unfinished")
		}) {
			t.Errorf("%d %v: %v, and doctor said %+v", i, done, err, found)
		}
		var all bytes.Buffer
		for _, text := range worktree(t, l.project()) {
			all.WriteString(text)
		}
		if err != nil {
			refused++
		}
		for _, text := range []string{"Choice number 0", "Choice number 1", "Choice number 2", "Choice number 3", "The last choice"} {
			if !strings.Contains(all.String(), text) {
				t.Errorf("%d %v: %q is gone", i, done, text)
			}
		}
		if id, err := idOf(l.userOnly(t), "Answer in short sentences."); err != nil || id == "" {
			t.Errorf("%d %v: the other scope: %v", i, done, err)
		}
	}
	t.Logf("of %d damaged scopes %d are a person's to mend", rounds, refused)
}

func damageFile(t testing.TB, random *rand.Rand, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return "nothing"
	}
	how := ""
	switch random.IntN(4) {
	case 0:
		how, data = "cut", data[:random.IntN(len(data)+1)]
	case 1:
		how = "zeroed"
		clear(data)
	case 2:
		_ = os.Remove(path)
		return "gone"
	case 3:
		how = "flipped"
		if len(data) > 0 {
			data[random.IntN(len(data))] ^= byte(1 << random.IntN(8))
		}
	}
	spoil(t, path, string(data))
	return how
}
