package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

var errNotDir = syscall.ENOTDIR

func dirOf(name string) string { return filepath.Dir(name) }

// OS is the operating system's file system.
type OS struct{}

var _ FS = OS{}

// Open implements FS.
func (OS) Open(name string) (File, error) { return file(os.Open(name)) }

// ReadFile implements FS.
func (OS) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// Stat implements FS.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Lstat implements FS.
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// ReadDir implements FS.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Readlink implements FS.
func (OS) Readlink(name string) (string, error) { return os.Readlink(name) }

// Create implements FS.
func (OS) Create(name string, perm fs.FileMode) (File, error) {
	return file(os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm))
}

// Append implements FS.
func (OS) Append(name string) (File, error) {
	return file(os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0))
}

// Mkdir implements FS.
func (OS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// Symlink implements FS.
func (OS) Symlink(target, name string) error { return os.Symlink(target, name) }

// Link implements FS.
func (OS) Link(old, name string) error { return os.Link(old, name) }

// Rename implements FS.
func (OS) Rename(old, name string) error { return os.Rename(old, name) }

// Place implements FS.
func (OS) Place(old, name string) error {
	err := renameNew(old, name)
	if err == nil || errors.Is(err, fs.ErrExist) || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := os.Link(old, name); err == nil {
		return os.Remove(old)
	} else if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Neither is there (FAT and the like): the check and the move are two
	// steps, which is the best such a file system allows.
	if _, err := os.Lstat(name); err == nil {
		return &os.LinkError{Op: "place", Old: old, New: name, Err: fs.ErrExist}
	}
	return os.Rename(old, name)
}

// Exchange implements FS.
func (OS) Exchange(a, b string) error {
	err := exchange(a, b)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	aside := a + ".aside"
	if err := os.Link(b, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(b, aside); err != nil {
			return err
		}
	}
	if err := os.Rename(a, b); err != nil {
		if _, lerr := os.Lstat(b); lerr == nil {
			return errors.Join(err, os.Remove(aside))
		}
		return errors.Join(err, os.Rename(aside, b))
	}
	return os.Rename(aside, a)
}

// Remove implements FS.
func (OS) Remove(name string) error { return os.Remove(name) }

// Chmod implements FS.
func (OS) Chmod(name string, perm fs.FileMode) error { return os.Chmod(name, perm) }

// Chtimes implements FS.
func (OS) Chtimes(name string, mtime int64) error {
	return os.Chtimes(name, time.Time{}, time.Unix(0, mtime))
}

// SyncDir implements FS.
func (OS) SyncDir(name string) error { return syncDir(name) }

func file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}
