package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"gitvault/internal/entryfile"
)

// Mode says for whom versions are merged, and thereby which one stands where
// both sides changed the same thing.
type Mode int

const (
	// Sync joins two lines of history. Neither side is special: the later
	// version stands, and the other is kept beside it.
	Sync Mode = iota
	// Adopt takes in what a person saved (theirs): it stands, and what the
	// head says otherwise (ours) is kept beside it.
	Adopt
	// Revert goes back from a commit (base) to what was before it (theirs).
	// Where that would lose a later change (ours), it is a conflict.
	Revert
)

// A Merged is what became of one entry.
type Merged struct {
	// Entry is the merged entry, nil where it is forgotten. In a Revert with
	// conflicts it is what forcing would make of it.
	Entry *entryfile.Entry
	// Other is the version that does not stand, where Fields is not empty.
	Other *entryfile.Entry
	// Fields names what both sides changed and only one could have: "title",
	// "description", "body" or "outcome"; in a Revert also other keys, and
	// "entry" for an entry that one side forgot and the other changed.
	Fields []string
	// Forgotten says that Entry stands though one side forgot it.
	Forgotten bool
}

// Entries merges three versions of one entry by key; nil is an entry that is
// not there. Lists merge as sets, texts as Text does, and a scalar changed both
// ways takes the version that stands by the mode's rule.
func Entries(base, ours, theirs *entryfile.Entry, mode Mode) Merged {
	same := same
	if mode == Revert {
		same = sameWords
	}
	switch {
	case ours == nil && theirs == nil, same(ours, theirs), same(theirs, base):
		return Merged{Entry: ours}
	case same(ours, base):
		return Merged{Entry: theirs}
	case ours == nil || theirs == nil:
		if mode == Revert {
			return Merged{Entry: theirs, Other: ours, Fields: []string{"entry"}}
		}
		if ours == nil {
			ours = theirs
		}
		return Merged{Entry: ours, Forgotten: true}
	}
	if base == nil {
		base = &entryfile.Entry{}
	}
	m := merger{mode: mode, theirs: mode != Sync || later(theirs, ours)}
	e := theirs.Clone()
	if !m.theirs {
		e = ours.Clone()
	}
	e.Title = m.text("title", base.Title, ours.Title, theirs.Title, entryfile.MaxTitle)
	e.Description = m.text("description", base.Description, ours.Description, theirs.Description, entryfile.MaxDescription)
	e.Body = m.body(base, ours, theirs)
	if e.Body == "" {
		e.Body = e.Title
	}
	e.Outcome = m.text("outcome", base.Outcome, ours.Outcome, theirs.Outcome, entryfile.MaxBody)
	e.Tags = set(base.Tags, ours.Tags, theirs.Tags)
	e.Supersedes = set(base.Supersedes, ours.Supersedes, theirs.Supersedes)
	e.DerivedFrom = set(base.DerivedFrom, ours.DerivedFrom, theirs.DerivedFrom)
	e.Paths = m.paths(base.Paths, ours.Paths, theirs.Paths)
	e.Pinned = pick(base.Pinned, ours.Pinned, theirs.Pinned, m.theirs)
	e.Created = pick(base.Created, ours.Created, theirs.Created, m.theirs)
	e.Updated = ours.Updated
	if laterTime(theirs.Updated, ours.Updated) > 0 {
		e.Updated = theirs.Updated
	}
	e.Source = pick(base.Source, ours.Source, theirs.Source, m.theirs)
	e.Code = pick(base.Code, ours.Code, theirs.Code, m.theirs)
	e.Session = pick(base.Session, ours.Session, theirs.Session, m.theirs)
	e.Evidence = m.scalar("evidence", base.Evidence, ours.Evidence, theirs.Evidence)
	e.Status = m.scalar("status", base.Status, ours.Status, theirs.Status)
	e.Expires = m.scalar("expires", base.Expires, ours.Expires, theirs.Expires)
	e.Conflict = m.scalar("conflict", base.Conflict, ours.Conflict, theirs.Conflict)
	e.Extra = m.extra(base.Extra, ours.Extra, theirs.Extra)
	out := Merged{Entry: &e, Fields: m.fields}
	if len(m.fields) > 0 {
		out.Other = theirs
		if m.theirs {
			out.Other = ours
		}
	}
	return out
}

type merger struct {
	mode   Mode
	theirs bool // theirs stands where both changed
	fields []string
}

// text merges one text of at most limit characters.
func (m *merger) text(field, base, ours, theirs string, limit int) string {
	s, ok := Text(base, ours, theirs)
	if ok && (utf8.RuneCountInString(s) <= limit || s == ours || s == theirs) {
		return s
	}
	m.fields = append(m.fields, field)
	if m.theirs {
		return theirs
	}
	return ours
}

// body merges what entries say below their titles: a body that only repeats
// the title is none, so that a new title does not meet a new body as a conflict.
func (m *merger) body(base, ours, theirs *entryfile.Entry) string {
	limit := entryfile.MaxBody
	if ours.Kind == entryfile.SessionTrace {
		limit = entryfile.MaxTrace
	}
	whole := func(e *entryfile.Entry) string {
		if e.Body == "" || e.Body == e.Title {
			return ""
		}
		return e.Body + "\n" // the last line is one like the others
	}
	b, o, t := whole(base), whole(ours), whole(theirs)
	s, ok := Text(b, o, t)
	if !ok || len(s)-1 > limit && s != o && s != t {
		m.fields = append(m.fields, "body")
		if s = o; m.theirs {
			s = t
		}
	}
	return trimBlank(s)
}

