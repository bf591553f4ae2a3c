package vault

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// RestoreOptions narrow a restore.
type RestoreOptions struct {
	Scope string
	Force bool // also where a change made since would be lost
}

// A Restored is what a restore did.
type Restored struct {
	Commit  string   `json:"commit,omitempty"`
	Changes []Change `json:"changes"`
}

// Restore takes a commit's entry changes back, and nothing else, in a new
// commit; or it brings back the last version of a forgotten entry. Where a
// later change would be lost it does nothing and returns a Conflict that shows
// both texts, unless it is forced.
func (h *Home) Restore(ctx context.Context, target string, o RestoreOptions) (Restored, error) {
	if err := h.personOnly("restoring"); err != nil {
		return Restored{}, err
	}
	if p, err := idPrefix(target); err == nil {
		if done, ok, err := h.discardIfCard(ctx, target, o); ok {
			return done, err
		}
		// A branch or tag may look like an id; an entry is meant first.
		r, err := h.restoreEntry(ctx, p, o)
		if CodeOf(err) != NotFound {
			return r, err
		}
		if _, _, _, other := h.findCommit(o.Scope, target); other != nil {
			return r, err
		}
	}
	s, _, c, err := h.findCommit(o.Scope, target)
	if err != nil {
		return Restored{}, err
	}
	return s.restoreCommit(ctx, c, "restore", o.Force)
}

// discardIfCard puts a card back where the name is one's, or an entry's that
// has one.
func (h *Home) discardIfCard(ctx context.Context, name string, o RestoreOptions) (Restored, bool, error) {
	groups, err := h.pickCards(ctx, []string{name}, DecideOptions{Scope: o.Scope})
	if CodeOf(err) == NotFound {
		return Restored{}, false, nil
	}
	if err != nil {
		return Restored{}, true, err
	}
	list, err := h.Discard(ctx, groups[0].ids, DecideOptions{Scope: groups[0].scope.name, Force: o.Force})
	out := Restored{Changes: list}
	if len(list) > 0 {
		out.Commit = list[0].Commit
	}
	return out, true, err
}

// Undo restores the newest change among the folder's scopes: the newest commit
// that is no merge, roll or adoption, and not undone already.
func (h *Home) Undo(ctx context.Context, o RestoreOptions) (Restored, error) {
	if err := h.personOnly("undoing"); err != nil {
		return Restored{}, err
	}
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return Restored{}, err
	}
	var in *Scope
	var newest *gitstore.Commit
	for _, s := range scopes {
		c, err := s.newestChange(ctx)
		if err != nil {
			return Restored{}, err
		}
		if c != nil && (newest == nil || s.isNewer(c, in, newest)) {
			in, newest = s, c
		}
	}
	if newest == nil {
		return Restored{}, notFound("'vault log' shows the history", "nothing to undo")
	}
	return in.restoreCommit(ctx, newest, "undo", o.Force)
}

// isNewer reports whether a scope's commit came after another scope's. Within
// one second, which is all that commits tell, the branch that moved last has
// the newer one.
func (s *Scope) isNewer(c *gitstore.Commit, other *Scope, than *gitstore.Commit) bool {
	if a, b := c.Author.When.Unix(), than.Author.When.Unix(); a != b {
		return a > b
	}
	return s.moved().After(other.moved())
}

// moved is when the scope's branch last moved, as far as its files tell.
func (s *Scope) moved() time.Time {
	fi, err := os.Stat(filepath.Join(s.dir, ".git", "refs", "heads", "main"))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// newestChange walks back over what undo does not count as a change. An undo
// and the change that it took back cancel each other out.
func (s *Scope) newestChange(ctx context.Context) (*gitstore.Commit, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	head, err := r.Head()
	if err != nil || head.IsZero() {
		return nil, s.fail(err)
	}
	undone := map[string]bool{}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, s.fail(err)
		}
		m := parseMessage(c.Message)
		if undone[c.Hash.String()] {
			continue
		}
		if m.restores != "" {
			undone[m.restores] = true
			if strings.HasPrefix(m.subject, "undo: ") {
				continue
			}
		}
		switch {
		case len(c.Parents) > 1, m.op == "roll", m.op == "adopt", m.op == "merge", m.op == "init", m.op == "":
			continue
		}
		return c, nil
	}
	return nil, nil
}

