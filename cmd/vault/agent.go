package main

import "gitvault/vault"

// agentMarks are the variables that agent programs set in the shells they run
// commands in, so that what is typed there is known to be an agent's. Where
// each is known from stands in docs/security.md.
var agentMarks = []struct{ variable, value, agent string }{
	{variable: "CLAUDECODE", agent: "claude-code"},
	{variable: "CODEX_THREAD_ID", agent: "codex"},
	{variable: "CODEX_SANDBOX", agent: "codex"},
	{variable: "CODEX_SANDBOX_NETWORK_DISABLED", agent: "codex"},
	{variable: "GEMINI_CLI", agent: "gemini-cli"},
	{variable: "CURSOR_AGENT", agent: "cursor"},
	{variable: "OPENCODE", agent: "opencode"},
	{variable: "GOOSE_TERMINAL", agent: "goose"},
	{variable: "COPILOT_CLI", agent: "copilot"},
	{variable: "CODEWHALE_SESSION_ID", agent: "codewhale"},
	{variable: "AGENT", value: "goose", agent: "goose"},
	{variable: "AGENT", value: "amp", agent: "amp"},
}

// agentVariable names the agent in its value, whichever agent it is.
const agentVariable = "AI_AGENT"

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
		value := a.getenv(m.variable)
		if w.Agent == "" && value != "" && (m.value == "" || m.value == value) {
			w.Agent = m.agent
		}
	}
	if w.Agent == "" {
		w.Agent = vault.AgentName(a.getenv(agentVariable))
	}
	for _, name := range sessionMarks {
		if w.Session == "" {
			w.Session = a.getenv(name)
		}
	}
	return w
}
