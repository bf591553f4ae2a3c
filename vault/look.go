package vault

import (
	"context"
	"slices"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// An UnseenChange is what others did to an entry, which does not count for
// agents here before the person has looked at it.
type UnseenChange struct {
	Scope   string    `json:"scope"`
	ID      string    `json:"id"`
	Op      string    `json:"op"` // add, edit or forget
	Commit  string    `json:"commit"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"`
	Before  *Entry    `json:"before,omitempty"`
	After   *Entry    `json:"after,omitempty"`
	Version string    `json:"-"` // changes when the change does, see DecideOptions
}

// Shown is the entry that the change is about.
func (u UnseenChange) Shown() *Entry {
	if u.After != nil {
		return u.After
	}
	return u.Before
}

// version is what a mark is about: another change of the entry gives another.
func (m unseenMark) version() string {
	return unseenVersion + strings.Join(m.Texts, " ") + " " + string(m.Was)
}

// unseenVersion tells the version of such a change from a card's.
const unseenVersion = "unseen "

// Unseen lists what others' commits did and the person has not looked at.
func (h *Home) Unseen(ctx context.Context, scope string) ([]UnseenChange, error) {
	if err := h.personOnly("reviewing"); err != nil {
		return nil, err
	}
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []UnseenChange{}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return out, err
		}
		list, err := t.unseenChanges(s.name)
		if err != nil {
			return out, s.fail(err)
		}
		out = append(out, list...)
	}
	return out, nil
}

func (t *tree) unseenChanges(scope string) ([]UnseenChange, error) {
	var out []UnseenChange
	for _, id := range sortedKeys(t.unseen) {
		h, err := t.held(id)
		if err != nil {
			return nil, err
		}
		if h == nil {
			continue
		}
		m := t.unseen[id]
		u := UnseenChange{Scope: scope, ID: id, Op: entryfile.OpForget, Commit: m.Commit, Author: m.Author, Time: m.Time, Version: m.version()}
		if h.was != nil {
			e := present(scope, *h.was)
			u.Before = &e
		}
		if len(h.theirs) > 0 {
			e := present(scope, h.theirs[0])
			u.After, u.Op = &e, entryfile.OpEdit
			if u.Before == nil {
				u.Op = entryfile.OpAdd
			}
		}
		if u.Before != nil || u.After != nil {
			out = append(out, u)
		}
	}
	return out, nil
}

// pending is the change as a person sees it in a list.
func (u UnseenChange) pending() Entry {
	e := *u.Shown()
	e.Card, e.Review, e.Source = u.ID, u.Op, u.Author
	return e
}

// pickUnseen finds the changes that names mean, or with All all of them, by
// scope. Names that mean none are given back.
func (h *Home) pickUnseen(ctx context.Context, names []string, o DecideOptions) (picked map[string][]UnseenChange, rest []string, err error) {
	if o.Version != "" && !strings.HasPrefix(o.Version, unseenVersion) {
		return nil, names, nil // a card is meant
	}
	list, err := h.Unseen(ctx, o.Scope)
	if err != nil || len(list) == 0 {
		return nil, names, err
	}
	wanted := make([]bool, len(list))
	for _, name := range names {
		p, err := idPrefix(name)
		n := 0
		for i, u := range list {
			if err == nil && strings.HasPrefix(u.ID, p) {
				wanted[i] = true
				n++
			}
		}
		switch {
		case n == 0:
			rest = append(rest, name)
		case n > 1:
			return nil, nil, manyCards(name, n)
		case o.Version == "":
			if _, _, err := h.pickCard(ctx, p, o.Scope); CodeOf(err) != NotFound || err == nil {
				return nil, nil, invalid("'vault review' goes through both", "%s could be a change that waits and one that others pushed", name)
			}
		}
	}
	picked = map[string][]UnseenChange{}
	for i, u := range list {
		if !wanted[i] && !o.All {
			continue
		}
		if o.Version != "" && u.Version != o.Version {
			return nil, nil, conflict("look at it again", "%s has changed since it was shown", u.ID)
		}
		picked[u.Scope] = append(picked[u.Scope], u)
	}
	return picked, rest, nil
}

// look takes the marks off the named entries, or off all, and reports which
// those were. Names that mean none are given back.
func (h *Home) look(ctx context.Context, names []string, o DecideOptions) (done []Change, rest []string, err error) {
	picked, rest, err := h.pickUnseen(ctx, names, o)
	if err != nil || len(picked) == 0 {
		return nil, rest, err
	}
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return nil, rest, err
	}
	for _, s := range scopes {
		if len(picked[s.name]) == 0 {
			continue
		}
		state := s.readUnseen()
		for _, u := range picked[s.name] {
			if m, ok := state.Entries[u.ID]; ok && m.version() == u.Version {
				delete(state.Entries, u.ID)
				done = append(done, Change{Entry: *u.Shown()})
			}
		}
		if err := s.writeUnseen(state); err != nil {
			return done, rest, err
		}
	}
	return done, rest, nil
}

// putBack makes entries what they were before others changed them.
func (t *txn) putBack(ids []string) ([]located, error) {
	var done []located
	for _, id := range ids {
		h, err := t.tree.held(id)
		if err != nil {
			return nil, t.scope.fail(err)
		}
		if h == nil {
			continue
		}
		l, err := t.putOneBack(h)
		if err != nil {
			return nil, err
		}
		done = append(done, l)
	}
	return done, nil
}

func (t *txn) putOneBack(h *held) (at located, err error) {
	rest, was := slices.Clone(h.theirs), h.was
	if h.beside {
		was = nil
	}
	if was != nil {
		e := was.Entry
		if i := slices.IndexFunc(rest, func(l located) bool { return l.Kind == e.Kind }); i >= 0 {
			at = rest[i]
			rest = slices.Delete(rest, i, i+1)
			e.Updated = later(t.now, at.Entry)
			if err := t.set(at, e); err != nil {
				return at, err
			}
			at.Entry = e
			was = nil
		}
	}
	for _, l := range rest {
		if err := t.remove(l); err != nil {
			return l, err
		}
		if at.ID == "" {
			at = l
		}
	}
	if was != nil {
		return t.addAgain(was.Entry, &was.Entry)
	}
	return at, nil
}
