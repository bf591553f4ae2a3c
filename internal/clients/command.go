package clients

import (
	"path"
	"slices"
	"strings"
)

// HookArguments are what a hook's command ends with.
func HookArguments(event, client string) string { return " hook " + event + " --client " + client }

// IsHook reports whether a command is one that vault put there for an event:
// the program, its home where that is named, and what every such command ends
// with.
func (h Hook) IsHook(command, client string) bool { return h.Program(command, client) != "" }

// Program is the program of a command that vault put there, "" for any other.
func (h Hook) Program(command, client string) string {
	before, ok := strings.CutSuffix(command, HookArguments(h.Name, client))
	words := shellWords(before)
	if ok && (len(words) == 1 || len(words) == 3 && words[1] == "--home") && isVault(words[0]) {
		return words[0]
	}
	return ""
}

// Runs reports whether a command runs vault for an event in a way of the
// person's own.
func (h Hook) Runs(command, client string) bool {
	at := strings.Index(command, strings.TrimSpace(HookArguments(h.Name, client)))
	return at > 0 && !h.IsHook(command, client) && slices.ContainsFunc(shellWords(command[:at]), isVault)
}

// isVault reports whether a word of a command is the program vault.
func isVault(word string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	return strings.TrimSuffix(base, ".exe") == "vault"
}

// withValue are the flags of vault that may stand before a verb with a value.
var withValue = []string{"--home", "--directory", "-C", "--scope", "--agent", "--allow-secret"}

// IsServer reports whether words are a command that starts vault's server.
func IsServer(words []string) bool {
	if len(words) < 2 || !isVault(words[0]) {
		return false
	}
	for i := 1; i < len(words); i++ {
		switch {
		case slices.Contains(withValue, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i] == "mcp"
		}
	}
	return false
}

// IsPlainServer reports whether the words are as vault writes them, whatever
// its path.
func IsPlainServer(words []string) bool {
	return len(words) == 2 && IsServer(words)
}

// shellWords splits a command as a shell would, quotes taken off; what a shell
// would expand stays as it is.
func shellWords(s string) []string {
	var out []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case c == '\\' && i+1 < len(s) && s[i+1] == '\'':
			i++
			word.WriteByte('\'')
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
			continue
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		out = append(out, word.String())
	}
	return out
}
