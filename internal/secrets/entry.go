package secrets

import (
	"fmt"
	"strings"

	"gitvault/internal/entryfile"
)

// A Place is a finding in a field of an entry.
type Place struct {
	Field string // the field's key as entries are written: body, title, tags, …
	Finding
}

// String names rule, field and place, never the secret.
func (p Place) String() string {
	return fmt.Sprintf("%s in %s, line %d, column %d", p.Rule, p.Field, p.Line, p.Column)
}

// ScanEntry returns the secrets in any field of an entry, but for those whose
// rule is allowed.
func ScanEntry(e entryfile.Entry, allowed ...string) []Place {
	var out []Place
	scan := func(field, text string) {
		for _, f := range Without(Scan(text), allowed...) {
			out = append(out, Place{field, f})
		}
	}
	scan("title", e.Title)
	scan("description", e.Description)
	if e.Body != e.Title {
		scan("body", e.Body)
	}
	scan("tags", strings.Join(e.Tags, "\n"))
	scan("created", e.Created)
	scan("updated", e.Updated)
	scan("source", e.Source)
	scan("evidence", e.Evidence)
	scan("paths", strings.Join(e.Paths, "\n"))
	scan("code", e.Code)
	scan("session", e.Session)
	scan("status", e.Status)
	scan("outcome", e.Outcome)
	scan("expires", e.Expires)
	scan("supersedes", strings.Join(e.Supersedes, "\n"))
	scan("derived_from", strings.Join(e.DerivedFrom, "\n"))
	scan("conflict", e.Conflict)
	for _, f := range e.Extra {
		scan("extra", f.Key+": "+f.Value)
	}
	return out
}
