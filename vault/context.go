package vault

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/generate"
	"gitvault/internal/entryfile"
	"gitvault/templates"
)

// A ContextQuery says what block is wanted.
type ContextQuery struct {
	Scope   string // only this scope
	Format  string // xml (default), markdown or json
	Query   string // a task: entries that bear on it are shown whole
	Bytes   int    // bound of the whole; by default the person's setting, else 9,500
	Tokens  int    // bound of the whole; by default the person's setting, else 3,000
	Session string // for the receipt
}

// A Context is the block an agent gets at the start of a turn, and what it
// holds and leaves out.
type Context struct {
	Text   string         `json:"text"`
	Bytes  int            `json:"bytes"`
	Tokens int            `json:"tokens"` // estimated
	Scopes []ContextShare `json:"scopes"`
}

// A ContextShare is what a block holds of one scope.
type ContextShare struct {
	Scope   string `json:"scope"`
	Shown   int    `json:"shown"`
	Total   int    `json:"total"`
	Omitted int    `json:"omitted"`
	Bytes   int    `json:"bytes"`
	Tokens  int    `json:"tokens"`
}

// recalledWhole is how many entries a context's query brings in.
const recalledWhole = 5

// Context makes the block for a turn's start, from the scopes that serve the
// folder. A scope that can't be read is named in it and does not silence the
// others.
func (h *Home) Context(ctx context.Context, q ContextQuery) (Context, error) {
	format, err := generate.ParseFormat(q.Format)
	if err != nil {
		return Context{}, invalid("", "%s", err)
	}
	res, err := h.block(ctx, q, format)
	if err != nil {
		return Context{}, err
	}
	if len(res.Starved) > 0 {
		h.notice(tooTight(res))
	}
	out := Context{Text: res.Text, Bytes: res.Bytes, Tokens: res.Tokens, Scopes: []ContextShare{}}
	for _, s := range res.Scopes {
		out.Scopes = append(out.Scopes, ContextShare{s.Name, s.Shown, s.Total, s.Omitted, s.Bytes, s.Tokens})
	}
	return out, nil
}

// tooTight says which scopes a block has no room for, and what would do.
func tooTight(res generate.ContextResult) string {
	what := "any entry"
	if res.Text != "" {
		what = "an entry of " + strings.Join(res.Starved, ", ")
	}
	return fmt.Sprintf("the context's budget has no room for %s: give it at least %d tokens and %d bytes", what, res.Least.Tokens, res.Least.Bytes)
}

// block makes the block and keeps a receipt of it.
func (h *Home) block(ctx context.Context, q ContextQuery, format generate.Format) (generate.ContextResult, error) {
	in, parts, err := h.contextInput(ctx, q)
	if err != nil {
		return generate.ContextResult{}, err
	}
	in.Format = format
	res := generate.Context(in)
	if res.Fallback {
		h.notice("the templates in " + filepath.Join(h.dir, "templates") + " leave no room in the context's budget: shorten them; the built-in wording is used")
	}
	for i, s := range res.Scopes {
		if i < len(parts) && s.Shown > 0 {
			parts[i].receive(Receipt{Op: "context", Session: q.Session, Query: q.Query, Tokens: s.Tokens, Bytes: s.Bytes,
				IDs: slices.Concat(s.Whole, s.Lines), Omitted: s.Omitted})
		}
	}
	return res, nil
}

// contextInput collects what may be offered. The scopes it returns belong to
// the shares, in order.
func (h *Home) contextInput(ctx context.Context, q ContextQuery) (generate.ContextInput, []*Scope, error) {
	config, err := h.Config()
	if err != nil {
		return generate.ContextInput{}, nil, err
	}
	words, err := templates.Load(filepath.Join(h.dir, "templates"))
	if err != nil {
		h.notice(told(err))
	}
	in := generate.ContextInput{Bytes: config.Context.Bytes, Tokens: config.Context.Tokens, Templates: words, Query: q.Query != ""}
	if q.Bytes > 0 {
		in.Bytes = q.Bytes
	}
	if q.Tokens > 0 {
		in.Tokens = q.Tokens
	}
	scopes, err := h.serving(q.Scope)
	if err != nil {
		return in, nil, err
	}
	times := roomier(in)
	for _, s := range scopes {
		part := generate.ContextScope{Role: generate.Project, Name: s.name}
		if s.name == UserScope {
			part.Role = generate.User
		}
		if s.shared {
			part.Role = generate.Shared
		}
		t, err := s.readOffered(ctx)
		if err == nil {
			err = t.offer(ctx, h, s, &part, times)
		}
		if err != nil {
			if ctx.Err() != nil {
				return in, nil, ctx.Err()
			}
			part.Problem = told(err)
		}
		in.Scopes = append(in.Scopes, part)
	}
	if q.Query != "" {
		found, err := h.Recall(ctx, RecallQuery{Scope: q.Scope, Text: q.Query, Limit: recalledWhole, silent: true})
		if err != nil && CodeOf(err) != Invalid {
			return in, scopes, err
		}
		for _, hit := range found.Hits {
			scope := hit.Scope
			if hit.Backend != "" {
				scope = hit.Backend + ", no entry of the vault"
			}
			in.Recalled = append(in.Recalled, generate.Recall{Scope: scope, Entry: hit.authored, Passage: hit.Snippet})
		}
	}
	return in, scopes, nil
}

