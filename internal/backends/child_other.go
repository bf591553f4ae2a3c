//go:build !unix

package backends

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

func endGroup(p *os.Process) error { return p.Kill() }
