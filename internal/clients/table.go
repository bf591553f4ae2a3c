package clients

import (
	"path/filepath"
	"regexp"
	"sync"

	"gitvault/internal/configedit"
)

type object = configedit.Object

// seconds is how long a client waits for a hook; ours take milliseconds.
const seconds = 10

var claudeCode = Client{
	Name: "claude-code", Title: "Claude Code",
	parts: func(at Place, p Program) []Part {
		dir := claudeDir(at)
		server := filepath.Join(dir, ".claude.json")
		if _, moved := at.Env("CLAUDE_CONFIG_DIR"); !moved {
			server = at.home(".claude.json")
		}
		return []Part{
			stdio(at.or(server, ".mcp.json"), []string{"mcpServers", ServerName}, p, true),
			{What: "hooks", File: at.or(filepath.Join(dir, "settings.json"), ".claude/settings.json"), Format: Hooks, Hooks: grouped(p, seconds, "", []event{
				{"SessionStart", "session-start", "startup|resume|clear|compact"},
				{"UserPromptSubmit", "prompt", ""},
				{"PostToolUse", "tool", "Bash"},
				{"PreCompact", "compact", ""},
				{"Stop", "stop", ""},
				{"SessionEnd", "session-end", ""},
			})},
			instructions(at.or(filepath.Join(dir, "CLAUDE.md"), "CLAUDE.md"), "", p),
		}
	},
	Notes: func(at Place) []string {
		if at.Project != "" {
			return []string{"Claude Code asks once whether the project's server may run: say yes, or see /mcp"}
		}
		return nil
	},
	index: func(at Place) string { return filepath.Join(ClaudeMemory(at), "MEMORY.md") },
}

func claudeDir(at Place) string { return at.env("CLAUDE_CONFIG_DIR", at.home(".claude")) }

