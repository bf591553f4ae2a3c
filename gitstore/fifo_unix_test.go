//go:build unix

package gitstore

import "syscall"

func mkfifo(name string) error { return syscall.Mkfifo(name, 0o666) }
