// Package clients knows the agent clients that vault can be wired into: where
// each keeps its configuration and instructions, in which form, and what vault
// puts there. It is a table; it reads and writes nothing. Where each fact is
// from stands in docs/clients.md.
package clients

import (
	"path/filepath"

	"gitvault/internal/configedit"
	"gitvault/internal/marked"
)

// A Place is where the files of a person, or of a project, are.
type Place struct {
	OS      string // as GOOS has it
	Home    string // the person's home folder
	Project string // the project's folder; "" for the person's own files
	Env     func(string) (string, bool)
	Exists  func(path string) bool
}

func (p Place) env(name, otherwise string) string {
	if v, ok := p.Env(name); ok && filepath.IsAbs(v) {
		return v
	}
	return otherwise
}

// home is a file below the person's home folder.
func (p Place) home(parts ...string) string {
	return filepath.Join(append([]string{p.Home}, parts...)...)
}

// or is a file of the person, or with a project that of the project.
func (p Place) or(user, project string) string {
	if p.Project == "" || project == "" {
		return user
	}
	return filepath.Join(p.Project, filepath.FromSlash(project))
}

// A Program is how a client starts vault.
type Program struct {
	Command string            // a path, or a name on PATH
	Env     map[string]string // VAULT_HOME, where the vault is not where it is by default
	Hook    func(event string) string
	Text    string // the instructions
}

func (p Program) env() configedit.Object {
	var out configedit.Object
	if home := p.Env["VAULT_HOME"]; home != "" {
		out = append(out, configedit.Field{Name: "VAULT_HOME", Value: home})
	}
	return out
}

// A Format is the form of a file that a Part goes into.
type Format int

// The formats.
const (
	JSON     Format = iota // a member of an object
	TOML                   // a table
	Hooks                  // elements of arrays in a JSON file, one an event
	Markdown               // a marked section
	Whole                  // a file of vault's own
)

// ServerName is how clients call vault's server.
const ServerName = "vault"

// A Part is one thing that vault puts into one file.
type Part struct {
	What   string // for a person
	File   string
	Format Format
	Path   []string          // of the server's entry, ServerName last
	Or     []string          // another Path, taken where the document has its first key
	Value  configedit.Object // the entry
	Always configedit.Object // members the document needs to be valid, set where missing
	Hooks  []Hook            // of Hooks
	Front  string            // of Markdown in a file of vault's own: what stands before the section
	Text   string            // of Markdown and Whole
	Marks  marked.Section    // of Markdown
}

// A Hook is one event's hook.
type Hook struct {
	Event   string            // as the client calls it
	Name    string            // as 'vault hook' calls it
	Group   configedit.Object // around the hook, without its "hooks"; nil where hooks stand alone
	Command string
	Hook    configedit.Object // with the command
}

// A Client is one agent program.
type Client struct {
	Name  string // as commands have it
	Title string
	Notes func(Place) []string // what a person has to know once it is wired

	parts func(Place, Program) []Part
	index func(Place) string
	front string // of a file of vault's own that holds the index
}

// All lists the clients in the order people read about them.
func All() []Client {
	return []Client{claudeCode, codex, cursor, geminiCLI, openCode, vsCode, codeWhale, windsurf}
}

// Find is the client of a name.
func Find(name string) (Client, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Parts are what wiring the client puts where.
func (c Client) Parts(at Place, p Program) []Part { return c.parts(at, p) }

// HasHooks reports whether the client runs hooks of vault's.
func (c Client) HasHooks(at Place) bool {
	for _, p := range c.parts(at, Program{Hook: func(string) string { return "" }}) {
		if p.Format == Hooks || p.Format == Whole {
			return true
		}
	}
	return false
}
