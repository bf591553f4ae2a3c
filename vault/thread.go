package vault

import (
	"context"
	"slices"
	"strings"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// A Resolution closes an open thread.
type Resolution struct {
	Scope   string
	Outcome string // how it ended
	As      Kind   // also remember the outcome as this: a decision, convention or failed path; "" for not
}

// Resolve closes an open thread with its outcome. With As, the outcome becomes
// an entry of its own too, with the thread's title and derived from it, in the
// same commit. The first change is the thread's. Of one that is resolved already
// an outcome that says something else takes the place of the one before, as an
// edit; without one it stays as it is.
func (h *Home) Resolve(ctx context.Context, id string, r Resolution) ([]Change, error) {
	s, _, found, err := h.locate(ctx, r.Scope, id)
	if err != nil {
		return nil, err
	}
	if found.Kind != OpenThread {
		return nil, invalid("only open threads are resolved; use 'vault edit' or 'vault forget'", "%s is a %s", found.ID, found.Kind)
	}
	if err := promotable(r.As, true); err != nil {
		return nil, err
	}
	var out []Change
	replaced := false
	err = s.write(ctx, func(t *txn) error {
		l, err := t.again(found)
		if err != nil {
			return err
		}
		from, own, err := t.latest(l)
		if err != nil {
			return err
		}
		e, op := from.Clone(), "resolve"
		e.Status = StatusResolved
		e.Outcome = orDefault(strings.TrimSpace(r.Outcome), from.Outcome)
		done := []outcome{{at: l, unchanged: true}}
		changed := entryfile.Hash(e) != entryfile.Hash(from)
		replaced = changed && l.Outcome != ""
		switch {
		case changed && l.Status == StatusResolved:
			op = "edit"
		case !changed && r.As == "":
			out = []Change{t.same(l, from, own)}
			return nil
		case !changed:
			op = "promote"
		}
		if changed {
			e.Updated = later(t.now, from)
			if done[0], err = t.propose(proposal{op: entryfile.OpEdit, before: &l, after: e}); err != nil {
				return err
			}
		}
		if r.As != "" {
			text := orDefault(e.Outcome, e.Body)
			made, err := t.propose(proposal{op: entryfile.OpAdd, after: t.derived(l.Entry, r.As, e.Title, text)})
			if err != nil {
				return err
			}
			done = append(done, made)
		}
		c, err := t.commit(t.message(op, e.Title), nil)
		if err != nil {
			return err
		}
		out = nil
		for _, o := range done {
			out = append(out, t.outcome(o, c))
		}
		return nil
	})
	if err == nil && replaced && !out[0].Pending {
		h.notice(found.ID + " was resolved already: this outcome takes the place of the one that 'vault log " + found.ID + "' shows")
	}
	return out, err
}

// promotable says whether something can be promoted to a kind.
func promotable(k Kind, optional bool) error {
	switch k {
	case Decision, Convention, FailedPath:
		return nil
	case "":
		if optional {
			return nil
		}
	}
	return invalid("use decision, convention or failed_path", "nothing is promoted to %q", k)
}

// derived is a new entry that another one led to.
func (t *txn) derived(from entryfile.Entry, kind Kind, title, text string) entryfile.Entry {
	who := t.scope.home.opt.Writer
	e := entryfile.Entry{
		Kind: kind, Title: title, Body: entryfile.TrimBody(text), Tags: slices.Clone(from.Tags), Paths: slices.Clone(from.Paths),
		Created: t.now, Source: who.source(), Session: orDefault(who.Session, from.Session), Code: t.scope.codeCommit(),
		DerivedFrom: []string{from.ID},
	}
	if e.Title == "" {
		e.Title = entryfile.DefaultTitle(e.Body)
	}
	if e.Body == "" {
		e.Body = e.Title
	}
	return e
}

// message is the commit message of a change by whoever acts.
func (t *txn) message(op, title string) message {
	who := t.scope.home.opt.Writer
	return message{op: op, title: title, source: who.source(), session: who.Session}
}

// A Promotion turns a note or thread into something that lasts.
type Promotion struct {
	Scope string
	To    Kind   // decision, convention or failed_path
	Title string // by default that of what is promoted
	Text  string // the passage; by default the whole body
}

// Promote makes a decision, convention or failed path of a thread or of a
// passage of a trace, with its provenance. What it comes from stays.
func (h *Home) Promote(ctx context.Context, id string, p Promotion) (Change, error) {
	if err := promotable(p.To, false); err != nil {
		return Change{}, err
	}
	s, _, found, err := h.locate(ctx, p.Scope, id)
	if err != nil {
		return Change{}, err
	}
	if found.Kind == p.To {
		return Change{}, invalid("name another kind", "%s is a %s already", found.ID, found.Kind)
	}
	var out Change
	err = s.write(ctx, func(t *txn) error {
		l, err := t.again(found)
		if err != nil {
			return err
		}
		text, title := orDefault(p.Text, l.Body), p.Title
		if title == "" && p.Text == "" {
			title = l.Title
		}
		if p.Text != "" && !strings.Contains(l.Body, strings.TrimSpace(p.Text)) {
			return invalid("give a passage as it stands there, or use 'vault remember'", "%s does not hold that text", l.ID)
		}
		e := t.derived(l.Entry, p.To, title, text)
		made, err := t.propose(proposal{op: entryfile.OpAdd, after: e})
		if err != nil {
			return err
		}
		c, err := t.commit(t.message("promote", e.Title), nil)
		out = t.outcome(made, c)
		return err
	})
	return out, err
}

// A Settlement decides a merge conflict: which text an entry keeps.
type Settlement struct {
	Scope string
	Take  string  // "this": the text that stands; "other": the sibling's
	Text  *string // a text of the person's own, instead
}

// A Disagreement is an entry and the versions of it that a merge kept beside it.
type Disagreement struct {
	Entry    Entry            `json:"entry"`
	Siblings []Entry          `json:"siblings"`
	Wrote    map[string]Wrote `json:"wrote,omitempty"` // who wrote each version, by id, where the history tells
}

// Wrote says who brought a text in, and when.
type Wrote struct {
	Author string    `json:"author"`
	Time   time.Time `json:"time"`
	Commit string    `json:"commit"`
}

// Conflicts lists what merges could not decide, in the folder's scopes.
func (h *Home) Conflicts(ctx context.Context, scope string) ([]Disagreement, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []Disagreement{}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return out, err
		}
		list, err := t.entries(ctx)
		if err != nil {
			return out, s.fail(err)
		}
		byID, siblings := map[string]located{}, map[string][]Entry{}
		for _, l := range list {
			byID[l.ID] = l
			if l.Conflict != "" {
				siblings[l.Conflict] = append(siblings[l.Conflict], present(s.name, l))
			}
		}
		for _, id := range sortedKeys(siblings) {
			d := Disagreement{Siblings: siblings[id]}
			if l, ok := byID[id]; ok {
				d.Entry = present(s.name, l)
			}
			out = append(out, d)
		}
		if err := s.whoWrote(ctx, t.head, out); err != nil {
			return out, s.fail(err)
		}
	}
	return out, nil
}

