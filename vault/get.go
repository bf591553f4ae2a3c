package vault

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"gitvault/internal/entryfile"
	"gitvault/internal/recall"
)

// Get returns entries whole, in the order asked for.
func (h *Home) Get(ctx context.Context, scope string, ids []string) ([]Entry, error) {
	var out []Entry
	for _, id := range ids {
		s, t, l, err := h.locate(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		if entryfile.IsCard(l.path) {
			c, err := t.cardAt(l.path)
			if err != nil {
				return nil, s.fail(err)
			}
			e := s.presentCard(c, nil)
			if h.opt.Writer.IsAgent() {
				e = s.waiting(c)
			}
			out = append(out, e)
			continue
		}
		e := present(s.name, l)
		if err := t.relate(ctx, h, []*Entry{&e}); err != nil {
			return nil, s.fail(err)
		}
		if len(e.Supersedes) > 0 || len(e.SupersededBy) > 0 {
			if e.Chain, err = t.presentChain(ctx, h, e.ID); err != nil {
				return nil, s.fail(err)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// A ListQuery narrows a list.
type ListQuery struct {
	Scope  string
	Kind   Kind
	Tag    string
	Status string // open, resolved, superseded, expired

	Pending bool // instead of the entries the open cards on them, see Pending
	All     bool // also superseded, expired and resolved entries, and conflict siblings
	Body    bool // with bodies

	NeverRecalled bool // only entries that no recall has brought up, as far as receipts are kept
	ByUse         bool // those recalled most often first

	Stale bool // only entries about workspace files that are gone or changed since
}

// List returns the entries of the folder's scopes, the newest first. A scope
// that can't be read does not silence the others: what could be listed comes
// with the error.
func (h *Home) List(ctx context.Context, q ListQuery) ([]Entry, error) {
	if err := checkStatus(q.Status); err != nil {
		return nil, err
	}
	if q.Pending {
		return h.pendingOf(ctx, q)
	}
	scopes, failed := h.selected(q.Scope)
	if len(scopes) == 0 && failed != nil {
		return nil, failed
	}
	kinds := Kinds()
	if q.Kind != "" {
		kinds = []Kind{q.Kind}
	}
	var kept []*Entry
	uses := map[string]int{}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			failed = err
			continue
		}
		found, err := t.entries(ctx, kinds...)
		if err != nil {
			failed = s.fail(err)
			continue
		}
		if h.opt.Writer.IsAgent() {
			found = slices.DeleteFunc(found, func(l located) bool { return hasSecret(l.Entry) })
		}
		list := presentAll(s.name, found)
		if err := t.relate(ctx, h, list); err != nil {
			failed = s.fail(err)
			continue
		}
		if q.Stale {
			if list, err = s.staleOnly(list, found); err != nil {
				failed = err
				continue
			}
		}
		if q.NeverRecalled || q.ByUse {
			for id, n := range s.uses() {
				uses[s.name+"/"+id] = n
			}
		}
		for _, e := range list {
			if !q.matches(e) || q.NeverRecalled && uses[s.name+"/"+e.ID] > 0 {
				continue
			}
			if !q.Body {
				e.Body = ""
			}
			e.Uses = uses[s.name+"/"+e.ID]
			kept = append(kept, e)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool {
		a, b := kept[i], kept[j]
		if q.ByUse {
			if m, n := uses[a.Scope+"/"+a.ID], uses[b.Scope+"/"+b.ID]; m != n {
				return m > n
			}
		}
		if !a.Created.Equal(b.Created) {
			return a.Created.After(b.Created)
		}
		// Within one second, a ledger's later entry is the newer one.
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.File, b.File), cmp.Compare(b.Line, a.Line), cmp.Compare(a.ID, b.ID)) < 0
	})
	out := make([]Entry, len(kept))
	for i, e := range kept {
		out[i] = *e
	}
	return out, failed
}

// staleOnly keeps the entries about files that are gone or changed since, and
// says which; found are the same entries as they are written.
func (s *Scope) staleOnly(list []*Entry, found []located) ([]*Entry, error) {
	files, err := s.stalePaths()
	if err != nil {
		return nil, err
	}
	defer files.close()
	var out []*Entry
	for i, e := range list {
		gone, changed := files.of(found[i].Entry)
		if e.Stale = append(gone, changed...); len(e.Stale) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// pendingOf lists the open cards that a query asks for.
func (h *Home) pendingOf(ctx context.Context, q ListQuery) ([]Entry, error) {
	list, err := h.Pending(ctx, q.Scope)
	if err != nil {
		return nil, err
	}
	q.All = true
	return slices.DeleteFunc(list, func(e Entry) bool { return q.Kind != "" && e.Kind != q.Kind || !q.matches(&e) }), nil
}

func (q ListQuery) matches(e *Entry) bool {
	if q.Tag != "" && !slices.ContainsFunc(e.Tags, func(t string) bool { return strings.EqualFold(t, q.Tag) }) {
		return false
	}
	if q.Status != "" {
		return e.Status == q.Status
	}
	return q.All || !e.Closed() && e.Conflict == ""
}

// Statuses that are derived, besides those an open thread carries itself.
const (
	StatusOpen       = entryfile.StatusOpen
	StatusResolved   = entryfile.StatusResolved
	StatusSuperseded = recall.StatusSuperseded
	StatusExpired    = recall.StatusExpired
)

func checkStatus(status string) error {
	switch status {
	case "", StatusOpen, StatusResolved, StatusSuperseded, StatusExpired:
		return nil
	}
	return invalid("use open, resolved, superseded or expired", "unknown status %q", shortened(status))
}

// Closed reports whether the entry is no longer offered as current.
func (e Entry) Closed() bool {
	return e.Status == StatusResolved || e.Status == StatusSuperseded || e.Status == StatusExpired
}

// relate fills in what entries owe to others: who supersedes them, and their
// status as of now.
func (t *tree) relate(ctx context.Context, h *Home, list []*Entry) error {
	successors, err := t.successors(ctx)
	if err != nil {
		return err
	}
	cards, err := t.cards()
	if err != nil {
		return err
	}
	open := map[string][]string{}
	for _, c := range cards {
		if who := h.opt.Writer; who.IsAgent() && c.Source != who.source() {
			continue
		}
		open[c.EntryID] = append(open[c.EntryID], c.ID)
	}
	for _, e := range list {
		e.Cards = open[e.ID]
		e.SupersededBy = successors[e.ID]
		switch {
		case len(e.SupersededBy) > 0:
			e.Status = StatusSuperseded
		case e.Status != StatusResolved && expired(e.Expires, h.opt.Now()):
			e.Status = StatusExpired
		}
	}
	return nil
}

// successors maps each superseded id to the entries that name it. Of entries
// that supersede each other in a circle, none is superseded by another.
func (t *tree) successors(ctx context.Context) (map[string][]string, error) {
	out, err := t.naming(ctx)
	entryfile.WithoutCircles(out)
	return out, err
}

// naming maps each id that any entry says it supersedes to those entries.
func (t *tree) naming(ctx context.Context) (map[string][]string, error) {
	out := map[string][]string{}
	for _, p := range t.paths(Kinds()...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := t.files[p]
		if f.doc == nil {
			data, err := f.bytes()
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(data, []byte("supersedes")) {
				continue
			}
		}
		doc, err := f.document()
		if err != nil {
			return nil, err
		}
		for _, s := range doc.Sections() {
			for _, old := range s.Supersedes {
				if s.Err == nil && old != s.ID {
					out[old] = append(out[old], s.ID)
				}
			}
		}
	}
	return out, nil
}

// expired reports whether a date has passed: a day is over when it has ended.
func expired(date string, now time.Time) bool {
	if date == "" {
		return false
	}
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		return !now.UTC().Before(t.AddDate(0, 0, 1))
	}
	t, err := time.Parse(time.RFC3339, date)
	return err == nil && !now.Before(t)
}
