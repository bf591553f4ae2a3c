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
	Commit  string   `json:"commit,omitempty"` // of the last scope that it changed
	Changes []Change `json:"changes"`
}

// Restore takes back what is named, in a new commit a scope, and nothing else:
// a commit's changes of entries and cards, a card's change, what others changed
// and nobody has looked at; or it brings back the last version of a forgotten
// entry. Where a later change would be lost it
// does nothing and returns a Conflict that shows both texts, unless it is
// forced.
func (h *Home) Restore(ctx context.Context, targets []string, o RestoreOptions) (Restored, error) {
	var out Restored
	if err := h.personOnly("restoring"); err != nil {
		return out, err
	}
	var order []*Scope
	wanted := map[string]*restoration{}
	for _, target := range targets {
		s, what, err := h.findRestorable(ctx, target, o)
		if err != nil {
			return out, err
		}
		if wanted[s.dir] == nil {
			order = append(order, s)
			wanted[s.dir] = &restoration{verb: "restore", force: o.Force}
		}
		wanted[s.dir].add(what)
	}
	for _, s := range order {
		done, err := s.restore(ctx, *wanted[s.dir])
		out.Changes = append(out.Changes, done.Changes...)
		out.Commit = orDefault(done.Commit, out.Commit)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// A restoration is what is to be taken back in one scope, in one commit.
type restoration struct {
	verb    string // of the commit's subject
	force   bool
	cards   []string
	entries []entryfile.Entry // forgotten, as they were
	unseen  []string          // what others changed, see Unseen
	commits []*gitstore.Commit
}

func (w *restoration) add(other restoration) {
	w.cards = append(w.cards, other.cards...)
	w.entries = append(w.entries, other.entries...)
	w.unseen = append(w.unseen, other.unseen...)
	w.commits = append(w.commits, other.commits...)
}

// findRestorable finds what a person's word means: a card, a forgotten entry,
// or a commit.
func (h *Home) findRestorable(ctx context.Context, target string, o RestoreOptions) (*Scope, restoration, error) {
	var none restoration
	if p, err := idPrefix(target); err == nil {
		others, _, err := h.pickUnseen(ctx, []string{p}, DecideOptions{Scope: o.Scope})
		if err != nil {
			return nil, none, err
		}
		for name, list := range others {
			s, err := h.Scope(name)
			return s, restoration{unseen: []string{list[0].ID}}, err
		}
		s, id, err := h.pickCard(ctx, p, o.Scope)
		if err == nil {
			return s, restoration{cards: []string{id}}, nil
		}
		if CodeOf(err) != NotFound {
			return nil, none, err
		}
		s, e, err := h.findForgotten(ctx, p, o)
		if err == nil {
			return s, restoration{entries: []entryfile.Entry{*e}}, nil
		}
		// A branch or tag may look like an id; an entry is meant first.
		if _, _, _, other := h.findCommit(o.Scope, target); CodeOf(err) != NotFound || other != nil {
			return nil, none, err
		}
	}
	s, _, c, err := h.findCommit(o.Scope, target)
	return s, restoration{commits: []*gitstore.Commit{c}}, err
}

// pickCard finds the open card that an id means.
func (h *Home) pickCard(ctx context.Context, prefix, scope string) (*Scope, string, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, "", err
	}
	var in *Scope
	var ids []string
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return nil, "", err
		}
		list, err := t.cards()
		if err != nil {
			return nil, "", s.fail(err)
		}
		if found := matchCards(list, prefix); len(found) > 0 {
			in, ids = s, append(ids, found...)
		}
	}
	switch len(ids) {
	case 0:
		return nil, "", notFound("'vault list --pending' shows them", "no open card %s", prefix)
	case 1:
		return in, ids[0], nil
	}
	return nil, "", manyCards(prefix, len(ids))
}

func manyCards(name string, n int) error {
	return invalid("name the card by its own id, as 'vault list --pending' shows it", "%s has %d open cards", name, n)
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
	return in.restore(ctx, restoration{verb: "undo", force: o.Force, commits: []*gitstore.Commit{newest}})
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
		for _, restored := range m.restores {
			undone[restored] = true
		}
		if len(m.restores) > 0 && strings.HasPrefix(m.subject, "undo: ") {
			continue
		}
		switch m.op {
		case "roll", "adopt", "merge", "init", "purge", "":
			continue
		}
		if len(c.Parents) > 1 {
			continue
		}
		return c, nil
	}
	return nil, nil
}

