package clients

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"

	"gitvault/internal/configedit"
	"gitvault/internal/marked"
)

// stdio is the entry of a server that the client starts, as most clients write
// it; typed says so in it.
func stdio(file string, path []string, p Program, typed bool) Part {
	var value object
	if typed {
		value = object{{Name: "type", Value: "stdio"}}
	}
	value = append(value, object{{Name: "command", Value: p.Command}, {Name: "args", Value: []any{"mcp"}}}...)
	if env := p.env(); env != nil {
		value = append(value, configedit.Field{Name: "env", Value: env})
	}
	return Part{What: "MCP server", File: file, Format: JSON, Path: path, Value: value}
}

func instructions(file, front string, p Program) Part {
	return Part{What: "instructions", File: file, Format: Markdown, Front: front, Text: p.Text, Marks: marked.Instructions}
}

// Index is the part that shows agents of a client what the vault holds, in a
// file that the client reads for the project.
func (c Client) Index(at Place, text string) Part {
	return IndexIn(c.index(at), c.front, text)
}

// IndexIn is the same in another file, with its front matter where the file is
// made.
func IndexIn(file, front, text string) Part {
	return Part{What: "index", File: file, Format: Markdown, Front: front, Text: text, Marks: marked.Index}
}

// FrontFor is the front matter that a file of its name has to have.
func FrontFor(file string) string {
	switch {
	case filepath.Ext(file) == ".mdc":
		return cursor.front
	case strings.HasSuffix(file, ".instructions.md"):
		return vsCode.front
	case filepath.Base(filepath.Dir(filepath.Dir(file))) == ".windsurf":
		return windsurf.front
	}
	return ""
}

// An event is one of a client's, what 'vault hook' calls it, and what of it is
// meant.
type event struct{ client, name, matcher string }

// grouped are hooks as Claude Code has them, which others took over.
func grouped(p Program, timeout int, name string, events []event) []Hook {
	var out []Hook
	for _, e := range events {
		h := Hook{Event: e.client, Name: e.name, Command: p.Hook(e.name), Group: object{}}
		if e.matcher != "" {
			h.Group = object{{Name: "matcher", Value: e.matcher}}
		}
		h.Hook = object{{Name: "type", Value: "command"}}
		if name != "" {
			h.Hook = append(h.Hook, configedit.Field{Name: "name", Value: name})
		}
		h.Hook = append(h.Hook, object{{Name: "command", Value: h.Command}, {Name: "timeout", Value: timeout}}...)
		out = append(out, h)
	}
	return out
}

// alone are hooks that stand in their event's array by themselves.
func alone(p Program, events []event) []Hook {
	var out []Hook
	for _, e := range events {
		command := p.Hook(e.name)
		out = append(out, Hook{Event: e.client, Name: e.name, Command: command, Hook: object{{Name: "command", Value: command}, {Name: "timeout", Value: seconds}}})
	}
	return out
}

// typedAlone are such hooks that say of which type they are.
func typedAlone(p Program, events []event) []Hook {
	out := alone(p, events)
	for i := range out {
		out[i].Hook = append(object{{Name: "type", Value: "command"}}, out[i].Hook...)
	}
	return out
}

// WholeMark is the mark of a file that is vault's own altogether.
const WholeMark = "made by 'vault install opencode'"

//go:embed opencode.js
var pluginText string

// plugin is what opencode runs in the place of hooks.
func plugin(p Program) string {
	command, _ := json.Marshal(p.Command) // a string always is JSON
	home, _ := json.Marshal(p.Env["VAULT_HOME"])
	return strings.NewReplacer(`"VAULT"`, string(command), `"VAULT_HOME"`, string(home)).Replace(pluginText)
}
