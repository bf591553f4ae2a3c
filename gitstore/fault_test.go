package gitstore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// long makes the tests that try to break the store do so at every step and
// with many more seeds: go test ./gitstore -run 'Step|Killed|Writers' -long
var long = flag.Bool("long", false, "try everything, which takes many minutes")

// scenario is something that writes, and that is stopped at each of its steps.
type scenario struct {
	name  string
	setup func(t testing.TB, dir string) // with a sound file system
	// run writes, and says which commits were acknowledged.
	run func(dir string, f fsys.FS) (acked []string, err error)
}

var scenarios = []scenario{
	{
		name:  "init",
		setup: func(testing.TB, string) {},
		run: func(dir string, f fsys.FS) ([]string, error) {
			r, _, err := Init(context.Background(), dir, Options{FS: f}, change("init", map[string]string{"a.md": "one\n", "d/b.md": "b\n"}))
			if err != nil {
				return nil, err
			}
			return []string{"init"}, r.Close()
		},
	},
	{
		name: "change",
		setup: func(t testing.TB, dir string) {
			makeRepo(t, dir, fast, map[string]string{"a.md": "one\n", "d/b.md": "b\n", "d/e/y.md": "y\n"}).Close()
		},
		run: func(dir string, f fsys.FS) ([]string, error) {
			return writeAs(dir, f, change("change", map[string]string{"a.md": "two\n", "n/new.md": "new\n", "d/b.md": "b2\n"}, "d/e/y.md"))
		},
	},
	{
		name: "adopt, then change",
		setup: func(t testing.TB, dir string) {
			r := makeRepo(t, dir, fast, map[string]string{"a.md": "one\n", "d/b.md": "b\n"})
			write(t, r, "a.md", "one\nby hand\n")
			write(t, r, "own.md", "own\n")
			r.Close()
		},
		run: func(dir string, f fsys.FS) ([]string, error) {
			adopt := change("adopt", map[string]string{"a.md": "one\nby hand\nwith id\n"})
			adopt.Expect = map[string][]byte{"a.md": []byte("one\nby hand\n")}
			adopt.Take = []string{"own.md"}
			return writeAs(dir, f, adopt, change("change", map[string]string{"a.md": "one\nby hand\nwith id\nmore\n", "d/b.md": "b2\n"}))
		},
	},
	{
		name: "a file for a folder, a folder for a file",
		setup: func(t testing.TB, dir string) {
			makeRepo(t, dir, fast, map[string]string{"a": "one\n", "d/x/y": "y\n", "d/z": "z\n"}).Close()
		},
		run: func(dir string, f fsys.FS) ([]string, error) {
			return writeAs(dir, f, change("change", map[string]string{"d": "d\n", "a/b": "b\n"}, "a", "d/x/y", "d/z"))
		},
	},
	{
		name: "many files",
		setup: func(t testing.TB, dir string) {
			makeRepo(t, dir, fast, map[string]string{"a.md": "one\n"}).Close()
		},
		run: func(dir string, f fsys.FS) ([]string, error) {
			put := map[string]string{}
			for i := range packInstead {
				put[fmt.Sprintf("d/%d.md", i)] = fmt.Sprint(i)
			}
			return writeAs(dir, f, change("change", put))
		},
	},
	{
		name: "after a crash",
		setup: func(t testing.TB, dir string) {
			makeRepo(t, dir, fast, map[string]string{"a.md": "one\n", "d/b.md": "b\n"}).Close()
			// Die just after the branch has moved.
			f := faultfs.New(fsys.OS{}, faultfs.Plan{})
			probe := filepath.Join(t.TempDir(), "probe")
			makeRepo(t, probe, fast, map[string]string{"a.md": "one\n", "d/b.md": "b\n"}).Close()
			crash := change("crash", map[string]string{"a.md": "two\n", "c.md": "c\n"}, "d/b.md")
			if _, err := writeAs(probe, f, crash); err != nil {
				t.Fatal(err)
			}
			for i, s := range f.Steps() {
				if s == "rename heads/main.lock heads/main" {
					_, _ = writeAs(dir, faultfs.New(fsys.OS{}, faultfs.Plan{At: i + 3, Kind: faultfs.Dead}), crash)
					return
				}
			}
			t.Fatalf("no such step in %q", f.Steps())
		},
		run: func(dir string, f fsys.FS) ([]string, error) {
			acked, err := writeAs(dir, f, change("change", map[string]string{"a.md": "three\n"}))
			return append(acked, "crash"), err
		},
	},
}

