package main

import (
	"os/exec"
	"syscall"
)

const (
	detachedProcess       = 0x8
	createNewProcessGroup = 0x200
)

// detach has a process run on when the console is gone.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | createNewProcessGroup, HideWindow: true}
}
