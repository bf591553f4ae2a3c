package vault

import (
	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

// proposed takes in a change that waited for review in the source: as a card,
// whoever imports it. One of an entry that is not here is, for an edit, the
// proposal of that entry.
func (im *importing) proposed(r importers.Record) error {
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
	p := proposal{op: r.Proposal.Op, before: now, after: e, bulk: true}
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
