package vault

import (
	"fmt"
	"slices"

	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

// A proposal is a change of one entry that somebody asks for.
type proposal struct {
	op     string          // entryfile.OpAdd, OpEdit or OpForget
	before *located        // as it stands, nil for an add
	after  entryfile.Entry // for a forget, the entry that is to go
	reason string          // why, where that is said
	bulk   bool            // one of many that come at once
	card   string          // the id that its card had where it comes from; "" for a new one

	from *importers.Proposal // the card it was on where it comes from, nil for none
}

// An outcome is what became of a proposal.
type outcome struct {
	at        located
	card      string // the card that holds it, or the version before it
	pending   bool   // it does not count yet
	withdrawn bool   // it took back what the agent itself had asked for
	held      bool   // and that did not count yet
	unchanged bool   // the same is asked for already
}

// propose is how every change of an entry comes in: a person's is made, an
// agent's goes the way of the review policy.
func (t *txn) propose(p proposal) (outcome, error) {
	if p.before != nil && entryfile.IsCard(p.before.path) {
		return t.changeHeld(p)
	}
	if !t.scope.home.opt.Writer.IsAgent() {
		at, err := t.make(p)
		return outcome{at: at}, err
	}
	policy, err := t.policy(p.after.Kind)
	if err != nil {
		return outcome{}, err
	}
	waits, err := t.waits(p)
	if err != nil {
		return outcome{}, err
	}
	mine, err := t.ownCard(p.after.ID)
	if err != nil {
		return outcome{}, err
	}
	switch {
	case mine != nil:
		return t.holdAgain(p, *mine)
	case policy == Hold || waits:
		return t.hold(p)
	case policy == Off:
		at, err := t.make(p)
		return outcome{at: at}, err
	}
	return t.applyWithCard(p)
}

// waits reports whether a change waits whatever the policy: one of a pin, which
// makes or changes a pinned entry or takes the place of one, or of an entry that
// others have changed and nobody has looked at.
func (t *txn) waits(p proposal) (bool, error) {
	if p.after.Pinned || p.before != nil && p.before.Pinned {
		return true, nil
	}
	if unseen, err := t.tree.isUnseen(p.after.ID); err != nil || unseen {
		return unseen, t.scope.fail(err)
	}
	for _, id := range p.after.Supersedes {
		old, err := t.tree.current(id)
		if err != nil {
			return false, t.scope.fail(err)
		}
		if old != nil && old.Pinned {
			return true, nil
		}
	}
	return false, nil
}

// make carries a proposal out in the authored files.
func (t *txn) make(p proposal) (located, error) {
	switch p.op {
	case entryfile.OpAdd:
		return t.add(p.after)
	case entryfile.OpEdit:
		at := *p.before
		at.Entry = p.after
		return at, t.set(*p.before, p.after)
	case entryfile.OpForget:
		return *p.before, t.remove(*p.before)
	}
	return located{}, fmt.Errorf("unknown change %q", p.op)
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
	if err := t.checkProposal(&p); err != nil {
		return outcome{}, err
	}
	c, err := t.newCard(p)
	if err != nil {
		return outcome{}, err
	}
	c.Entry = p.after
	switch {
	case p.op == entryfile.OpAdd:
		c.ID = p.after.ID
	case p.card != "":
		c.ID = p.card
	}
	return t.put(c)
}

// holdAgain changes the card by which the same agent asks for a change of an
// entry already. Forgetting an entry that it wanted changed asks for that
// instead; what takes a card back is forgetting the card.
func (t *txn) holdAgain(p proposal, mine card) (outcome, error) {
	if p.op == entryfile.OpForget {
		if mine.Op == entryfile.OpForget && p.reason != "" && p.reason != mine.Reason {
			mine.Reason = p.reason
			return t.put(mine.Card)
		}
		if mine.Op == entryfile.OpForget {
			return outcome{at: mine.proposed(), card: mine.ID, pending: true, unchanged: true}, nil
		}
		t.dropCard(mine)
		return t.hold(p)
	}
	if err := t.checkProposal(&p); err != nil {
		return outcome{}, err
	}
	if back, err := t.asBefore(mine, p.after); err != nil || back {
		return t.withdraw(mine, *p.before), err
	}
	mine.Op, mine.Entry, mine.Reason = p.op, p.after, ""
	return t.put(mine.Card)
}

// withdraw takes a card back, which leaves its entry as it is.
func (t *txn) withdraw(c card, at located) outcome {
	t.dropCard(c)
	t.touch(at.Kind, at.ID)
	return outcome{at: at, withdrawn: true, held: true}
}

// asBefore reports whether a version is no change of the entry that a card is
// about: of the entry as it stands, or as it was when the card was made.
func (t *txn) asBefore(c card, e entryfile.Entry) (bool, error) {
	seen, err := t.sight()
	if err != nil {
		return false, err
	}
	now, err := seen.current(c.EntryID)
	if err != nil || now == nil || c.Op == entryfile.OpAdd {
		return false, t.scope.fail(err)
	}
	if sameBut(now.Entry, e) || t.repo == nil || entryfile.Hash(now.Entry) == c.Base {
		return sameBut(now.Entry, e), nil
	}
	base, err := t.scope.versionWithHash(t.ctx, t.repo, t.tree.head, c.EntryID, c.Base)
	return base != nil && sameBut(*base, e), err
}

// sameBut reports whether two versions of an entry differ in nothing but when
// they were made.
func sameBut(a, b entryfile.Entry) bool {
	a.Updated, b.Updated = "", ""
	return entryfile.Hash(a) == entryfile.Hash(b)
}

// put writes a held card and says so.
func (t *txn) put(c entryfile.Card) (outcome, error) {
	if err := t.writeCard(c); err != nil {
		return outcome{}, err
	}
	t.touch(c.Kind, c.EntryID)
	return outcome{at: card{c, c.Path()}.proposed(), card: c.ID, pending: true}, nil
}

// checkProposal refuses what must not be in an entry; what is only to go may
// hold anything.
func (t *txn) checkProposal(p *proposal) error {
	switch {
	case p.op == entryfile.OpForget:
		return nil
	case p.before == nil:
		return t.check(&p.after, nil)
	}
	return t.check(&p.after, &p.before.Entry)
}

// ownCard is the held card by which the same agent, in the same session, asks
// for a change of an entry already.
func (t *txn) ownCard(id string) (*card, error) {
	who := t.scope.home.opt.Writer
	if id == "" || !who.IsAgent() {
		return nil, nil
	}
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	for _, c := range list {
		if c.EntryID == id && c.isBy(who) && !c.isApplied() {
			return &c, nil
		}
	}
	return nil, nil
}

// applyWithCard makes an agent's change count at once, and keeps what stood
// before it on a card.
func (t *txn) applyWithCard(p proposal) (outcome, error) {
	if p.op == entryfile.OpForget {
		if ok, err := t.takeBackAdd(*p.before); err != nil || ok {
			return outcome{at: *p.before, withdrawn: ok}, err
		}
	}
	if p.op == entryfile.OpEdit {
		if at, err := t.takeBackEdit(p); err != nil || at != nil {
			if at == nil {
				at = p.before
			}
			return outcome{at: *at, withdrawn: err == nil}, err
		}
	}
	c, err := t.newCard(p)
	if err != nil {
		return outcome{}, err
	}
	at, err := t.make(p)
	if err != nil {
		return outcome{}, err
	}
	c.EntryID = at.ID
	switch p.op {
	case entryfile.OpAdd:
		c.ID = at.ID
	case entryfile.OpForget:
		c.Extra = []entryfile.Field{{Key: appliedKey, Value: "true"}}
		fallthrough
	default:
		c.Entry = p.before.Entry
	}
	return outcome{at: at, card: c.ID}, t.writeCard(c)
}

// takeBackAdd takes an entry out, and its card with it, that the same agent
// added and nobody has looked at or changed since. It reports false where the
// entry is not of that kind.
func (t *txn) takeBackAdd(l located) (bool, error) {
	list, err := t.tree.cards()
	if err != nil {
		return false, t.scope.fail(err)
	}
	for _, c := range list {
		if c.Op == entryfile.OpAdd && c.EntryID == l.ID && c.isApplied() && c.isBy(t.scope.home.opt.Writer) && l.Updated == "" && l.Source == c.Source {
			t.dropCard(c)
			return true, t.remove(l)
		}
	}
	return false, nil
}

// takeBackEdit makes an edit that only takes back the last one of the same
// agent, and takes out that one's card. It returns nil where it is not of that
// kind.
func (t *txn) takeBackEdit(p proposal) (*located, error) {
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	list = slices.DeleteFunc(list, func(c card) bool { return c.EntryID != p.after.ID })
	if len(list) == 0 || t.repo == nil {
		return nil, nil
	}
	last := list[len(list)-1]
	if last.Op != entryfile.OpEdit || !last.isApplied() || !last.isBy(t.scope.home.opt.Writer) || !sameBut(last.proposed().Entry, p.after) {
		return nil, nil
	}
	applied, err := t.scope.versionApplied(t.ctx, t.repo, t.tree.head, last)
	if err != nil || applied == nil || entryfile.Hash(*applied) != entryfile.Hash(p.before.Entry) {
		return nil, err
	}
	t.dropCard(last)
	at, err := t.make(p)
	return &at, err
}

// changeHeld changes what a card proposes; forgetting that withdraws the card.
func (t *txn) changeHeld(p proposal) (outcome, error) {
	who := t.scope.home.opt.Writer
	c, err := t.tree.cardAt(p.before.path)
	if err != nil {
		return outcome{}, t.scope.fail(err)
	}
	if c.isApplied() {
		return outcome{}, invalid("edit "+c.EntryID+" itself", "the change of card %s counts already", c.ID)
	}
	ownTrace := c.Kind == SessionTrace && c.Source == who.source()
	if !c.isBy(who) && !ownTrace {
		return outcome{}, refused("a person keeps it or puts it back: 'vault review'", "%s waits for review since another session", c.ID)
	}
	if p.op == entryfile.OpForget {
		return t.withdraw(c, *p.before), nil
	}
	if c.Op == entryfile.OpForget {
		return outcome{}, invalid("edit "+c.EntryID+" itself, or forget the card to take it back", "%s is a card to forget an entry", c.ID)
	}
	if err := t.check(&p.after, &c.Entry); err != nil {
		return outcome{}, err
	}
	if back, err := t.asBefore(c, p.after); err != nil || back {
		return t.withdraw(c, *p.before), err
	}
	c.Entry = p.after
	return t.put(c.Card)
}