// writeAs makes commits in one turn.
func writeAs(dir string, f fsys.FS, changes ...Change) (acked []string, err error) {
	r, err := Open(dir, Options{FS: f, LockTimeout: 200 * time.Millisecond})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	tx, err := r.Begin(context.Background())
	if err != nil {
		return nil, err
	}
	defer tx.Close()
	for _, c := range changes {
		if _, err := tx.Commit(c); err != nil {
			return acked, err
		}
		acked = append(acked, c.Message)
	}
	return acked, nil
}

// afterwards checks what must hold whatever happened: what was acknowledged is
// in the history once, the rest wholly or not at all, a next turn needs no
// help, and git finds everything in order.
func (s *scenario) afterwards(t testing.TB, dir string, acked []string, runErr error, strict, oracle bool) {
	t.Helper()
	ctx := context.Background()
	r, err := Open(dir, fast)
	if errors.Is(err, ErrNotFound) && s.name == "init" && len(acked) == 0 {
		if _, err := s.run(dir, fsys.OS{}); err != nil {
			t.Fatalf("Init after a crash: %v", err)
		}
		acked = []string{"init"}
		r, err = Open(dir, fast)
	}
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	// A reader comes first. It sees one commit, and hand edits only where
	// there are some.
	if v, err := r.View(ctx); err != nil {
		t.Fatalf("View: %v", err)
	} else {
		s.onlyHandEdits(t, v, "before recovery")
	}
	tx, err := r.Begin(ctx)
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}
	defer tx.Close()
	v, err := tx.View()
	if err != nil {
		t.Fatal(err)
	}
	s.onlyHandEdits(t, v, "after recovery")
	var dirty []string
	for _, f := range v.Files() {
		if f.Dirty || f.Untracked {
			dirty = append(dirty, f.Path)
		}
	}
	if len(dirty) > 0 {
		c := change("rest", nil)
		c.Take = dirty
		if _, err := tx.Commit(c); err != nil {
			t.Fatalf("adopting: %v", err)
		}
	}
	tx.Close()
	if tidy(t, r); oracle {
		sound(t, r)
	}
	head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			t.Fatal(err)
		}
		count[c.Subject()]++
	}
	for _, a := range acked {
		if count[a] != 1 {
			t.Fatalf("acknowledged %q is %d times in the history", a, count[a])
		}
	}
	for subject, n := range count {
		if n > 1 {
			t.Fatalf("%q is %d times in the history", subject, n)
		}
	}
	if strict && runErr != nil && count["change"] > 0 && s.name != "after a crash" {
		t.Fatalf("an error was returned, and the change was made all the same: %v", runErr)
	}
	if s.name == "adopt, then change" {
		if text := content(t, r, "a.md"); !strings.Contains(text, "by hand") {
			t.Fatalf("the hand edit is lost: %q", text)
		}
		if text := content(t, r, "own.md"); text != "own\n" {
			t.Fatalf("the person's file is lost: %q", text)
		}
	}
}

func (s *scenario) onlyHandEdits(t testing.TB, v *View, at string) {
	t.Helper()
	for _, f := range v.Files() {
		if f.Missing {
			t.Fatalf("%s: %s is missing", at, f.Path)
		}
		if !f.Dirty && !f.Untracked {
			continue
		}
		data, err := v.Read(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		byHand := s.name == "adopt, then change" && (f.Path == "a.md" && string(data) == "one\nby hand\n" || f.Path == "own.md")
		if !byHand {
			t.Fatalf("%s: %s passes for a hand edit: %q", at, f.Path, data)
		}
	}
}

func (s *scenario) steps(t *testing.T) int {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "scope")
	s.setup(t, dir)
	f := faultfs.New(fsys.OS{}, faultfs.Plan{})
	acked, err := s.run(dir, f)
	if err != nil {
		t.Fatal(err)
	}
	s.afterwards(t, dir, acked, nil, true, true)
	return len(f.Steps())
}

