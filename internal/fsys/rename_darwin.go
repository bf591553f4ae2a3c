package fsys

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error { return renamex("exchange", a, b, unix.RENAME_SWAP) }

func renameNew(old, name string) error { return renamex("place", old, name, unix.RENAME_EXCL) }

func renamex(op, a, b string, flag uint32) error {
	for {
		err := unix.RenamexNp(a, b, flag)
		switch {
		case err == nil:
			return nil
		case err == unix.EINTR:
			continue
		case err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOTSUP:
			return &os.LinkError{Op: op, Old: a, New: b, Err: errors.ErrUnsupported}
		}
		return &os.LinkError{Op: op, Old: a, New: b, Err: err}
	}
}
