//go:build unix

package lab

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// peak is the largest resident size a process had, in bytes. The system counts
// what its parent held when it was started as the least, some 20 MB here.
func peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss * 1024
}

// Settle waits until all that was written is on disk: what one side leaves in
// memory must not be paid for by the other's sync.
func Settle() { unix.Sync() }