// TestEveryStepMayFail stops each scenario at every step that touches the
// disk, in every way.
func TestEveryStepMayFail(t *testing.T) {
	plans := []struct {
		name   string
		plan   faultfs.Plan
		strict bool // an error means that nothing has changed
		rounds int
	}{
		{"dead", faultfs.Plan{Kind: faultfs.Dead}, false, 1},
		{"torn", faultfs.Plan{Kind: faultfs.Torn}, false, 1},
		{"power cut", faultfs.Plan{Kind: faultfs.PowerCut}, false, 1},
		{"EIO once", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EIO}, true, 1},
		{"short write", faultfs.Plan{Kind: faultfs.Short, Err: syscall.ENOSPC}, true, 1},
		{"disk full", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.ENOSPC, Sticky: true}, false, 1},
		{"no permission", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EACCES, Sticky: true}, false, 1},
		{"read-only", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EROFS, Sticky: true}, false, 1},
	}
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			total := s.steps(t)
			t.Logf("%d steps", total)
			for _, p := range plans {
				every := max(1, total/60)
				if *long {
					p.rounds, every = p.rounds*10, 1
				} else if p.name != "dead" && p.name != "power cut" {
					every *= 3
				}
				t.Run(p.name, func(t *testing.T) {
					for at := 1 + i%every; at <= total; at += every {
						for round := range p.rounds {
							plan := p.plan
							plan.At, plan.Seed = at, uint64(at*1000+round)
							s.once(t, plan, p.strict, (at+round)%20 == 0 || *long)
						}
					}
				})
			}
		})
	}
}

func (s *scenario) once(t *testing.T, plan faultfs.Plan, strict, oracle bool) {
	t.Helper()
	base, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	dir := filepath.Join(base, "scope")
	plan.Aside = filepath.Join(base, "aside")
	if err := os.Mkdir(plan.Aside, 0o777); err != nil {
		t.Fatal(err)
	}
	s.setup(t, dir)
	f := faultfs.New(fsys.OS{}, plan)
	acked, err := s.run(dir, f)
	defer func() {
		if t.Failed() {
			steps := f.Steps()
			t.Logf("stopped at step %d (seed %d), returned %v, acknowledged %v:\n%s", plan.At, plan.Seed, err, acked, strings.Join(steps, "\n"))
		}
	}()
	if strict && err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("error of several lines: %q", err)
	}
	s.afterwards(t, dir, acked, err, strict, oracle)
}

// TestKilledProcess does the same with real processes and a real SIGKILL.
func TestKilledProcess(t *testing.T) {
	if run := os.Getenv("GITSTORE_TEST_KILL"); run != "" {
		killMe(run)
		return
	}
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			total := s.steps(t)
			every := max(1, total/15)
			if *long {
				every = 1
			}
			for at := 1 + i; at <= total; at += every {
				dir := filepath.Join(t.TempDir(), "scope")
				s.setup(t, dir)
				cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
				cmd.Env = append(os.Environ(), fmt.Sprintf("GITSTORE_TEST_KILL=%d:%d:%s", i, at, dir))
				out, err := cmd.CombinedOutput()
				if err == nil {
					t.Fatalf("step %d: not killed:\n%s", at, out)
				}
				var acked []string
				for line := range strings.Lines(string(out)) {
					if a, ok := strings.CutPrefix(strings.TrimSpace(line), "acked "); ok {
						acked = append(acked, a)
					}
				}
				s.afterwards(t, dir, acked, err, false, true)
			}
		})
	}
}

func killMe(run string) {
	parts := strings.SplitN(run, ":", 3)
	which, _ := strconv.Atoi(parts[0])
	at, _ := strconv.Atoi(parts[1])
	f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Kill})
	acked, err := scenarios[which].run(parts[2], f)
	for _, a := range acked {
		fmt.Println("acked", a)
	}
	fmt.Println("not killed:", err)
	os.Exit(0)
}
