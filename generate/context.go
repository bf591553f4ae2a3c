package generate

import (
	"fmt"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/templates"
)

// Bounds of a context block. It never passes what it is given; below the
// minimum there may be no room for the frame, and then the block is empty.
const (
	DefaultContextBytes  = 9500 // clients cut what a hook says at 10,000
	DefaultContextTokens = 3000
	MinContextBytes      = 2000 // with the built-in wording, a user and a project scope
	MinContextTokens     = 600
)

// Format is how a context block is written.
type Format string

// The formats.
const (
	XML      Format = "xml"
	Markdown Format = "markdown"
	JSON     Format = "json"
)

// ParseFormat reads the name of a format; "" is XML.
func ParseFormat(s string) (Format, error) {
	switch f := Format(strings.ToLower(s)); f {
	case "":
		return XML, nil
	case XML, Markdown, JSON:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: use xml, markdown or json", s)
}

// Role says what a scope is to whoever reads the block.
type Role int

// The roles.
const (
	User    Role = iota // a person's own: standing instructions
	Project             // what is known about a project
	Shared              // somebody else's, read-only
)

// A ContextScope is one scope's share of a context block.
type ContextScope struct {
	Role    Role
	Name    string            // "user", the project's key, or the shared scope's name
	Entries []entryfile.Entry // those that may be offered, in any order
	Rolled  int               // how many more may be, of older files; they are counted only
	Problem string            // why the scope, or a part of it, could not be read; "" if it could
}

// A Recall is an entry that was found for the query, to be shown whole.
type Recall struct {
	Scope   string // name of its scope
	Entry   entryfile.Entry
	Passage string // where the entry is too long, what its line says; by default its summary
}

// ContextInput is what a context block is made from. The caller leaves out
// what is not to be offered: superseded, expired, resolved and held entries.
type ContextInput struct {
	Format    Format
	Bytes     int            // bound of the whole; 0 is DefaultContextBytes
	Tokens    int            // bound of the whole, see EstimateTokens; 0 is DefaultContextTokens
	Scopes    []ContextScope // in the order they are shown: the person's, the project's, shared ones
	Query     bool           // a third is kept for Recalled, however little that is
	Recalled  []Recall       // best first
	Templates *templates.Set // nil is the built-in wording
}

// ContextResult is a context block, and what is in it.
type ContextResult struct {
	Text            string // ends with a newline, unless empty
	Bytes, Tokens   int    // of Text
	Scopes          []ContextShare
	Recalled        []string // ids shown whole for the query
	RecalledOmitted int      // found, but without room to stand whole
	Starved         []string // scopes, other than shared ones, that have entries and no room for any
	Least           Bound    // where there are such: bounds with which each would have room for one
	Fallback        bool     // the templates given leave no room for an entry: the built-in wording is used
}

// A ContextShare says what a block holds of a scope.
type ContextShare struct {
	Name    string
	Role    Role
	Total   int      // entries that may be offered, rolled ones included
	Shown   int      // of them, those in the block: len(Whole) + len(Lines)
	Omitted int      // Total - Shown
	Whole   []string // ids of pinned entries whose body is there
	Lines   []string // ids of entries that have a line
	TooLong []string // ids of pinned entries whose body does not fit
	Left    []string // ids of entries, other than rolled ones, that are not shown
	Bytes   int      // of the scope's part
	Tokens  int      // of the scope's part
}

// Context makes the block an agent gets at the start of a turn.
//
// The same input gives the same bytes, and the parts that change least stand
// first, so that a client's prompt cache keeps its prefix from turn to turn:
// the person's instructions before the project's memory, and what a query
// recalled last, in a share of its own. How much room the first scope has
// depends on the next one only in steps of a sixteenth of the whole. Within a
// scope the newest come first: its counts stand before its entries, so a new
// entry changes the part's first line wherever it is put.
//
// Pinned bodies are packed first, then lines, a line of each kind in turn,
// newest first. What does not fit is passed over for the next.
func Context(in ContextInput) ContextResult {
	if in.Bytes == 0 {
		in.Bytes = DefaultContextBytes
	}
	if in.Tokens == 0 {
		in.Tokens = DefaultContextTokens
	}
	if in.Templates == nil {
		in.Templates = templates.Default()
	}
	p := newPacker(in)
	if !p.frames() && in.Templates != templates.Default() {
		in.Templates = templates.Default()
		p = newPacker(in)
		p.fallback = true
		p.frames()
	}
	if !p.framed || p.host() == nil || !p.anything() {
		return p.result("")
	}
	p.pack()
	return p.result(p.w.compose(p))
}

// A size is what a piece of text takes of both budgets.
type size struct {
	bytes int
	milli int64 // thousandths of a token
}

func sizeOf(s string) size         { return size{len(s), milliTokens(s)} }
func (a size) plus(b size) size    { return size{a.bytes + b.bytes, a.milli + b.milli} }
func (a size) minus(b size) size   { return size{a.bytes - b.bytes, a.milli - b.milli} }
func (a size) fits(room size) bool { return a.bytes <= room.bytes && a.milli <= room.milli }
func (a size) part(of, parts int64) size {
	return size{int(int64(a.bytes) * of / parts), a.milli * of / parts}
}
func (a size) least(b size) size { return size{min(a.bytes, b.bytes), min(a.milli, b.milli)} }

// upTo rounds a up to a multiple of step.
func (a size) upTo(step size) size {
	step = size{max(step.bytes, 1), max(step.milli, 1)}
	return size{
		(a.bytes + step.bytes - 1) / step.bytes * step.bytes,
		(a.milli + step.milli - 1) / step.milli * step.milli,
	}
}

// A piece is a text that goes into the block or does not.
type piece struct {
	id   string
	text string
}

// A share is what a scope has in the block so far.
type share struct {
	scope   *ContextScope
	framed  bool                          // it has a part in the block at all
	first   bool                          // its part is the first
	byKind  map[entryfile.Kind][]*indexed // newest first
	pinned  []*indexed                    // newest first
	whole   []piece
	lines   []*indexed // in packing order, a line each
	tooLong []*indexed
	kinds   map[entryfile.Kind]bool // those that have a heading
	least   *size                   // what its shortest line takes, once that is known
}

// An indexed entry knows whether it is in the block.
type indexed struct {
	*entryfile.Entry
	whole, line bool
	text        string // of its line
	passage     string // what its line says instead of its summary
}

type packer struct {
	in       ContextInput
	w        writer
	framed   bool // there is room for the frames
	fallback bool
	room     size // what is left
	shares   []*share
	recalled []piece
	passed   []string // lines of recalled entries too long to stand whole
	missed   int      // recalled entries that do not stand whole
}

func newPacker(in ContextInput) *packer {
	p := &packer{in: in, w: newWriter(in)}
	for i := range in.Scopes {
		p.shares = append(p.shares, newShare(&in.Scopes[i]))
	}
	return p
}

// anything reports whether there is something to say.
func (p *packer) anything() bool {
	for _, s := range p.shares {
		if s.total() > 0 || s.scope.Problem != "" {
			return true
		}
	}
	return len(p.in.Recalled) > 0
}

func newShare(s *ContextScope) *share {
	sh := &share{scope: s, byKind: map[entryfile.Kind][]*indexed{}, kinds: map[entryfile.Kind]bool{}}
	all := make([]indexed, len(s.Entries))
	order := make([]*indexed, len(s.Entries))
	for i := range s.Entries {
		all[i].Entry = &s.Entries[i]
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *indexed) int {
		if c := strings.Compare(b.Created, a.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, e := range order {
		if e.Pinned {
			sh.pinned = append(sh.pinned, e)
		}
		sh.byKind[e.Kind] = append(sh.byKind[e.Kind], e)
	}
	return sh
}

func (s *share) total() int { return len(s.scope.Entries) + s.scope.Rolled }

func (s *share) shown() int { return len(s.whole) + len(s.lines) }

// frames takes the room for what stands around the entries, with numbers as
// wide as they can get. Shared scopes have no part where there is no room for
// it; without room for the others there is no block.
func (p *packer) frames() bool {
	p.room = size{p.in.Bytes, int64(p.in.Tokens) * 1000}.minus(sizeOf(p.w.outer()))
	first := true
	for _, s := range p.shares {
		s.first = first
		frame, room := p.frame(s), p.room
		if s.scope.Role == Shared && !ample.fits(room) {
			room = room.minus(p.modest())
		}
		if !frame.fits(room) {
			if s.scope.Role == Shared {
				continue
			}
			return false
		}
		s.framed, first = true, false
		p.room = p.room.minus(frame)
	}
	p.framed = p.room.bytes >= 0 && p.room.milli >= 0
	return p.framed
}

func (p *packer) pack() {
	all := p.room
	var recall size
	if p.in.Query {
		recall = all.part(1, 3)
		all = all.minus(recall)
	}
	reserve := p.reserves(all)
	for i, s := range p.shares {
		if !s.framed {
			continue
		}
		limit := p.room.minus(recall).minus(reserve[i+1])
		p.room = p.room.minus(p.fill(s, limit))
	}
	if p.in.Query {
		p.recall()
	}
}

// demand is the size of all that a scope could put into the block, up to a
// little over the limit.
func (p *packer) demand(s *share, limit size) size {
	var sum size
	for _, e := range s.pinned {
		if sum = sum.plus(sizeOf(p.w.whole(s.scope, e.Entry, false)).least(limit)); !sum.fits(limit) {
			return sum
		}
	}
	for kind, es := range s.byKind {
		sum = sum.plus(sizeOf(p.w.heading(kind)))
		for _, e := range es {
			if e.Pinned {
				continue
			}
			if sum = sum.plus(sizeOf(p.w.line(s.scope, e, false))); !sum.fits(limit) {
				return limit
			}
		}
	}
	return sum
}

// fill packs a scope's entries into the limit and says how much of it is taken.
func (p *packer) fill(s *share, limit size) size {
	room := limit
	pins := limit.part(4, 5)
	for _, e := range s.pinned {
		text := p.w.whole(s.scope, e.Entry, false)
		n := sizeOf(text)
		if !n.fits(pins) {
			s.tooLong = append(s.tooLong, e)
			continue
		}
		pins, room = pins.minus(n), room.minus(n)
		e.whole = true
		s.whole = append(s.whole, piece{e.ID, text})
	}
	for _, e := range s.tooLong {
		room = p.addLine(s, e, room, true)
	}
	next := map[entryfile.Kind]int{}
	missed := 0
	for turn := 0; missed < maxMisses; turn++ {
		done := true
		for _, kind := range turns {
			if kind == entryfile.SessionTrace && turn >= traceTurns && !done {
				continue
			}
			es := s.byKind[kind]
			for next[kind] < len(es) && es[next[kind]].Pinned {
				next[kind]++
			}
			if next[kind] >= len(es) {
				continue
			}
			done = false
			left := p.addLine(s, es[next[kind]], room, false)
			if missed++; left != room {
				missed, room = 0, left
			}
			next[kind]++
		}
		if done {
			break
		}
	}
	return limit.minus(room)
}

// maxMisses is after how many lines in a row that do not fit the packing of
// lines ends: the room is too small for any that is worth having.
const maxMisses = 200

// turns is the order in which kinds take turns in packing.
var turns = []entryfile.Kind{
	entryfile.Preference, entryfile.Convention, entryfile.OpenThread, entryfile.FailedPath, entryfile.Decision, entryfile.SessionTrace,
}

// traceTurns is how many session traces take their turn; the rest wait until
// all else has had its own.
const traceTurns = 3

// addLine gives an entry its line if it fits, and returns the room left.
func (p *packer) addLine(s *share, e *indexed, room size, long bool) size {
	var heading size
	if !s.kinds[e.Kind] {
		heading = sizeOf(p.w.heading(e.Kind))
	}
	if p.w.atLeast(e.Entry)+heading.bytes > room.bytes {
		return room
	}
	text := p.w.line(s.scope, e, long)
	if len(text)+heading.bytes > room.bytes {
		return room
	}
	n := sizeOf(text).plus(heading)
	if !n.fits(room) {
		return room
	}
	e.line, e.text = true, text
	s.kinds[e.Kind] = true
	s.lines = append(s.lines, e)
	return room.minus(n)
}

// recall packs what was found for the query into all the room there is.
func (p *packer) recall() {
	n := len(p.in.Recalled)
	room := p.room.minus(sizeOf(p.w.recalledOpen(n, n))).minus(sizeOf(p.w.recalledEnd()))
	for i := range p.in.Recalled {
		r := &p.in.Recalled[i]
		scope, there := p.scopeOf(r)
		if there {
			continue
		}
		text := p.w.whole(scope, &r.Entry, true)
		if n := sizeOf(text); n.fits(room) {
			room = room.minus(n)
			p.recalled = append(p.recalled, piece{r.Entry.ID, text})
			continue
		}
		p.missed++
		line := p.w.line(scope, &indexed{Entry: &r.Entry, passage: r.Passage}, true)
		if n := sizeOf(line); n.fits(room) {
			room = room.minus(n)
			p.passed = append(p.passed, line)
		}
	}
}

// scopeOf finds the scope of a recalled entry, and whether the entry's body is
// in the block already.
func (p *packer) scopeOf(r *Recall) (*ContextScope, bool) {
	for _, s := range p.shares {
		if s.scope.Name == r.Scope {
			return s.scope, slices.ContainsFunc(s.whole, func(w piece) bool { return w.id == r.Entry.ID })
		}
	}
	return &ContextScope{Role: Shared, Name: r.Scope}, false
}

func (p *packer) result(text string) ContextResult {
	out := ContextResult{Text: text, Bytes: len(text), Tokens: EstimateTokens(text), RecalledOmitted: p.missed, Fallback: p.fallback}
	if text == "" {
		out.RecalledOmitted = len(p.in.Recalled)
	}
	out.Starved, out.Least = p.starved(text)
	for _, r := range p.recalled {
		out.Recalled = append(out.Recalled, r.id)
	}
	for _, s := range p.shares {
		c := ContextShare{Name: s.scope.Name, Role: s.scope.Role, Total: s.total(), Shown: s.shown(), Omitted: s.total() - s.shown()}
		for _, w := range s.whole {
			c.Whole = append(c.Whole, w.id)
		}
		for _, e := range s.tooLong {
			c.TooLong = append(c.TooLong, e.ID)
		}
		for _, kind := range listing(s) {
			for _, e := range s.byKind[kind] {
				switch {
				case e.line:
					c.Lines = append(c.Lines, e.ID)
				case !e.whole:
					c.Left = append(c.Left, e.ID)
				}
			}
		}
		if s.framed && text != "" {
			part := p.part(s)
			c.Bytes, c.Tokens = len(part), EstimateTokens(part)
		}
		out.Scopes = append(out.Scopes, c)
	}
	return out
}

// host is the part that what was recalled belongs to: the project's, or the
// last one where there is no project.
func (p *packer) host() *share {
	var host *share
	for _, s := range p.shares {
		if s.framed && (host == nil || host.scope.Role != Project) {
			host = s
		}
	}
	return host
}

// part is a scope's part of the block, without what was recalled.
func (p *packer) part(s *share) string {
	return p.w.open(s, s.shown(), s.total(), s.total()-s.shown()) + p.w.body(s) + p.w.end(s)
}

// listing is the order in which a scope's kinds are shown.
func listing(s *share) []entryfile.Kind {
	kinds := slices.Clone(shownKinds)
	for kind := range s.byKind {
		if !slices.Contains(shownKinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds[len(shownKinds):])
	return kinds
}

var shownKinds = []entryfile.Kind{
	entryfile.Preference, entryfile.Convention, entryfile.Decision, entryfile.FailedPath, entryfile.OpenThread, entryfile.SessionTrace,
}
