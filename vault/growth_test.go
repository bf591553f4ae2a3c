package vault

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gitvault/internal/fsys"
)

// What a scope may grow to, for each remember of 200 bytes, and what it may
// take besides, before anything is packed for good.
const (
	growthWithGit    = 1500
	growthWithoutGit = 2500
	growthBesides    = 20_000_000
)

// TestGrowth remembers 100,000 texts of 200 bytes, each by a home of its own
// as each process has one; beside the half of them a person runs git gc. The
// repository stays small, a write costs the same at the end as at the
// beginning, and packing never moves more than a bounded number of bytes.
// Without -long it is 120 of them.
func TestGrowth(t *testing.T) {
	for name, git := range map[string]bool{"with git": true, "without git": false} {
		t.Run(name, func(t *testing.T) {
			if git && !hasGit() {
				t.Skip("there is no git")
			}
			testGrowth(t, git)
		})
	}
}

func testGrowth(t *testing.T, git bool) {
	writes, windows, bound := 120, 3, growthWithoutGit
	if *long {
		writes, windows = 100_000, 20
	}
	l := newLab(t)
	disk := &countedDisk{FS: fsys.OS{}}
	l.fs = disk
	o := l.options()
	path := os.Getenv("PATH")
	if git {
		bound = growthWithGit
	} else {
		t.Setenv("PATH", t.TempDir())
	}
	words := made(4096)
	rnd := rand.New(rand.NewPCG(1, 2))
	next := func() {
		l.now = l.now.Add(time.Minute)
		h, err := Open(o)
		if err == nil {
			h.opt.Now = func() time.Time { return l.now }
			_, err = h.Remember(ctx, Draft{Kind: Decision, Text: note(rnd, words)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	gc := make(chan error, 1)
	gc <- nil
	packs, moved := map[string]int64{}, int64(0)
	var costs []float64
	var cpus []time.Duration
	each := writes / windows
	for w := range windows {
		var took []time.Duration
		disk.bytes.Store(0)
		cpu := cpuTime()
		for i := range each {
			if git && w == windows/2 && i == 0 {
				<-gc
				go func() { _, err := l.git(t, l.project(), "gc", "-q"); gc <- err }()
			}
			start := time.Now()
			next()
			took = append(took, time.Since(start))
			now := packsOf(t, l.project())
			var gone int64
			for p, size := range packs {
				if _, ok := now[p]; !ok {
					gone += size
				}
			}
			if len(gc) == 1 { // what git gc moves is its own affair
				moved = max(moved, gone)
			}
			packs = now
		}
		cpus = append(cpus, (cpuTime()-cpu)/time.Duration(each))
		slices.Sort(took)
		costs = append(costs, float64(disk.bytes.Load())/float64(each))
		t.Logf("%6d writes: .git %6.1f MB, %2d packs; a write takes %.1f ms, %.1f of them of the processor's, at most %.0f, and moves %.0f KB",
			(w+1)*each, float64(treeSize(t, filepath.Join(l.project(), ".git")))/1e6, len(packs),
			ms(took[each/2]), ms(cpus[w]), ms(took[each-1]), costs[w]/1e3)
	}
	if err := <-gc; err != nil {
		t.Errorf("git gc: %v", err)
	}
	if !git {
		t.Setenv("PATH", path)
	}

	if size := treeSize(t, filepath.Join(l.project(), ".git")); size > int64(writes*bound)+growthBesides {
		t.Errorf(".git takes %d bytes after %d writes", size, writes)
	}
	if len(packs) > 40 {
		t.Errorf("%d packs", len(packs))
	}
	if moved > 40<<20 {
		t.Errorf("one write merged packs of %d bytes", moved)
	}
	// A ledger is full, and rolls, after some 600 of them.
	if first, last := costs[windows/2], costs[windows-1]; *long && last > 1.5*first {
		t.Errorf("a write moves %.0f KB, and %.0f at first", last/1e3, first/1e3)
	}
	if first, last := cpus[1], cpus[windows-1]; *long && last > first*3/2 {
		t.Errorf("a write takes %v of the processor's time, and %v at first", last, first)
	}
	l.fs, l.seed = nil, 1<<15
	if got := l.ops(t, ProjectScope)["remember"]; got != writes {
		t.Errorf("%d writes are in the history, not %d", got, writes)
	}
	list, err := l.open(t).List(ctx, ListQuery{Scope: ProjectScope, All: true})
	if err != nil || len(list) != writes {
		t.Errorf("%d entries, not %d, %v", len(list), writes, err)
	}
	l.sound(t)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// made gives so many words, made of syllables.
func made(n int) []string {
	rnd := rand.New(rand.NewPCG(3, 4))
	syllables := strings.Fields("ba ce di fo gu ka le mi no pu ra se ti vo wu ya ze chi sto bra ple ing er ion an th")
	words := make([]string, n)
	for i := range words {
		for range 1 + rnd.IntN(4) {
			words[i] += syllables[rnd.IntN(len(syllables))]
		}
	}
	return words
}

// note is a text of 200 bytes, some words of which are more frequent than
// others. Its first line, which becomes the title, has some 60 of them.
func note(rnd *rand.Rand, words []string) string {
	var b strings.Builder
	for b.Len() < 200 {
		f := rnd.Float64()
		b.WriteString(words[int(f*f*float64(len(words)))])
		if b.Len() > 50 && !strings.Contains(b.String(), "\n") {
			b.WriteString("\n\n")
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String()[:199]) + "."
}

func packsOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	list, err := os.ReadDir(filepath.Join(dir, ".git", "objects", "pack"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range list {
		if fi, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".pack") {
			out[e.Name()] = fi.Size()
		}
	}
	return out
}

func treeSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // git gc removes files
		}
		if fi, err := d.Info(); err == nil {
			size += fi.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// countedDisk is a file system that counts the bytes that are read and written.
type countedDisk struct {
	fsys.FS
	bytes atomic.Int64
}

func (c *countedDisk) file(f fsys.File, err error) (fsys.File, error) {
	if err != nil {
		return nil, err
	}
	return &countedFile{f, c}, nil
}

func (c *countedDisk) Open(name string) (fsys.File, error) { return c.file(c.FS.Open(name)) }
func (c *countedDisk) Create(name string, perm fs.FileMode) (fsys.File, error) {
	return c.file(c.FS.Create(name, perm))
}
func (c *countedDisk) Append(name string) (fsys.File, error) { return c.file(c.FS.Append(name)) }
func (c *countedDisk) ReadFile(name string) ([]byte, error) {
	data, err := c.FS.ReadFile(name)
	c.bytes.Add(int64(len(data)))
	return data, err
}

type countedFile struct {
	fsys.File
	disk *countedDisk
}

func (f *countedFile) count(n int, err error) (int, error) {
	f.disk.bytes.Add(int64(n))
	return n, err
}
func (f *countedFile) Read(b []byte) (int, error)             { return f.count(f.File.Read(b)) }
func (f *countedFile) ReadAt(b []byte, at int64) (int, error) { return f.count(f.File.ReadAt(b, at)) }
func (f *countedFile) Write(b []byte) (int, error)            { return f.count(f.File.Write(b)) }
