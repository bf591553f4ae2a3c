package vault

import (
	"fmt"

	"gitvault/internal/entryfile"
)

// MaxCards is how many changes of agents may wait in a scope; with that many,
// a person reviews first.
const MaxCards = 500

// policyFor is the review policy for a kind in the scope: the person's, or the
// scope's own where that is stricter.
func (s *Scope) policyFor(kind Kind, m manifest) (Policy, error) {
	c, err := s.home.Config()
	if err != nil {
		return Hold, err
	}
	return stricter(c.Review.policy(s.name, kind), m.Review), nil
}

// policy is the most specific of the person's settings: the kind's, the
// scope's, then the general one.
func (r ReviewConfig) policy(scope string, kind Kind) Policy {
	for k, p := range r.Kinds {
		if parsed, err := ParseKind(k); err == nil && parsed == kind {
			return p
		}
	}
	if p := r.Scopes[scope]; p != "" {
		return p
	}
	if p := r.Scopes[ProjectScope]; p != "" && scope != UserScope {
		return p
	}
	if r.Policy != "" {
		return r.Policy
	}
	return Hold
}

// stricter is the stricter of two policies; none given is the loosest.
func stricter(a, b Policy) Policy {
	rank := map[Policy]int{Hold: 2, Apply: 1}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// personOnly refuses what only a person may do.
func (h *Home) personOnly(what string) error {
	if !h.opt.Writer.IsAgent() {
		return nil
	}
	return refused("ask the person to run it", "%s is a person's to do, and %s is an agent", what, h.opt.Writer.Agent)
}

// A proposal is a change of one entry that somebody asks for.
type proposal struct {
	op     string          // entryfile.OpAdd, OpEdit or OpForget
	before *located        // nil for an add
	after  entryfile.Entry // for a forget, the entry that is to go
}

// An outcome is what became of a proposal.
type outcome struct {
	at      located
	card    string // the card that holds it, or the version before it
	pending bool   // it does not count yet
}

// propose is how every change of an entry comes in: a person's is made, an
// agent's goes the way of the review policy.
func (t *txn) propose(p proposal) (outcome, error) {
	who := t.scope.home.opt.Writer
	if p.before != nil && entryfile.IsCard(p.before.path) {
		return t.changeHeld(p)
	}
	if !who.IsAgent() {
		at, err := t.make(p)
		return outcome{at: at}, err
	}
	policy, err := t.policy(p.after.Kind)
	if err != nil {
		return outcome{}, err
	}
	if p.pins() {
		policy = Hold
	}
	if policy == Off {
		at, err := t.make(p)
		return outcome{at: at}, err
	}
	if n := len(t.tree.cardPaths()); n >= MaxCards {
		return outcome{}, refused("a person has to review some of them first: 'vault review'",
			"%d changes wait for review in scope %s", n, t.scope.name)
	}
	if policy == Hold {
		return t.hold(p)
	}
	return t.applyWithCard(p)
}

// pins reports whether a change is one of a pin, which always waits.
func (p proposal) pins() bool {
	switch p.op {
	case entryfile.OpAdd:
		return p.after.Pinned
	case entryfile.OpForget:
		return p.before.Pinned
	}
	return p.after.Pinned || p.before.Pinned
}

func (t *txn) policy(kind Kind) (Policy, error) {
	m, err := t.manifest()
	if err != nil {
		return Hold, err
	}
	return t.scope.policyFor(kind, m)
}

func (t *txn) manifest() (manifest, error) {
	f, ok := t.tree.files[manifestFile]
	if !ok {
		return manifest{}, nil
	}
	data, err := f.bytes()
	if err != nil {
		return manifest{}, t.scope.fail(err)
	}
	m, err := parseManifest(data)
	return m, t.scope.fail(err)
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

// changeHeld changes an entry that is only proposed so far, on its card;
// forgetting it withdraws the card.
func (t *txn) changeHeld(p proposal) (outcome, error) {
	data, err := t.tree.files[p.before.path].bytes()
	if err != nil {
		return outcome{}, t.scope.fail(err)
	}
	c, err := entryfile.ParseCard(data)
	if err != nil {
		return outcome{}, t.scope.fail(err)
	}
	t.touch(p.after.Kind, p.after.ID)
	at := located{entryfile.Section{Entry: p.after}, p.before.path}
	if p.op == entryfile.OpForget {
		t.dropCard(card{c, p.before.path})
		return outcome{at: at}, nil
	}
	if err := t.check(p.after); err != nil {
		return outcome{}, err
	}
	c.Entry = p.after
	return outcome{at: at, card: c.ID, pending: true}, t.writeCard(c)
}
