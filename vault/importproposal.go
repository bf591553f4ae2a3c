package vault

import (
	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

// proposed takes in a change that waited for review in the source: as a card,
// whoever imports it. One of an entry that is not here is, for an edit, the
// proposal of that entry.
func (im *importing) proposed(r importers.Record) error {
	if r.Proposal.Applied {
		return im.applied(r)
	}
	now, err := im.tree.current(im.nowCalled(r.Entry.ID))
	if err != nil {
		return im.scope.fail(err)
	}
	if now == nil || r.Proposal.Op == entryfile.OpAdd {
		if r.Proposal.Op == entryfile.OpForget {
			im.refuse(r, "it proposes to forget an entry that is not here")
			return nil
		}
		return im.one(r, true)
	}
	e := r.Entry
	e.ID, e.Kind = now.ID, now.Kind
	known, err := im.isProposed(r.Proposal.Op, e, *now)
	if err != nil || known {
		im.out.Known++
		return err
	}
	p := proposal{op: r.Proposal.Op, before: now, after: e, bulk: true, from: r.Proposal}
	if id := r.Proposal.ID; entryfile.ValidID(id) && !im.isTaken(id) {
		p.card, im.inUse[id] = id, true
	}
	if err := im.checkProposal(&p); err != nil {
		im.refuse(r, err.Error())
		return nil
	}
	o, err := im.hold(p)
	if err == nil {
		im.added = append(im.added, o.at)
	}
	return err
}

// applied marks an entry as one whose last change counts already and was not
// looked at in the source: a person can still look at it here, and put it back.
func (im *importing) applied(r importers.Record) error {
	who := im.scope.home.opt.Writer
	now, err := im.tree.current(im.nowCalled(r.Entry.ID))
	if err != nil {
		return im.scope.fail(err)
	}
	op := r.Proposal.Op
	switch {
	case who.IsAgent():
		im.refuse(r, "a person imports what was not looked at yet")
		return nil
	case op != entryfile.OpForget && now == nil:
		im.refuse(r, "it is about a change of an entry that is not here")
		return nil
	case op == entryfile.OpForget && now != nil:
		im.out.Known++ // it is here again
		return nil
	}
	e := r.Entry
	if e.ID = im.nowCalled(e.ID); now != nil {
		e.Kind = now.Kind
	}
	list, err := im.tree.cards()
	if err != nil {
		return im.scope.fail(err)
	}
	for _, c := range list {
		if c.EntryID == e.ID && c.Op == op && c.isApplied() {
			im.out.Known++
			return nil
		}
	}
	p := proposal{op: op, after: e, bulk: true, from: r.Proposal}
	if im.gone != nil && im.gone(e.ID) {
		im.refuse(r, "it was purged here")
		return nil
	}
	if op != entryfile.OpAdd {
		if err := im.check(&p.after, nil); err != nil {
			im.refuse(r, err.Error())
			return nil
		}
	}
	c, err := im.newCard(p)
	if err != nil {
		return err
	}
	switch id := r.Proposal.ID; {
	case op == entryfile.OpAdd:
		c.ID = e.ID
	case entryfile.ValidID(id) && !im.isTaken(id):
		c.ID = id
	}
	im.inUse[c.ID] = true
	if op == entryfile.OpForget {
		c.Extra = []entryfile.Field{{Key: appliedKey, Value: "true"}}
	}
	if op != entryfile.OpAdd {
		c.Entry = p.after
		c.Base = entryfile.Hash(c.Entry)
	}
	if err := im.writeCard(c); err != nil {
		return err
	}
	im.marks++
	return nil
}

// nowCalled is the id that an entry of the source has here.
func (im *importing) nowCalled(id string) string {
	if now := im.renamed[id]; now != "" {
		return now
	}
	return id
}

// isProposed reports whether a change is asked for already, or made.
func (im *importing) isProposed(op string, e entryfile.Entry, now located) (bool, error) {
	if op == entryfile.OpEdit && textKey(e) == textKey(now.Entry) {
		return true, nil
	}
	list, err := im.tree.cards()
	if err != nil {
		return false, im.scope.fail(err)
	}
	for _, c := range list {
		if c.EntryID == e.ID && c.Op == op && (op == entryfile.OpForget || textKey(c.proposed().Entry) == textKey(e)) {
			return true, nil
		}
	}
	return false, nil
}
