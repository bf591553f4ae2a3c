package vault

import (
	"slices"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// Changes are taken back in any order. One of an entry that was forgotten later
// has nothing left to change: that it is taken back is noted in the history,
// and the entry comes back without it.

// An effect is what a commit did to one entry that was there before and after.
type effect struct {
	from, to *entryfile.Entry
	noted    bool // it was gone by then, and only noted
}

// maxNested bounds how many times restoring a restore is followed.
const maxNested = 32

// effects tells what a commit did to entries that stayed, or to that of one id.
// Where it only notes that others are taken back, it did the opposite of these.
func (t *txn) effects(c *gitstore.Commit, id string, depth int) ([]effect, error) {
	changes, err := t.scope.commitChanges(t.ctx, t.repo, c, id)
	if err != nil {
		return nil, err
	}
	var out []effect
	for _, ch := range changes {
		if ch.Before != nil && ch.After != nil {
			out = append(out, effect{ch.Before, ch.After, false})
		}
	}
	restores := parseMessage(c.Message).restores
	if len(restores) == 0 || depth == maxNested {
		return out, nil
	}
	then, err := treeAt(t.repo, c)
	if err != nil {
		return nil, err
	}
	for _, rev := range restores {
		h, ok := gitstore.ParseHash(rev)
		if !ok || !t.repo.Has(h) {
			continue
		}
		restored, err := t.repo.Commit(h)
		if err != nil {
			return nil, err
		}
		list, err := t.effects(restored, id, depth+1)
		if err != nil {
			return nil, err
		}
		for _, e := range slices.Backward(list) {
			there, err := then.current(e.to.ID)
			if err != nil {
				return nil, err
			}
			if there == nil {
				out = append(out, effect{e.to, e.from, true})
			}
		}
	}
	return out, nil
}

// takeBackGone takes back what a commit did to entries that are gone by now,
// and removes them from the versions that are then merged. Where a card holds
// such an entry for when it is put back, that is changed; else it is only to be
// noted. What a commit itself only noted is taken back here in whole.
func (t *txn) takeBackGone(c *gitstore.Commit, base, before merge.Files, did []Change) (done []Change, noted bool, err error) {
	list, err := t.effects(c, "", 0)
	if err != nil {
		return nil, false, t.scope.fail(err)
	}
	purged := t.tree.isPurged()
	for _, e := range slices.Backward(list) {
		now, err := t.tree.current(e.to.ID)
		if err != nil {
			return nil, false, t.scope.fail(err)
		}
		switch {
		case purged != nil && purged(e.to.ID):
			continue
		case now != nil && e.noted:
			l, changed, err := t.takeBackEffect(c, *now, e)
			if err != nil {
				return nil, false, err
			}
			if changed {
				did = append(did, Change{Entry: t.present(l)})
			}
			continue
		case now != nil:
			continue
		}
		if err := dropEntry(e.to.ID, base, before); err != nil {
			return nil, false, t.scope.fail(err)
		}
		onCard, err := t.takeBackOnCard(c, e)
		if err != nil {
			return nil, false, err
		}
		t.touch(e.to.Kind, e.to.ID)
		noted = true
		if !onCard {
			t.scope.home.notice(e.to.ID + " was forgotten later, and stays so; should it be brought back, it is without what " + c.Hash.String()[:10] + " changed")
		}
	}
	return did, noted, nil
}

// takeBackEffect takes a noted change back of an entry that is there again.
func (t *txn) takeBackEffect(c *gitstore.Commit, now located, e effect) (located, bool, error) {
	m := merge.Entries(e.to, &now.Entry, e.from, merge.Revert)
	if len(m.Fields) > 0 {
		return now, false, lost(c, []merge.Conflict{{ID: now.ID, Kind: now.Kind, Ours: &now.Entry, Theirs: e.from}})
	}
	if sameBut(*m.Entry, now.Entry) {
		return now, false, nil
	}
	back := *m.Entry
	back.Updated = later(t.now, now.Entry)
	at := now
	at.Entry = back
	return at, true, t.set(now, back)
}

// takeBackOnCard takes a change back of a forgotten entry that a card holds.
func (t *txn) takeBackOnCard(c *gitstore.Commit, e effect) (bool, error) {
	f, err := t.forgetCard(e.to.ID)
	if err != nil || f == nil {
		return false, err
	}
	held := f.proposed().Entry
	m := merge.Entries(e.to, &held, e.from, merge.Revert)
	if len(m.Fields) > 0 {
		return true, lost(c, []merge.Conflict{{ID: held.ID, Kind: held.Kind, Ours: &held, Theirs: e.from}})
	}
	f.Entry = *m.Entry
	return true, t.writeCard(f.Card)
}

// forgetCard is the newest card of a forgetting of an entry that counts
// already; nil if there is none.
func (t *txn) forgetCard(id string) (*card, error) {
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	for _, c := range slices.Backward(list) {
		if c.EntryID == id && c.Op == entryfile.OpForget && c.isApplied() && c.HasEntry() {
			return &c, nil
		}
	}
	return nil, nil
}

// dropEntry takes an entry out of sets of files.
func dropEntry(id string, sets ...merge.Files) error {
	for _, files := range sets {
		for p, data := range files {
			kind, ok := entryfile.KindOf(p)
			if !ok {
				continue
			}
			doc := entryfile.Parse(kind, p, data)
			if _, ok := doc.Get(id); !ok {
				continue
			}
			if !kind.IsLedger() {
				delete(files, p)
				continue
			}
			if err := doc.Remove(id); err != nil {
				return err
			}
			files[p] = doc.Bytes()
		}
	}
	return nil
}

// asNoted is a forgotten entry as it comes back: without the changes that were
// taken back since.
func (t *txn) asNoted(e entryfile.Entry) (entryfile.Entry, error) {
	var notes []*gitstore.Commit
	for c, err := range t.repo.Log(t.ctx, t.tree.head) {
		if err != nil {
			return e, t.scope.fail(err)
		}
		changes, err := t.scope.commitChanges(t.ctx, t.repo, c, e.ID)
		if err != nil {
			return e, t.scope.fail(err)
		}
		if slices.ContainsFunc(changes, func(ch merge.Change) bool { return ch.Op == merge.Removed }) {
			break
		}
		if len(parseMessage(c.Message).restores) > 0 {
			notes = append(notes, c)
		}
	}
	for _, c := range slices.Backward(notes) {
		list, err := t.effects(c, e.ID, 0)
		if err != nil {
			return e, t.scope.fail(err)
		}
		for _, did := range list {
			if !did.noted {
				continue
			}
			if m := merge.Entries(did.from, &e, did.to, merge.Revert); len(m.Fields) == 0 && m.Entry != nil {
				e = *m.Entry
			}
		}
	}
	return e, nil
}

// holdsForgotten reports whether a card of a forgetting is as it was made, but
// for the version that it holds, and adds that to what is held.
func holdsForgotten(now, after []byte, held map[string]entryfile.Entry) bool {
	a, err := entryfile.ParseCard(now)
	b, berr := entryfile.ParseCard(after)
	if err != nil || berr != nil || a.Op != entryfile.OpForget || a.EntryID != b.EntryID || a.Base != b.Base || !(card{a, ""}).isApplied() {
		return false
	}
	held[a.EntryID] = card{a, ""}.proposed().Entry
	return true
}

// bringBackAsNoted is asNoted for an entry that a restore has just brought
// back, or what a card held of it.
func (t *txn) bringBackAsNoted(ch *merge.Change, held map[string]entryfile.Entry) error {
	was, ok := held[ch.ID]
	if !ok {
		was = *ch.After
	}
	e, err := t.asNoted(was)
	if err != nil || e.Equal(*ch.After) {
		return err
	}
	now, err := t.tree.current(ch.ID)
	if err != nil || now == nil {
		return t.scope.fail(err)
	}
	ch.After = &e
	return t.set(*now, e)
}
