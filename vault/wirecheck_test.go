package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

const asServer = "VAULT_TEST_AS_SERVER"

// init makes a server of the test's own program, where it is started as one.
func init() {
	if os.Getenv(asServer) == "" {
		return
	}
	if len(os.Args) != 2 || os.Args[1] != "mcp" {
		os.Exit(2)
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "recall"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
	os.Exit(0)
}

// The server of each client that is wired up is started as the client starts
// it, and what does not work is named by file and line.
func TestClientsAreTestedAsTheyWouldStartTheServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program is linked under another name")
	}
	p := newPlace(t)
	own, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(p.dir, "vault")
	require.NoError(t, os.Symlink(own, program))
	o := p.options("", p.dir, "")
	o.Environ = append(o.Environ, asServer+"=1")
	h, err := vault.Open(o)
	require.NoError(t, err)

	none, err := h.CheckClients(ctx, program, true)
	require.NoError(t, err)
	require.Empty(t, none)
	for _, client := range []string{"claude-code", "codex", "opencode"} {
		_, err := h.Install(ctx, vault.Install{Client: client, Program: program, OwnHome: true})
		require.NoError(t, err)
	}
	list, err := h.CheckClients(ctx, program, true)
	require.NoError(t, err)
	require.Len(t, list, 3)
	for _, c := range list {
		require.Empty(t, c.Findings, c.Client)
		require.Equal(t, 1, c.Tools)
		require.Equal(t, program+" mcp", c.Command)
	}

	// Codex's program is gone; Claude Code's hooks are; opencode's file is broken.
	edit := func(name, old, new string) {
		path := filepath.Join(p.dir, name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(data), old)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o644))
	}
	edit(".codex/config.toml", program, "/nowhere/vault")
	require.NoError(t, os.Remove(filepath.Join(p.dir, ".claude", "settings.json")))
	edit(".config/opencode/opencode.json", "{", "{{")
	list, err = h.CheckClients(ctx, program, true)
	require.NoError(t, err)
	require.Len(t, list, 3)
	messages := func(c vault.ClientCheck) string {
		var out []string
		for _, f := range c.Findings {
			out = append(out, f.Severity+" "+strings.TrimPrefix(f.File, p.dir)+": "+strings.ReplaceAll(f.Message, p.dir, ""))
		}
		return strings.Join(out, "\n")
	}
	require.Equal(t, "warning /.claude/settings.json: claude-code: hooks are not as 'vault install claude-code' writes them: run it again", messages(list[0]))
	require.Contains(t, messages(list[1]), "error /.codex/config.toml: codex: /nowhere/vault mcp does not work: no answer from it:")
	require.Equal(t, 1, list[1].Findings[len(list[1].Findings)-1].Line)
	require.Contains(t, messages(list[2]), "error /.config/opencode/opencode.json: opencode: ")
	require.Equal(t, 1, list[2].Findings[0].Line)

	// Doctor tells of the same, and of what hooks failed at in the last week.
	for _, age := range []time.Duration{time.Hour, 30 * 24 * time.Hour} {
		vault.NoteHookFailure(o.Home, vault.HookFailure{Time: p.clock.Add(-age), Client: "codex", Event: "prompt", Error: "no answer in " + age.String()})
	}
	found, err := h.Doctor(ctx, vault.Checkup{Program: program, OwnHome: true})
	require.NoError(t, err)
	var told strings.Builder
	for _, f := range found {
		told.WriteString(f.Severity + " [" + f.Rule + "] " + f.Message + "\n")
	}
	contains(t, told.String(), "warning [client] claude-code: hooks are not as", "error [client] codex: /nowhere/vault mcp does not work", "error [client] opencode: ",
		"warning [hook] prompt of codex failed on 2026-11-30 18:27 UTC: no answer in 1h0m0s")
	lacks(t, told.String(), "720h")
}
