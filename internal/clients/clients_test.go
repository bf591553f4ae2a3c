package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func place(env map[string]string, exists ...string) Place {
	return Place{OS: "linux", Home: "/home/ada",
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Exists: func(path string) bool {
			for _, e := range exists {
				if filepath.ToSlash(path) == e {
					return true
				}
			}
			return false
		}}
}

func program() Program {
	return Program{Command: "/bin/vault", Text: "Use vault.", Hook: func(event string) string { return "vault" + HookArguments(event, "x") }}
}

// files are what goes where, for short.
func files(c Client, at Place) string {
	var out []string
	for _, p := range c.Parts(at, program()) {
		out = append(out, p.What+" "+filepath.ToSlash(p.File))
	}
	return strings.Join(out, "\n")
}

func TestWhereThingsGo(t *testing.T) {
	find := func(name string) Client {
		c, ok := Find(name)
		require.True(t, ok)
		return c
	}
	require.Equal(t, "MCP server /home/ada/.claude.json\nhooks /home/ada/.claude/settings.json\ninstructions /home/ada/.claude/CLAUDE.md", files(find("claude-code"), place(nil)))
	require.Equal(t, "MCP server /c/.claude.json\nhooks /c/settings.json\ninstructions /c/CLAUDE.md", files(find("claude-code"), place(map[string]string{"CLAUDE_CONFIG_DIR": "/c"})))
	at := place(map[string]string{"CODEX_HOME": "/x"})
	require.Contains(t, files(find("codex"), at), "MCP server /x/config.toml")
	at.Project = "/w"
	require.Equal(t, "MCP server /w/.codex/config.toml\nhooks /w/.codex/hooks.json\ninstructions /w/AGENTS.md", files(find("codex"), at))
	require.Contains(t, files(find("opencode"), place(nil)), "MCP server /home/ada/.config/opencode/opencode.json\n")
	require.Contains(t, files(find("opencode"), place(nil, "/home/ada/.config/opencode/opencode.jsonc")), "/opencode.jsonc\n")
	require.Contains(t, files(find("codewhale"), place(nil)), "MCP server /home/ada/.codewhale/mcp.json\n")
	require.Contains(t, files(find("codewhale"), place(nil, "/home/ada/.deepseek/mcp.json")), "MCP server /home/ada/.deepseek/mcp.json\n")
	mac := place(nil)
	mac.OS = "darwin"
	require.Contains(t, files(find("vscode"), mac), "MCP server /home/ada/Library/Application Support/Code/User/mcp.json\n")
	require.Equal(t, "/home/ada/.claude/projects/-w-my-app/memory", filepath.ToSlash(ClaudeMemory(Place{Home: "/home/ada", Project: "/w/my.app", Env: place(nil).Env})))
	_, ok := Find("emacs")
	require.False(t, ok)
}

// What is true of every client.
func TestEveryClient(t *testing.T) {
	for _, c := range All() {
		for _, project := range []string{"", "/w"} {
			at := place(nil)
			at.Project = project
			parts := c.Parts(at, program())
			require.NotEmpty(t, parts, c.Name)
			for _, p := range parts {
				require.NotEmpty(t, p.What)
				root := at.Home
				if project != "" {
					root = project
				}
				require.True(t, strings.HasPrefix(filepath.ToSlash(p.File), root+"/"), p.File)
				for _, h := range p.Hooks {
					require.True(t, h.IsHook(h.Command, "x"))
					require.False(t, h.IsHook(h.Command, "y"))
				}
				if p.Path != nil {
					require.Equal(t, ServerName, p.Path[len(p.Path)-1])
				}
			}
			if c.Notes != nil {
				c.Notes(at)
			}
		}
		at := place(nil)
		at.Project = "/w"
		index := c.Index(at, "text")
		require.NotEmpty(t, index.File, c.Name)
		if c.Name != "claude-code" {
			require.Equal(t, index.Front, FrontFor(index.File), c.Name)
		}
	}
	require.Contains(t, plugin(Program{Command: `C:\a "b"`, Env: map[string]string{"VAULT_HOME": "/h"}}), "const program = \"C:\\\\a \\\"b\\\"\"\nconst home = \"/h\"\n")
}
