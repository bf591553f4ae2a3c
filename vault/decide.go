package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// DecideOptions says which cards are meant, and how far to go.
type DecideOptions struct {
	Scope string
	All   bool // every open card of the scopes
	Force bool // where the entry has changed since in the same place, take the card's text

	Version string // of the one card, as it was shown; if it has changed since, nothing is done and the error is a Conflict
}

// Keep makes cards' changes count, in one commit a scope. A card is named by
// its id, by its entry's where that has only one, or with all others by the
// commit that made them. Where the entry has been changed since the card was
// made, both changes are merged; where they can't be, it does nothing and
// returns a Conflict. With All the others are kept all the same. What others
// pushed, and is kept from being offered, is named by its entry's id.
func (h *Home) Keep(ctx context.Context, names []string, o DecideOptions) ([]Change, error) {
	if err := h.personOnly("keep"); err != nil {
		return nil, err
	}
	looked, rest, err := h.look(ctx, names, o)
	if err != nil || len(rest) == 0 && !o.All {
		return looked, err
	}
	done, err := h.decide(ctx, "keep", rest, o)
	return append(looked, done...), err
}

// Discard puts cards' changes back, in one commit a scope: a held one is
// dropped, one that counts already is undone by three-way merge. What others
// pushed, and nobody has looked at, becomes again what it was before.
func (h *Home) Discard(ctx context.Context, names []string, o DecideOptions) ([]Change, error) {
	if err := h.personOnly("restore"); err != nil {
		return nil, err
	}
	picked, rest, err := h.pickUnseen(ctx, names, o)
	if err != nil {
		return nil, err
	}
	var done []Change
	for _, name := range sortedKeys(picked) {
		s, err := h.Scope(name)
		if err != nil {
			return done, err
		}
		w := restoration{verb: "restore"}
		for _, u := range picked[name] {
			w.unseen = append(w.unseen, u.ID)
		}
		r, err := s.restore(ctx, w)
		done = append(done, r.Changes...)
		if err != nil {
			return done, err
		}
	}
	if len(rest) == 0 && !o.All {
		return done, nil
	}
	more, err := h.decide(ctx, "restore", rest, o)
	return append(done, more...), err
}

func (h *Home) decide(ctx context.Context, op string, names []string, o DecideOptions) ([]Change, error) {
	if err := h.personOnly(op); err != nil {
		return nil, err
	}
	groups, err := h.pickCards(ctx, names, o)
	if err != nil {
		return nil, err
	}
	out := []Change{}
	var left error
	for _, g := range groups {
		done, skipped, err := g.scope.decide(ctx, op, g.ids, o)
		out = append(out, done...)
		if err != nil {
			return out, errors.Join(err, left)
		}
		if left == nil {
			left = skipped
		}
	}
	return out, left
}