// restore takes back what is wanted, the newest first, in one commit.
func (s *Scope) restore(ctx context.Context, w restoration) (Restored, error) {
	var out Restored
	err := s.write(ctx, func(t *txn) error {
		out = Restored{}
		var done []Change
		m := t.message("restore", "")
		m.verb = w.verb
		list, err := t.chosen("restore", w.cards)
		if err != nil {
			return err
		}
		for _, c := range list {
			l, err := t.decideCard("restore", c, w.force)
			if err != nil {
				return err
			}
			done = append(done, Change{Entry: t.present(l)})
		}
		commits, err := t.newestFirst(w.commits)
		if err != nil {
			return err
		}
		for _, c := range commits {
			changes, noted, err := t.takeBack(c, w.force)
			if err != nil {
				return err
			}
			if len(changes) > 0 || noted {
				done, m.undoes = append(done, changes...), append(m.undoes, c.Hash)
			}
			m.noted = m.noted || noted
		}
		back, err := t.putBack(w.unseen)
		if err != nil {
			return err
		}
		for _, l := range back {
			done = append(done, Change{Entry: t.present(l)})
		}
		for _, e := range w.entries {
			if found, err := t.tree.find(e.ID); err != nil || len(found) > 0 {
				return s.fail(err)
			}
			last := e
			if e, err = t.asNoted(e); err != nil {
				return err
			}
			l, err := t.addAgain(e, &last)
			if err != nil {
				return err
			}
			done = append(done, Change{Entry: t.present(l)})
		}
		if len(done) == 0 && !m.noted {
			t.reset()
			return nil
		}
		m.title = w.title(done)
		h, err := t.commit(m, nil)
		if err != nil {
			return err
		}
		out.Commit = h.String()
		for _, c := range done {
			c.Commit, c.Entry.Commit = out.Commit, out.Commit
			out.Changes = append(out.Changes, c)
		}
		return nil
	})
	return out, err
}

// title is what the commit of a restoration says it is about.
func (w restoration) title(done []Change) string {
	if len(w.commits) == 1 && len(w.cards)+len(w.entries)+len(w.unseen) == 0 {
		m := parseMessage(w.commits[0].Message)
		if _, title, ok := strings.Cut(m.subject, ": "); ok && m.op != "" {
			return title
		}
		return m.subject
	}
	if len(done) == 1 {
		return done[0].Entry.Title
	}
	return countEntries(len(done))
}

// newestFirst puts commits in the order in which each can be taken back
// without regard to the others, once each.
func (t *txn) newestFirst(list []*gitstore.Commit) ([]*gitstore.Commit, error) {
	if len(list) < 2 {
		return list, nil
	}
	wanted := map[gitstore.Hash]*gitstore.Commit{}
	for _, c := range list {
		wanted[c.Hash] = c
	}
	var out []*gitstore.Commit
	for c, err := range t.repo.Log(t.ctx, t.tree.head) {
		if err != nil {
			return nil, t.scope.fail(err)
		}
		if wanted[c.Hash] != nil {
			out = append(out, c)
			delete(wanted, c.Hash)
		}
		if len(wanted) == 0 {
			return out, nil
		}
	}
	for _, c := range list { // of another line of history
		if wanted[c.Hash] != nil {
			out = append(out, c)
			delete(wanted, c.Hash)
		}
	}
	return out, nil
}

// takeBack is the three-way merge that takes a commit back: from the commit as
// base, to its parent on one side and what stands now on the other. It returns
// nothing where there is nothing to take back. What the commit changed of
// entries that are gone by now is noted, for when they come back.
func (t *txn) takeBack(c *gitstore.Commit, force bool) (done []Change, noted bool, err error) {
	base, theirs, ids, err := t.versionsAround(c)
	if err != nil {
		return nil, false, err
	}
	held := map[string]entryfile.Entry{}
	done, gone, err := t.takeBackCards(c, base, theirs, held, force)
	if err != nil {
		return nil, false, err
	}
	if !force {
		if done, noted, err = t.takeBackGone(c, base, theirs, done); err != nil {
			return nil, false, err
		}
	}
	ours, err := t.involved(base, theirs, ids)
	if err != nil {
		return nil, false, err
	}
	if err := t.fillIn(c, ours, base, theirs); err != nil {
		return nil, false, err
	}
	res := merge.Trees(base, ours, theirs, merge.Options{Mode: merge.Revert, Force: force, Purged: t.tree.isPurged()})
	if len(res.Conflicts) > 0 && !force {
		return nil, false, lost(c, res.Conflicts)
	}
	changes := merge.Diff(ours, res.Files)
	if len(changes) > 0 {
		if err := t.replace(ours, res.Files); err != nil {
			return nil, false, err
		}
	}
	for _, ch := range changes {
		var before []string
		if ch.Before != nil {
			before = ch.Before.Supersedes
		}
		if ch.After == nil || force {
			continue
		}
		if err := t.refuseCircle(*ch.After, before); err != nil {
			return nil, false, err
		}
	}
	for _, ch := range changes {
		t.touch(ch.Kind, ch.ID)
		if ch.Op == merge.Added {
			if err := t.bringBackAsNoted(&ch, held); err != nil {
				return nil, false, err
			}
		}
		done = append(done, t.restored(ch))
	}
	if len(done) == 0 && !noted {
		why := "what " + c.Hash.String()[:10] + " changed is taken back already"
		if gone {
			why = "what " + c.Hash.String()[:10] + " proposed has been decided on since"
		}
		t.scope.home.notice("nothing to restore: " + why)
	}
	return done, noted, nil
}

