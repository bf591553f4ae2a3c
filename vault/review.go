package vault

import (
	"context"
	"slices"
	"sort"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// A card is a change of an agent that waits for a person: what it proposes
// (held), or, where it counts already, what stood before it (applied).
type card struct {
	entryfile.Card
	path string
}

// cardPaths lists the files of the open cards.
func (t *tree) cardPaths() []string {
	var out []string
	for p := range t.files {
		if entryfile.IsCard(p) {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// cards reads the open cards, the oldest first. One that can't be read is left
// out; a check reports it.
func (t *tree) cards() ([]card, error) {
	var out []card
	for _, p := range t.cardPaths() {
		data, err := t.files[p].bytes()
		if err != nil {
			return nil, err
		}
		if c, err := entryfile.ParseCard(data); err == nil {
			out = append(out, card{c, p})
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Created != out[j].Created {
			return out[i].Created < out[j].Created
		}
		return out[i].ID < out[j].ID
	})
	return out, nil
}

// isApplied reports whether a card's change counts already; current is the
// entry as it stands in the authored files, nil where it does not.
func (c card) isApplied(current *located) bool {
	switch c.Op {
	case entryfile.OpAdd:
		return current != nil
	case entryfile.OpEdit:
		return entryfile.Hash(c.Entry) == c.Base
	}
	return current == nil
}

// current is the authored entry a card is about, nil where there is none.
func (t *tree) current(id string) (*located, error) {
	found, err := t.find(id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// heldAdds are the entries that are only proposed so far, as their cards have
// them, whose ids begin with the prefix; an agent sees only its own.
func (t *tree) heldAdds(prefix string, who Writer) ([]located, error) {
	list, err := t.cards()
	if err != nil {
		return nil, err
	}
	var out []located
	for _, c := range list {
		if c.Op != entryfile.OpAdd || !c.HasEntry() || !strings.HasPrefix(c.EntryID, prefix) || who.IsAgent() && c.Source != who.source() {
			continue
		}
		e := c.Entry
		e.ID, e.Kind = c.EntryID, c.Kind
		out = append(out, located{entryfile.Section{Entry: e, Line: 1, Written: true}, c.path})
	}
	return out, nil
}

// writeCard puts a card into the pending change.
func (t *txn) writeCard(c entryfile.Card) error {
	data, err := c.Bytes()
	if err != nil {
		return t.scope.fail(err)
	}
	p := c.Path()
	t.tree.files[p] = textFile(p, data)
	t.mark(p)
	return nil
}

// dropCard takes a card out in the pending change.
func (t *txn) dropCard(c card) {
	delete(t.tree.files, c.path)
	t.mark(c.path)
}

func (t *txn) newCard(p proposal) (entryfile.Card, error) {
	who := t.scope.home.opt.Writer
	c := entryfile.Card{
		Op: p.op, EntryID: p.after.ID, Kind: p.after.Kind, Source: who.source(), Session: who.Session,
		Created: t.now, Code: t.scope.codeCommit(),
	}
	if p.after.Session != "" && c.Session == "" {
		c.Session = p.after.Session
	}
	if p.before != nil {
		c.Base = entryfile.Hash(p.before.Entry)
	}
	var err error
	c.ID, err = t.newID()
	return c, err
}

// hold makes a card of a proposal and leaves the authored files as they are.
func (t *txn) hold(p proposal) (outcome, error) {
	if p.after.ID == "" {
		id, err := t.newID()
		if err != nil {
			return outcome{}, err
		}
		p.after.ID = id
	}
	if err := t.check(p.after); err != nil {
		return outcome{}, err
	}
	c, err := t.newCard(p)
	if err != nil {
		return outcome{}, err
	}
	c.Entry = p.after
	if p.op == entryfile.OpAdd {
		c.ID = p.after.ID
	}
	mine, err := t.ownCard(p.after.ID)
	if err != nil {
		return outcome{}, err
	}
	if mine != nil {
		// The agent has thought again: its card says so now.
		c.ID, c.Base = mine.ID, mine.Base
	}
	if err := t.writeCard(c); err != nil {
		return outcome{}, err
	}
	t.touch(p.after.Kind, p.after.ID)
	return outcome{at: located{entryfile.Section{Entry: p.after}, c.Path()}, card: c.ID, pending: true}, nil
}

// ownCard is the held card by which the same agent, in the same session, asks
// for a change of an entry already.
func (t *txn) ownCard(id string) (*card, error) {
	who := t.scope.home.opt.Writer
	list, err := t.tree.cards()
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if c.EntryID != id || c.Source != who.source() || c.Session != who.Session {
			continue
		}
		now, err := t.tree.current(id)
		if err != nil {
			return nil, err
		}
		if !c.isApplied(now) {
			return &c, nil
		}
	}
	return nil, nil
}

// applyWithCard makes an agent's change count at once, and keeps what stood
// before it on a card.
func (t *txn) applyWithCard(p proposal) (outcome, error) {
	c, err := t.newCard(p)
	if err != nil {
		return outcome{}, err
	}
	at, err := t.make(p)
	if err != nil {
		return outcome{}, err
	}
	c.EntryID = at.ID
	if p.op == entryfile.OpAdd {
		c.ID = at.ID
	} else {
		c.Entry = p.before.Entry
	}
	return outcome{at: at, card: c.ID}, t.writeCard(c)
}

// Pending lists the cards of the folder's scopes, the oldest first: each as
// the entry it proposes, or, where its change counts already, as that stands.
// An agent is told only of its own.
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
			if who := h.opt.Writer; who.IsAgent() && c.Source != who.source() {
				continue
			}
			now, err := t.current(c.EntryID)
			if err != nil {
				return out, s.fail(err)
			}
			out = append(out, s.presentCard(c, now))
		}
	}
	return out, nil
}

func (s *Scope) presentCard(c card, now *located) Entry {
	l := located{entryfile.Section{Entry: c.Entry}, c.path}
	if c.isApplied(now) && now != nil {
		l = *now
	}
	l.ID, l.Kind = c.EntryID, c.Kind
	e := present(s.name, l)
	e.Card, e.Review, e.Source, e.Session = c.ID, c.Op, c.Source, orDefault(e.Session, c.Session)
	return e
}

// A CardView is all that a person decides a card by.
type CardView struct {
	Scope   string  `json:"scope"`
	Card    string  `json:"card"`
	Op      string  `json:"op"` // add, edit or forget
	Source  string  `json:"source"`
	Session string  `json:"session,omitempty"`
	Created string  `json:"created"`
	Code    string  `json:"code,omitempty"`
	Applied bool    `json:"applied"`          // it counts already; Restore puts Before back
	Before  *Entry  `json:"before,omitempty"` // without the change
	After   *Entry  `json:"after,omitempty"`  // with it
	Moved   bool    `json:"moved,omitempty"`  // the entry was changed after the card was made
	Alike   []Entry `json:"alike,omitempty"`  // entries that resemble the proposed one
	Version string  `json:"-"`                // changes when the card does, see DecideOptions
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
		t, err := s.read(ctx)
		if err != nil {
			return out, err
		}
		list, err := t.cards()
		if err != nil {
			return out, s.fail(err)
		}
		for _, c := range list {
			v, err := s.viewCard(ctx, t, c)
			if err != nil {
				return out, s.fail(err)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// Card returns one open card, named by its id or by its entry's where that has
// only one.
func (h *Home) Card(ctx context.Context, name string) (CardView, error) {
	if err := h.personOnly("reviewing"); err != nil {
		return CardView{}, err
	}
	groups, err := h.pickCards(ctx, []string{name}, DecideOptions{})
	if err != nil {
		return CardView{}, err
	}
	s := groups[0].scope
	t, err := s.read(ctx)
	if err != nil {
		return CardView{}, err
	}
	list, err := t.cards()
	if err != nil {
		return CardView{}, s.fail(err)
	}
	for _, c := range list {
		if c.ID == groups[0].ids[0] {
			v, err := s.viewCard(ctx, t, c)
			return v, s.fail(err)
		}
	}
	return CardView{}, notFound("'vault list --pending' shows them", "no open card %s", name)
}

func (s *Scope) viewCard(ctx context.Context, t *tree, c card) (CardView, error) {
	v := CardView{Scope: s.name, Card: c.ID, Op: c.Op, Source: c.Source, Session: c.Session, Created: c.Created, Code: c.Code}
	var err error
	if v.Version, err = t.files[c.path].contentHash(); err != nil {
		return v, err
	}
	now, err := t.current(c.EntryID)
	if err != nil {
		return v, err
	}
	entry := func(e entryfile.Entry, path string) *Entry {
		p := present(s.name, located{entryfile.Section{Entry: e}, path})
		return &p
	}
	v.Applied = c.isApplied(now)
	if now != nil {
		v.Moved = !v.Applied && c.Base != "" && entryfile.Hash(now.Entry) != c.Base
	}
	switch {
	case v.Applied:
		if c.HasEntry() {
			v.Before = entry(c.Entry, c.path)
		}
		if now != nil {
			v.After = entry(now.Entry, now.path)
		}
	default:
		if now != nil {
			v.Before = entry(now.Entry, now.path)
		}
		if c.Op != entryfile.OpForget {
			v.After = entry(c.Entry, c.path)
		}
	}
	if v.After != nil && c.Op != entryfile.OpForget {
		v.Alike, err = s.alike(ctx, t, c.Entry)
	}
	return v, err
}

// alike names the few entries that say nearly the same as one.
func (s *Scope) alike(ctx context.Context, t *tree, e entryfile.Entry) ([]Entry, error) {
	const most, least = 3, 0.4
	list, err := t.entries(ctx)
	if err != nil {
		return nil, err
	}
	words := wordSet(e.Title + " " + e.Body)
	type scored struct {
		located
		score float64
	}
	var near []scored
	for _, l := range list {
		if l.ID == e.ID {
			continue
		}
		if score := overlap(words, wordSet(l.Title+" "+l.Body)); score >= least {
			near = append(near, scored{l, score})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	var out []Entry
	for _, n := range near[:min(most, len(near))] {
		out = append(out, present(s.name, n.located))
	}
	return out, nil
}

// wordSet is the words of a text, for comparing it with others.
func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80
	}) {
		if len(w) > 2 {
			out[w] = true
		}
	}
	return out
}

// overlap is how much of the smaller of two word sets is in the other.
func overlap(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// DecideOptions says which cards are meant, and how far to go.
type DecideOptions struct {
	Scope string
	All   bool // every open card of the scopes
	Force bool // where the entry has changed since in the same place, take the card's text

	Version string // of the one card, as it was shown; if it has changed since, nothing is done and the error is a Conflict
}

// Keep makes cards' changes count, in one commit a scope. A card is named by
// its id, or by its entry's where that has only one. Where the entry has been
// changed since the card was made, both changes are merged; where they can't
// be, it does nothing and returns a Conflict.
func (h *Home) Keep(ctx context.Context, names []string, o DecideOptions) ([]Change, error) {
	return h.decide(ctx, "keep", names, o, (*txn).keepCard)
}

// Discard puts cards' changes back, in one commit a scope: a held one is
// dropped, one that counts already is undone by three-way merge.
func (h *Home) Discard(ctx context.Context, names []string, o DecideOptions) ([]Change, error) {
	return h.decide(ctx, "restore", names, o, (*txn).restoreCard)
}

func (h *Home) decide(ctx context.Context, op string, names []string, o DecideOptions, do func(*txn, card, bool) (located, error)) ([]Change, error) {
	if err := h.personOnly(op); err != nil {
		return nil, err
	}
	groups, err := h.pickCards(ctx, names, o)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, g := range groups {
		var changes []Change
		err := g.scope.write(ctx, func(t *txn) error {
			changes = nil
			list, err := t.tree.cards()
			if err != nil {
				return err
			}
			var done []located
			for _, c := range list {
				if !slices.Contains(g.ids, c.ID) {
					continue
				}
				if now, err := t.tree.files[c.path].contentHash(); err != nil {
					return err
				} else if o.Version != "" && now != o.Version {
					return conflict("look at it again", "card %s has changed since it was shown", c.ID)
				}
				l, err := do(t, c, o.Force)
				if err != nil {
					return err
				}
				t.dropCard(c)
				t.touch(l.Kind, l.ID)
				done = append(done, l)
			}
			if len(done) == 0 {
				return nil
			}
			k, err := t.commit(message{op: op, title: titles(done), source: h.opt.Writer.source()}, nil)
			if err != nil {
				return err
			}
			for _, l := range done {
				changes = append(changes, t.result(l, k))
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

// cardGroup is the cards of one scope that a decision is about.
type cardGroup struct {
	scope *Scope
	ids   []string
}

func (h *Home) pickCards(ctx context.Context, names []string, o DecideOptions) ([]cardGroup, error) {
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return nil, err
	}
	groups := make([]cardGroup, len(scopes))
	found := make([]int, len(names))
	for i, s := range scopes {
		groups[i].scope = s
		t, err := s.read(ctx)
		if err != nil {
			return nil, err
		}
		list, err := t.cards()
		if err != nil {
			return nil, s.fail(err)
		}
		for _, c := range list {
			if o.All {
				groups[i].ids = append(groups[i].ids, c.ID)
			}
		}
		for n, name := range names {
			p, err := idPrefix(name)
			if err != nil {
				return nil, err
			}
			for _, id := range matchCards(list, p) {
				found[n]++
				groups[i].ids = append(groups[i].ids, id)
			}
		}
	}
	for n, name := range names {
		switch {
		case found[n] == 0:
			return nil, notFound("'vault list --pending' shows them", "no open card %s", name)
		case found[n] > 1:
			return nil, invalid("name the card by its own id, as 'vault list --pending' shows it", "%s has %d open cards", name, found[n])
		}
	}
	return slices.DeleteFunc(groups, func(g cardGroup) bool { return len(g.ids) == 0 }), nil
}

// matchCards finds the cards that a prefix names: by their own ids, else by
// their entries'.
func matchCards(list []card, prefix string) []string {
	var byCard, byEntry []string
	for _, c := range list {
		if strings.HasPrefix(c.ID, prefix) {
			byCard = append(byCard, c.ID)
		}
		if strings.HasPrefix(c.EntryID, prefix) {
			byEntry = append(byEntry, c.ID)
		}
	}
	if len(byCard) == 1 {
		return byCard
	}
	return slices.Compact(append(byCard, byEntry...))
}

// keepCard makes a card's change count.
func (t *txn) keepCard(c card, force bool) (located, error) {
	now, err := t.tree.current(c.EntryID)
	if err != nil {
		return located{}, t.scope.fail(err)
	}
	if c.isApplied(now) {
		if now != nil {
			return *now, nil
		}
		return located{entryfile.Section{Entry: c.Entry}, c.path}, nil
	}
	switch c.Op {
	case entryfile.OpAdd:
		return t.add(c.Entry)
	case entryfile.OpForget:
		if now != nil && entryfile.Hash(now.Entry) != c.Base && !force {
			return located{}, t.moved(c, now, nil)
		}
		return *now, t.remove(*now)
	}
	if now == nil {
		if !force {
			return located{}, t.moved(c, nil, &c.Entry)
		}
		return t.add(c.Entry)
	}
	merged := c.Entry
	if entryfile.Hash(now.Entry) != c.Base {
		base, err := t.versionWithHash(c.EntryID, c.Base)
		if err != nil {
			return located{}, err
		}
		m := merge.Entries(base, &now.Entry, &c.Entry, merge.Revert)
		if len(m.Fields) > 0 && !force || m.Entry == nil {
			return located{}, t.moved(c, now, &c.Entry)
		}
		merged = *m.Entry
		merged.Updated = later(t.now, now.Entry)
	}
	at := *now
	at.Entry = merged
	return at, t.set(*now, merged)
}

// moved is the refusal to decide a card over an entry that has changed since
// in the same place.
func (t *txn) moved(c card, now *located, proposed *entryfile.Entry) error {
	k := merge.Conflict{ID: c.EntryID, Kind: c.Kind, Theirs: proposed}
	what := "was forgotten"
	if now != nil {
		k.Ours = &now.Entry
		what = "was changed"
	}
	return &Error{Code: Conflict, Message: "entry " + c.EntryID + " " + what + " since the card was made, in the same place",
		Hint: "choose with --force for the card's text, or restore the card to leave the entry as it is", Err: &LostChange{[]merge.Conflict{k}}}
}

// restoreCard puts a card's change back.
func (t *txn) restoreCard(c card, force bool) (located, error) {
	now, err := t.tree.current(c.EntryID)
	if err != nil {
		return located{}, t.scope.fail(err)
	}
	held := located{entryfile.Section{Entry: c.Entry}, c.path}
	held.ID, held.Kind = c.EntryID, c.Kind
	if !c.isApplied(now) {
		return held, nil
	}
	var before *entryfile.Entry
	if c.HasEntry() {
		before = &c.Entry
	}
	if now == nil {
		return t.add(c.Entry)
	}
	applied, err := t.versionApplied(c)
	if err != nil {
		return located{}, err
	}
	m := merge.Entries(applied, &now.Entry, before, merge.Revert)
	if len(m.Fields) > 0 && !force {
		return located{}, t.moved(c, now, before)
	}
	if m.Entry == nil {
		return *now, t.remove(*now)
	}
	restored := *m.Entry
	restored.Updated = later(t.now, now.Entry)
	at := *now
	at.Entry = restored
	return at, t.set(*now, restored)
}

// versionWithHash finds the version of an entry that a card was made on; nil
// where the history does not hold it.
func (t *txn) versionWithHash(id, hash string) (*entryfile.Entry, error) {
	var found *entryfile.Entry
	err := t.versions(func(_ *gitstore.Commit, ch merge.Change) bool {
		for _, e := range []*entryfile.Entry{ch.After, ch.Before} {
			if e != nil && entryfile.Hash(*e) == hash {
				found = e
			}
		}
		return found == nil
	}, id)
	return found, err
}

// versionApplied is the entry as a card's own commit made it.
func (t *txn) versionApplied(c card) (*entryfile.Entry, error) {
	var found *entryfile.Entry
	err := t.versions(func(k *gitstore.Commit, ch merge.Change) bool {
		h, err := fileAt(t.repo, k.Hash, c.path)
		if err != nil || h.IsZero() {
			return true
		}
		found = ch.After // of the oldest commit that has the card
		return true
	}, c.EntryID)
	return found, err
}

// versions goes back through the changes of one entry, the newest first, until
// yield says no.
func (t *txn) versions(yield func(*gitstore.Commit, merge.Change) bool, id string) error {
	for c, err := range t.repo.Log(t.ctx, t.tree.head) {
		if err != nil {
			return t.scope.fail(err)
		}
		changes, err := t.scope.commitChanges(t.ctx, t.repo, c, id)
		if err != nil {
			return t.scope.fail(err)
		}
		for _, ch := range changes {
			if !yield(c, ch) {
				return nil
			}
		}
	}
	return nil
}
