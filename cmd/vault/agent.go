package main

import "gitvault/vault"

// agentMarks are the variables that agent programs set in the shells they run
// commands in, so that what is typed there is known to be an agent's. Where a
// program is known only by a third party's word, it is not listed.
var agentMarks = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude-code"},         // Claude Code: "1" in its Bash tool
	{"CODEX_SANDBOX", "codex"},            // Codex: the sandbox's name
	{"CODEX_THREAD_ID", "codex"},          // Codex: in every command it runs
	{"GEMINI_CLI", "gemini-cli"},          // Gemini CLI: "1" in its shell tool
	{"CURSOR_AGENT", "cursor"},            // Cursor's agent terminal
	{"OPENCODE", "opencode"},              // opencode: "1" in its process
	{"COPILOT_CLI", "copilot"},            // GitHub Copilot CLI
	{"CODEWHALE_SESSION_ID", "codewhale"}, // CodeWhale
}

// sessionMarks name the agent's session, where the program says it.
var sessionMarks = []string{"VAULT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "CODEWHALE_SESSION_ID"}

// writer tells who acts: the agent that a flag or VAULT_AGENT names, else the
// one whose shell this is, else a person.
func (a *app) writer() vault.Writer {
	w := vault.Writer{Agent: a.agent}
	if w.Agent == "" {
		w.Agent = a.getenv("VAULT_AGENT")
	}
	for _, m := range agentMarks {
		if w.Agent == "" && a.getenv(m.variable) != "" {
			w.Agent = m.agent
		}
	}
	for _, name := range sessionMarks {
		if w.Session == "" {
			w.Session = a.getenv(name)
		}
	}
	return w
}
