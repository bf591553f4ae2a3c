package gitstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gitvault/internal/fsys"
)

// recover finishes, or takes back, what a crash left half done. It is called
// with the lock held, so nobody is at it any more.
func (r *Repo) recover() error {
	j, err := r.readJournal()
	if errors.Is(err, errJournal) {
		// It is written at once and whole, so the disk has damaged it. What
		// it protected now looks like a hand edit, and is kept as one.
		if err := r.fs.Rename(r.journalPath(), r.journalPath()+".damaged"); err != nil {
			return writeError("the journal", err)
		}
	} else if err != nil {
		return err
	}
	if j == nil {
		return r.clearTemps()
	}
	if err := r.dropOwnLocks(); err != nil {
		return err
	}
	if err := r.settle(j); err != nil {
		return err
	}
	if err := r.fs.Remove(r.journalPath()); err != nil && !isNotExist(err) {
		return writeError("the journal", err)
	}
	return r.clearTemps()
}

// clearTemps removes unfinished files, and the locks that are known as ours by
// them.
func (r *Repo) clearTemps() error {
	left, err := r.fs.ReadDir(r.tmpDir())
	if err != nil && !isNotExist(err) {
		return writeError(r.tmpDir(), err)
	}
	if len(left) == 0 {
		return nil
	}
	if err := errors.Join(r.dropOwnLocks(), r.dropHalfPacks(r.tmpDir(), left)); err != nil {
		return err
	}
	for _, e := range left {
		if err := r.fs.Remove(filepath.Join(r.tmpDir(), e.Name())); err != nil && !isNotExist(err) {
			return writeError(r.tmpDir(), err)
		}
	}
	return nil
}

// dropOwnLocks removes git's locks where they are ours. They have to be gone
// for good before the files are that tell whose they are.
func (r *Repo) dropOwnLocks() error {
	left, err := r.fs.ReadDir(r.tmpDir())
	if err != nil && !isNotExist(err) {
		return writeError(r.tmpDir(), err)
	}
	gone := map[string]bool{}
	for _, e := range left {
		path := r.lockOf(e.Name())
		if path == "" {
			continue
		}
		temp, err := r.fs.Lstat(filepath.Join(r.tmpDir(), e.Name()))
		if err != nil {
			continue
		}
		gone[filepath.Dir(path)] = true
		lock, err := r.fs.Lstat(path)
		if err != nil || !os.SameFile(temp, lock) {
			continue
		}
		if err := r.fs.Remove(path); err != nil {
			return writeError(path, err)
		}
	}
	if err := r.syncDirs(gone); err != nil {
		return writeError("a lock", err)
	}
	return nil
}

// The names of the files in state/tmp that become git's locks.
const (
	indexTemp  = "index"
	packedTemp = "packed-refs"
	refPrefix  = "ref-"
	backPrefix = "back-"
)

// lockOf gives the lock of git that is a second name of such a file.
func (r *Repo) lockOf(temp string) string {
	switch temp {
	case indexTemp:
		return r.indexPath() + ".lock"
	case packedTemp:
		return r.packedPath() + ".lock"
	case configTemp:
		return filepath.Join(r.git, "config.lock")
	}
	for _, prefix := range []string{refPrefix, backPrefix} {
		if rest, ok := strings.CutPrefix(temp, prefix); ok {
			if name, err := url.PathUnescape(rest); err == nil && validRef(name) {
				return filepath.Join(r.git, filepath.FromSlash(name)+".lock")
			}
		}
	}
	return ""
}

