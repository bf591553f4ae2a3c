//go:build unix

package vault

import (
	"syscall"
	"time"
)

// cpuTime is what the processor has spent on this process so far; other work on
// the machine does not show in it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