var notInFolder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]`) })

// ClaudeMemory is the folder of Claude Code's own memory of the project.
func ClaudeMemory(at Place) string {
	return filepath.Join(claudeDir(at), "projects", notInFolder().ReplaceAllString(at.Project, "-"), "memory")
}

var codex = Client{
	Name: "codex", Title: "Codex",
	parts: func(at Place, p Program) []Part {
		dir := at.env("CODEX_HOME", at.home(".codex"))
		value := object{{Name: "command", Value: p.Command}, {Name: "args", Value: []any{"mcp"}}}
		if env := p.env(); env != nil {
			value = append(value, configedit.Field{Name: "env", Value: env})
		}
		return []Part{
			{What: "MCP server", File: at.or(filepath.Join(dir, "config.toml"), ".codex/config.toml"), Format: TOML, Path: []string{"mcp_servers", ServerName}, Value: value},
			{What: "hooks", File: at.or(filepath.Join(dir, "hooks.json"), ".codex/hooks.json"), Format: Hooks, Hooks: grouped(p, seconds, "", []event{
				{"SessionStart", "session-start", ""},
				{"UserPromptSubmit", "prompt", ""},
				{"PostToolUse", "tool", "Bash"},
				{"PreCompact", "compact", ""},
				{"Stop", "stop", ""},
			})},
			instructions(at.or(filepath.Join(dir, "AGENTS.md"), "AGENTS.md"), "", p),
		}
	},
	Notes: func(at Place) []string {
		notes := []string{"Codex runs new hooks only once you trust them: start codex and type /hooks"}
		if at.Project != "" {
			notes = append(notes, "Codex reads a project's configuration only where you trust the project")
		}
		return notes
	},
	index: func(at Place) string { return at.or("", "AGENTS.md") },
}

var cursor = Client{
	Name: "cursor", Title: "Cursor",
	parts: func(at Place, p Program) []Part {
		parts := []Part{
			stdio(at.or(at.home(".cursor", "mcp.json"), ".cursor/mcp.json"), []string{"mcpServers", ServerName}, p, false),
			{What: "hooks", File: at.or(at.home(".cursor", "hooks.json"), ".cursor/hooks.json"), Format: Hooks,
				Always: object{{Name: "version", Value: 1}},
				Hooks: alone(p, []event{
					{"sessionStart", "session-start", ""},
					{"preCompact", "compact", ""},
					{"stop", "stop", ""},
					{"sessionEnd", "session-end", ""},
				})},
		}
		if at.Project != "" {
			parts = append(parts, instructions(at.or("", ".cursor/rules/vault.mdc"), cursorFront("How to use the memory that vault keeps"), p))
		}
		return parts
	},
	Notes: func(at Place) []string {
		if at.Project == "" {
			return []string{"Cursor keeps a person's own rules in its settings, where no program can write: 'vault install cursor --project' writes a rule into a project"}
		}
		return nil
	},
	index: func(at Place) string { return at.or("", ".cursor/rules/vault-index.mdc") },
	front: cursorFront("What vault remembers about this project"),
}

func cursorFront(description string) string {
	return "---\ndescription: " + description + "\nalwaysApply: true\n---\n"
}

var geminiCLI = Client{
	Name: "gemini-cli", Title: "Gemini CLI",
	parts: func(at Place, p Program) []Part {
		dir := at.home(".gemini")
		if home := at.env("GEMINI_CLI_HOME", ""); home != "" {
			dir = filepath.Join(home, ".gemini")
		}
		settings := at.or(filepath.Join(dir, "settings.json"), ".gemini/settings.json")
		return []Part{
			stdio(settings, []string{"mcpServers", ServerName}, p, false),
			{What: "hooks", File: settings, Format: Hooks, Hooks: grouped(p, seconds*1000, "vault", []event{
				{"SessionStart", "session-start", ""},
				{"BeforeAgent", "prompt", ""},
				{"AfterTool", "tool", "run_shell_command"},
				{"PreCompress", "compact", "manual"}, // the others come with every turn
				{"AfterAgent", "stop", ""},
				{"SessionEnd", "session-end", ""},
			})},
			instructions(at.or(filepath.Join(dir, "GEMINI.md"), "GEMINI.md"), "", p),
		}
	},
	Notes: func(Place) []string {
		return []string{"Gemini CLI starts servers and hooks only in folders that you trust: see /permissions"}
	},
	index: func(at Place) string { return at.or("", "GEMINI.md") },
}

var openCode = Client{
	Name: "opencode", Title: "opencode",
	parts: func(at Place, p Program) []Part {
		dir := filepath.Join(at.env("XDG_CONFIG_HOME", at.home(".config")), "opencode")
		config := at.or(filepath.Join(dir, "opencode.json"), "opencode.json")
		if at.Exists(config + "c") {
			config += "c"
		}
		value := object{{Name: "type", Value: "local"}, {Name: "command", Value: []any{p.Command, "mcp"}}}
		if env := p.env(); env != nil {
			value = append(value, configedit.Field{Name: "environment", Value: env})
		}
		value = append(value, configedit.Field{Name: "enabled", Value: true})
		return []Part{
			{What: "MCP server", File: config, Format: JSON, Path: []string{"mcp", ServerName}, Value: value},
			{What: "plugin", File: at.or(filepath.Join(dir, "plugins", "vault.js"), ".opencode/plugins/vault.js"), Format: Whole, Text: plugin(p)},
			instructions(at.or(filepath.Join(dir, "AGENTS.md"), "AGENTS.md"), "", p),
		}
	},
	index: func(at Place) string { return at.or("", "AGENTS.md") },
}

var vsCode = Client{
	Name: "vscode", Title: "VS Code",
	parts: func(at Place, p Program) []Part {
		dir := filepath.Join(at.env("XDG_CONFIG_HOME", at.home(".config")), "Code", "User")
		switch at.OS {
		case "darwin":
			dir = at.home("Library", "Application Support", "Code", "User")
		case "windows":
			dir = filepath.Join(at.env("APPDATA", at.home("AppData", "Roaming")), "Code", "User")
		}
		return []Part{
			stdio(at.or(filepath.Join(dir, "mcp.json"), ".vscode/mcp.json"), []string{"servers", ServerName}, p, true),
			{What: "hooks", File: at.or(at.home(".copilot", "hooks", "vault.json"), ".github/hooks/vault.json"), Format: Hooks,
				Always: object{{Name: "version", Value: 1}},
				Hooks: typedAlone(p, []event{
					{"SessionStart", "session-start", ""},
					{"UserPromptSubmit", "prompt", ""},
					{"PreCompact", "compact", ""},
					{"Stop", "stop", ""},
				})},
			instructions(at.or(filepath.Join(dir, "prompts", "vault.instructions.md"), ".github/instructions/vault.instructions.md"), vsCodeFront, p),
		}
	},
	Notes: func(Place) []string {
		return []string{"VS Code asks once whether the server may run: say yes, or see 'MCP: List Servers'"}
	},
	index: func(at Place) string { return at.or("", ".github/instructions/vault-index.instructions.md") },
	front: vsCodeFront,
}

const vsCodeFront = "---\napplyTo: '**'\n---\n"

var codeWhale = Client{
	Name: "codewhale", Title: "CodeWhale",
	parts: func(at Place, p Program) []Part {
		text := instructions(at.or(at.home(".codewhale", "AGENTS.md"), "AGENTS.md"), "", p)
		if at.Project != "" {
			return []Part{text}
		}
		file := at.home(".codewhale", "mcp.json")
		if old := at.home(".deepseek", "mcp.json"); !at.Exists(file) && at.Exists(old) {
			file = old // which a new file would hide
		}
		server := stdio(at.env("DEEPSEEK_MCP_CONFIG", file), []string{"servers", ServerName}, p, false)
		server.Or = []string{"mcpServers", ServerName}
		return []Part{server, text}
	},
	Notes: func(at Place) []string {
		if at.Project != "" {
			return []string{"CodeWhale's servers are a person's, not a project's: 'vault install codewhale' wires it up"}
		}
		return []string{"type /mcp reload where CodeWhale runs already"}
	},
	index: func(at Place) string { return at.or("", "AGENTS.md") },
}

var windsurf = Client{
	Name: "windsurf", Title: "Windsurf",
	parts: func(at Place, p Program) []Part {
		dir := at.home(".codeium", "windsurf")
		if at.Project != "" {
			return []Part{instructions(at.or("", ".windsurf/rules/vault.md"), windsurfFront, p)}
		}
		return []Part{
			stdio(filepath.Join(dir, "mcp_config.json"), []string{"mcpServers", ServerName}, p, false),
			instructions(filepath.Join(dir, "memories", "global_rules.md"), "", p),
		}
	},
	Notes: func(at Place) []string {
		if at.Project != "" {
			return []string{"Windsurf's servers are a person's, not a project's: 'vault install windsurf' wires it up"}
		}
		return nil
	},
	index: func(at Place) string { return at.or("", ".windsurf/rules/vault-index.md") },
	front: windsurfFront,
}

const windsurfFront = "---\ntrigger: always_on\n---\n"
