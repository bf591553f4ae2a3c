package gitstore

import (
	"runtime"
	"strings"
)

// GitEnv gives the environment for a git that is run on a repository of this
// package: without the variables that would point it elsewhere or change what
// it does (GIT_DIR, GIT_INDEX_FILE and all the others, as they are set inside
// a git hook), and so that it never asks a question on the terminal. The
// person's configuration stays in force.
func GitEnv(environ []string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if strings.HasPrefix(name, "GIT_") && !kept[name] || name == "LC_ALL" || name == "LANGUAGE" {
			continue
		}
		out = append(out, kv)
	}
	return append(out, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}

// kept are the variables that say how to reach a server, or where the
// person's configuration lies.
var kept = map[string]bool{
	"GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true, "GIT_ASKPASS": true, "GIT_PROXY_COMMAND": true,
	"GIT_SSL_NO_VERIFY": true, "GIT_SSL_CAINFO": true, "GIT_SSL_CAPATH": true, "GIT_SSL_CERT": true, "GIT_SSL_KEY": true,
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_EXEC_PATH": true,
	"GIT_TRACE": true, "GIT_TRACE_PACKET": true, "GIT_TRACE_CURL": true,
}
