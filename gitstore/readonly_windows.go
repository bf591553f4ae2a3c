package gitstore

import (
	"errors"
	"syscall"
)

func isReadOnly(err error) bool {
	const writeProtect = syscall.Errno(19)
	return errors.Is(err, writeProtect)
}
