package fsys

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error { return renameat2("exchange", a, b, unix.RENAME_EXCHANGE) }

func renameNew(old, name string) error { return renameat2("place", old, name, unix.RENAME_NOREPLACE) }

func renameat2(op, a, b string, flags uint) error {
	for {
		err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, flags)
		switch {
		case err == nil:
			return nil
		case err == unix.EINTR:
			continue
		case err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP:
			// The kernel or this file system cannot.
			return &os.LinkError{Op: op, Old: a, New: b, Err: errors.ErrUnsupported}
		}
		return &os.LinkError{Op: op, Old: a, New: b, Err: err}
	}
}
