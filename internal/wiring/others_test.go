package wiring

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// A server that the person wrote in a way of their own stays as they wrote it,
// also where the client writes its file anew in between.
func TestAServerOfThePersonsOwn(t *testing.T) {
	for name, own := range map[string]struct{ file, text string }{
		"claude-code": {".claude.json", `{"n":1,"mcpServers":{"vault":{"command":"vault","args":["--home","/work/other","mcp"],"env":{"VAULT_AGENT":"me"}}}}`},
		"codex":       {".codex/config.toml", "n = 1\n[mcp_servers.vault]\ncommand = \"vault\"\nargs = [\"--home\", \"/work/other\", \"mcp\"]\n"},
	} {
		d := newDesk(t, t.TempDir())
		d.write(own.file, own.text)
		changes := d.put(d.job(name, ""))
		require.Equal(t, own.text, d.read(own.file))
		require.Contains(t, strings.Join(changes[0].Notes, "\n"), "a form of its own")
		changed := strings.NewReplacer(`"n":1`, `"n":2`, "n = 1", "n = 2").Replace(own.text)
		d.write(own.file, changed)
		d.take(d.job(name, ""))
		require.Equal(t, changed, d.read(own.file))
	}
}

// What was there before, from a person by hand or from git, is not what
// uninstalling takes out; doing it once more does.
func TestWhatWasThereBeforeStays(t *testing.T) {
	d := newDesk(t, t.TempDir())
	job := d.job("claude-code", d.project)
	d.put(job)
	require.NoError(t, os.RemoveAll(filepath.Join(d.dir, "state"))) // a teammate did that
	before := d.tree()
	require.NoError(t, os.Mkdir(filepath.Join(d.dir, "state"), 0o755))
	for _, c := range d.put(job) {
		require.Equal(t, Unchanged, c.Does)
	}
	d.write("w/CLAUDE.md", d.read("w/CLAUDE.md")+"\nmore\n")
	changes := d.take(job)
	require.Contains(t, strings.Join(changes[0].Notes, "\n"), "had vault in it before")
	d.write("w/CLAUDE.md", strings.TrimSuffix(d.read("w/CLAUDE.md"), "\nmore\n"))
	require.Equal(t, before, d.tree())
	d.take(job)
	require.NotContains(t, d.read("w/CLAUDE.md"), "Use vault.")

	d = newDesk(t, t.TempDir())
	own := `{"n":1,"mcpServers":{"vault":{"command":"/old/vault","args":["mcp"],"env":{"VAULT_AGENT":"me"}}}}`
	d.write(".claude.json", own)
	d.put(d.job("claude-code", ""))
	d.write(".claude.json", strings.Replace(d.read(".claude.json"), `"n":1`, `"n":2`, 1))
	d.take(d.job("claude-code", ""))
	require.Equal(t, strings.Replace(own, `"n":1`, `"n":2`, 1), d.read(".claude.json"))
}

// Hooks and servers that only look like vault's are other people's.
func TestWhatOnlyLooksLikeVaults(t *testing.T) {
	for _, command := range []string{
		"cd /x && FOO=1 vault hook prompt --client claude-code",
		"/opt/other-tool hook prompt --client claude-code",
		"vault hook prompt --client claude-code | tee /tmp/log",
	} {
		d := newDesk(t, t.TempDir())
		text := `{"n":1,"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}}`
		d.write(".claude/settings.json", text)
		d.put(d.job("claude-code", ""))
		got := d.read(".claude/settings.json")
		require.Contains(t, got, command)
		require.Equal(t, !strings.Contains(command, "vault"), strings.Contains(got, "/opt/my vault/vault' hook prompt"), command)
		require.Contains(t, got, "hook session-start")
		d.write(".claude/settings.json", strings.Replace(got, `"n":1`, `"n":2`, 1))
		d.take(d.job("claude-code", ""))
		require.JSONEq(t, strings.Replace(text, `"n":1`, `"n":2`, 1), d.read(".claude/settings.json"))
	}
	d := newDesk(t, t.TempDir())
	hashi := `{"mcpServers":{"vault":{"command":"/opt/hashi/vault","args":["server","mcp"]}}}`
	d.write(".claude.json", hashi)
	_, err := d.state.Put(context.Background(), d.job("claude-code", ""))
	require.ErrorContains(t, err, "another program's server")
	require.Equal(t, hashi, d.read(".claude.json"))
}

// A project that is gone takes what was known of it along.
func TestAProjectThatIsGone(t *testing.T) {
	d := newDesk(t, t.TempDir())
	d.put(d.job("claude-code", d.project))
	list, err := d.state.Installed()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.NoError(t, os.RemoveAll(d.project))
	list, err = d.state.Installed()
	require.NoError(t, err)
	require.Empty(t, list)
}

// Text in another encoding is not written into, and what somebody made of
// vault's own file is theirs, known or not.
func TestFilesThatAreNotWrittenInto(t *testing.T) {
	d := newDesk(t, t.TempDir())
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("# Regeln\n")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	d.write(".claude/CLAUDE.md", string(wide))
	before := d.tree()
	_, err := d.state.Put(context.Background(), d.job("claude-code", ""))
	require.ErrorContains(t, err, "no UTF-8 text")
	require.Equal(t, before, d.tree())

	job := d.job("opencode", "")
	d.put(job)
	plugin := ".config/opencode/plugins/vault.js"
	d.write(plugin, d.read(plugin)+"// mine\n")
	require.NoError(t, os.RemoveAll(filepath.Join(d.dir, "state")))
	require.NoError(t, os.Mkdir(filepath.Join(d.dir, "state"), 0o755))
	d.take(job)
	require.Contains(t, d.read(plugin), "// mine")
}
