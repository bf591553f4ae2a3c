package vault

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gitvault/internal/safetext"
	"gitvault/internal/secrets"
)

// A Writer is who asks for a change.
type Writer struct {
	Agent   string // an agent's name, "" for a person
	Session string // the agent session, where known
}

// Limits of what a writer is called, in characters.
const (
	maxAgentName = 64
	maxSession   = 200
)

// IsAgent reports whether the writer is not a person.
func (w Writer) IsAgent() bool { return w.Agent != "" }

const sourcePerson = "person"

func (w Writer) source() string {
	if w.Agent != "" {
		return w.Agent
	}
	return sourcePerson
}

// check refuses an agent that goes by the name of somebody else.
func (w Writer) check() error {
	switch {
	case w.Agent != AgentName(w.Agent) && isReserved(w.Agent):
		return invalid("use the agent program's own name, such as claude-code", "an agent can't be called %q", shortened(w.Agent))
	case w.Agent != AgentName(w.Agent):
		return invalid("use a short name such as claude-code", "%q is no name for an agent", shortened(w.Agent))
	case !utf8.ValidString(w.Session), strings.ContainsFunc(w.Session, unicode.IsControl), utf8.RuneCountInString(w.Session) > maxSession:
		return invalid("use the id that the agent program gives it", "%q is no name for a session", shortened(w.Session))
	}
	for _, text := range []string{w.Agent, w.Session} {
		if found := secrets.Scan(text); len(found) > 0 {
			return invalid("use another", "the agent's name or session looks like a secret (%s)", found[0].Rule)
		}
	}
	return nil
}

// AgentName makes a name that a Writer may have of what a program calls itself:
// one short line, and nobody else's.
func AgentName(s string) string {
	s = safetext.Line(s)
	if isReserved(s) {
		s = "agent " + s
	}
	if r := []rune(s); len(r) > maxAgentName {
		s = strings.TrimSpace(string(r[:maxAgentName]))
	}
	return s
}

// shortened is the beginning of what somebody called something, to be quoted.
// It is looked at for secrets before it is cut: nobody knows a part of one for
// what it is.
func shortened(s string) string {
	const most = 40
	s = secrets.Redact(s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