// offer fills in what a scope may offer an agent: not what is superseded,
// expired, resolved or held, and nothing that looks like a secret. Of rolled
// files only pinned entries and open threads have lines, and where entries are
// so large that few are not rolled, those of the newest files, of more of them in
// a block that is so many times roomier; the rest is counted.
func (t *tree) offer(ctx context.Context, h *Home, s *Scope, part *generate.ContextScope, times int) error {
	all, err := t.survey(s.cacheDir())
	if err != nil {
		return err
	}
	now := h.opt.Now()
	superseded := len(all.successors)
	for _, k := range Kinds() {
		before, opened := len(part.Entries), 0
		for _, u := range newestFirst(all.kinds[k]) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if u.rolled && len(part.Entries)-before < enoughLines*times && opened < maxOpened*times {
				if u.lines, err = t.linesIn(k, u.unit); err != nil {
					return err
				}
				opened++
			}
			listed := 0
			for _, l := range u.lines {
				if all.successors[l.ID] != "" {
					superseded--
					if u.rolled {
						listed++ // counted below, and not to be offered
					}
					continue
				}
				if l.Resolved || l.Conflict != "" || expired(l.Expires, now) {
					continue
				}
				if l.secret {
					listed++
					continue
				}
				e := entryfile.Entry{ID: l.ID, Kind: k, Title: l.Title, Description: l.Text, Body: l.Title,
					Created: l.Created, Expires: l.Expires, Pinned: l.Pinned}
				if l.Pinned {
					if e, err = t.whole(l.ID, l.Path); err != nil {
						return err
					}
				}
				listed++
				part.Entries = append(part.Entries, e)
			}
			if u.rolled {
				gone := u.ended
				for _, date := range u.expires {
					if expired(date, now) {
						gone++
					}
				}
				part.Rolled += max(0, u.count-gone-listed)
			}
		}
	}
	// What is superseded and had no line above is in a rolled file.
	part.Rolled = max(0, part.Rolled-max(0, superseded))
	return nil
}

// enoughLines is how many lines of a kind there are before rolled files are
// left alone, and maxOpened how many of those are read at most, in a block of
// the usual bounds.
const (
	enoughLines = 32
	maxOpened   = 4
)

// roomier is how many times a block has the room of the usual one; at least 1.
func roomier(in generate.ContextInput) int {
	return max(1, min(ceil(in.Bytes, generate.DefaultContextBytes), ceil(in.Tokens, generate.DefaultContextTokens)))
}

// ceil divides up; without a bound there is the usual one.
func ceil(bound, usual int) int {
	if bound == 0 {
		return 1
	}
	return bound/usual + min(1, bound%usual)
}

// newestFirst puts the rolled ones behind the others, the newest first.
func newestFirst(units []unitFacts) []unitFacts {
	out := slices.Clone(units)
	slices.SortStableFunc(out, func(a, b unitFacts) int {
		switch {
		case a.rolled != b.rolled:
			return map[bool]int{true: 1, false: -1}[a.rolled]
		case a.rolled:
			return strings.Compare(b.last+b.unit, a.last+a.unit)
		}
		return 0
	})
	return out
}

// linesIn are the index lines of all entries of a unit.
func (t *tree) linesIn(k Kind, unit string) ([]indexLine, error) {
	_, groups := t.units(k)
	var out []indexLine
	for _, f := range groups[unit] {
		doc, err := f.document()
		if err != nil {
			return nil, err
		}
		for _, s := range doc.Sections() {
			if s.Err == nil {
				out = append(out, lineOf(s.Entry, f.path))
			}
		}
	}
	return out, nil
}

// whole is an entry with its body.
func (t *tree) whole(id, path string) (entryfile.Entry, error) {
	f := t.files[path]
	if f == nil {
		return entryfile.Entry{}, noEntry(id)
	}
	doc, err := f.document()
	if err != nil {
		return entryfile.Entry{}, err
	}
	section, ok := doc.Get(id)
	if !ok {
		return entryfile.Entry{}, noEntry(id)
	}
	return section.Entry, nil
}
