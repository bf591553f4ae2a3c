// Package fsys is the small set of file operations that durable writing is
// made of. Everything that changes the disk on the way of a write goes through
// an FS, so that a test can stop the program, or fail it, at each of them.
package fsys

import (
	"io"
	"io/fs"
)

// FS is a file system as a durable writer sees it. Names are paths of the
// operating system. Errors are those of package os: errors.Is with
// fs.ErrNotExist, fs.ErrExist and fs.ErrPermission works.
type FS interface {
	// Open opens a file for reading.
	Open(name string) (File, error)
	// ReadFile reads a whole file.
	ReadFile(name string) ([]byte, error)
	// Stat and Lstat describe a file; Lstat does not follow a symbolic link.
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Readlink reads where a symbolic link points to.
	Readlink(name string) (string, error)

	// Create makes a new file and opens it for writing; it fails with
	// fs.ErrExist where anything stands already.
	Create(name string, perm fs.FileMode) (File, error)
	// Append opens an existing file for writing at its end.
	Append(name string) (File, error)
	// Mkdir makes one directory.
	Mkdir(name string, perm fs.FileMode) error
	// Symlink makes a symbolic link at name that points to target.
	Symlink(target, name string) error
	// Link gives an existing file a second name; it fails with fs.ErrExist
	// where anything stands at the new name.
	Link(old, name string) error
	// Rename moves a file over whatever file stands at the new name.
	Rename(old, name string) error
	// Place moves a file to a name where nothing stands; otherwise it fails
	// with fs.ErrExist and moves nothing.
	Place(old, name string) error
	// Exchange swaps the files at two names, atomically where the system
	// can; elsewhere b gets a's file atomically, and a gets b's former file
	// a moment later.
	Exchange(a, b string) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// Chtimes sets the time of last change, in nanoseconds since 1970.
	Chtimes(name string, mtime int64) error
	// Chmod sets a file's permissions.
	Chmod(name string, perm fs.FileMode) error
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	// Sync makes the content durable.
	Sync() error
}

// MkdirAll makes a directory and those above it that are missing, and returns
// the directories whose names changed, which are the ones to sync.
func MkdirAll(f FS, name string, perm fs.FileMode) (changed []string, err error) {
	if fi, err := f.Stat(name); err == nil {
		if fi.IsDir() {
			return nil, nil
		}
		return nil, &fs.PathError{Op: "mkdir", Path: name, Err: errNotDir}
	}
	parent := dirOf(name)
	if parent != name {
		if changed, err = MkdirAll(f, parent, perm); err != nil {
			return changed, err
		}
	}
	err = f.Mkdir(name, perm)
	if err == nil {
		return append(changed, parent), nil
	}
	if fi, serr := f.Stat(name); serr == nil && fi.IsDir() {
		return changed, nil // somebody else made it meanwhile
	}
	return changed, err
}
