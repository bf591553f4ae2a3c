package merge

import (
	"bytes"

	"gitvault/internal/entryfile"
)

// sourceMerge is who asked for a card that a merge made.
const sourceMerge = "merge"

// proposeForget makes a card of a forgetting that met an edit, and returns its
// id. It depends on the version that was forgotten alone, so that all replicas
// make the same card.
func (t *tree) proposeForget(e *entryfile.Entry) string {
	hash := entryfile.Hash(*e)
	c := entryfile.Card{
		ID:      entryfile.DerivedID(e.Kind, "forget "+e.ID+"\n"+hash, 0),
		Op:      entryfile.OpForget,
		Kind:    e.Kind,
		EntryID: e.ID,
		Base:    hash,
		Source:  sourceMerge,
		Created: e.Changed(),
		Entry:   *e,
	}
	t.newCards = append(t.newCards, c)
	return c.ID
}

// isReadableCard reports whether a path is that of a card on every side that
// has it; others merge as text.
func (t *tree) isReadableCard(path string) bool {
	if !entryfile.IsCard(path) {
		return false
	}
	for _, s := range t.sides() {
		if data, ok := s.files[path]; ok {
			if _, err := entryfile.ParseCard(data); err != nil {
				return false
			}
		}
	}
	return true
}

// mergeCards merges the changes that wait for a decision.
func (t *tree) mergeCards(paths []string) {
	for _, path := range paths {
		if t.isReadableCard(path) {
			t.mergeCard(path)
		}
	}
	if t.virtual {
		return
	}
	for _, c := range t.newCards {
		if data, err := c.Bytes(); err == nil && t.files[c.Path()] == nil {
			t.files[c.Path()] = data
		}
	}
}

func (t *tree) mergeCard(path string) {
	b, o, th := file(t.base.files, path), file(t.ours.files, path), file(t.theirs.files, path)
	put := func(data []byte) {
		if data != nil && !t.isPurgedCard(data) {
			t.files[path] = data
		}
	}
	switch {
	case equalFile(o, th), equalFile(th, b):
		put(o)
	case equalFile(o, b):
		put(th)
	case o == nil:
		put(t.onTop(th, t.ours))
	case th == nil:
		put(t.onTop(o, t.theirs))
	case t.Mode == Revert:
		put(o)
	default:
		put(t.mergeChangedCards(path, b, o, th))
	}
}

func (t *tree) isPurgedCard(data []byte) bool {
	c, err := entryfile.ParseCard(data)
	return err == nil && t.Purged != nil && t.Purged(c.EntryID)
}

// onTop keeps a card that was changed while the other side decided on it: it
// now stands on what was decided.
func (t *tree) onTop(data []byte, decided *side) []byte {
	c, err := entryfile.ParseCard(data)
	v := decided.entries[c.EntryID]
	if err != nil || v == nil || same(v.entry, t.base.entries[c.EntryID].said()) {
		return data
	}
	c.Base = entryfile.Hash(*v.entry)
	if c.Op == entryfile.OpAdd {
		c.Op = entryfile.OpEdit
	}
	if out, err := c.Bytes(); err == nil {
		return out
	}
	return data
}

// mergeChangedCards merges two changes of one card. Where they conflict the
// other becomes a card of its own.
func (t *tree) mergeChangedCards(path string, base, ours, theirs []byte) []byte {
	o, _ := entryfile.ParseCard(ours)
	th, _ := entryfile.ParseCard(theirs)
	var before *entryfile.Entry
	if b, err := entryfile.ParseCard(base); err == nil {
		before = &b.Entry
	}
	m := Entries(before, &o.Entry, &th.Entry, t.Mode)
	stands, other, data, lost := o, th, ours, theirs
	if t.Mode == Adopt || t.Mode == Sync && cardLater(th, o, theirs, ours) {
		stands, other, data, lost = th, o, theirs, ours
	}
	if len(m.Fields) == 0 && stands.Op == other.Op && stands.EntryID == other.EntryID {
		stands.Entry = *m.Entry
		if out, err := stands.Bytes(); err == nil {
			return out
		}
	}
	other.ID = entryfile.DerivedID(other.Kind, "card "+other.ID+"\n"+entryfile.Hash(other.Entry), 0)
	if _, err := other.Bytes(); err != nil {
		t.keepBeside(path, lost)
		return data
	}
	t.newCards = append(t.newCards, other)
	t.conflicts = append(t.conflicts, Conflict{
		ID: stands.EntryID, Kind: stands.Kind, Path: path, Fields: m.Fields, Kept: other.ID,
		Base: before, Ours: &o.Entry, Theirs: &th.Entry,
	})
	return data
}

// keepKept looks after changes that were applied before a person decided on
// them: where one side kept one and the other restored it, it is kept.
func (t *tree) keepKept() {
	for path, data := range t.base.files {
		_, inOurs := t.ours.files[path]
		_, inTheirs := t.theirs.files[path]
		if !entryfile.IsCard(path) || inOurs || inTheirs {
			continue
		}
		c, err := entryfile.ParseCard(data)
		b := t.base.entries[c.EntryID]
		if err != nil || !wasApplied(c, b.said()) {
			continue
		}
		o, th := undoes(c, t.ours.entries[c.EntryID].said()), undoes(c, t.theirs.entries[c.EntryID].said())
		if o && !th {
			t.ours.reset(c.EntryID, b)
		}
		if th && !o {
			t.theirs.reset(c.EntryID, b)
		}
	}
}

// wasApplied reports whether a card's change is in the authored files already:
// then the card holds what was there before.
func wasApplied(c entryfile.Card, e *entryfile.Entry) bool {
	switch c.Op {
	case entryfile.OpAdd:
		return !c.HasEntry() && e != nil
	case entryfile.OpForget:
		return e == nil
	}
	return e != nil && entryfile.Hash(c.Entry) == c.Base
}

// undoes reports whether e is what restoring a card leaves.
func undoes(c entryfile.Card, e *entryfile.Entry) bool {
	if c.Op == entryfile.OpAdd {
		return e == nil
	}
	return e != nil && e.Title == c.Entry.Title && e.Body == c.Entry.Body && e.Description == c.Entry.Description
}

// reset gives a side the base's version of an entry.
func (s *side) reset(id string, b *version) {
	switch v := s.entries[id]; {
	case b == nil && v != nil:
		s.drop(v)
	case b != nil:
		one := *b
		if v != nil {
			one.path = v.path
		}
		s.entries[id] = &one
	}
}

func cardLater(a, b entryfile.Card, rawA, rawB []byte) bool {
	if c := laterTime(a.Entry.Changed(), b.Entry.Changed()); c != 0 {
		return c > 0
	}
	return bytes.Compare(rawA, rawB) > 0
}