// settle brings the files of an interrupted commit to what the branch says
// now. A file that is neither what stood there before nor what should have
// come is a hand edit, and stays.
func (r *Repo) settle(j *journal) error {
	head, err := r.Head()
	if err != nil {
		return err
	}
	committed, err := r.pathsAt(head, j)
	if err != nil {
		return err
	}
	// Where plain git moved the branch first, the commit was never made, and
	// what stands in the worktree is still the person's.
	reached := j.Old == j.New || head == j.New
	if !reached && head != j.Old {
		reached, err = r.IsAncestor(context.Background(), j.New, head)
		if err != nil {
			return err
		}
	}
	dirs := map[string]bool{r.tmpDir(): true, filepath.Dir(r.refPath()): true}
	goals := make([]journalFile, len(j.Files))
	for i := range j.Files {
		f := &j.Files[i]
		goal := journalFile{New: committed[f.Path].Hash, NewMode: committed[f.Path].Mode}
		if !reached {
			goal.New, goal.NewMode = f.Old, f.OldMode
		}
		if head == j.Old && j.Old == j.New {
			goal.New, goal.NewMode = f.New, f.NewMode
		}
		goals[i] = goal
	}
	for _, deleting := range []bool{true, false} { // a file may take a folder's place
		for i := range j.Files {
			f := &j.Files[i]
			if goals[i].New.IsZero() != deleting {
				continue
			}
			if err := r.settleFile(f, goals[i].New, goals[i].NewMode, dirs); err != nil {
				return writeError(f.Path, err)
			}
		}
	}
	return r.syncDirs(dirs)
}

// prune removes folders that a deletion left empty, as git does.
func (r *Repo) prune(dir string, dirs map[string]bool) {
	for ; dir != ""; dir = parent(dir) {
		if r.fs.Remove(r.workPath(dir)) != nil {
			return
		}
		delete(dirs, r.workPath(dir))
		dirs[filepath.Dir(r.workPath(dir))] = true
	}
}

