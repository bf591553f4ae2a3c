package vault

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// Bounds on how far back adoption looks for the version that an editor's
// buffer was loaded from.
const (
	nearestVersions = 1000
	nearestBytes    = 256 << 20
	nearestStep     = 32 // versions looked at before it is asked whether they came nearer
	enoughEntries   = 8  // how many of the entries changed last tell versions apart
)

// A version is a file as a commit had it; age counts the versions since.
type version struct {
	data   []byte
	commit gitstore.Hash
	age    int

	asIfCut []byte // what it is compared by, see comparison
}

// nearest finds the committed version that a saved file was made from. Nearly
// always that is HEAD's; an editor that held an old buffer lacks what has been
// written since, and then the versions before are looked at.
func (s *Scope) nearest(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, path string, current, saved []byte) (version, error) {
	now := version{data: current, commit: head, asIfCut: current}
	look := compare(path, saved, current)
	if look.keepsAll {
		return now, nil
	}
	best := now
	var part []version // as far back as was looked since the best was chosen
	choose := func() bool {
		list := append([]version{now, best}, part...)
		texts := make([][]byte, len(list))
		for i, v := range list {
			texts[i] = v.asIfCut
		}
		n := merge.Nearest(saved, texts)
		best, part = list[n], nil
		return n > 1
	}
	seen, age, size := gitstore.BlobHash(current), 0, 0
	for c, err := range r.Log(ctx, head) {
		if err != nil || age == nearestVersions || size > nearestBytes {
			break
		}
		h, err := fileAt(r, c.Hash, path)
		if err != nil || h.IsZero() {
			break
		}
		if h == seen {
			continue
		}
		data, err := r.Blob(h)
		if err != nil {
			break
		}
		seen, age, size = h, age+1, size+len(data)
		if look.mayComeFrom(data) {
			part = append(part, version{data, c.Hash, age, look.withoutCut(data)})
		}
		// Going back, versions come nearer up to the one that was loaded.
		if age%nearestStep == 0 && !choose() {
			return best, ctx.Err()
		}
	}
	choose()
	return best, ctx.Err()
}

// A comparison is what a saved file and the current version have in common.
type comparison struct {
	path string
	// keepsAll: it has all that the current version has as it is there, and
	// nothing that may have been forgotten: it was made from that.
	keepsAll bool
	same     [][]byte          // the entries changed last that both have alike
	cut      []entryfile.Entry // those that only the current version has
}

func compare(path string, saved, current []byte) comparison {
	c := comparison{path: path, keepsAll: true}
	kind, ok := entryfile.KindOf(path)
	if !ok || !kind.IsLedger() {
		c.keepsAll = bytes.Contains(saved, current)
		return c
	}
	mine, head := entryfile.Parse(kind, path, saved), entryfile.Parse(kind, path, current)
	for _, s := range mine.Sections() {
		if _, ok := head.Get(s.ID); s.Written && !ok {
			c.keepsAll = false
		}
	}
	var same []entryfile.Section
	for _, s := range head.Sections() {
		here, ok := mine.Get(s.ID)
		switch {
		case !ok:
			c.keepsAll = false
			c.cut = append(c.cut, s.Entry)
		case !bytes.Equal(mine.Source(here), head.Source(s)):
			c.keepsAll = false
		case s.Written:
			same = append(same, s)
		}
	}
	if c.keepsAll {
		return c
	}
	slices.SortStableFunc(same, func(a, b entryfile.Section) int { return cmp.Compare(b.Changed(), a.Changed()) })
	for _, s := range same[:min(len(same), enoughEntries)] {
		c.same = append(c.same, head.Source(s))
	}
	return c
}

// mayComeFrom reports whether the saved file can have been loaded from a
// version: what both have alike was there then, or it would be a later one.
func (c comparison) mayComeFrom(version []byte) bool {
	return !slices.ContainsFunc(c.same, func(entry []byte) bool { return !bytes.Contains(version, entry) })
}

// withoutCut is a version with today's text of the entries that are not in the
// saved file: that they were worded otherwise is no sign of where it is from.
func (c comparison) withoutCut(version []byte) []byte {
	var doc *entryfile.Document
	for _, e := range c.cut {
		if !bytes.Contains(version, []byte(e.ID)) {
			continue
		}
		if doc == nil {
			doc = entryfile.Parse(e.Kind, c.path, version)
		}
		if _, ok := doc.Get(e.ID); ok {
			_ = doc.Set(e) // where that can't be, the text as it was has to do
		}
	}
	if doc == nil {
		return version
	}
	return doc.Bytes()
}

// since brings the authored files into play that have changed since an old
// buffer was loaded: who saved it had them as they were then, and what has
// moved between files meanwhile is not taken for forgotten.
func (s *Scope) since(r *gitstore.Repo, t *tree, from gitstore.Hash, base, ours, theirs merge.Files) error {
	changed, err := r.DiffTrees(from, t.head)
	if err != nil {
		return err
	}
	for _, c := range changed {
		_, known := base[c.Path]
		_, saved := theirs[c.Path]
		if _, authored := entryfile.KindOf(c.Path); !authored || known || saved || t.blocked[c.Path] != "" {
			continue
		}
		if err := blobInto(r, ours, c.Path, c.New.Hash); err != nil {
			return err
		}
		if err := blobInto(r, base, c.Path, c.Old.Hash); err != nil {
			return err
		}
		if !c.Old.Hash.IsZero() {
			theirs[c.Path] = base[c.Path]
		}
	}
	return nil
}
