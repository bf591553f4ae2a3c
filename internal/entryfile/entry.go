// Package entryfile turns the authored Markdown of a scope into entries and
// back, without losing a byte. It knows the format of one file at a time;
// what happens between files, or between versions of one, is package merge's.
package entryfile

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says what sort of thing an entry is, and thereby which file holds it.
type Kind string

// The kinds, in the order in which people and INDEX.md list them.
const (
	Decision     Kind = "decision"      // a choice that should outlive a session, with its why
	Convention   Kind = "convention"    // a rule of this code base or way of working
	FailedPath   Kind = "failed_path"   // what was tried, must not be repeated blindly, and why it failed
	OpenThread   Kind = "open_thread"   // an unresolved question or blocker
	Preference   Kind = "preference"    // a standing instruction of a person
	SessionTrace Kind = "session_trace" // the notes of one session
)

// Kinds lists every kind in listing order.
func Kinds() []Kind {
	return []Kind{Decision, Convention, FailedPath, OpenThread, Preference, SessionTrace}
}

// ParseKind reads a kind as people write it: singular or plural, with hyphens,
// underscores or spaces, in any case.
func ParseKind(s string) (Kind, error) {
	n := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	for _, k := range Kinds() {
		if n == string(k) || n == string(k)+"s" {
			return k, nil
		}
	}
	return "", fmt.Errorf("unknown kind %q: use decision, convention, failed_path, open_thread, preference or session_trace", s)
}

// IsLedger reports whether entries of the kind are sections of one file;
// entries of the other kinds are files of their own.
func (k Kind) IsLedger() bool {
	switch k {
	case Decision, Convention, FailedPath, OpenThread:
		return true
	}
	return false
}

// Dir is the folder of the kind, without a slash: where a ledger's rolled
// files are, or where the entry files of the kind are.
func (k Kind) Dir() string {
	switch k {
	case SessionTrace:
		return "session_trace"
	case "":
		return ""
	}
	return string(k) + "s"
}

// Ledger is the path of the kind's current ledger file, "" for a kind whose
// entries are files.
func (k Kind) Ledger() string {
	if !k.IsLedger() {
		return ""
	}
	return k.Dir() + ".md"
}

// MaxBody is the limit of the body of an entry of the kind, in bytes.
func (k Kind) MaxBody() int {
	if k == SessionTrace {
		return MaxTrace
	}
	return MaxBody
}

// Limits of an entry. Passing one is an error, never a truncation.
const (
	MaxTitle       = 200       // characters
	MaxDescription = 300       // characters
	MaxBody        = 64 << 10  // bytes
	MaxTrace       = 1 << 20   // bytes, the body of a session trace
	MaxTags        = 16        // tags on an entry
	MaxTag         = 64        // characters of one tag
	MaxPath        = 1024      // characters of one path
	RollSize       = 256 << 10 // bytes, past which a ledger rolls
)

// Status values of an open thread.
const (
	StatusOpen     = "open"
	StatusResolved = "resolved"
)

// An Entry is one thing worth remembering, as it stands in an authored file.
// Scalars are kept as their source text: a date somebody typed oddly is a
// finding for a check, not a reason to lose it.
type Entry struct {
	ID          string
	Kind        Kind
	Title       string
	Description string
	Body        string // without blank lines at its ends; equal to Title where the heading says it all
	Tags        []string
	Pinned      bool
	Created     string // RFC 3339, UTC, whole seconds
	Updated     string // "" until first edited
	Source      string // "person", an agent's name, or "import:<format>"
	Evidence    string
	Paths       []string // workspace files it is about: "path", or "path@blobhash" as seen then
	Code        string   // the workspace's commit and branch at the time: "3f9c2d1 (main)"
	Session     string   // the agent session it comes from
	Supersedes  []string // ids
	Status      string   // of an open thread
	Outcome     string   // how an open thread ended
	Expires     string   // a date after which it is no longer offered
	DerivedFrom []string // ids it was promoted from
	Conflict    string   // id of the entry whose other version this is
	Extra       []Field  // keys this version does not know, in order
}

// A Field is a key the format does not define, kept as it was written.
type Field struct {
	Key   string
	Value string // YAML, on one line, in flow style
}

// Clone returns a copy that shares no memory with e.
func (e Entry) Clone() Entry {
	e.Tags = append([]string(nil), e.Tags...)
	e.Paths = append([]string(nil), e.Paths...)
	e.Supersedes = append([]string(nil), e.Supersedes...)
	e.DerivedFrom = append([]string(nil), e.DerivedFrom...)
	e.Extra = append([]Field(nil), e.Extra...)
	return e
}

// Equal reports whether two entries say the same in every field.
func (e Entry) Equal(o Entry) bool {
	return e.ID == o.ID && e.Kind == o.Kind && e.Title == o.Title && e.Description == o.Description && e.Body == o.Body &&
		slices.Equal(e.Tags, o.Tags) && e.Pinned == o.Pinned && e.Created == o.Created && e.Updated == o.Updated &&
		e.Source == o.Source && e.Evidence == o.Evidence && slices.Equal(e.Paths, o.Paths) && e.Code == o.Code &&
		e.Session == o.Session && slices.Equal(e.Supersedes, o.Supersedes) && e.Status == o.Status && e.Outcome == o.Outcome &&
		e.Expires == o.Expires && slices.Equal(e.DerivedFrom, o.DerivedFrom) && e.Conflict == o.Conflict && slices.Equal(e.Extra, o.Extra)
}

// Changed is the time of the entry's last change, as written.
func (e Entry) Changed() string {
	if e.Updated != "" {
		return e.Updated
	}
	return e.Created
}

// Stamp writes a time as entries carry it.
func Stamp(t time.Time) string {
	return t.UTC().Truncate(time.Second).Format(time.RFC3339)
}