// restoreCommit is the three-way merge that takes a commit back: from the
// commit as base, to its parent on one side and what stands now on the other.
func (s *Scope) restoreCommit(ctx context.Context, c *gitstore.Commit, verb string, force bool) (Restored, error) {
	var out Restored
	err := s.write(ctx, func(t *txn) error {
		base, theirs, ids, err := t.versionsAround(c)
		if err != nil {
			return err
		}
		ours, err := t.involved(base, theirs, ids)
		if err != nil {
			return err
		}
		if err := t.fillIn(c, ours, base, theirs); err != nil {
			return err
		}
		res := merge.Trees(base, ours, theirs, merge.Options{Mode: merge.Revert, Force: force})
		if len(res.Conflicts) > 0 && !force {
			return lost(c, res.Conflicts)
		}
		for p := range ours {
			if _, ok := res.Files[p]; !ok {
				delete(t.tree.files, p)
				t.mark(p)
			}
		}
		for p, data := range res.Files {
			if had, ok := ours[p]; ok && bytes.Equal(had, data) {
				continue
			}
			if why, ok := t.tree.blocked[p]; ok {
				return conflict("", "%s", why)
			}
			t.tree.files[p] = textFile(p, data)
			t.mark(p)
		}
		m := parseMessage(c.Message)
		title := m.subject
		if m.op != "" {
			_, title, _ = strings.Cut(m.subject, ": ")
		}
		changes := merge.Diff(ours, res.Files)
		for _, ch := range changes {
			t.touch(ch.Kind, ch.ID)
		}
		if len(changes) == 0 {
			t.reset()
			s.home.notice(fmt.Sprintf("nothing to restore: what %s changed is taken back already", c.Hash.String()[:10]))
			return nil
		}
		h, err := t.commit(message{op: "restore", verb: verb, title: title, undoes: c.Hash,
			source: s.home.opt.Writer.source(), session: s.home.opt.Writer.Session}, nil)
		if err != nil {
			return err
		}
		out = t.restored(changes, h)
		return nil
	})
	return out, err
}

func (t *txn) restored(changes []merge.Change, h gitstore.Hash) Restored {
	out := Restored{Commit: h.String()}
	for _, ch := range changes {
		e, path := ch.After, ch.AfterPath
		if e == nil {
			e, path = ch.Before, ch.BeforePath
		}
		out.Changes = append(out.Changes, t.result(located{entryfile.Section{Entry: *e}, path}, h))
	}
	return out
}

// versionsAround returns the authored files that a commit changed, as they were
// in it and before it, and the ids of the entries it changed.
func (t *txn) versionsAround(c *gitstore.Commit) (base, before merge.Files, ids []string, err error) {
	var parent gitstore.Hash
	if len(c.Parents) > 0 {
		p, err := t.repo.Commit(c.Parents[0])
		if err != nil {
			return nil, nil, nil, t.scope.fail(err)
		}
		parent = p.Tree
	}
	paths, err := t.repo.DiffTrees(parent, c.Tree)
	if err != nil {
		return nil, nil, nil, t.scope.fail(err)
	}
	base, before = merge.Files{}, merge.Files{}
	for _, p := range paths {
		kind, ok := entryfile.KindOf(p.Path)
		if !ok && !entryfile.IsCard(p.Path) {
			continue
		}
		if err := blobInto(t.repo, before, p.Path, p.Old.Hash); err != nil {
			return nil, nil, nil, t.scope.fail(err)
		}
		if err := blobInto(t.repo, base, p.Path, p.New.Hash); err != nil {
			return nil, nil, nil, t.scope.fail(err)
		}
		// A ledger's own words came with the scope, not with the entry.
		if ok && kind.IsLedger() && p.Old.Hash.IsZero() {
			doc := entryfile.Parse(kind, p.Path, base[p.Path])
			for _, s := range doc.Sections() {
				if err := doc.Remove(s.ID); err != nil {
					return nil, nil, nil, t.scope.fail(err)
				}
			}
			before[p.Path] = doc.Bytes()
		}
	}
	for _, ch := range merge.Diff(before, base) {
		ids = append(ids, ch.ID)
	}
	return base, before, ids, nil
}

// involved returns the scope's present files that are in play: those of the
// change, and those its entries have moved to since.
func (t *txn) involved(base, before merge.Files, ids []string) (merge.Files, error) {
	out := merge.Files{}
	for p, f := range t.tree.files {
		if f.kind == "" && !entryfile.IsCard(p) {
			continue
		}
		data, err := f.bytes()
		if err != nil {
			return nil, t.scope.fail(err)
		}
		_, inBase := base[p]
		_, inBefore := before[p]
		if inBase || inBefore || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(data, []byte(id)) }) {
			out[p] = data
		}
	}
	return out, nil
}

