package importers

import (
	"bytes"
	"encoding/json"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
)

// LineFormat marks a line of our own export.
const LineFormat = "vault.entry.v1"

// A Line is an entry in our own JSON Lines export: all of it, so that an
// import brings back what was exported and a second export is the same bytes.
type Line struct {
	Format      string    `json:"format"` // LineFormat
	ID          string    `json:"id"`
	Scope       string    `json:"scope"`
	Kind        string    `json:"kind"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Body        string    `json:"body"`
	Tags        []string  `json:"tags,omitempty"`
	Pinned      bool      `json:"pinned,omitempty"`
	Created     string    `json:"created,omitempty"`
	Updated     string    `json:"updated,omitempty"`
	Source      string    `json:"source,omitempty"`
	Session     string    `json:"session,omitempty"`
	Evidence    string    `json:"evidence,omitempty"`
	Paths       []string  `json:"paths,omitempty"`
	Code        string    `json:"code,omitempty"`
	Supersedes  []string  `json:"supersedes,omitempty"`
	Status      string    `json:"status,omitempty"`
	Outcome     string    `json:"outcome,omitempty"`
	Expires     string    `json:"expires,omitempty"`
	DerivedFrom []string  `json:"derived_from,omitempty"`
	Conflict    string    `json:"conflict,omitempty"`
	Extra       []extra   `json:"extra,omitempty"`
	Proposal    *Proposal `json:"proposal,omitempty"`
}

type extra struct {
	Key   string `json:"key"`
	Value string `json:"value"` // YAML
}

// NewLine makes the line of an entry in a scope; proposal is nil but for what
// waits for a person.
func NewLine(scope string, e entryfile.Entry, proposal *Proposal) Line {
	l := Line{
		Format: LineFormat, ID: e.ID, Scope: scope, Kind: string(e.Kind), Title: e.Title, Description: e.Description, Body: e.Body,
		Tags: e.Tags, Pinned: e.Pinned, Created: e.Created, Updated: e.Updated, Source: e.Source, Session: e.Session, Evidence: e.Evidence,
		Paths: e.Paths, Code: e.Code, Supersedes: e.Supersedes, Status: e.Status, Outcome: e.Outcome, Expires: e.Expires,
		DerivedFrom: e.DerivedFrom, Conflict: e.Conflict, Proposal: proposal,
	}
	for _, f := range e.Extra {
		l.Extra = append(l.Extra, extra(f))
	}
	return l
}

// Entry is the line's entry.
func (l Line) Entry() entryfile.Entry {
	e := entryfile.Entry{
		ID: l.ID, Kind: entryfile.Kind(l.Kind), Title: l.Title, Description: l.Description, Body: l.Body,
		Tags: l.Tags, Pinned: l.Pinned, Created: l.Created, Updated: l.Updated, Source: l.Source, Session: l.Session, Evidence: l.Evidence,
		Paths: l.Paths, Code: l.Code, Supersedes: l.Supersedes, Status: l.Status, Outcome: l.Outcome, Expires: l.Expires,
		DerivedFrom: l.DerivedFrom, Conflict: l.Conflict,
	}
	for _, f := range l.Extra {
		e.Extra = append(e.Extra, entryfile.Field(f))
	}
	return e
}

// Bytes is the line with its end, the same for the same entry on every
// machine. A text that is no UTF-8 cannot be told in JSON: its bad bytes
// become U+FFFD.
func (l Line) Bytes() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		// A struct of strings and booleans always encodes.
		return nil
	}
	return safetext.JSON(b.Bytes())
}