// decide keeps or puts back cards of one scope. With All, those that need a
// person's choice are left open, and the first of them is the second result.
func (s *Scope) decide(ctx context.Context, op string, ids []string, o DecideOptions) (changes []Change, left, err error) {
	err = s.write(ctx, func(t *txn) error {
		changes, left = nil, nil
		list, err := t.chosen(op, ids)
		if err != nil {
			return err
		}
		var done []located
		for _, c := range list {
			if now, err := t.tree.files[c.path].contentHash(); err != nil {
				return err
			} else if o.Version != "" && now != o.Version {
				return conflict("look at it again", "card %s has changed since it was shown", c.ID)
			}
			l, err := t.decideCard(op, c, o.Force)
			if o.All && CodeOf(err) == Conflict {
				left = firstOf(left, err)
				continue
			}
			if err != nil {
				return err
			}
			done = append(done, l)
		}
		if len(done) == 0 {
			return nil
		}
		k, err := t.commit(t.message(op, titles(done)), nil)
		for _, l := range done {
			changes = append(changes, t.result(l, k))
		}
		return err
	})
	return changes, left, err
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// chosen reads the named cards that are still open, in the order in which they
// are decided: what came first is kept first, and put back last.
func (t *txn) chosen(op string, ids []string) ([]card, error) {
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	list = slices.DeleteFunc(list, func(c card) bool { return !slices.Contains(ids, c.ID) })
	if op != "keep" {
		slices.Reverse(list)
	}
	return list, nil
}

// decideCard keeps a card or puts it back. The card goes.
func (t *txn) decideCard(op string, c card, force bool) (located, error) {
	do := t.restoreCard
	if op == "keep" {
		do = t.keepCard
	}
	l, err := do(c, force)
	if err != nil {
		return l, err
	}
	t.dropCard(c)
	t.touch(l.Kind, l.ID)
	return l, nil
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
				continue // a commit's, see below
			}
			ids := matchCards(list, p)
			found[n] += len(ids)
			groups[i].ids = append(groups[i].ids, ids...)
		}
	}
	for n, name := range names {
		switch {
		case found[n] > 1:
			return nil, manyCards(name, found[n])
		case found[n] == 0:
			if err := h.pickByCommit(ctx, name, o.Scope, groups); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(groups, func(g cardGroup) bool { return len(g.ids) == 0 }), nil
}

// pickByCommit adds the open cards that a commit made or changed.
func (h *Home) pickByCommit(ctx context.Context, name, scope string, groups []cardGroup) error {
	none := notFound("'vault list --pending' shows them", "no open card %s", name)
	s, _, c, err := h.findCommit(scope, name)
	if err != nil {
		if CodeOf(err) == NotFound {
			return none
		}
		return err
	}
	ids, err := s.cardsOf(ctx, c)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return none
	}
	for i := range groups {
		if groups[i].scope.dir == s.dir {
			groups[i].ids = append(groups[i].ids, ids...)
		}
	}
	return nil
}

// cardsOf lists the cards that a commit made or changed and that are open now.
func (s *Scope) cardsOf(ctx context.Context, c *gitstore.Commit) ([]string, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	t, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	parent, err := parentTree(r, c)
	if err != nil {
		return nil, s.fail(err)
	}
	paths, err := r.DiffTrees(parent, c.Tree)
	if err != nil {
		return nil, s.fail(err)
	}
	var ids []string
	for _, p := range paths {
		if t.files[p.Path] == nil || !entryfile.IsCard(p.Path) || p.New.Hash.IsZero() {
			continue
		}
		if c, err := t.cardAt(p.Path); err == nil {
			ids = append(ids, c.ID)
		}
	}
	return ids, nil
}

// parentTree is the tree that a commit changed: its first parent's, none for
// the first commit.
func parentTree(r *gitstore.Repo, c *gitstore.Commit) (gitstore.Hash, error) {
	if len(c.Parents) == 0 {
		return gitstore.Hash{}, nil
	}
	p, err := r.Commit(c.Parents[0])
	if err != nil {
		return gitstore.Hash{}, err
	}
	return p.Tree, nil
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
	if len(byCard) == 1 && (len(prefix) == entryfile.IDLength || len(byEntry) == 0) {
		return byCard
	}
	all := append(byCard, byEntry...)
	slices.Sort(all)
	return slices.Compact(all)
}

// keepCard makes a card's change count.
func (t *txn) keepCard(c card, force bool) (located, error) {
	now, err := t.tree.current(c.EntryID)
	if err != nil {
		return located{}, t.scope.fail(err)
	}
	if c.isApplied() || c.Op == entryfile.OpForget && now == nil {
		if now != nil {
			return *now, nil
		}
		return c.proposed(), nil
	}
	if c.Op == entryfile.OpForget {
		if entryfile.Hash(now.Entry) != c.Base && !force {
			return located{}, t.moved(c, now, nil)
		}
		return *now, t.remove(*now)
	}
	m, err := t.scope.keeping(t.ctx, t.repo, t.tree.head, c, now)
	if err != nil {
		return located{}, err
	}
	if len(m.Fields) > 0 && !force {
		return located{}, t.moved(c, now, &c.Entry)
	}
	if now == nil {
		if err := t.refuseCircle(*m.Entry, nil); err != nil {
			return located{}, err
		}
		return t.add(*m.Entry)
	}
	kept := *m.Entry
	if entryfile.Hash(now.Entry) != c.Base {
		kept.Updated = later(t.now, now.Entry)
	}
	at := *now
	at.Entry = kept
	return at, t.set(*now, kept)
}