// replace puts files in the place of what they were made from.
func (t *txn) replace(from, to merge.Files) error {
	for p := range from {
		if _, ok := to[p]; !ok {
			delete(t.tree.files, p)
			t.mark(p)
		}
	}
	for p, data := range to {
		if had, ok := from[p]; ok && bytes.Equal(had, data) {
			continue
		}
		if why, ok := t.tree.blocked[p]; ok {
			return conflict("", "%s", why)
		}
		t.tree.files[p] = textFile(p, data)
		t.mark(p)
	}
	return nil
}

func (t *txn) restored(ch merge.Change) Change {
	e, path := ch.After, ch.AfterPath
	if e == nil {
		e, path = ch.Before, ch.BeforePath
	}
	return Change{Entry: t.present(located{entryfile.Section{Entry: *e}, path})}
}

// takeBackCards takes back what a commit did to cards, and removes them from
// the versions that are then merged. Those it made go, those it decided on are
// open again. It tells whether one has been decided on since, and what those
// that go held of forgotten entries.
func (t *txn) takeBackCards(c *gitstore.Commit, base, before merge.Files, held map[string]entryfile.Entry, force bool) (done []Change, gone bool, err error) {
	for _, p := range sortedKeys(union(base, before)) {
		if !entryfile.IsCard(p) {
			continue
		}
		after, was := base[p], before[p]
		delete(base, p)
		delete(before, p)
		var now []byte
		if f := t.tree.files[p]; f != nil {
			if now, err = f.bytes(); err != nil {
				return nil, false, t.scope.fail(err)
			}
		}
		switch {
		case same(now, was):
			continue
		case now == nil && after != nil:
			gone = true
			continue
		case was == nil && holdsForgotten(now, after, held): // from which more may have been taken back since
		case !same(now, after) && !force:
			return nil, false, &Error{Code: Conflict, Message: fmt.Sprintf("restoring %s would lose a later change of card %s", c.Hash.String()[:10], cardID(p)),
				Hint: "restore the card itself, or use --force"}
		}
		ch, err := t.putCardBack(p, now, was)
		if err != nil {
			return nil, false, err
		}
		done = append(done, ch)
	}
	return done, gone, nil
}

// same reports whether two files have the same bytes, or neither is there.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// putCardBack gives a card's file the content it had before, nil for none.
func (t *txn) putCardBack(p string, now, was []byte) (Change, error) {
	data := was
	if was == nil {
		data = now
	}
	c, err := entryfile.ParseCard(data)
	if err != nil {
		return Change{}, t.scope.fail(err)
	}
	delete(t.tree.files, p)
	t.mark(p)
	if was != nil {
		t.tree.files[p] = textFile(p, was)
	}
	t.touch(c.Kind, c.EntryID)
	ch := Change{Entry: t.present(card{c, p}.proposed())}
	if was != nil {
		ch.Card, ch.Pending = c.ID, !card{c, p}.isApplied()
	}
	return ch, nil
}

// versionsAround returns the authored files that a commit changed, as they were
// in it and before it, and the ids of the entries it changed.
func (t *txn) versionsAround(c *gitstore.Commit) (base, before merge.Files, ids []string, err error) {
	parent, err := parentTree(t.repo, c)
	if err != nil {
		return nil, nil, nil, t.scope.fail(err)
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
		if f.kind == "" {
			continue
		}
		data, err := f.printed()
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

// findForgotten finds the last version of a forgotten entry.
func (h *Home) findForgotten(ctx context.Context, prefix string, o RestoreOptions) (*Scope, *entryfile.Entry, error) {
	s, _, l, err := h.locate(ctx, o.Scope, prefix)
	switch {
	case err == nil:
		return nil, nil, invalid("restore one of the commits that 'vault log "+l.ID+"' lists",
			"%s %q is there in scope %s; nothing to bring back", l.ID, l.Title, s.name)
	case CodeOf(err) != NotFound:
		return nil, nil, err
	}
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range scopes {
		e, err := s.lastVersion(ctx, prefix)
		if err != nil {
			return nil, nil, err
		}
		if e != nil {
			return s, e, nil
		}
	}
	return nil, nil, noEntry(prefix)
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
