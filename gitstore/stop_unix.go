//go:build unix

package gitstore

import (
	"os/exec"
	"syscall"
)

// stopGently has git, and the programs that it runs, asked to end, so that
// they take their locks and unfinished files away.
func stopGently(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
