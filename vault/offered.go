package vault

import (
	"context"
	"maps"

	"gitvault/internal/entryfile"
)

// offered is the tree as agents get it: what others' commits did to entries,
// and nobody has looked at, is as if it had not come.
func (t *tree) offered() (*tree, error) {
	var out *tree
	for _, id := range sortedKeys(t.unseen) {
		h, err := t.held(id)
		if err != nil {
			return nil, err
		}
		if h == nil {
			continue
		}
		if out == nil {
			out = &tree{head: t.head, files: maps.Clone(t.files), blocked: t.blocked}
		}
		if err := out.takeBack(h); err != nil {
			return nil, err
		}
	}
	if out == nil {
		return t, nil
	}
	return out, nil
}

// takeBack puts an entry as it was in the place of what others made of it.
func (t *tree) takeBack(h *held) error {
	was := h.was
	if h.beside {
		was = nil
	}
	for i, l := range h.theirs {
		if !l.Kind.IsLedger() {
			delete(t.files, l.path)
			continue
		}
		doc, err := t.draftOf(l.path, l.Kind)
		if err != nil {
			return err
		}
		if i == 0 && was != nil && was.Kind == l.Kind && doc.Replace(l.ID, was.Entry) == nil {
			was = nil
		} else if err := doc.Remove(l.ID); err != nil {
			return err
		}
		t.files[l.path] = textFile(l.path, doc.Bytes())
	}
	if was == nil {
		return nil
	}
	path := was.path
	if f := t.files[path]; was.Kind.IsLedger() && (f == nil || f.rolled()) {
		path = was.Kind.Ledger()
	}
	doc, err := t.draftOf(path, was.Kind)
	if err != nil {
		return err
	}
	if doc.Append(was.Entry) == nil { // a file may be in a state in which nothing can stand after it
		t.files[path] = textFile(path, doc.Bytes())
	}
	return nil
}

// draftOf is a file's document, to make edits in that touch no other tree.
func (t *tree) draftOf(path string, kind Kind) (*entryfile.Document, error) {
	f := t.files[path]
	if f == nil {
		if kind.IsLedger() {
			return entryfile.Parse(kind, path, []byte(entryfile.Skeleton(kind))), nil
		}
		return entryfile.Parse(kind, path, nil), nil
	}
	data, err := f.printed()
	if err != nil {
		return nil, err
	}
	return entryfile.Parse(kind, path, data), nil
}

// sight is the tree of a pending change as whoever acts gets to see it.
func (t *txn) sight() (*tree, error) {
	if !t.scope.home.opt.Writer.IsAgent() {
		return t.tree, nil
	}
	out, err := t.tree.offered()
	return out, t.scope.fail(err)
}

// readOffered is read, as agents get it.
func (s *Scope) readOffered(ctx context.Context) (*tree, error) {
	t, err := s.readAll(ctx)
	if err != nil {
		return nil, err
	}
	out, err := t.offered()
	return out, s.fail(err)
}

// isUnseen reports whether others changed an entry and nobody has looked at that.
func (t *tree) isUnseen(id string) (bool, error) {
	h, err := t.held(id)
	return h != nil, err
}
