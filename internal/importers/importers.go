// Package importers reads other systems' memories into records. It only reads:
// nothing in a source is changed, no symlink inside a folder is followed, every
// file and line has a bound, and what is over it or cannot be read is refused
// by name while the rest goes on.
//
// What a format says that an entry has no place for stays in the body or in an
// extra key; a date that cannot be read is left out with a note, never made up.
package importers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

// Scopes of a record.
const (
	User    = "user"
	Project = "project"
)

// A Record is one memory of another system, as an entry to be.
type Record struct {
	// Entry has no id unless the source is an export of ours. Its Source is
	// "import:<format>", its Evidence names the file and line.
	Entry entryfile.Entry
	Scope string // User, Project, or "" where the source does not say
	Key   string // identity in the source: the same each time it is read

	// Supersedes holds the keys of records that this one takes the place of;
	// they may come later or not at all.
	Supersedes []string
	// Ended says why a record is no longer current where no other supersedes
	// it: "rejected", "retired", "expired"… Its entry's Expires is set where
	// the source has a date for it; otherwise the caller dates it.
	Ended string
	// Revises says that the record is all of its file: read again after the
	// file has changed, it is a new version of what it was.
	Revises bool
	// Proposal is set where no person has accepted the record yet in its
	// source. Its ID is "" where the source is no export of ours.
	Proposal *Proposal

	Where string   // "file:line"
	Notes []string // what could not be carried over, each on one line
}

// A Proposal is a card's state of review. The record it is of is the version
// that the card holds: the proposed one, or, of a change that counts already,
// the one before it; of an addition that counts already, the entry itself.
type Proposal struct {
	ID      string `json:"id"`             // the card's id
	Op      string `json:"op"`             // add, edit or forget
	Base    string `json:"base,omitempty"` // hash of the version it was made on
	Applied bool   `json:"applied,omitempty"`

	// Who made the change, when and at which commit of the workspace.
	Source  string `json:"source,omitempty"`
	Session string `json:"session,omitempty"`
	Created string `json:"created,omitempty"`
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// A Sink takes what a reader finds. Nil functions are not called.
type Sink struct {
	Record func(Record) error      // an error ends the reading
	Refuse func(where, why string) // an item that is not taken, by file and line
	Note   func(where, note string)
}

// An Input says what to read and for whom.
type Input struct {
	Paths   []string       // files and folders
	Kind    entryfile.Kind // the kind a person chose for all, "" for each format's own
	Remotes []string       // URLs of the project's remotes as they are written in its configuration
	Project string         // absolute path of the workspace, "" outside of one
}

// A Format is one system's way of keeping memories.
type Format struct {
	Name string
	What string // what it reads, on one line
	read func(*source) error
}

var formats = []Format{
	{"jsonl", "JSON Lines: our own export, or lines with a title and a body", readJSONL},
	{"codewhale", "CodeWhale: memory.md, the memory folder with its journal, JSON Lines exports", readCodewhale},
	{"marinara", "Marinara: memories as JSON, SKILL.md files, uploaded Markdown", readMarinara},
	{"starter", "personal-memory-vault-starter: a tree of typed notes", readStarter},
	{"adr", "architecture decision records: MADR and Nygard", readADR},
	{"claude-code", "Claude Code: the auto memory folder, CLAUDE.md and rules", readClaudeCode},
	{"agents-md", "AGENTS.md files", readAgentsMD},
	{"cursor-rules", "Cursor: .cursor/rules and .cursorrules", readCursorRules},
	{"cline-memory-bank", "Cline and Roo: a memory-bank folder", readClineMemoryBank},
	{"serena", "Serena: .serena/memories", readSerena},
	{"basic-memory", "Basic Memory: notes with observations and relations", readBasicMemory},
	{"mcp-memory", "the MCP reference memory server: its JSON Lines graph", readMCPMemory},
	{"obsidian", "Obsidian and other folders of Markdown", readObsidian},
	{"sessions", "sessions of Claude Code and Codex, as traces", readSessions},
}

// Formats lists the formats in the order people read about them.
func Formats() []Format { return slices.Clone(formats) }

// Read reads all that the input's paths hold in a format. It returns an error
// only where reading could not go on: an unknown format, the context's end, or
// the sink's own error.
func Read(ctx context.Context, format string, in Input, out Sink) error {
	for _, f := range formats {
		if f.Name == format {
			return f.read(&source{ctx: ctx, format: f.Name, in: in, out: out, seen: map[string]string{}})
		}
	}
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return fmt.Errorf("unknown format %q: use %s", format, strings.Join(names, ", "))
}

// A source is one reading.
type source struct {
	ctx    context.Context
	format string
	in     Input
	out    Sink
	seen   map[string]string // what records given out say, by their keys
}

func (s *source) refuse(where, format string, args ...any) {
	if s.out.Refuse != nil {
		s.out.Refuse(where, fmt.Sprintf(format, args...))
	}
}

func (s *source) note(where, format string, args ...any) {
	if s.out.Note != nil {
		s.out.Note(where, fmt.Sprintf(format, args...))
	}
}
