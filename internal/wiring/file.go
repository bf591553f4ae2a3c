package wiring

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"gitvault/internal/fsys"
)

// maxFile is how long a file may be, in bytes.
const maxFile = 32 << 20

// maxLinks is how many links a path may go through.
const maxLinks = 40

// A file is a client's file as it was found.
type file struct {
	name   string // as the client names it
	real   string // where its links lead
	exists bool
	mode   fs.FileMode
	data   []byte
}

// find reads a file that need not be there.
func find(disk fsys.FS, name string) (*file, error) {
	f := &file{name: name, real: name, mode: 0o644}
	for range maxLinks {
		fi, err := disk.Lstat(f.real)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f, nil
		case err != nil:
			return nil, unreadable(name, err)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := disk.Readlink(f.real)
			if err != nil {
				return nil, unreadable(name, err)
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(f.real), to)
			}
			f.real = to
			continue
		case !fi.Mode().IsRegular():
			return nil, &Problem{File: name, What: "it is no file", Do: "put a file there, or nothing"}
		case fi.Size() > maxFile:
			return nil, &Problem{File: name, What: "it is larger than 32 MiB", Do: "make it smaller, then try again"}
		}
		f.exists, f.mode = true, fi.Mode().Perm()
		if f.data, err = disk.ReadFile(f.real); err != nil {
			return nil, unreadable(name, err)
		}
		return f, nil
	}
	return nil, &Problem{File: name, What: "its links go round in a circle", Do: "put the links right"}
}

func unreadable(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &Problem{File: name, What: "it can't be read: " + err.Error(), Do: "see to its permissions, then try again"}
}

// replace writes a file whole, with the mode it had, unless somebody else
// changed it since it was read. It returns the folders it had to make.
func (f *file) replace(disk fsys.FS, data []byte) (dirs []string, err error) {
	if err := f.same(disk); err != nil {
		return nil, err
	}
	if f.exists && f.mode&0o200 == 0 {
		return nil, &Problem{File: f.name, What: "it may not be written", Do: "see to its permissions, then try again"}
	}
	if dirs, err = makeDirs(disk, filepath.Dir(f.real)); err != nil {
		return dirs, err
	}
	temp := filepath.Join(filepath.Dir(f.real), ".vault-"+filepath.Base(f.real)+".new")
	_ = disk.Remove(temp) // what a stopped machine left
	err = create(disk, temp, data, f.mode)
	if err == nil && f.exists {
		err = disk.Chmod(temp, f.mode) // whatever the umask
	}
	if err != nil {
		_ = disk.Remove(temp)
		return dirs, err
	}
	if f.exists {
		err = disk.Rename(temp, f.real)
	} else {
		err = disk.Place(temp, f.real)
	}
	if err != nil {
		_ = disk.Remove(temp)
		return dirs, err
	}
	return dirs, disk.SyncDir(filepath.Dir(f.real))
}

func create(disk fsys.FS, name string, data []byte, mode fs.FileMode) error {
	w, err := disk.Create(name, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err == nil {
		err = w.Sync()
	}
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return err
}

// same fails where the file is not as it was found.
func (f *file) same(disk fsys.FS) error {
	now, err := find(disk, f.name)
	if err != nil {
		return err
	}
	if now.exists != f.exists || now.real != f.real || !bytes.Equal(now.data, f.data) {
		return &Problem{File: f.name, What: "another program changed it meanwhile", Do: "try again"}
	}
	return nil
}

// missing lists the folders that makeDirs would make.
func missing(disk fsys.FS, dir string) []string {
	if _, err := disk.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
		return nil
	}
	return append(missing(disk, filepath.Dir(dir)), dir)
}

// makeDirs makes a folder and those above it, and returns what it made, the
// outermost first.
func makeDirs(disk fsys.FS, dir string) ([]string, error) {
	var made []string
	if fi, err := disk.Stat(dir); err == nil && fi.IsDir() {
		return nil, nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		var err error
		if made, err = makeDirs(disk, parent); err != nil {
			return made, err
		}
	}
	err := disk.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return made, nil // somebody else made it meanwhile
	}
	if err != nil {
		return made, fmt.Errorf("no folder for it: %w", err)
	}
	return append(made, dir), disk.SyncDir(filepath.Dir(dir))
}

// removeDirs removes folders that were made, where they are empty.
func removeDirs(disk fsys.FS, dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		if list, err := disk.ReadDir(dirs[i]); err != nil || len(list) > 0 {
			return
		}
		_ = disk.Remove(dirs[i])
	}
}

// find reads a file of the job's. A project may come from anybody, so a link in
// it that leads out of it is not followed.
func (j Job) find(disk fsys.FS, name string) (*file, error) {
	f, err := find(disk, name)
	if err != nil || j.Project == "" || !isWithin(name, j.Project) {
		return f, err
	}
	project, err := filepath.EvalSymlinks(j.Project)
	if err != nil {
		return nil, unreadable(j.Project, err)
	}
	if !isWithin(resolved(f.real), project) {
		return nil, &Problem{File: name, What: "a link leads out of the project, to " + f.real, Do: "put a file in its place", Foreign: true}
	}
	return f, nil
}

// resolved is a path with the links of its folders followed, as far as they
// are there.
func resolved(name string) string {
	for dir, rest := filepath.Dir(name), filepath.Base(name); ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return name
		}
	}
}

func isWithin(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}
