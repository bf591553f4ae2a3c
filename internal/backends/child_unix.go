//go:build unix

package backends

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group gives a program a process group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks a program and what it has started to end.
func endGroup(p *os.Process) error { return signal(p, syscall.SIGTERM) }

// killGroup ends them.
func killGroup(p *os.Process) error { return signal(p, syscall.SIGKILL) }

func signal(p *os.Process, s syscall.Signal) error {
	err := syscall.Kill(-p.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