// keeping is what keeping a held card makes of its entry as it stands now:
// with Fields, the two can't be merged, and Entry is what the card proposes.
func (s *Scope) keeping(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, c card, now *located) (merge.Merged, error) {
	proposed := c.proposed().Entry
	switch {
	case now == nil && c.Op == entryfile.OpAdd, now != nil && entryfile.Hash(now.Entry) == c.Base:
		return merge.Merged{Entry: &proposed}, nil
	case now == nil:
		return merge.Merged{Entry: &proposed, Fields: []string{"entry"}}, nil
	}
	base, err := s.versionWithHash(ctx, r, head, c.EntryID, c.Base)
	if err != nil {
		return merge.Merged{}, err
	}
	return merge.Entries(base, &now.Entry, &proposed, merge.Revert), nil
}

// moved is the refusal to decide a card over an entry that has changed since
// in the same place.
func (t *txn) moved(c card, now *located, proposed *entryfile.Entry) error {
	k := merge.Conflict{ID: c.EntryID, Kind: c.Kind, Theirs: proposed}
	what := "was forgotten since the card was made"
	if now != nil {
		k.Ours = &now.Entry
		what = "was changed since the card was made, in the same place"
		if proposed == nil {
			what = "was changed since the card was made"
		}
	}
	return &Error{Code: Conflict, Message: "entry " + c.EntryID + " " + what,
		Hint: fmt.Sprintf("card %s stays open: --force takes its side, 'vault review' lets you edit it first", c.ID), Err: &LostChange{[]merge.Conflict{k}}}
}

// restoreCard puts a card's change back.
func (t *txn) restoreCard(c card, force bool) (located, error) {
	now, err := t.tree.current(c.EntryID)
	if err != nil {
		return located{}, t.scope.fail(err)
	}
	if !c.isApplied() || c.Op == entryfile.OpAdd && now == nil {
		return c.proposed(), nil
	}
	var stands, before *entryfile.Entry
	if now != nil {
		stands = &now.Entry
	}
	if c.HasEntry() {
		e := c.proposed().Entry
		before = &e
	}
	applied, err := t.scope.versionApplied(t.ctx, t.repo, t.tree.head, c)
	if err != nil {
		return located{}, err
	}
	if f, err := t.forgetCard(c.EntryID); err != nil {
		return located{}, err
	} else if now == nil && f != nil && f.ID != c.ID && before != nil && !force {
		// It comes back with that card, and without this change.
		held := f.proposed().Entry
		m := merge.Entries(applied, &held, before, merge.Revert)
		if len(m.Fields) > 0 {
			return located{}, t.moved(c, &located{entryfile.Section{Entry: held}, f.path}, before)
		}
		f.Entry = *m.Entry
		return c.proposed(), t.writeCard(f.Card)
	}
	m := merge.Entries(applied, stands, before, merge.Revert)
	if len(m.Fields) > 0 && !force {
		return located{}, t.moved(c, now, before)
	}
	switch {
	case m.Entry == nil && now == nil:
		return c.proposed(), nil
	case m.Entry == nil:
		return *now, t.remove(*now)
	case now == nil:
		if err := t.refuseCircle(*m.Entry, nil); err != nil {
			return located{}, err
		}
		return t.addAgain(*m.Entry, before)
	}
	restored := *m.Entry
	restored.Updated = later(t.now, now.Entry)
	at := *now
	at.Entry = restored
	return at, t.set(*now, restored)
}
