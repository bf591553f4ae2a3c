package vault

import (
	"context"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// Pending lists the cards of the folder's scopes, the oldest first: each as
// the entry it proposes, or, where its change counts already, as that stands;
// behind them what others changed, and nobody has looked at, see Unseen.
// An agent is told only that its own wait.
func (h *Home) Pending(ctx context.Context, scope string) ([]Entry, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []Entry{}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return out, err
		}
		list, err := t.cards()
		if err != nil {
			return out, s.fail(err)
		}
		for _, c := range list {
			if who := h.opt.Writer; who.IsAgent() {
				if c.Source == who.source() {
					out = append(out, s.waiting(c))
				}
				continue
			}
			now, err := t.current(c.EntryID)
			if err != nil {
				return out, s.fail(err)
			}
			out = append(out, s.presentCard(c, now))
		}
		others, err := t.unseenChanges(s.name)
		if err != nil {
			return out, s.fail(err)
		}
		for _, u := range others {
			if !h.opt.Writer.IsAgent() {
				out = append(out, u.pending())
			}
		}
	}
	return out, nil
}

// presentCard is a card as a person sees it in a list.
func (s *Scope) presentCard(c card, now *located) Entry {
	l := c.proposed()
	if (c.isApplied() || c.Op == entryfile.OpForget) && now != nil {
		l = *now
	}
	e := present(s.name, l)
	e.Card, e.Review, e.Source, e.Session = c.ID, c.Op, c.Source, orDefault(c.Session, e.Session)
	return e
}

// waiting is all that an agent gets to see of a card of its own: that it waits,
// and nothing of a text that no person has seen.
func (s *Scope) waiting(c card) Entry {
	return Entry{
		ID: c.EntryID, Scope: s.name, Kind: c.Kind, Title: "(waits for a person's review)",
		Review: c.Op, Card: c.ID, Source: c.Source, Session: c.Session, Created: parseStamp(c.Created),
	}
}

// A CardView is all that a person decides a card by.
type CardView struct {
	Scope    string  `json:"scope"`
	Card     string  `json:"card"`
	Op       string  `json:"op"` // add, edit or forget
	Source   string  `json:"source"`
	Session  string  `json:"session,omitempty"`
	Created  string  `json:"created"`
	Code     string  `json:"code,omitempty"`
	Reason   string  `json:"reason,omitempty"`   // why, in the agent's words
	Applied  bool    `json:"applied"`            // it counts already; Restore puts Before back
	Before   *Entry  `json:"before,omitempty"`   // without the change
	After    *Entry  `json:"after,omitempty"`    // with it
	Moved    bool    `json:"moved,omitempty"`    // the entry was changed after the card was made, and After has both changes
	Conflict bool    `json:"conflict,omitempty"` // they can't both be: After is the card's text, and Keep asks for a choice
	Alike    []Entry `json:"alike,omitempty"`    // entries and other cards that may say the same, or the opposite
	Version  string  `json:"-"`                  // changes when the card does, see DecideOptions
}

// Cards returns the open cards with what a person decides them by.
func (h *Home) Cards(ctx context.Context, scope string) ([]CardView, error) {
	if err := h.personOnly("reviewing"); err != nil {
		return nil, err
	}
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []CardView{}
	for _, s := range scopes {
		views, err := s.cardViews(ctx)
		if err != nil {
			return out, err
		}
		out = append(out, views...)
	}
	return out, nil
}

// Card returns one open card as it stands now. It is named by its id, or by its
// entry's where that has only one.
func (h *Home) Card(ctx context.Context, name string) (CardView, error) {
	if err := h.personOnly("reviewing"); err != nil {
		return CardView{}, err
	}
	groups, err := h.pickCards(ctx, []string{name}, DecideOptions{})
	if err != nil {
		return CardView{}, err
	}
	s := groups[0].scope
	r, err := s.open()
	if err != nil {
		return CardView{}, err
	}
	t, err := s.read(ctx)
	if err != nil {
		return CardView{}, err
	}
	list, err := t.cards()
	if err != nil {
		return CardView{}, s.fail(err)
	}
	for _, c := range list {
		if c.ID != groups[0].ids[0] {
			continue
		}
		v, err := s.viewCard(ctx, r, t, c)
		if err != nil {
			return v, s.fail(err)
		}
		near, err := s.neighbours(ctx, t, list)
		if err == nil {
			v.Alike = near.of(v)
		}
		return v, s.fail(err)
	}
	return CardView{}, notFound("'vault list --pending' shows them", "no open card %s", name)
}

func (s *Scope) cardViews(ctx context.Context) ([]CardView, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	t, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	list, err := t.cards()
	if err != nil || len(list) == 0 {
		return nil, s.fail(err)
	}
	near, err := s.neighbours(ctx, t, list)
	if err != nil {
		return nil, s.fail(err)
	}
	out := make([]CardView, len(list))
	for i, c := range list {
		if out[i], err = s.viewCard(ctx, r, t, c); err != nil {
			return nil, s.fail(err)
		}
		out[i].Alike = near.of(out[i])
	}
	return out, nil
}

func (s *Scope) viewCard(ctx context.Context, r *gitstore.Repo, t *tree, c card) (CardView, error) {
	v := CardView{Scope: s.name, Card: c.ID, Op: c.Op, Source: c.Source, Session: c.Session, Created: c.Created, Code: c.Code, Reason: c.Reason,
		Applied: c.isApplied()}
	var err error
	if v.Version, err = t.files[c.path].contentHash(); err != nil {
		return v, err
	}
	now, err := t.current(c.EntryID)
	if err != nil {
		return v, err
	}
	var stands, other *Entry
	if now != nil {
		e := present(s.name, *now)
		stands = &e
	}
	if c.HasEntry() {
		e := present(s.name, c.proposed())
		other = &e
	}
	switch {
	case v.Applied:
		v.Before, v.After = other, stands
	case c.Op == entryfile.OpForget:
		v.Before = stands
		v.Conflict = now != nil && entryfile.Hash(now.Entry) != c.Base
	default:
		v.Before, v.After = stands, other
		if now == nil && c.Op == entryfile.OpAdd || now != nil && entryfile.Hash(now.Entry) == c.Base {
			return v, nil
		}
		m, err := s.keeping(ctx, r, t.head, c, now)
		if err != nil {
			return v, err
		}
		if v.Conflict = len(m.Fields) > 0; !v.Conflict {
			l := c.proposed()
			l.Entry = *m.Entry
			e := present(s.name, l)
			v.Moved, v.After = true, &e
		}
	}
	return v, nil
}
