package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// syncBehind has a process of its own sync a scope, which nobody waits for and
// which outlives this one. What it comes to is what status shows.
func syncBehind(home, scope, dir string) {
	program, err := os.Executable()
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return
	}
	cmd := exec.Command(program, "sync", "--soon", "--quiet", "--home", home, "-C", dir, "--scope", scope)
	cmd.Dir = home
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "VAULT_") { // whoever made the change, the person set it to be synced
			cmd.Env = append(cmd.Env, kv)
		}
	}
	detach(cmd)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // a server goes on, and is the one to ask for its end
	}
}
