// Package faultfs is a file system for tests that breaks at a chosen step: by
// an error, by the death of the process, or by a power cut that takes away
// what was not made durable.
package faultfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gitvault/internal/fsys"
)

// Kind says what happens at the chosen step.
type Kind int

// The kinds of faults.
const (
	None Kind = iota
	// Fail returns Plan.Err without doing anything; with Plan.Sticky all later
	// steps fail too, as on a full disk.
	Fail
	// Short writes half of the data and returns Plan.Err; a step that is no
	// write fails.
	Short
	// Dead does nothing from this step on, reading included, so that the disk
	// stays as it would be after the death of the process.
	Dead
	// Torn is Dead, but a write still writes half of its data.
	Torn
	// Kill kills this very process.
	Kill
	// PowerCut is Dead, and takes back what was not synced: content of files,
	// and in each folder the names changed last. Plan.Seed chooses how much.
	PowerCut
	// Call calls Plan.Func just before the step, and goes on.
	Call
)

// Plan says when and how to break.
type Plan struct {
	At     int // the first step is 1
	Kind   Kind
	Err    error
	Sticky bool
	Seed   uint64
	Func   func()
	// Aside is an empty folder on the same file system, which PowerCut needs
	// to keep what it may have to bring back.
	Aside string
}

// ErrDead is what every operation returns after Dead, Torn and PowerCut.
var ErrDead = errors.New("faultfs: the process is dead")

// FS breaks as planned. Steps are the operations that change the disk or make
// changes durable; reading is none. Syncing takes no time: what it would make
// durable is only noted.
type FS struct {
	inner fsys.FS
	plan  Plan

	mu    sync.Mutex
	steps []string
	dead  bool
	fired bool
	power *power
}

// New wraps a file system.
func New(inner fsys.FS, p Plan) *FS {
	f := &FS{inner: inner, plan: p}
	if p.Kind == PowerCut {
		f.power = newPower(p.Seed, p.Aside)
	}
	return f
}

// Steps lists what was done, or tried, so far.
func (f *FS) Steps() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.steps...)
}

// Fired reports whether the chosen step was reached.
func (f *FS) Fired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// step counts one step and says how it is to end: go on, or fail.
func (f *FS) step(op string, names ...string) (partial bool, err error) {
	for i := range names {
		names[i] = filepath.Base(filepath.Dir(names[i])) + "/" + filepath.Base(names[i])
	}
	f.steps = append(f.steps, op+" "+strings.Join(names, " "))
	if f.dead {
		return false, ErrDead
	}
	n := len(f.steps)
	if n < f.plan.At || f.plan.Kind == None || n > f.plan.At && !f.plan.Sticky {
		return false, nil
	}
	f.fired = true
	switch f.plan.Kind {
	case Call:
		f.plan.Func()
		return false, nil
	case Short:
		return op == "write", f.plan.Err
	case Dead, Torn:
		f.dead = true
		return f.plan.Kind == Torn && op == "write", ErrDead
	case PowerCut:
		f.dead = true
		f.power.cut()
		return false, ErrDead
	case Kill:
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {} // until the signal arrives
	}
	return false, f.plan.Err
}

// do makes a step of an operation on names.
func (f *FS) do(op string, run func() error, undo undoer, names ...string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.step(op, append([]string(nil), names...)...); err != nil {
		return &fs.PathError{Op: op, Path: names[0], Err: err}
	}
	if f.power == nil || undo == nil {
		return run()
	}
	return f.power.note(run, undo, names)
}

func (f *FS) alive() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return ErrDead
	}
	return nil
}

// Open implements fsys.FS.
func (f *FS) Open(name string) (fsys.File, error) {
	if err := f.alive(); err != nil {
		return nil, err
	}
	return f.inner.Open(name)
}

// ReadFile implements fsys.FS.
func (f *FS) ReadFile(name string) ([]byte, error) {
	if err := f.alive(); err != nil {
		return nil, err
	}
	return f.inner.ReadFile(name)
}

// Stat implements fsys.FS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := f.alive(); err != nil {
		return nil, err
	}
	return f.inner.Stat(name)
}

// Lstat implements fsys.FS.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.alive(); err != nil {
		return nil, err
	}
	return f.inner.Lstat(name)
}

// ReadDir implements fsys.FS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.alive(); err != nil {
		return nil, err
	}
	return f.inner.ReadDir(name)
}

