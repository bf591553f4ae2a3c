package fsys

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// What stands in the place of a cache file may be anything. These never wait for
// the other end of a pipe, and follow no link.

// OpenPlain opens a regular file for reading; anything else in its place is an
// error.
func OpenPlain(name string) (*os.File, error) { return openPlain(name, os.O_RDONLY, 0) }

// ReadPlain reads a whole regular file.
func ReadPlain(name string) ([]byte, error) {
	f, err := OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, fi.Size())
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil // it has been cut short meanwhile
	}
	return data[:n], err
}

// WritePlain writes a whole file in place. What stands there and is no regular
// file is taken away.
func WritePlain(name string, data []byte, perm fs.FileMode) error {
	f, err := clearedPlain(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// AppendPlain opens a file for writing at its end, made if need be. What stands
// there and is no regular file is taken away.
func AppendPlain(name string, perm fs.FileMode) (*os.File, error) {
	return clearedPlain(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
}

func clearedPlain(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return openPlain(name, flag, perm)
}

func openPlain(name string, flag int, perm fs.FileMode) (*os.File, error) {
	fi, err := os.Lstat(name)
	if err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	if err != nil && flag&os.O_CREATE == 0 {
		return nil, err
	}
	f, err := os.OpenFile(name, flag|nonblocking, perm)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return f, nil
}
