package merge

import (
	"bytes"

	"gitvault/internal/entryfile"
)

// identify makes sure that one id is one entry, on every side the same.
func (t *tree) identify() {
	if t.Mode == Adopt {
		t.dropOldCopies()
		t.welcome()
	}
	t.recall(t.ours)
	t.recall(t.theirs)
	for _, id := range t.ids() {
		t.separate(id)
	}
}

// recall writes down again which entries those are whose comment somebody took
// out of the file. What it said is not taken back with it.
func (t *tree) recall(s *side) {
	for _, id := range s.ids() {
		v := s.entries[id]
		known := t.base.entries[id]
		if known == nil && s == t.theirs {
			known = t.ours.entries[id]
		}
		if v.written || v.stale || known == nil || t.Mode != Adopt && !known.written {
			continue
		}
		v.stale = true
		if bare(v.entry) {
			e := known.entry.Clone()
			e.Kind, e.Title, e.Body = v.entry.Kind, v.entry.Title, v.entry.Body
			v.entry = &e
		}
	}
}

// dropOldCopies takes out what is only there twice because the head moved an
// entry while a person's file still had it.
func (t *tree) dropOldCopies() {
	at := map[string]*version{}
	for _, v := range t.ours.entries {
		at[v.path+"\x00"+string(v.raw)] = v
	}
	for _, id := range t.theirs.ids() {
		v := t.theirs.entries[id]
		if v.written || t.base.entries[id] != nil || t.ours.entries[id] != nil {
			continue
		}
		head := at[v.path+"\x00"+string(v.raw)]
		if head == nil {
			continue
		}
		was, now := t.base.entries[head.id], t.theirs.entries[head.id]
		if was != nil && now != nil && was.path != head.path && was.path == now.path {
			t.theirs.drop(v)
		}
	}
}

// welcome fills in what new entries do not say that a person typed.
func (t *tree) welcome() {
	for _, id := range t.theirs.ids() {
		v := t.theirs.entries[id]
		if v.written || t.base.entries[id] != nil || t.ours.entries[id] != nil {
			continue
		}
		e := v.entry.Clone()
		if t.Adopted != nil {
			t.Adopted(&e)
		}
		v.entry, v.stale = &e, true
	}
}

// bare reports whether an entry says nothing but its text.
func bare(e *entryfile.Entry) bool {
	return same(e, &entryfile.Entry{Title: e.Title, Body: e.Body})
}

// separate tells two entries apart that got the same id independently: the one
// created later has another from now on, wherever it stands.
func (t *tree) separate(id string) {
	b, o, th := t.base.entries[id], t.ours.entries[id], t.theirs.entries[id]
	switch {
	case b != nil:
		t.follow(b, t.ours, t.theirs)
		t.follow(b, t.theirs, t.ours)
	case o != nil && th != nil && different(o.entry, th.entry):
		s, v := t.ours, o
		if laterTime(o.entry.Created, th.entry.Created) < 0 {
			s, v = t.theirs, th
		}
		text := v.entry.Title + "\n" + v.entry.Body
		for n := 0; ; n++ {
			if id := entryfile.DerivedID(v.entry.Kind, text, n); s.entries[id] == nil {
				s.rename(v, id)
				return
			}
		}
	}
}

// different reports whether two versions with one id are two entries.
func different(a, b *entryfile.Entry) bool {
	return a.Created != "" && b.Created != "" && laterTime(a.Created, b.Created) != 0 && textHash(a) != textHash(b)
}

// follow keeps track of a base entry that a side gave another id, because
// another one had it first there.
func (t *tree) follow(b *version, s, other *side) {
	v := s.entries[b.id]
	if v == nil || bytes.Equal(v.raw, b.raw) || !different(v.entry, b.entry) {
		return
	}
	for _, id := range s.createdAt(b.entry) {
		if moved := s.entries[id]; moved == nil || t.base.entries[id] != nil {
			continue
		}
		if v := other.entries[b.id]; v != nil && !different(v.entry, b.entry) && other.entries[id] == nil {
			other.rename(v, id)
		}
		t.base.rename(b, id)
		return
	}
}

// createdAt lists the entries that have the kind and the creation of e.
func (s *side) createdAt(e *entryfile.Entry) []string {
	if s.created == nil {
		s.created = map[string][]string{}
		for _, id := range s.ids() {
			key := creation(s.entries[id].entry)
			s.created[key] = append(s.created[key], id)
		}
	}
	return s.created[creation(e)]
}

func creation(e *entryfile.Entry) string { return string(e.Kind) + " " + e.Created }
