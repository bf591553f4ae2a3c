package vault

import (
	"context"
	"slices"
	"strings"
	"time"

	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// An Edit says what to change of an entry; a nil field stays as it is.
type Edit struct {
	Scope       string // where to look; everywhere in the folder's scopes by default
	Title       *string
	Description *string
	Text        *string
	Tags        *[]string
	Pin         *bool
	Paths       *[]string
	Evidence    *string
	Supersedes  *[]string
	Expires     *string

	was *Edit // what the fields said when the person began, see Since
}

// Since is the edit without the fields that say what they said before. Where
// somebody else has changed one of the others meanwhile, the edit is refused as
// a Conflict instead of taking that back.
func (ed Edit) Since(was Edit) Edit {
	drop := func(now **string, was *string) {
		if *now != nil && was != nil && **now == *was {
			*now = nil
		}
	}
	dropList := func(now **[]string, was *[]string) {
		if *now != nil && was != nil && slices.Equal(**now, *was) {
			*now = nil
		}
	}
	drop(&ed.Title, was.Title)
	drop(&ed.Description, was.Description)
	drop(&ed.Text, was.Text)
	drop(&ed.Evidence, was.Evidence)
	drop(&ed.Expires, was.Expires)
	dropList(&ed.Tags, was.Tags)
	dropList(&ed.Paths, was.Paths)
	dropList(&ed.Supersedes, was.Supersedes)
	if ed.Pin != nil && was.Pin != nil && *ed.Pin == *was.Pin {
		ed.Pin = nil
	}
	ed.was = &was
	return ed
}

// overtaken refuses an edit of a text that somebody else has changed since it
// was begun.
func (ed Edit) overtaken(e entryfile.Entry) error {
	if ed.was == nil {
		return nil
	}
	for _, f := range []struct {
		name     string
		new, was *string
		now      string
	}{
		{"title", ed.Title, ed.was.Title, e.Title}, {"description", ed.Description, ed.was.Description, e.Description},
		{"body", ed.Text, ed.was.Text, e.Body}, {"evidence", ed.Evidence, ed.was.Evidence, e.Evidence},
		{"expires", ed.Expires, ed.was.Expires, e.Expires},
	} {
		if f.new != nil && f.was != nil && f.now != *f.was && f.now != *f.new {
			return conflict("look at it with 'vault get "+e.ID+"'", "the %s of %s was changed while you edited it", f.name, e.ID)
		}
	}
	return nil
}

// Edit changes one entry, in one commit. An edit that changes nothing makes
// none and is answered with Unchanged.
func (h *Home) Edit(ctx context.Context, id string, ed Edit) (Change, error) {
	s, _, found, err := h.locate(ctx, ed.Scope, id)
	if err != nil {
		return Change{}, err
	}
	var out Change
	err = s.write(ctx, func(t *txn) error {
		l, err := t.again(found)
		if err != nil {
			return err
		}
		from, own, err := t.latest(l)
		if err != nil {
			return err
		}
		if err := ed.overtaken(from); err != nil {
			return err
		}
		e, err := t.applied(from, ed)
		if err != nil {
			return err
		}
		setAllowed(&e, h.letIn(secrets.ScanEntry(e), &from))
		if entryfile.Hash(e) == entryfile.Hash(from) {
			out = t.same(l, from, own)
			return nil
		}
		e.Updated = later(t.now, from)
		done, err := t.propose(proposal{op: entryfile.OpEdit, before: &l, after: e})
		if err != nil {
			return err
		}
		c, err := t.commit(message{op: "edit", title: e.Title, source: h.opt.Writer.source(), session: h.opt.Writer.Session}, nil)
		out = t.outcome(done, c)
		return err
	})
	return out, err
}

// latest is an entry as whoever acts has it last: an agent that asks for an
// edit of it already goes on from what it proposed. The second result is the
// card that says so, "" for none.
func (t *txn) latest(l located) (entryfile.Entry, string, error) {
	if entryfile.IsCard(l.path) {
		c, err := t.tree.cardAt(l.path)
		return l.Entry, c.ID, t.scope.fail(err)
	}
	c, err := t.ownCard(l.ID)
	if err != nil || c == nil || c.Op != entryfile.OpEdit {
		return l.Entry, "", err
	}
	return c.proposed().Entry, c.ID, nil
}

// same is the answer to a change that changes nothing.
func (t *txn) same(l located, e entryfile.Entry, card string) Change {
	l.Entry = e
	return Change{Entry: t.present(l), Unchanged: true, Pending: card != "", Card: card}
}

// applied is the entry with an edit applied.
func (t *txn) applied(e entryfile.Entry, ed Edit) (entryfile.Entry, error) {
	e = e.Clone()
	var err error
	heading := e.Body == e.Title
	chosen := e.Title != entryfile.DefaultTitle(e.Body)
	if ed.Text != nil {
		e.Body = entryfile.TrimBody(*ed.Text)
		if e.Body == "" && ed.Title == nil {
			return e, invalid("use 'vault forget' to take the entry out", "the new text is empty")
		}
		if !chosen && ed.Title == nil {
			e.Title = entryfile.DefaultTitle(e.Body)
		}
	}
	if ed.Title != nil {
		e.Title = strings.TrimSpace(*ed.Title)
		if heading && ed.Text == nil || e.Body == "" {
			e.Body = e.Title
		}
	}
	setText(&e.Description, ed.Description)
	setText(&e.Evidence, ed.Evidence)
	setText(&e.Expires, ed.Expires)
	if ed.Tags != nil {
		e.Tags = slices.Clone(*ed.Tags)
	}
	if ed.Pin != nil {
		e.Pinned = *ed.Pin
	}
	if ed.Paths != nil {
		e.Paths = nil
		for _, p := range *ed.Paths {
			seen, err := t.scope.pathSeen(p)
			if err != nil {
				return e, err
			}
			e.Paths = append(e.Paths, seen)
		}
	}
	if ed.Supersedes != nil {
		before := e.Supersedes
		if e.Supersedes, err = t.resolve(*ed.Supersedes); err != nil {
			return e, err
		}
		if err := t.refuseCircle(e, before); err != nil {
			return e, err
		}
	}
	return e, nil
}

func setText(field *string, value *string) {
	if value != nil {
		*field = strings.TrimSpace(*value)
	}
}

// later is the time of a change to an entry: now, or a second after its last
// change where the clock says less.
func later(now string, e entryfile.Entry) string {
	last := parseStamp(e.Changed())
	if last.IsZero() || parseStamp(now).After(last) {
		return now
	}
	return entryfile.Stamp(last.Add(time.Second))
}

// Forget takes entries out of the authored files, in one commit a scope. They
// stay in the history, and 'restore' brings them back.
func (h *Home) Forget(ctx context.Context, scope string, ids []string, reason string) ([]Change, error) {
	type target struct {
		scope *Scope
		found []located
	}
	reason = oneLine(reason)
	if err := h.refuseSecretText("reason", reason); err != nil {
		return nil, err
	}
	var targets []*target
	for _, id := range ids {
		s, _, l, err := h.locate(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(targets, func(t *target) bool { return t.scope.dir == s.dir })
		if i < 0 {
			targets = append(targets, &target{scope: s})
			i = len(targets) - 1
		}
		if !slices.ContainsFunc(targets[i].found, func(o located) bool { return o.ID == l.ID && o.path == l.path }) {
			targets[i].found = append(targets[i].found, l)
		}
	}
	var out []Change
	for _, tg := range targets {
		var changes []Change
		err := tg.scope.write(ctx, func(t *txn) error {
			changes = nil
			var gone []located
			var done []outcome
			for _, f := range tg.found {
				l, err := t.again(f)
				if err != nil {
					return err
				}
				o, err := t.propose(proposal{op: entryfile.OpForget, before: &l, after: l.Entry, reason: reason})
				if err != nil {
					return err
				}
				if !h.opt.Writer.IsAgent() {
					if err := t.dropDecided(l.ID); err != nil {
						return err
					}
				}
				if o.held {
					l.Title = "the proposal for " + l.Title
				}
				gone = append(gone, l)
				done = append(done, o)
			}
			c, err := t.commit(message{op: "forget", title: titles(gone), reason: reason,
				source: h.opt.Writer.source(), session: h.opt.Writer.Session}, nil)
			if err != nil {
				return err
			}
			for _, o := range done {
				changes = append(changes, t.outcome(o, c))
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out = append(out, changes...)
	}
	return out, nil
}

// dropDecided takes out the cards that a person's forgetting of an entry has
// decided: those whose change counted already, and those to forget it. What
// else is proposed for it has not been looked at, and stays.
func (t *txn) dropDecided(id string) error {
	list, err := t.tree.cards()
	if err != nil {
		return t.scope.fail(err)
	}
	for _, c := range list {
		if c.EntryID == id && (c.isApplied() || c.Op == entryfile.OpForget) {
			t.dropCard(c)
		}
	}
	return nil
}

// titles names what a change of several entries is about.
func titles(list []located) string {
	if len(list) == 1 {
		return list[0].Title
	}
	return countEntries(len(list))
}
