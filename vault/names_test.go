package vault

import "testing"

// Nobody is called what a reader would take for a person, or for another source
// that is no agent.
func TestNamesThatPassForAPerson(t *testing.T) {
	for _, name := range []string{
		"person", "Person", "PERSON", "рerson", "persοn", "ｐｅｒｓｏｎ", "pers0n", "per5on", "p3rson", "pérson", "per\u0301son", "per-son", "p.e.r.s.o.n",
		"𝓹𝓮𝓻𝓼𝓸𝓷", "ⓟⓔⓡⓢⓞⓝ", "РERSОN", "PERSOΝ", "per\u00adson", "person.", "(person)", "vau1t", "νault", "Vauⅼt", "rnerge", "mеrge", "import:x", "import：x", "1mport:x", "imрort : x",
	} {
		if (Writer{Agent: name}).check() == nil {
			t.Errorf("an agent may be called %q", name)
		}
		folded := AgentName(name)
		if err := (Writer{Agent: folded}).check(); err != nil || isReserved(folded) {
			t.Errorf("%q becomes %q: %v", name, folded, err)
		}
	}
	for _, name := range []string{"claude-code", "codex", "personal-assistant", "Claude Code 2.1", "opencode/1.2", "助手", "агент", "vault-mcp", "imports", "merge-bot", "agent person"} {
		if err := (Writer{Agent: name}).check(); err != nil || AgentName(name) != name {
			t.Errorf("%q becomes %q: %v", name, AgentName(name), err)
		}
	}
}
