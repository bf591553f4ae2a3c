//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach has a process run on when the terminal or the session is gone.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