// fillIn adds the commit's versions of files that are in play only because an
// entry has moved there since; the commit itself left them alone.
func (t *txn) fillIn(c *gitstore.Commit, ours, base, before merge.Files) error {
	for p := range ours {
		if _, ok := base[p]; ok {
			continue
		}
		if _, ok := before[p]; ok {
			continue
		}
		h, err := fileAt(t.repo, c.Hash, p)
		if err != nil {
			return t.scope.fail(err)
		}
		if h.IsZero() {
			continue
		}
		if err := blobInto(t.repo, base, p, h); err != nil {
			return t.scope.fail(err)
		}
		before[p] = base[p]
	}
	return nil
}

// lost is the refusal to take back what has been changed since.
func lost(c *gitstore.Commit, list []merge.Conflict) error {
	var b strings.Builder
	for i, k := range list {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %q was changed later", k.ID, conflictTitle(k))
	}
	return &Error{Code: Conflict, Message: fmt.Sprintf("restoring %s would lose a later change: %s", c.Hash.String()[:10], b.String()),
		Hint: "look with 'vault log " + list[0].ID + "', edit it by hand, or use --force", Err: &LostChange{list}}
}

func conflictTitle(k merge.Conflict) string {
	for _, e := range []*entryfile.Entry{k.Ours, k.Theirs, k.Base} {
		if e != nil {
			return e.Title
		}
	}
	return k.Path
}

// LostChange holds the texts that a refused restore would have had to choose
// between.
type LostChange struct{ conflicts []merge.Conflict }

func (l *LostChange) Error() string { return fmt.Sprintf("%d later changes", len(l.conflicts)) }

// Texts returns, for each entry in question, its id, the text that stands now
// and the text that the restore would put there ("" for none).
func (l *LostChange) Texts() [][3]string {
	out := make([][3]string, len(l.conflicts))
	for i, c := range l.conflicts {
		out[i] = [3]string{c.ID, bodyOf(c.Ours), bodyOf(c.Theirs)}
	}
	return out
}

func bodyOf(e *entryfile.Entry) string {
	if e == nil {
		return ""
	}
	return e.Title + "\n\n" + e.Body
}

// restoreEntry brings back the last version of a forgotten entry.
func (h *Home) restoreEntry(ctx context.Context, prefix string, o RestoreOptions) (Restored, error) {
	s, _, l, err := h.locate(ctx, o.Scope, prefix)
	switch {
	case err == nil:
		return Restored{}, invalid("restore one of the commits that 'vault log "+l.ID+"' lists",
			"%s %q is there in scope %s; nothing to bring back", l.ID, l.Title, s.name)
	case CodeOf(err) != NotFound:
		return Restored{}, err
	}
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return Restored{}, err
	}
	for _, s := range scopes {
		e, err := s.lastVersion(ctx, prefix)
		if err != nil {
			return Restored{}, err
		}
		if e != nil {
			return s.bringBack(ctx, *e)
		}
	}
	return Restored{}, noEntry(prefix)
}

// lastVersion finds a forgotten entry as it was before it went.
func (s *Scope) lastVersion(ctx context.Context, prefix string) (*entryfile.Entry, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	head, err := r.Head()
	if err != nil || head.IsZero() {
		return nil, s.fail(err)
	}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, s.fail(err)
		}
		changes, err := s.commitChanges(ctx, r, c, prefix)
		if err != nil {
			return nil, s.fail(err)
		}
		for _, ch := range changes {
			if ch.Op == merge.Removed {
				return ch.Before, nil
			}
		}
	}
	return nil, nil
}

func (s *Scope) bringBack(ctx context.Context, e entryfile.Entry) (Restored, error) {
	var out Restored
	err := s.write(ctx, func(t *txn) error {
		if found, err := t.tree.find(e.ID); err != nil || len(found) > 0 {
			return err
		}
		l, err := t.add(e)
		if err != nil {
			return err
		}
		h, err := t.commit(message{op: "restore", title: e.Title, source: s.home.opt.Writer.source(),
			session: s.home.opt.Writer.Session}, nil)
		if err != nil {
			return err
		}
		out = Restored{Commit: h.String(), Changes: []Change{t.result(l, h)}}
		return nil
	})
	return out, err
}
