package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"gitvault/internal/fsys"
)

// access looks for folders and files that their owner can't use, that belong
// to somebody else, and that anybody may change.
func (x *examination) access() {
	if runtime.GOOS == "windows" {
		return // its permissions are no bits
	}
	w := &accessWalk{examination: x}
	w.walk(x.repo.dir)
	w.owners()
	w.open()
	if more := w.count - maxDamage; more > 0 {
		x.add(NoPermission, ".", "%d more files and folders that their owner can't use: chmod -R u+rwX '%s' lets them be used", more, x.repo.dir)
	}
}

type accessWalk struct {
	*examination
	count   int
	owner   uint32 // of the repository's folder
	foreign []string
	world   []string // what anybody may write to
}

func (w *accessWalk) walk(path string) {
	r := w.repo
	fi, err := r.fs.Lstat(path)
	if err != nil || fi.Mode()&fs.ModeSymlink != 0 {
		return
	}
	id := fsys.Identify(fi)
	if path == r.dir {
		w.owner = id.UID
	}
	if id.UID != w.owner {
		w.foreign = append(w.foreign, path)
	}
	if fi.Mode().Perm()&0o002 != 0 {
		w.world = append(w.world, path)
	}
	w.own(path, fi)
	if !fi.IsDir() {
		return
	}
	list, err := r.fs.ReadDir(path)
	if err != nil {
		return // which own tells of
	}
	for _, e := range list {
		w.walk(filepath.Join(path, e.Name()))
	}
}

// own looks whether the owner can use a file or folder.
func (w *accessWalk) own(path string, fi fs.FileInfo) {
	need, what := fs.FileMode(0o400), "read it"
	switch {
	case fi.IsDir():
		need, what = 0o700, "read and write it"
	case w.appended(path):
		need, what = 0o600, "read and write it"
	}
	have := fi.Mode().Perm()
	if !fi.IsDir() && !fi.Mode().IsRegular() || have&need == need {
		return
	}
	if w.count++; w.count > maxDamage {
		return
	}
	r := w.repo
	kind := "file"
	if fi.IsDir() {
		kind = "folder"
	}
	w.mendable(NoPermission, w.rel(path), fmt.Sprintf("its owner can't %s: the %s's permissions are %v", what, kind, have), "chmod u+rwX it",
		func(context.Context) (string, error) { return "", r.allow(path, need) })
}

// appended reports whether a file is written to where it stands.
func (w *accessWalk) appended(path string) bool {
	git := w.repo.git
	return strings.HasPrefix(path, filepath.Join(git, "logs")+string(filepath.Separator)) || filepath.Dir(path) == w.repo.StateDir()
}

// owners tells of files that belong to somebody else: a command that was run
// as root leaves such.
func (w *accessWalk) owners() {
	dir := w.repo.dir
	if uid := w.look.UID; uid > 0 && w.owner != uint32(uid) {
		w.add(NoPermission, ".", "the folder belongs to user %d, and you are user %d: its owner, or root, gives it to you with chown -R %d '%s'", w.owner, uid, uid, dir)
	}
	if len(w.foreign) > 0 {
		w.add(NoPermission, w.rel(w.foreign[0]), "it belongs to another user than the scope's folder%s: sudo chown -R %d '%s' gives all to one", andMore(w.foreign), w.owner, dir)
	}
}

func andMore(list []string) string {
	if len(list) == 1 {
		return ""
	}
	return fmt.Sprintf(", as do %d more", len(list)-1)
}

// open tells of what anybody on the machine may write to.
func (w *accessWalk) open() {
	if len(w.world) == 0 {
		return
	}
	r, list := w.repo, w.world
	text := "anybody on this machine may change it"
	if len(list) > 1 {
		text += fmt.Sprintf(", and %d more files and folders", len(list)-1)
	}
	w.tell(Damage{Kind: NoPermission, Path: w.rel(list[0]), Minor: true, Text: text, Fix: "chmod -R o-w '" + r.dir + "'", mend: func(context.Context) (string, error) {
		var failed error
		for _, path := range list {
			fi, err := r.fs.Lstat(path)
			if err == nil && fi.Mode()&fs.ModeSymlink == 0 {
				err = r.fs.Chmod(path, fi.Mode().Perm()&^0o002)
			}
			if err != nil && !isNotExist(err) {
				failed = errors.Join(failed, writeError(path, err))
			}
		}
		return "", failed
	}})
}

// allow gives the owner of a file or folder the rights that it needs.
func (r *Repo) allow(path string, need fs.FileMode) error {
	fi, err := r.fs.Lstat(path)
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		return &ChangedError{Paths: []string{path}}
	}
	if err := r.fs.Chmod(path, fi.Mode().Perm()|need); err != nil {
		return writeError(path, err)
	}
	return nil
}
