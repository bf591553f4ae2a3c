package main

import (
	"testing"

	"gitvault/vault"
)

func TestWriterIsTold(t *testing.T) {
	for _, test := range []struct {
		flag string
		env  map[string]string
		want vault.Writer
	}{
		{"", nil, vault.Writer{}},
		{"", map[string]string{"TERM": "xterm", "AGENT": "jenkins-7"}, vault.Writer{}},
		{"codex", nil, vault.Writer{Agent: "codex"}},
		{"", map[string]string{"VAULT_AGENT": "mine"}, vault.Writer{Agent: "mine"}},
		{"codex", map[string]string{"VAULT_AGENT": "mine", "CLAUDECODE": "1"}, vault.Writer{Agent: "codex"}},
		{"", map[string]string{"VAULT_AGENT": "mine", "CLAUDECODE": "1"}, vault.Writer{Agent: "mine"}},
		{"", map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}, vault.Writer{Agent: "claude-code", Session: "s1"}},
		{"", map[string]string{"CODEX_THREAD_ID": "t1"}, vault.Writer{Agent: "codex", Session: "t1"}},
		{"", map[string]string{"CODEX_SANDBOX": "seatbelt"}, vault.Writer{Agent: "codex"}},
		{"", map[string]string{"GEMINI_CLI": "1"}, vault.Writer{Agent: "gemini-cli"}},
		{"", map[string]string{"CURSOR_AGENT": "1"}, vault.Writer{Agent: "cursor"}},
		{"", map[string]string{"OPENCODE": "1", "AGENT": "1"}, vault.Writer{Agent: "opencode"}},
		{"", map[string]string{"GOOSE_TERMINAL": "1"}, vault.Writer{Agent: "goose"}},
		{"", map[string]string{"AGENT": "amp"}, vault.Writer{Agent: "amp"}},
		{"", map[string]string{"AI_AGENT": "devin"}, vault.Writer{Agent: "devin"}},
		{"", map[string]string{"AI_AGENT": "person"}, vault.Writer{Agent: "agent person"}},
		{"", map[string]string{"VAULT_SESSION": "mine", "CODEX_THREAD_ID": "t1"}, vault.Writer{Agent: "codex", Session: "mine"}},
	} {
		a := &app{agent: test.flag, world: world{lookup: func(name string) (string, bool) { v, ok := test.env[name]; return v, ok }}}
		if got := a.writer(); got != test.want {
			t.Errorf("--agent %q and %v: %+v, want %+v", test.flag, test.env, got, test.want)
		}
	}
}
