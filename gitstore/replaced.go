package gitstore

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gitvault/internal/fsys"
)

// A program that has a file open while a commit replaces it goes on writing to
// the old one, which then has no name in the worktree any more. So the files
// that were replaced last are kept aside, and each turn begins with a look at
// whether somebody wrote to one.

// keepReplaced is how many replaced files are kept.
const keepReplaced = 16

// replacedFile is a file that was replaced and is kept for a while. Its name
// says all of this, so that nothing else has to be written down.
type replacedFile struct {
	n     int // grows
	mtime int64
	size  int64
	hash  Hash // of its content when it was replaced
	path  string
	name  string
}

func (r *Repo) replacedDir() string { return filepath.Join(r.StateDir(), "replaced") }

func (f replacedFile) fileName() string {
	return fmt.Sprintf("%d-%x-%d-%s-%s", f.n, f.mtime, f.size, f.hash, flat(f.path))
}

// flat makes one name of a path; url.PathUnescape is its inverse.
func flat(path string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F").Replace(path)
}

func parseReplaced(name string) (f replacedFile, ok bool) {
	parts := strings.SplitN(name, "-", 5)
	if len(parts) != 5 {
		return f, false
	}
	n, err1 := strconv.Atoi(parts[0])
	mtime, err2 := strconv.ParseInt(parts[1], 16, 64)
	size, err3 := strconv.ParseInt(parts[2], 10, 64)
	_, err4 := hex.Decode(f.hash[:], []byte(parts[3]))
	path, err5 := url.PathUnescape(parts[4])
	f.n, f.mtime, f.size, f.path, f.name = n, mtime, size, path, name
	return f, cmp.Or(err1, err2, err3, err4, err5) == nil && len(parts[3]) == 2*len(f.hash)
}

// lookAtReplaced turns replaced files that somebody wrote to into rescued ones,
// and lists the others, oldest first.
func (r *Repo) lookAtReplaced() (list []replacedFile) {
	entries, err := r.fs.ReadDir(r.replacedDir())
	if err != nil {
		return nil // they are a spare net: without it a write goes on
	}
	for _, e := range entries {
		f, ok := parseReplaced(e.Name())
		if ok && !r.rescueWritten(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b replacedFile) int { return cmp.Compare(a.n, b.n) })
	return list
}

// rescueWritten rescues a replaced file that somebody wrote to. Where that
// fails the next turn tries it again.
func (r *Repo) rescueWritten(f replacedFile) bool {
	path := filepath.Join(r.replacedDir(), f.name)
	fi, err := r.fs.Lstat(path)
	if err != nil {
		return false
	}
	if id := fsys.Identify(fi); id.MTime == f.mtime && id.Size == f.size {
		return false
	}
	// A copy of the repository has new times.
	if h, there, err := r.hashAt(path); err != nil || !there || h == f.hash {
		return false
	}
	_ = r.rescue(f.path, path)
	return true
}

// keepReplaced puts the files that a commit replaced aside, and lets go of the
// oldest of those that lie there.
func (w *writing) keepReplaced() {
	r, n := w.repo, 0
	list := w.tx.replaced
	if len(list) > 0 {
		n = list[len(list)-1].n
	}
	for _, p := range w.plan {
		if !p.replaced || w.discard[p.path] || p.file.id == (fsys.ID{}) {
			continue
		}
		n++
		f := replacedFile{n: n, mtime: p.file.id.MTime, size: p.file.id.Size, hash: p.file.Work, path: p.path}
		f.name = f.fileName()
		to := filepath.Join(r.replacedDir(), f.name)
		err := r.fs.Rename(w.tx.tmp(p.temp), to)
		if isNotExist(err) {
			if _, err = fsys.MkdirAll(r.fs, r.replacedDir(), 0o777); err == nil {
				err = r.fs.Rename(w.tx.tmp(p.temp), to)
			}
		}
		if err == nil {
			list = append(list, f)
		}
	}
	for len(list) > keepReplaced {
		r.forgetReplaced(list[0])
		list = list[1:]
	}
	w.tx.replaced = list
}

func (r *Repo) forgetReplaced(f replacedFile) {
	if !r.rescueWritten(f) {
		_ = r.fs.Remove(filepath.Join(r.replacedDir(), f.name))
	}
}

// dropReplaced forgets all replaced files.
func (tx *Tx) dropReplaced() {
	for _, f := range tx.repo.lookAtReplaced() {
		tx.repo.forgetReplaced(f)
	}
	tx.replaced = nil
}
