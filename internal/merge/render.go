package merge

import (
	"maps"
	"slices"

	"gitvault/internal/entryfile"
)

// render writes each entry of the outcome. One that no file can hold as it was
// merged stays as one side has it, and the other version becomes a file.
func (t *tree) render() {
	for _, id := range slices.Sorted(maps.Keys(t.placed)) {
		p := t.placed[id]
		kind, _ := entryfile.KindOf(p.path)
		raw, err := p.write(kind)
		if err == nil {
			p.raw = raw
			continue
		}
		if p.near != "" {
			delete(t.placed, id)
			t.keepBeside(p.path, p.from.raw)
			continue
		}
		stays := p.from
		for _, v := range []*version{t.ours.entries[id], t.theirs.entries[id]} {
			if v != nil && v.path == p.path && stays.path != p.path {
				stays = v
			}
		}
		p.raw, p.entry = stays.raw, stays.entry
		for _, v := range []*version{t.ours.entries[id], t.theirs.entries[id]} {
			if v != nil && v != stays && !same(v.entry, stays.entry) {
				t.keepBeside(p.path, v.raw)
			}
		}
	}
}

// write is the entry as it stands in a file of the kind: the bytes of the
// version it comes from, but for what changed.
func (p *placed) write(kind entryfile.Kind) ([]byte, error) {
	was, _ := entryfile.KindOf(p.from.path)
	switch {
	case was.IsLedger() != kind.IsLedger():
		e := p.entry.Clone()
		e.Kind = kind
		return entryfile.Print(e)
	case !p.from.stale && p.from.id == p.entry.ID && same(p.from.entry, p.entry):
		return p.from.raw, nil
	}
	doc := entryfile.Parse(kind, p.from.path, p.from.raw)
	sections := doc.Sections()
	if len(sections) != 1 {
		return entryfile.Print(*p.entry)
	}
	if err := doc.Replace(sections[0].ID, *p.entry); err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}