// Readlink implements fsys.FS.
func (f *FS) Readlink(name string) (string, error) {
	if err := f.alive(); err != nil {
		return "", err
	}
	return f.inner.Readlink(name)
}

// Create implements fsys.FS.
func (f *FS) Create(name string, perm fs.FileMode) (fsys.File, error) {
	var out fsys.File
	err := f.do("create", func() (err error) {
		out, err = f.inner.Create(name, perm)
		return err
	}, undoCreate, name)
	if err != nil {
		return nil, err
	}
	return f.wrap(name, out), nil
}

// Append implements fsys.FS.
func (f *FS) Append(name string) (fsys.File, error) {
	var out fsys.File
	err := f.do("append", func() (err error) {
		out, err = f.inner.Append(name)
		return err
	}, nil, name)
	if err != nil {
		return nil, err
	}
	return &file{File: out, fs: f, name: name, synced: true, known: true}, nil
}

func (f *FS) wrap(name string, inner fsys.File) fsys.File {
	w := &file{File: inner, fs: f, name: name}
	if f.power != nil {
		f.mu.Lock()
		f.power.files = append(f.power.files, w)
		f.mu.Unlock()
	}
	return w
}

// Mkdir implements fsys.FS.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	return f.do("mkdir", func() error { return f.inner.Mkdir(name, perm) }, undoMkdir, name)
}

// Symlink implements fsys.FS.
func (f *FS) Symlink(target, name string) error {
	return f.do("symlink", func() error { return f.inner.Symlink(target, name) }, undoCreate, name)
}

// Link implements fsys.FS.
func (f *FS) Link(old, name string) error {
	return f.do("link", func() error { return f.inner.Link(old, name) }, undoLink, old, name)
}

// Rename implements fsys.FS.
func (f *FS) Rename(old, name string) error {
	return f.do("rename", func() error { return f.inner.Rename(old, name) }, undoRename, old, name)
}

// Place implements fsys.FS.
func (f *FS) Place(old, name string) error {
	return f.do("place", func() error { return f.inner.Place(old, name) }, undoRename, old, name)
}

// Exchange implements fsys.FS.
func (f *FS) Exchange(a, b string) error {
	return f.do("exchange", func() error { return f.inner.Exchange(a, b) }, undoExchange, a, b)
}

// Remove implements fsys.FS.
func (f *FS) Remove(name string) error {
	return f.do("remove", func() error { return f.inner.Remove(name) }, undoRemove, name)
}

// Chtimes implements fsys.FS.
func (f *FS) Chtimes(name string, mtime int64) error {
	return f.do("chtimes", func() error { return f.inner.Chtimes(name, mtime) }, nil, name)
}

// Chmod implements fsys.FS.
func (f *FS) Chmod(name string, perm fs.FileMode) error {
	return f.do("chmod", func() error { return f.inner.Chmod(name, perm) }, nil, name)
}

// SyncDir implements fsys.FS.
func (f *FS) SyncDir(name string) error {
	return f.do("syncdir", func() error {
		_, err := f.inner.Lstat(name)
		if err == nil && f.power != nil {
			f.power.synced(name)
		}
		return err
	}, nil, name)
}

// file is an open file whose writes and syncs are steps.
type file struct {
	fsys.File
	fs     *FS
	name   string
	synced bool
	closed bool
	known  bool // opened when it was there already
}

func (w *file) Write(b []byte) (int, error) {
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	partial, err := w.fs.step("write", w.name)
	if err == nil {
		w.synced = false
		return w.File.Write(b)
	}
	n := 0
	if partial {
		n, _ = w.File.Write(b[:len(b)/2])
	}
	return n, &fs.PathError{Op: "write", Path: w.name, Err: err}
}

func (w *file) Sync() error {
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	if _, err := w.fs.step("fsync", w.name); err != nil {
		return &fs.PathError{Op: "fsync", Path: w.name, Err: err}
	}
	w.synced = true
	if w.known && w.fs.power != nil {
		w.fs.power.contentSynced(w.File)
	}
	return nil
}

// Close keeps a file that was not synced open, so that a power cut can still
// take its content away.
func (w *file) Close() error {
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	if w.closed {
		return fs.ErrClosed
	}
	w.closed = true
	if w.fs.power != nil && !w.synced && !w.fs.dead {
		return nil
	}
	return w.File.Close()
}
