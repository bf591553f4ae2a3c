//go:build unix

package fsys

import "syscall"

// nonblocking opens a pipe that nobody has at its other end.
const nonblocking = syscall.O_NONBLOCK
