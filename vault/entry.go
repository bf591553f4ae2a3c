package vault

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"gitvault/internal/entryfile"
)

// Kind says what sort of thing an entry is.
type Kind = entryfile.Kind

// The kinds of entries.
const (
	Decision     = entryfile.Decision     // a choice that should outlive a session, with its why
	Convention   = entryfile.Convention   // a rule of this code base or way of working
	FailedPath   = entryfile.FailedPath   // what was tried, must not be repeated blindly, and why it failed
	OpenThread   = entryfile.OpenThread   // an unresolved question or blocker
	Preference   = entryfile.Preference   // a standing instruction of a person
	SessionTrace = entryfile.SessionTrace // the notes of one session
)

// Kinds lists every kind in listing order.
func Kinds() []Kind { return entryfile.Kinds() }

// ParseKind reads a kind as people write it: singular or plural, with hyphens,
// underscores or spaces, in any case.
func ParseKind(s string) (Kind, error) {
	k, err := entryfile.ParseKind(s)
	if err != nil {
		return "", &Error{Code: Invalid, Message: err.Error(), Err: err}
	}
	return k, nil
}

// An Entry is one remembered thing, with what the scope knows about it. Its
// JSON form is documented in docs/json.md; empty fields are absent there.
type Entry struct {
	ID           string      `json:"id"`
	Scope        string      `json:"scope"` // "user", or the project's key
	Kind         Kind        `json:"kind"`
	Title        string      `json:"title"`
	Description  string      `json:"description,omitempty"` // one line; derived from the body where none was given
	Body         string      `json:"body,omitempty"`
	Tags         []string    `json:"tags,omitempty"`
	Pinned       bool        `json:"pinned,omitempty"`
	Review       string      `json:"review,omitempty"` // of a card: add, edit or forget
	Card         string      `json:"card,omitempty"`   // of a card: its id
	Source       string      `json:"source,omitempty"`
	Evidence     string      `json:"evidence,omitempty"`
	Created      time.Time   `json:"created,omitzero"`
	Updated      time.Time   `json:"updated,omitzero"`
	Status       string      `json:"status,omitempty"` // open threads: open or resolved; else superseded or expired where that holds
	Outcome      string      `json:"outcome,omitempty"`
	Paths        []string    `json:"paths,omitempty"` // workspace files it is about
	Stale        []string    `json:"stale,omitempty"` // of a list of stale ones: those paths that are gone or changed since
	Uses         int         `json:"uses,omitempty"`  // of a list by use: how many recalls have brought it up, as far as receipts are kept
	Code         string      `json:"code,omitempty"`  // the workspace's commit and branch at the time
	Session      string      `json:"session,omitempty"`
	Supersedes   []string    `json:"supersedes,omitempty"`
	SupersededBy []string    `json:"superseded_by,omitempty"` // derived: the entries that name this one
	Chain        []ChainLink `json:"chain,omitempty"`         // of an entry that was asked for: all of its chain, none before what it supersedes
	DerivedFrom  []string    `json:"derived_from,omitempty"`
	Expires      string      `json:"expires,omitempty"`
	Conflict     string      `json:"conflict,omitempty"` // the entry whose other version this is
	Cards        []string    `json:"cards,omitempty"`    // open cards on this entry
	Commit       string      `json:"commit,omitempty"`   // of a change: the commit that holds it
	File         string      `json:"file,omitempty"`     // where it stands in its scope
	Line         int         `json:"line,omitempty"`
}

// present builds what is shown of an authored entry; what depends on other
// entries is filled in by the caller.
func present(scope string, l located) Entry {
	e := l.Entry
	out := Entry{
		ID: e.ID, Scope: scope, Kind: e.Kind, Title: e.Title, Description: e.Description, Body: e.Body,
		Tags: e.Tags, Pinned: e.Pinned, Source: e.Source, Evidence: e.Evidence,
		Created: parseStamp(e.Created), Updated: parseStamp(e.Updated),
		Status: e.Status, Outcome: e.Outcome, Code: e.Code, Session: e.Session,
		Supersedes: e.Supersedes, DerivedFrom: e.DerivedFrom, Expires: e.Expires, Conflict: e.Conflict,
		File: l.path, Line: l.Line,
	}
	if out.Description == "" {
		out.Description = e.Line()
	}
	for _, p := range e.Paths {
		name, _ := splitPath(p)
		out.Paths = append(out.Paths, name)
	}
	if out.Status == "" && e.Kind == OpenThread {
		out.Status = entryfile.StatusOpen
	}
	return out
}

// presentAll presents many entries, on all processors.
func presentAll(scope string, found []located) []*Entry {
	list := make([]*Entry, len(found))
	size := len(found)/runtime.GOMAXPROCS(0) + 1
	var part sync.WaitGroup
	for start := 0; start < len(found); start += size {
		part.Go(func() {
			for i := start; i < min(start+size, len(found)); i++ {
				e := present(scope, found[i])
				list[i] = &e
			}
		})
	}
	part.Wait()
	return list
}

// splitPath takes the blob hash off a path as entries write it ("a/b.go@3f9c2d1").
func splitPath(p string) (name, hash string) {
	i := strings.LastIndexByte(p, '@')
	if i < 0 || len(p)-i-1 < 7 || strings.Trim(p[i+1:], "0123456789abcdef") != "" {
		return p, ""
	}
	return p[:i], p[i+1:]
}

// parseStamp reads a time of an entry; one that a hand has spoilt is no time.
func parseStamp(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