func (m *merger) scalar(field, base, ours, theirs string) string {
	if m.mode == Revert && ours != base && theirs != base && ours != theirs {
		m.fields = append(m.fields, field)
	}
	return pick(base, ours, theirs, m.theirs)
}

// pick merges values that cannot be cut.
func pick[T comparable](base, ours, theirs T, their bool) T {
	if ours == base || their && theirs != base {
		return theirs
	}
	return ours
}

// set merges lists whose order says nothing: what either side took out is out,
// what either put in is in.
func set(base, ours, theirs []string) []string {
	switch {
	case slices.Equal(theirs, base):
		return ours
	case slices.Equal(ours, base):
		return theirs
	}
	var out, added []string
	for _, s := range base {
		if slices.Contains(ours, s) && slices.Contains(theirs, s) {
			out = append(out, s)
		}
	}
	for _, s := range slices.Concat(ours, theirs) {
		if !slices.Contains(base, s) {
			added = append(added, s)
		}
	}
	sort.Strings(added)
	return append(out, slices.Compact(added)...)
}

// paths merges workspace files by path, so that two versions seen of one file
// do not become two files.
func (m *merger) paths(base, ours, theirs []string) []string {
	b, o, t := byPath(base), byPath(ours), byPath(theirs)
	var out []string
	for _, p := range set(keys(base, cutPath), keys(ours, cutPath), keys(theirs, cutPath)) {
		if s := pick(b[p], o[p], t[p], m.theirs); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// cutPath takes the hash of a blob off a path, where there is one.
func cutPath(s string) string {
	n := strings.LastIndexByte(s, '@')
	if n <= 0 || len(s)-n <= 7 || strings.Trim(s[n+1:], "0123456789abcdef") != "" {
		return s
	}
	return s[:n]
}

func byPath(list []string) map[string]string {
	out := make(map[string]string, len(list))
	for _, s := range list {
		out[cutPath(s)] = s
	}
	return out
}

// extra merges keys this version does not know as scalars.
func (m *merger) extra(base, ours, theirs []entryfile.Field) []entryfile.Field {
	key := func(f entryfile.Field) string { return f.Key }
	value := func(list []entryfile.Field, k string) entryfile.Field {
		for _, f := range list {
			if f.Key == k {
				return f
			}
		}
		return entryfile.Field{}
	}
	var out []entryfile.Field
	names := slices.Concat(keys(base, key), keys(ours, key), keys(theirs, key))
	sort.Strings(names[len(base):])
	for i, k := range names {
		if slices.Contains(names[:i], k) {
			continue
		}
		f := pick(value(base, k), value(ours, k), value(theirs, k), m.theirs)
		if f.Key != "" {
			out = append(out, f)
		}
	}
	return out
}

func keys[T any](list []T, key func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = key(v)
	}
	return out
}

// same reports whether two versions say the same.
func same(a, b *entryfile.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Title == b.Title && a.Body == b.Body && a.Updated == b.Updated &&
		a.Description == b.Description && slices.Equal(a.Tags, b.Tags) && a.Pinned == b.Pinned &&
		a.Created == b.Created && a.Source == b.Source && a.Evidence == b.Evidence &&
		slices.Equal(a.Paths, b.Paths) && a.Code == b.Code && a.Session == b.Session &&
		slices.Equal(a.Supersedes, b.Supersedes) && a.Status == b.Status && a.Outcome == b.Outcome &&
		a.Expires == b.Expires && slices.Equal(a.DerivedFrom, b.DerivedFrom) &&
		a.Conflict == b.Conflict && slices.Equal(a.Extra, b.Extra)
}

// sameWords is same but for what each change of an entry brings along.
func sameWords(a, b *entryfile.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	c := *b
	c.Updated, c.Source, c.Code, c.Session = a.Updated, a.Source, a.Code, a.Session
	return same(a, &c)
}

// later reports whether a stands over b: by the time of the last change, then
// by the hash of the text, then of everything, so that all replicas agree.
func later(a, b *entryfile.Entry) bool {
	if c := laterTime(a.Changed(), b.Changed()); c != 0 {
		return c > 0
	}
	if c := strings.Compare(textHash(a), textHash(b)); c != 0 {
		return c > 0
	}
	return entryfile.Hash(*a) > entryfile.Hash(*b)
}

// laterTime compares stamps. What is no time is before every time.
func laterTime(a, b string) int {
	ta, errA := time.Parse(time.RFC3339, a)
	tb, errB := time.Parse(time.RFC3339, b)
	switch {
	case errA == nil && errB == nil:
		return ta.Compare(tb)
	case errA == nil:
		return 1
	case errB == nil:
		return -1
	}
	return strings.Compare(a, b)
}

// textHash identifies what a person would read in an entry.
func textHash(e *entryfile.Entry) string {
	h := sha256.New()
	for _, s := range []string{e.Title, e.Description, e.Body, e.Outcome} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// trimBlank takes blank lines off both ends.
func trimBlank(s string) string {
	for {
		line, rest, found := strings.Cut(s, "\n")
		if !found || strings.TrimSpace(line) != "" {
			break
		}
		s = rest
	}
	s = strings.TrimSuffix(s, "\n")
	for {
		n := strings.LastIndexByte(s, '\n') + 1
		if strings.TrimSpace(s[n:]) != "" || s == "" {
			return s
		}
		s = s[:max(n-1, 0)]
	}
}
