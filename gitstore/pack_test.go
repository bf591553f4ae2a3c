package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

func TestDeltasComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SliceOfN(rapid.Byte(), 0, 60)
		pieces := rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces")
		build := func(label string) []byte {
			var b []byte
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(pieces)-1), 0, 30).Draw(t, label) {
				b = append(b, pieces[i]...)
			}
			return b
		}
		base, target := build("base"), build("target")
		delta := makeDelta(base, target, 1<<30)
		got, err := applyDelta(base, delta)
		if err != nil || !bytes.Equal(got, target) {
			t.Fatalf("%q from %q: %q %v", target, base, got, err)
		}
	})
	base := []byte(prose(300_000, 1))
	target := append(append(append([]byte("new start\n"), base[:100_000]...), "in the middle\n"...), base[150_000:]...)
	delta := makeDelta(base, target, len(target))
	if got, err := applyDelta(base, delta); err != nil || !bytes.Equal(got, target) || len(delta) > 200 {
		t.Errorf("%v, delta of %d bytes", err, len(delta))
	}
}

func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("base"), makeDelta([]byte("base"), []byte("base and more"), 1000))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		_, _ = applyDelta(base, delta)
	})
}

// remember makes one commit the way vault does: an entry at the end of a
// ledger that rolls at 256 KiB, and a line in INDEX.md.
type remember struct {
	repo   *Repo
	n      int
	rolled int
	ledger []byte
	lines  []string
	rnd    *rand.Rand
	full   int // size of the ledger that rolls
}

func (m *remember) next(t testing.TB) time.Duration {
	m.n++
	id := fmt.Sprintf("%08x", m.rnd.Uint32())
	body := prose(200, uint64(m.n))[:200]
	c := Change{Author: me, Committer: me, Put: map[string][]byte{}}
	c.Message = fmt.Sprintf("remember: Entry %d\n\nVault-Op: remember\nVault-Entry: decisions/%s\nVault-Source: claude-code\nVault-Session: 2026-11-30-%s", m.n, id, id)
	c.Author.When = when.Add(time.Duration(m.n) * time.Second)
	c.Committer.When = c.Author.When
	m.ledger = fmt.Appendf(m.ledger, "\n## Entry %d\n<!-- vault: {id: %s, created: 2026-11-30T19:27:00Z, tags: [git, storage]} -->\n\n%s\n", m.n, id, body)
	m.lines = append(m.lines, fmt.Sprintf("- [Entry %d](decisions.md#entry-%d): %s %s\n", m.n, m.n, body[:60], id))
	if len(m.ledger) > m.full {
		m.rolled++
		cut := len(m.ledger) / 2
		cut += bytes.Index(m.ledger[cut:], []byte("\n## "))
		c.Put[fmt.Sprintf("decisions/%04d.md", m.rolled)] = append([]byte("# Decisions\n"), m.ledger[:cut]...)
		m.ledger = append([]byte("# Decisions\n"), m.ledger[cut:]...)
		m.lines = m.lines[len(m.lines)/2:]
	}
	c.Put["decisions.md"] = bytes.Clone(m.ledger)
	var index bytes.Buffer
	fmt.Fprintf(&index, "# Index\n\n%d entries\n\n", m.n)
	for i := len(m.lines) - 1; i >= 0; i-- {
		index.WriteString(m.lines[i])
	}
	c.Put["INDEX.md"] = index.Bytes()
	start := time.Now()
	commit(t, m.repo, c)
	return time.Since(start)
}

func newRemember(t testing.TB, r *Repo) *remember {
	return &remember{repo: r, ledger: []byte("# Decisions\n"), rnd: rand.New(rand.NewPCG(7, 7)), full: 256 << 10}
}

func folderSize(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if fi, err := d.Info(); err == nil {
				size += fi.Size()
			}
		}
		return nil
	})
	return size
}

