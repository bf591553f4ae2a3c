package vault

import (
	"cmp"
	"path"
	"sort"
	"strings"
	"time"

	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

// A card is a change of an agent that waits for a person: what it proposes
// (held), or, where it counts already, what stood before it (applied).
type card struct {
	entryfile.Card
	path string
}

// appliedKey marks the card of a forgetting that counts already: it holds the
// same version as one that doesn't.
const appliedKey = "applied"

// isApplied reports whether the change counts already. It is told from the
// card alone, so that what a person does to the entry meanwhile does not make
// one kind of card look like the other.
func (c card) isApplied() bool {
	switch c.Op {
	case entryfile.OpAdd:
		return !c.HasEntry()
	case entryfile.OpEdit:
		return entryfile.Hash(c.Entry) == c.Base
	}
	for _, f := range c.Extra {
		if f.Key == appliedKey {
			return f.Value == "true"
		}
	}
	return false
}

// isBy reports whether a writer may change the card: a person, or the same
// agent in the same session, as far as sessions are known.
func (c card) isBy(who Writer) bool {
	if !who.IsAgent() {
		return true
	}
	return c.Source == who.source() && (c.Session == who.Session || c.Session == "" || who.Session == "")
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

// proposed is the entry as the card has it, found where the card is.
func (c card) proposed() located {
	e := c.Entry
	e.ID, e.Kind = c.EntryID, c.Kind
	return located{entryfile.Section{Entry: e, Line: 1, Written: true}, c.path}
}

// onCards are the versions of entries that stand on cards whose ids begin with
// the prefix; an agent has only its own.
func (t *tree) onCards(prefix string, who Writer) ([]located, error) {
	list, err := t.cards()
	if err != nil {
		return nil, err
	}
	var out []located
	for _, c := range list {
		if !c.HasEntry() || !strings.HasPrefix(c.ID, prefix) || who.IsAgent() && c.Source != who.source() {
			continue
		}
		out = append(out, c.proposed())
	}
	return out, nil
}

// current is the authored entry a card is about, nil where there is none.
func (t *tree) current(id string) (*located, error) {
	found, err := t.find(id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// cardID is the id that a card's path says.
func cardID(p string) string { return strings.TrimSuffix(path.Base(p), ".md") }

// cardAt reads the card of a path.
func (t *tree) cardAt(path string) (card, error) {
	data, err := t.files[path].bytes()
	if err != nil {
		return card{}, err
	}
	c, err := entryfile.ParseCard(data)
	return card{c, path}, err
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

// newCard makes the card of a proposal, without a version of the entry.
func (t *txn) newCard(p proposal) (entryfile.Card, error) {
	if n := len(t.tree.cardPaths()); n >= MaxCards {
		return entryfile.Card{}, refused("a person has to review some of them first: 'vault review'",
			"%d changes wait for review in scope %s", n, t.scope.name)
	}
	who := t.scope.home.opt.Writer
	c := entryfile.Card{
		Op: p.op, EntryID: p.after.ID, Kind: p.after.Kind, Source: who.source(), Session: who.Session,
		Created: t.now, Code: t.scope.codeCommit(), Reason: p.reason,
	}
	if !who.IsAgent() {
		c.Source = p.after.Source // of an import, which a person wants to look through
	}
	if f := p.from; f != nil && !who.IsAgent() && fits(f) {
		c.Source, c.Session = cmp.Or(f.Source, c.Source), cmp.Or(f.Session, c.Session)
		c.Created, c.Code = cmp.Or(f.Created, c.Created), cmp.Or(f.Code, c.Code)
		c.Reason = f.Reason
	}
	if c.Session == "" {
		c.Session = p.after.Session
	}
	if p.before != nil {
		c.Base = entryfile.Hash(p.before.Entry)
	}
	var err error
	if !p.bulk {
		if c.Created, err = t.afterCards(); err != nil {
			return c, err
		}
	}
	c.ID, err = t.newID()
	return c, err
}

// fits reports whether what a file says of a card can stand on one.
func fits(p *importers.Proposal) bool {
	e := entryfile.Entry{Kind: Decision, Title: "-", Body: "-", Source: p.Source, Session: p.Session, Created: p.Created, Code: p.Code}
	return entryfile.Check(e) == nil
}

// afterCards is now, or a second after the newest card: cards are decided in
// the order in which they were made.
func (t *txn) afterCards() (string, error) {
	list, err := t.tree.cards()
	if err != nil || len(list) == 0 {
		return t.now, t.scope.fail(err)
	}
	newest := parseStamp(list[len(list)-1].Created)
	if newest.IsZero() || parseStamp(t.now).After(newest) || newest.Sub(parseStamp(t.now)) > time.Hour {
		return t.now, nil
	}
	return entryfile.Stamp(newest.Add(time.Second)), nil
}
