package generate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
	"gitvault/templates"
)

// Bounds of INDEX.md. What is beyond them is reached through a link to its
// file or folder, with a count.
const (
	MaxIndexLines  = 5000 // lines of one kind
	MaxIndexRolled = 20   // rolled files of one kind that have a line each
)

// An IndexLine is one entry in INDEX.md. Its texts are raw.
type IndexLine struct {
	ID           string
	Title        string
	Text         string // one line about it, see Summary
	Created      string // as the entry has it
	Expires      string
	Path         string // of its file, from the scope's root, with slashes
	Anchor       string // of its heading, see Anchors; "" for an entry file
	Order        int    // place in the file, which settles equal times: the later is the newer
	Pinned       bool
	Resolved     bool
	SupersededBy string // id of an entry that replaces it
	Conflict     string // id of the entry whose other version it is
}

// Line makes the index line of an entry. The order is its place in its file,
// for example the line of its heading.
func Line(e entryfile.Entry, path, anchor string, order int, supersededBy string) IndexLine {
	return IndexLine{
		ID: e.ID, Title: e.Title, Text: Summary(e), Created: e.Created, Expires: e.Expires,
		Path: path, Anchor: anchor, Order: order,
		Pinned: e.Pinned, Resolved: e.Status == entryfile.StatusResolved,
		SupersededBy: supersededBy, Conflict: e.Conflict,
	}
}

// closed reports whether the entry is no longer what holds.
func (l IndexLine) closed() bool { return l.SupersededBy != "" || l.Resolved || l.Conflict != "" }

// A RolledFile is a ledger file, or a folder of entry files, that holds older
// entries: "decisions/0001.md", "session_trace/0001/".
type RolledFile struct {
	Path        string
	Count       int         // entries in it
	First, Last string      // created of the oldest and the newest
	Lines       []IndexLine // those to list all the same: pinned ones and open threads
}

// An IndexKind is all of one kind that INDEX.md is made from.
type IndexKind struct {
	Kind   entryfile.Kind
	Lines  []IndexLine  // entries of the current files, in any order
	Rolled []RolledFile // in any order
}

// An IndexPart is the part of INDEX.md about one kind, ready to be joined. It
// depends on nothing but its IndexKind, so it can be kept while that kind's
// files (and what supersedes their entries) stay the same.
type IndexPart struct {
	Kind   entryfile.Kind
	Count  int    // entries, rolled ones included
	Pins   int    // entries in Pinned
	Pinned []byte // lines of the pinned entries
	Body   []byte // the rest, without its heading
}

// IndexInput is what INDEX.md is made from.
type IndexInput struct {
	Name  string      // of the scope, for the title; may be empty
	Parts []IndexPart // at most one a kind, in any order
}