func TestPackingKeepsEverythingAndStaysSmall(t *testing.T) {
	r := testRepo(t, map[string]string{"README.md": "read me\n"})
	m := newRemember(t, r)
	commits := 300
	r.packAfter = 40
	if *long {
		commits, r.packAfter = 100_000, packAfter
	}
	var writing, packing, slowest time.Duration
	for i := 1; i <= commits; i++ {
		writing += m.next(t)
		start := time.Now()
		if _, err := r.Maintain(context.Background()); err != nil {
			t.Fatal(err)
		}
		d := time.Since(start)
		packing += d
		slowest = max(slowest, d)
		if i%10_000 == 0 || i == 1000 || i == commits {
			names, _ := r.objects.looseNames()
			packs, _ := r.objects.list(true)
			t.Logf("%6d commits: .git %6.1f MB, %d packs, %d loose; %v per write, %v per write for packing, slowest step %v",
				i, float64(folderSize(r.git))/1e6, len(packs), len(names), writing/time.Duration(i), packing/time.Duration(i), slowest)
		}
	}
	names, err := r.objects.looseNames()
	if err != nil || len(names) > r.packAfter+20 {
		t.Errorf("%d loose objects are left, %v", len(names), err)
	}
	packs, err := r.objects.list(true)
	if err != nil || len(packs) == 0 || len(packs) > 40 {
		t.Errorf("%d packs, %v", len(packs), err)
	}
	if size := folderSize(r.git); size > int64(commits)*1200+12_000_000 {
		t.Errorf(".git takes %d bytes", size)
	}
	if *long {
		if out := git(t, r.dir, "fsck", "--strict", "--no-dangling"); out != "" {
			t.Error(out)
		}
		return
	}
	sound(t, r)
	if err := r.Pack(context.Background()); err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	if out := git(t, r.dir, "count-objects", "-v"); !strings.Contains(out, "garbage: 0") {
		t.Error(out)
	}
	git(t, r.dir, "gc", "-q")
	for range 100 {
		m.next(t)
		if _, err := r.Maintain(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	sound(t, r)
}

// What an entry adds to the packs is about its own size and that of its commit,
// however often the ledger rolls.
func TestPackedTextIsStoredOnce(t *testing.T) {
	r := testRepo(t, map[string]string{"README.md": "read me\n"})
	m := newRemember(t, r)
	m.full = 16 << 10
	const commits = 200
	for range commits {
		m.next(t)
		if _, err := r.Maintain(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Pack(context.Background()); err != nil {
		t.Fatal(err)
	}
	each := folderSize(r.packDir()) / commits
	t.Logf("a commit takes %d bytes of the packs", each)
	if each > 900 {
		t.Error("that is too much")
	}
	sound(t, r)
}

func TestPackingMayFailAtEveryStep(t *testing.T) {
	base := filepath.Join(t.TempDir(), "scope")
	r := makeRepo(t, base, fast, map[string]string{"README.md": "read me\n"})
	const after = 12
	r.packAfter = after
	m := newRemember(t, r)
	// Five small packs and enough loose objects for one more, and a merge.
	for range packFan - 1 {
		for range after/4 + 2 {
			m.next(t)
		}
		if _, err := r.Maintain(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range after/4 + 2 {
		m.next(t)
	}
	want := allObjects(t, r)
	r.Close()

	run := func(plan faultfs.Plan, oracle bool) (steps int) {
		dir := filepath.Join(t.TempDir(), "scope")
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		plan.Aside = filepath.Join(filepath.Dir(dir), "aside")
		if err := os.Mkdir(plan.Aside, 0o777); err != nil {
			t.Fatal(err)
		}
		f := faultfs.New(fsys.OS{}, plan)
		r, err := Open(dir, Options{FS: f})
		if err != nil {
			t.Fatal(err)
		}
		r.packAfter = after
		_, err = r.Maintain(context.Background())
		if plan.Kind == faultfs.None && err != nil {
			t.Fatal(err)
		}
		r.Close()
		r, err = Open(dir, fast)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		lost := func(at string) {
			t.Helper()
			if got := allObjects(t, r); got != want {
				t.Fatalf("%s, step %d (seed %d): some of the objects are lost\n%s", at, plan.At, plan.Seed, strings.Join(f.Steps(), "\n"))
			}
		}
		lost("after the fault")
		if err := r.Pack(context.Background()); err != nil {
			t.Fatalf("step %d (seed %d): %v", plan.At, plan.Seed, err)
		}
		lost("after packing again")
		if oracle {
			if out := git(t, r.dir, "fsck", "--strict", "--no-dangling"); out != "" {
				t.Errorf("step %d: %s", plan.At, out)
			}
			if out := git(t, r.dir, "count-objects", "-v"); !strings.Contains(out, "garbage: 0") {
				t.Errorf("step %d: %s", plan.At, out)
			}
		}
		os.RemoveAll(filepath.Dir(dir))
		return len(f.Steps())
	}
	total := run(faultfs.Plan{}, true)
	t.Logf("%d steps", total)
	for _, kind := range []faultfs.Kind{faultfs.Dead, faultfs.Torn, faultfs.PowerCut, faultfs.Fail} {
		for at := 1; at <= total; at++ {
			if sample := map[bool]int{true: 2, false: 5}[kind == faultfs.PowerCut]; !*long && at%sample != 0 {
				continue
			}
			run(faultfs.Plan{At: at, Kind: kind, Seed: uint64(at), Err: os.ErrPermission}, at%10 == 0)
		}
	}
}

// allObjects names all that the newest commit reaches, having read it.
func allObjects(t *testing.T, r *Repo) string {
	t.Helper()
	head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Hash]bool{}
	var b strings.Builder
	for c, err := range r.Log(context.Background(), head) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, c.Hash)
		files, err := r.Tree(c.Hash)
		if err != nil {
			t.Fatal(err)
		}
		for path, e := range files {
			if seen[e.Hash] {
				continue
			}
			seen[e.Hash] = true
			if _, err := r.Blob(e.Hash); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
	}
	fmt.Fprintln(&b, len(seen))
	return b.String()
}
