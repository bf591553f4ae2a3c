package faultfs

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// power knows how to take back what was not made durable. Content counts as
// durable once its file was synced, a change of names once its folder was (of
// a move, the folder it went to). What was not may be there or not: of each
// folder's changes some first ones survive.
type power struct {
	rnd   *rand.Rand
	files []*file
	ops   []*nameOp
	saved int
	aside string
}

// nameOp is one change of names and how to take it back.
type nameOp struct {
	dir    string
	undo   func()
	synced bool
}

// undoer prepares, before an operation on names is done, to take it back.
type undoer func(p *power, names []string) func()

func newPower(seed uint64, aside string) *power {
	return &power{rnd: rand.New(rand.NewPCG(seed, seed)), aside: aside}
}

func (p *power) note(run func() error, prepare undoer, names []string) error {
	undo := prepare(p, names)
	if err := run(); err != nil {
		return err
	}
	last := names[len(names)-1]
	p.ops = append(p.ops, &nameOp{dir: filepath.Dir(last), undo: undo})
	return nil
}

func (p *power) synced(dir string) {
	for _, op := range p.ops {
		if op.dir == filepath.Clean(dir) {
			op.synced = true
		}
	}
}

// contentSynced notes that a file's content is durable, whoever wrote it.
func (p *power) contentSynced(f interface{ Stat() (os.FileInfo, error) }) {
	fi, err := f.Stat()
	if err != nil {
		return
	}
	for _, w := range p.files {
		if wi, err := w.File.Stat(); err == nil && os.SameFile(fi, wi) {
			w.synced = true
		}
	}
}

func (p *power) cut() {
	survive := map[string]int{}
	for _, op := range p.ops {
		if !op.synced {
			survive[op.dir]++
		}
	}
	for dir, n := range survive {
		survive[dir] = p.rnd.IntN(n + 1)
	}
	var lost []*nameOp
	for _, op := range p.ops {
		if op.synced {
			continue
		}
		if survive[op.dir] > 0 {
			survive[op.dir]--
			continue
		}
		lost = append(lost, op)
	}
	for i := len(lost) - 1; i >= 0; i-- {
		lost[i].undo()
	}
	for _, f := range p.files {
		if f.synced {
			continue
		}
		of, ok := f.File.(*os.File)
		if !ok {
			continue
		}
		fi, err := of.Stat()
		if err != nil {
			continue // closed by the program after a sync of its own
		}
		_ = of.Truncate(p.rnd.Int64N(fi.Size() + 1))
		_ = of.Close()
	}
}

// keep gives the file at a name a second one, so that it can come back.
func (p *power) keep(name string) (back func()) {
	if _, err := os.Lstat(name); err != nil {
		return func() { _ = os.Remove(name) }
	}
	p.saved++
	spare := filepath.Join(p.aside, strconv.Itoa(p.saved))
	if err := os.Link(name, spare); err != nil {
		if fi, serr := os.Lstat(name); serr == nil && fi.IsDir() {
			return func() { _ = os.Mkdir(name, fi.Mode().Perm()) }
		}
		panic(errors.Join(errors.New("faultfs: power cuts need hard links"), err))
	}
	return func() { _ = os.Rename(spare, name) }
}

func undoCreate(_ *power, names []string) func() { return func() { _ = os.Remove(names[0]) } }
func undoMkdir(_ *power, names []string) func()  { return func() { _ = os.RemoveAll(names[0]) } }
func undoLink(_ *power, names []string) func()   { return func() { _ = os.Remove(names[1]) } }

func undoRename(p *power, names []string) func() {
	back := p.keep(names[1])
	return func() {
		_ = os.Rename(names[1], names[0])
		back()
	}
}

func undoRemove(p *power, names []string) func() { return p.keep(names[0]) }

func undoExchange(_ *power, names []string) func() {
	return func() { exchange(names[0], names[1]) }
}

func exchange(a, b string) {
	aside := a + ".undo"
	if os.Rename(a, aside) == nil {
		_ = os.Rename(b, a)
		_ = os.Rename(aside, b)
	}
}