func (r *Repo) settleFile(f *journalFile, goal Hash, mode Mode, dirs map[string]bool) error {
	path, temp := r.workPath(f.Path), filepath.Join(r.tmpDir(), f.Temp)
	work, there, err := r.hashAt(path)
	if err != nil {
		return nil // no plain file: nothing that a commit put there
	}
	ours := work == f.New || work == f.Old
	spare, spared, err := r.hashAt(temp)
	if err != nil {
		return err
	}
	if spared && spare != f.Old && spare != f.New {
		// A text that was saved in the instant of the exchange.
		if !ours {
			return r.rescue(f.Path, temp)
		}
		dirs[filepath.Dir(path)] = true
		if !there {
			return r.fs.Place(temp, path)
		}
		return r.fs.Exchange(temp, path)
	}
	if goal.IsZero() && !there {
		r.prune(parent(f.Path), dirs) // which the crash may have prevented
	}
	if work == goal || !ours {
		return nil
	}
	dirs[filepath.Dir(path)] = true
	if goal.IsZero() {
		err := r.fs.Remove(path)
		if err == nil {
			r.prune(parent(f.Path), dirs)
		}
		return err
	}
	if !spared || spare != goal {
		data, err := r.objects.blob(goal)
		if err != nil {
			if spared || there {
				return nil // what stands there then counts as a hand edit
			}
			return err
		}
		temp += ".again"
		if mode == ModeSymlink && !r.noSymlinks {
			_ = r.fs.Remove(temp)
			err = r.fs.Symlink(string(data), temp)
		} else {
			err = r.writeDurably(temp, data, permOf(mode))
		}
		if err != nil {
			return err
		}
	}
	if there {
		return r.fs.Exchange(temp, path)
	}
	if _, err := fsys.MkdirAll(r.fs, filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err = r.fs.Place(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func permOf(m Mode) fs.FileMode {
	if m == ModeExec {
		return 0o777
	}
	return 0o666
}

// hashAt gives the blob name of a file's content, or of a symbolic link's
// target; zero: there is nothing.
func (r *Repo) hashAt(path string) (h Hash, there bool, err error) {
	fi, err := r.fs.Lstat(path)
	if err != nil {
		if isNotExist(err) || isDirErr(err) {
			return ZeroHash, false, nil
		}
		return ZeroHash, false, err
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := r.fs.Readlink(path)
		return BlobHash([]byte(filepath.ToSlash(to))), true, err
	}
	if !fi.Mode().IsRegular() {
		return ZeroHash, false, errors.New("no file")
	}
	data, _, err := readWhole(r.fs, path)
	return BlobHash(data), true, err
}

func (r *Repo) writeDurably(name string, data []byte, perm fs.FileMode) error {
	_ = r.fs.Remove(name) // left by a recovery that crashed
	f, err := r.fs.Create(name, perm)
	if err != nil {
		return err
	}
	err = writeAll(f, data)
	if err == nil && r.opts.Durability == Full {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// pathsAt looks up a journal's files in a commit.
func (r *Repo) pathsAt(head Hash, j *journal) (map[string]TreeEntry, error) {
	found := map[string]TreeEntry{}
	if head.IsZero() {
		return found, nil
	}
	c, err := r.objects.commit(head)
	if err != nil {
		return nil, err
	}
	for _, f := range j.Files {
		e, err := r.entryAt(c.Tree, f.Path)
		if err != nil {
			return nil, err
		}
		if e.Mode != ModeDir {
			found[f.Path] = e
		}
	}
	return found, nil
}

// entryAt finds a path in a tree; a zero entry: it is not there.
func (r *Repo) entryAt(tree Hash, path string) (TreeEntry, error) {
	for {
		name, rest, more := strings.Cut(path, "/")
		entries, err := r.objects.tree(tree)
		if err != nil {
			return TreeEntry{}, err
		}
		var found TreeEntry
		for _, e := range entries {
			if e.Name == name {
				found = e
			}
		}
		if !more || found.Mode != ModeDir {
			if more {
				return TreeEntry{}, nil
			}
			return found, nil
		}
		tree, path = found.Hash, rest
	}
}

// Rescued is a text that somebody saved while a commit replaced that very
// file, and that was then overwritten by a still later save.
type Rescued struct {
	Path string
	Data []byte
	name string
}

func (r *Repo) rescueDir() string { return filepath.Join(r.StateDir(), "rescued") }

func (r *Repo) rescue(path, temp string) error {
	if _, err := fsys.MkdirAll(r.fs, r.rescueDir(), 0o777); err != nil {
		return err
	}
	for n := 1; ; n++ {
		name := strconv.Itoa(n) + "-" + flat(path)
		err := r.fs.Place(temp, filepath.Join(r.rescueDir(), name))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// Rescued lists texts that were saved at a moment in which they could be kept
// only aside. Commit each, merged as any hand edit is, and then call Settled.
func (tx *Tx) Rescued() ([]Rescued, error) {
	list, err := tx.repo.fs.ReadDir(tx.repo.rescueDir())
	if err != nil {
		if isNotExist(err) {
			return nil, nil
		}
		return nil, err
	}
	var out []Rescued
	for _, e := range list {
		_, escaped, ok := strings.Cut(e.Name(), "-")
		path, err := url.PathUnescape(escaped)
		if !ok || err != nil || !gitAllows(path) {
			continue
		}
		data, err := tx.repo.fs.ReadFile(filepath.Join(tx.repo.rescueDir(), e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, Rescued{Path: path, Data: data, name: e.Name()})
	}
	return out, nil
}

// Settled forgets a rescued text that has been committed. One that has changed
// since it was listed stays for the next turn.
func (tx *Tx) Settled(s Rescued) error {
	name := filepath.Join(tx.repo.rescueDir(), s.name)
	if data, err := tx.repo.fs.ReadFile(name); err == nil && !bytes.Equal(data, s.Data) {
		return nil // somebody is still writing to it
	}
	err := tx.repo.fs.Remove(name)
	_ = tx.repo.fs.Remove(tx.repo.rescueDir()) // if it was the last one
	return err
}