// whoWrote finds the commits that brought the versions in. What is kept beside
// an entry was that entry's text where it was written.
func (s *Scope) whoWrote(ctx context.Context, head gitstore.Hash, list []Disagreement) error {
	type text struct{ origin, title, body string }
	wanted := map[text][]func(Wrote){}
	for i := range list {
		d := &list[i]
		for _, e := range append([]Entry{d.Entry}, d.Siblings...) {
			origin := orDefault(e.Conflict, e.ID)
			if e.ID == "" || e.Scope != s.name {
				continue
			}
			key := text{origin, e.Title, e.Body}
			wanted[key] = append(wanted[key], func(w Wrote) {
				if d.Wrote == nil {
					d.Wrote = map[string]Wrote{}
				}
				d.Wrote[e.ID] = w
			})
		}
	}
	if len(wanted) == 0 || head.IsZero() {
		return nil
	}
	r, err := s.open()
	if err != nil {
		return err
	}
	for c, err := range r.Log(ctx, head) {
		if err != nil || len(wanted) == 0 {
			return err
		}
		changes, err := s.commitChanges(ctx, r, c, "")
		if err != nil {
			return err
		}
		for _, ch := range changes {
			if ch.After == nil || len(c.Parents) > 1 {
				continue
			}
			key := text{ch.ID, ch.After.Title, entryfile.TrimBody(ch.After.Body)}
			for _, found := range wanted[key] {
				found(Wrote{c.Author.Name, c.Author.When.UTC(), c.Hash.String()})
			}
			delete(wanted, key)
		}
	}
	return nil
}

// Settle ends a disagreement about an entry, in one commit: the chosen text
// stands, and the versions beside it go. The id is the entry's or a sibling's.
func (h *Home) Settle(ctx context.Context, id string, c Settlement) (Change, error) {
	if err := h.personOnly("settling"); err != nil {
		return Change{}, err
	}
	s, _, found, err := h.locate(ctx, c.Scope, id)
	if err != nil {
		return Change{}, err
	}
	var out Change
	err = s.write(ctx, func(t *txn) error {
		main, siblings, err := t.disagreement(found.ID)
		if err != nil {
			return err
		}
		chosen := siblings[len(siblings)-1]
		for _, l := range siblings {
			if l.ID == found.ID {
				chosen = l
			}
		}
		if main == nil {
			// The entry itself is gone; a sibling that is chosen takes its place.
			main = &chosen
		}
		e := main.Entry.Clone()
		switch {
		case c.Text != nil:
			e.Body = entryfile.TrimBody(*c.Text)
		case c.Take == "other":
			e = chosen.Entry.Clone()
			e.ID, e.Created = main.ID, main.Created
		case c.Take != "this":
			return invalid("use this or other, or give a text", "%q is no choice", c.Take)
		}
		e.Conflict = ""
		e.Updated = later(t.now, main.Entry)
		if err := t.set(*main, e); err != nil {
			return err
		}
		for _, l := range siblings {
			if l.ID == main.ID {
				continue
			}
			if err := t.remove(l); err != nil {
				return err
			}
		}
		k, err := t.commit(t.message("settle", e.Title), nil)
		at := *main
		at.Entry = e
		out = t.result(at, k)
		return err
	})
	return out, err
}

// disagreement finds an entry and its siblings, by the id of any of them.
func (t *txn) disagreement(id string) (*located, []located, error) {
	list, err := t.tree.entries(t.ctx)
	if err != nil {
		return nil, nil, t.scope.fail(err)
	}
	origin := id
	for _, l := range list {
		if l.ID == id && l.Conflict != "" {
			origin = l.Conflict
		}
	}
	var main *located
	var siblings []located
	for _, l := range list {
		switch {
		case l.ID == origin:
			main = &l
		case l.Conflict == origin:
			siblings = append(siblings, l)
		}
	}
	if len(siblings) == 0 {
		return nil, nil, notFound("'vault status' counts them", "%s has no other version to settle", id)
	}
	return main, siblings, nil
}