// Index returns INDEX.md: counts, the pinned entries, open threads, then the
// other kinds, each newest first.
func Index(in IndexInput) []byte {
	words := templates.Default().File(templates.Index)
	part := func(dst []byte, name string, values ...string) []byte {
		return words.Part(name).Append(dst, values...)
	}
	var out []byte
	if in.Name == "" {
		out = part(out, "untitled")
	} else {
		out = part(out, "title", safetext.Markdown(in.Name))
	}
	out = append(out, "\n\n"...)
	out = part(out, "note")
	out = append(out, "\n\n"...)

	parts := slices.Clone(in.Parts)
	slices.SortStableFunc(parts, func(a, b IndexPart) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	total, pins, size := 0, 0, 0
	var counts []string
	for _, p := range parts {
		total += p.Count
		pins += p.Pins
		size += len(p.Pinned) + len(p.Body)
		if p.Count > 0 {
			counts = append(counts, number(words, p.Count, string(p.Kind), string(p.Kind)+"s"))
		}
	}
	if total == 0 {
		return append(part(out, "empty"), '\n')
	}
	out = slices.Grow(out, size+1024)
	out = part(out, "counts", number(words, total, "entry", "entries"), strings.Join(counts, " · "))
	out = append(out, '\n')
	if pins > 0 {
		out = heading(out, words, "pinned", pins)
		for _, p := range parts {
			out = append(out, p.Pinned...)
		}
	}
	slices.SortStableFunc(parts, func(a, b IndexPart) int {
		return cmp.Compare(boolRank(a.Kind != entryfile.OpenThread), boolRank(b.Kind != entryfile.OpenThread))
	})
	for _, p := range parts {
		if len(p.Body) > 0 {
			out = heading(out, words, string(p.Kind), p.Count-p.Pins)
			out = append(out, p.Body...)
		}
	}
	return out
}

func heading(out []byte, words templates.File, group string, count int) []byte {
	out = append(out, '\n')
	out = words.Part("heading").Append(out, words.Part("group."+group).Text(), strconv.Itoa(count))
	return append(out, "\n\n"...)
}

// number says "1 entry", "2 entries".
func number(words templates.File, n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.Itoa(n) + " " + words.Part(many).Text()
}

func rank(k entryfile.Kind) int {
	if i := slices.Index(entryfile.Kinds(), k); i >= 0 {
		return i
	}
	return len(entryfile.Kinds())
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newestFirst orders lines by time, then by file and place in it, then by id,
// so that the order of the input does not matter.
func newestFirst(a, b *IndexLine) int {
	if c := strings.Compare(b.Created, a.Created); c != 0 {
		return c
	}
	if c := strings.Compare(b.Path, a.Path); c != 0 {
		return c
	}
	if c := cmp.Compare(b.Order, a.Order); c != 0 {
		return c
	}
	return strings.Compare(b.ID, a.ID)
}

// Part renders the part of INDEX.md about one kind.
func Part(k IndexKind) IndexPart {
	w := newIndexWriter()
	p := IndexPart{Kind: k.Kind, Count: len(k.Lines)}
	lines := make([]*IndexLine, 0, len(k.Lines))
	for i := range k.Lines {
		lines = append(lines, &k.Lines[i])
	}
	for _, r := range k.Rolled {
		p.Count += r.Count
		for i := range r.Lines {
			lines = append(lines, &r.Lines[i])
		}
	}
	slices.SortFunc(lines, newestFirst)
	var pinned, current, closed []*IndexLine
	for _, l := range lines {
		switch {
		case l.closed():
			closed = append(closed, l)
		case l.Pinned:
			pinned = append(pinned, l)
		default:
			current = append(current, l)
		}
	}
	room := MaxIndexLines
	more := map[string]int{}
	take := func(ls []*IndexLine) []*IndexLine {
		n := min(room, len(ls))
		room -= n
		for _, l := range ls[n:] {
			more[container(k.Kind, l)]++
		}
		return ls[:n]
	}
	pinned, current, closed = take(pinned), take(current), take(closed)

	p.Pins = len(pinned)
	p.Pinned = w.lines(nil, pinned)
	p.Body = w.lines(nil, current)
	if len(closed) > 0 {
		p.Body = w.lines(w.subheading(p.Body, "closed"), closed)
	}
	if len(k.Rolled) > 0 || len(more) > 0 {
		p.Body = w.subheading(p.Body, "rolled")
		p.Body = w.more(p.Body, more)
		p.Body = w.rolled(p.Body, k)
	}
	return p
}

// container is the file or folder through which a line that is not listed is
// found: its ledger file, or the folder of its entry file.
func container(k entryfile.Kind, l *IndexLine) string {
	if k.IsLedger() {
		return l.Path
	}
	if i := strings.LastIndexByte(l.Path, '/'); i >= 0 {
		return l.Path[:i+1]
	}
	return l.Path
}

// An indexWriter holds the wording of lines, looked up once.
type indexWriter struct {
	words                                                                templates.File
	line, text, created, expires, superseded, resolved, conflict, dateTo *templates.Template
}

func newIndexWriter() *indexWriter {
	s := templates.Default().File(templates.Index)
	part := s.Part
	return &indexWriter{
		words: s, line: part("line"), text: part("text"), created: part("created"), expires: part("expires"),
		superseded: part("superseded"), resolved: part("resolved"), conflict: part("conflict"), dateTo: part("dates"),
	}
}

func (w *indexWriter) subheading(out []byte, name string) []byte {
	if len(out) > 0 {
		out = append(out, '\n')
	}
	out = w.words.Part(name).Append(out)
	return append(out, "\n\n"...)
}

func (w *indexWriter) lines(out []byte, ls []*IndexLine) []byte {
	if len(ls) == 0 {
		return out
	}
	size := 0
	for _, l := range ls {
		size += len(l.ID) + len(l.Title) + len(l.Text) + len(l.Path) + len(l.Anchor) + 80
	}
	out = slices.Grow(out, size)
	for _, l := range ls {
		out = w.line.Append(out, code(l.ID), safetext.Markdown(l.Title), Link(l.Path, l.Anchor))
		if l.Text != "" {
			out = w.text.Append(out, safetext.Markdown(l.Text))
		}
		if l.Created != "" {
			out = w.created.Append(out, safetext.Markdown(Day(l.Created)))
		}
		if l.Expires != "" {
			out = w.expires.Append(out, safetext.Markdown(Day(l.Expires)))
		}
		if l.SupersededBy != "" {
			out = w.superseded.Append(out, code(l.SupersededBy))
		}
		if l.Resolved {
			out = w.resolved.Append(out)
		}
		if l.Conflict != "" {
			out = w.conflict.Append(out, code(l.Conflict))
		}
		out = append(out, '\n')
	}
	return out
}

func (w *indexWriter) more(out []byte, more map[string]int) []byte {
	var paths []string
	for path := range more {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	rest := 0
	if len(paths) > MaxIndexRolled {
		for _, path := range paths[MaxIndexRolled:] {
			rest += more[path]
		}
		paths = paths[:MaxIndexRolled]
	}
	for i, path := range paths {
		n := more[path]
		if i == len(paths)-1 {
			n += rest
		}
		out = w.words.Part("more").Append(out, safetext.Markdown(path), Link(path, ""), number(w.words, n, "entry", "entries"))
		out = append(out, '\n')
	}
	return out
}

func (w *indexWriter) rolled(out []byte, k IndexKind) []byte {
	files := slices.Clone(k.Rolled)
	slices.SortFunc(files, func(a, b RolledFile) int {
		return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(b.Path, a.Path))
	})
	listed := files[:min(len(files), MaxIndexRolled)]
	for _, f := range listed {
		out = w.words.Part("rolled.file").Append(out,
			safetext.Markdown(f.Path), Link(f.Path, ""), number(w.words, f.Count, "entry", "entries"), w.dates(f.First, f.Last))
		out = append(out, '\n')
	}
	if rest := files[len(listed):]; len(rest) > 0 {
		count, first, last := 0, "", ""
		for _, f := range rest {
			count += f.Count
			if f.First != "" && (first == "" || f.First < first) {
				first = f.First
			}
			last = max(last, f.Last)
		}
		dir := k.Kind.Dir() + "/"
		out = w.words.Part("rolled.rest").Append(out,
			safetext.Markdown(dir), Link(dir, ""), strconv.Itoa(len(rest)), number(w.words, count, "entry", "entries"), w.dates(first, last))
		out = append(out, '\n')
	}
	return out
}

func (w *indexWriter) dates(first, last string) string {
	if first == "" || last == "" {
		return ""
	}
	return w.dateTo.Text(safetext.Markdown(Day(first)), safetext.Markdown(Day(last)))
}

// Day is the date of a time as entries carry it; what does not look like one
// comes back as it is, shortened.
func Day(stamp string) string {
	const day = "2006-01-02"
	if len(stamp) > len(day) && stamp[4] == '-' && stamp[7] == '-' && (stamp[10] == 'T' || stamp[10] == ' ') {
		return stamp[:len(day)]
	}
	return entryfile.Shorten(stamp, 40)
}

// code returns an id as the inside of a code span.
func code(id string) string {
	return strings.ReplaceAll(safetext.Line(entryfile.Shorten(id, 64)), "`", "'")
}

// Link is the destination of a Markdown link to a file of the scope, relative
// to the scope's root, on a git host or on disk.
func Link(path, anchor string) string {
	if !plainPath(path) {
		const hex = "0123456789ABCDEF"
		var b strings.Builder
		for i := 0; i < len(path); i++ {
			if c := path[i]; pathByte(c) {
				b.WriteByte(c)
			} else {
				b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			}
		}
		path = b.String()
	}
	if anchor != "" {
		path += "#" + anchor
	}
	return path
}

func plainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		if !pathByte(path[i]) {
			return false
		}
	}
	return true
}

// pathByte reports whether a byte of a path stands for itself in a link.
func pathByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '-' || c == '.' || c == '_' || c == '~'
}
