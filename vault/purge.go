package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// A PurgePlan is what purging would do in one scope: what a person looks at
// before they let it.
type PurgePlan struct {
	Scope     string   `json:"scope"`
	Entries   []Entry  `json:"entries"`           // what goes, as it was last
	Versions  int      `json:"versions"`          // how many texts of these the history holds
	Cards     []string `json:"cards,omitempty"`   // open cards about them
	Rewritten int      `json:"rewritten"`         // commits that become others
	Commits   int      `json:"commits"`           // of so many
	Remotes   []string `json:"remotes,omitempty"` // which hold it, and have to be told by a sync
	Also      []string `json:"also,omitempty"`    // where the same text stands besides, and stays, in the history too
	ids       []string // with those of conflict siblings
	scope     *Scope
}

// PlanPurge tells what purging entries would do. They may be forgotten already.
func (h *Home) PlanPurge(ctx context.Context, scope string, ids []string) ([]PurgePlan, error) {
	if err := h.personOnly("purging"); err != nil {
		return nil, err
	}
	var order []*Scope
	wanted := map[string][]string{}
	for _, name := range ids {
		s, id, err := h.findPurgeable(ctx, scope, name)
		if err != nil {
			return nil, err
		}
		if wanted[s.dir] == nil {
			order = append(order, s)
		}
		if !slices.Contains(wanted[s.dir], id) {
			wanted[s.dir] = append(wanted[s.dir], id)
		}
	}
	var out []PurgePlan
	for _, s := range order {
		p, err := s.planPurge(ctx, wanted[s.dir])
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// findPurgeable finds the scope and id of an entry that is there, was once, or
// was only ever proposed.
func (h *Home) findPurgeable(ctx context.Context, scope, name string) (*Scope, string, error) {
	p, err := idPrefix(name)
	if err != nil {
		return nil, "", err
	}
	s, _, l, err := h.locate(ctx, scope, p)
	if err == nil {
		return s, l.ID, nil
	}
	if CodeOf(err) != NotFound {
		return nil, "", err
	}
	scopes, serr := h.selected(scope)
	if serr != nil {
		return nil, "", serr
	}
	for _, s := range scopes {
		e, err := s.lastVersion(ctx, p)
		if err != nil {
			return nil, "", err
		}
		if e != nil {
			return s, e.ID, nil
		}
		if len(p) < entryfile.IDLength {
			continue
		}
		was, err := s.wasProposed(ctx, p)
		if err != nil || was {
			return s, p, err
		}
	}
	return nil, "", err
}

// wasProposed reports whether the history holds the card of an add.
func (s *Scope) wasProposed(ctx context.Context, id string) (bool, error) {
	r, err := s.open()
	if err != nil {
		return false, err
	}
	head, err := r.Head()
	if err != nil {
		return false, s.fail(err)
	}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return false, s.fail(err)
		}
		if at, err := fileAt(r, c.Hash, entryfile.Card{ID: id}.Path()); err != nil || !at.IsZero() {
			return err == nil, s.fail(err)
		}
	}
	return false, nil
}

func (s *Scope) planPurge(ctx context.Context, ids []string) (PurgePlan, error) {
	out := PurgePlan{Scope: s.name, Entries: []Entry{}, ids: ids, scope: s}
	r, err := s.open()
	if err != nil {
		return out, err
	}
	if err := purgeable(r); err != nil {
		return out, s.fail(err)
	}
	t, err := s.read(ctx)
	if err != nil {
		return out, err
	}
	w := newRewriter(ctx, r, ids, nil)
	refs, err := r.Refs("refs/")
	if err != nil {
		return out, s.fail(err)
	}
	now, err := w.refs(refs)
	if err != nil {
		return out, s.fail(err)
	}
	if now["refs/stash"] != refs["refs/stash"] {
		return out, refused("'git stash pop' or 'git stash drop' first", "a stash of scope %s holds it", s.name)
	}
	out.Rewritten, out.Commits, out.Versions = w.changed, len(w.commits), len(w.versions)
	last := map[string]entryfile.Entry{}
	for _, e := range w.versions {
		if was, ok := last[e.ID]; !ok || e.Changed() >= was.Changed() {
			last[e.ID] = e
		}
	}
	for _, id := range sortedKeys(last) {
		out.Entries = append(out.Entries, present(s.name, located{entryfile.Section{Entry: last[id]}, ""}))
	}
	cards, err := t.cards()
	if err != nil {
		return out, s.fail(err)
	}
	for _, c := range cards {
		if slices.Contains(ids, c.EntryID) {
			out.Cards = append(out.Cards, c.ID)
		}
	}
	list, err := s.remotes(ctx)
	if err != nil {
		return out, err
	}
	for _, m := range list {
		out.Remotes = append(out.Remotes, m.Name+" ("+m.URL+")")
	}
	out.Also, err = t.alsoHolds(ctx, w)
	return out, s.fail(err)
}

// leastText is the length from which on a text is looked for elsewhere.
const leastText = 20

// alsoHolds says where the current files hold what is to go, in entries of
// other names: each is a person's to purge as well.
func (t *tree) alsoHolds(ctx context.Context, w *rewriter) ([]string, error) {
	var texts []string
	for _, e := range w.versions {
		for _, text := range []string{e.Title, e.Body} {
			if len(text) >= leastText && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	named := map[string]bool{}
	list, err := t.entries(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range list {
		if !w.ids[l.ID] && !w.ids[l.Conflict] && slices.ContainsFunc(texts, func(s string) bool {
			return strings.Contains(l.Title+"\n"+l.Description+"\n"+l.Body+"\n"+l.Outcome+"\n"+l.Evidence, s)
		}) {
			out = append(out, l.ID+" in "+l.path)
			named[l.ID] = true
		}
	}
	for _, p := range sortedKeys(t.files) {
		if !isForeign(p) || p == indexFile {
			continue
		}
		data, err := t.files[p].bytes()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(data, []byte(s)) }) {
			out = append(out, p)
			named[p] = true
		}
	}
	before, err := w.remains(texts, named)
	return append(out, before...), err
}

// remains says where the history holds texts besides, in what is not named yet:
// in entries of other names, in files that are nobody's entry, in messages.
func (w *rewriter) remains(texts []string, named map[string]bool) ([]string, error) {
	holds := func(text string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(text, s) })
	}
	found := map[string]bool{}
	note := func(what, as string) {
		if !named[what] {
			found[as+", in earlier commits"] = true
		}
	}
	for at := range w.files {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		data, err := w.repo.Blob(at.hash)
		if err != nil {
			return nil, err
		}
		if !holds(string(data)) {
			continue
		}
		kind, authored := entryfile.KindOf(at.path)
		switch c, err := entryfile.ParseCard(data); {
		case authored:
			for _, s := range entryfile.Parse(kind, at.path, data).Sections() {
				if !w.ids[s.ID] && !w.ids[s.Conflict] && holds(string(data[s.Start:s.End])) {
					note(s.ID, s.ID+" in "+at.path)
				}
			}
		case entryfile.IsCard(at.path) && err == nil:
			if !w.ids[c.EntryID] && !w.ids[c.Entry.Conflict] {
				note(c.EntryID, c.EntryID+" on a card")
			}
		default:
			note(at.path, at.path)
		}
	}
	for h, message := range w.said {
		if holds(message) {
			found["the message of commit "+h.String()[:10]] = true
		}
	}
	return sortedKeys(found), nil
}

// purgeable refuses repositories whose history is not all in their own hands.
func purgeable(r *gitstore.Repo) error {
	if r.Shallow() {
		return refused("git fetch --unshallow in "+r.Dir()+" first", "only a part of the history is here")
	}
	if _, err := os.Lstat(filepath.Join(r.GitDir(), "objects", "info", "alternates")); err == nil {
		return refused("git repack -a -d there, and remove that file", "%s borrows objects from another repository", r.Dir())
	}
	if list, err := os.ReadDir(filepath.Join(r.GitDir(), "worktrees")); err == nil && len(list) > 0 {
		return refused("git worktree remove them first", "%s has further worktrees", r.Dir())
	}
	return nil
}

// A Purged is what a purge did in one scope.
type Purged struct {
	Scope     string   `json:"scope"`
	IDs       []string `json:"ids"`
	Commit    string   `json:"commit"` // the scope's newest commit now
	Rewritten int      `json:"rewritten"`
	Remotes   []string `json:"remotes,omitempty"` // to be told by a sync
}

// Purge takes entries out of a scope for good: out of its files, out of all of
// its history, and out of everything that is kept beside it. A notice of their
// ids stays in vault.yaml, which every later merge obeys. What is stopped in
// its midst is finished by the next write.
func (h *Home) Purge(ctx context.Context, plan PurgePlan) (Purged, error) {
	out := Purged{Scope: plan.Scope, IDs: plan.ids, Remotes: plan.Remotes}
	if err := h.personOnly("purging"); err != nil {
		return out, err
	}
	s := plan.scope
	r, err := s.open()
	if err != nil {
		return out, err
	}
	err = s.write(ctx, func(t *txn) error {
		if err := writeIntent(r.StateDir(), plan.ids); err != nil {
			return s.fail(err)
		}
		out.Rewritten, err = t.purge(plan.ids)
		return err
	})
	if err != nil {
		return out, err
	}
	head, err := r.Head()
	out.Commit = head.String()
	return out, s.fail(err)
}

// intentFile says which purge is under way: what is not finished is done again,
// which comes to the same.
const intentFile = "purge"

func writeIntent(state string, ids []string) error {
	data, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	temp := filepath.Join(state, intentFile+".new")
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(state, intentFile))
}

// finishPurge goes on with a purge that was stopped.
func (t *txn) finishPurge() error {
	data, err := os.ReadFile(filepath.Join(t.repo.StateDir(), intentFile))
	if err != nil {
		return nil // there is none
	}
	var ids []string
	if json.Unmarshal(data, &ids) != nil || len(ids) == 0 {
		return os.Remove(filepath.Join(t.repo.StateDir(), intentFile))
	}
	t.scope.home.notice("finishing a purge that was stopped")
	_, err = t.purge(ids)
	return err
}

// purge takes entries out of the files, rewrites all history without them, and
// removes what nothing leads to any more.
func (t *txn) purge(ids []string) (int, error) {
	if err := purgeable(t.repo); err != nil {
		return 0, err
	}
	if err := t.purgeFiles(ids); err != nil {
		return 0, errors.Join(err, os.Remove(filepath.Join(t.repo.StateDir(), intentFile)))
	}
	n, err := t.rewriteRefs(ids)
	if err != nil {
		return n, t.scope.fail(err)
	}
	if err := t.tx.DropUnreachable(); err != nil {
		return n, t.scope.fail(err)
	}
	if err := forgetCaches(t.repo); err != nil {
		return n, t.scope.fail(err)
	}
	if err := os.Remove(filepath.Join(t.repo.StateDir(), intentFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return n, t.scope.fail(err)
	}
	return n, t.reload()
}

// purgeFiles takes the entries, their siblings and cards out of the current
// files, and leaves the notice.
func (t *txn) purgeFiles(ids []string) error {
	list, err := t.tree.entries(t.ctx)
	if err != nil {
		return t.scope.fail(err)
	}
	n := 0
	for _, l := range list {
		if slices.Contains(ids, l.ID) || slices.Contains(ids, l.Conflict) {
			if err := t.remove(l); err != nil {
				return err
			}
			n++
		}
	}
	cards, err := t.tree.cards()
	if err != nil {
		return t.scope.fail(err)
	}
	for _, c := range cards {
		if slices.Contains(ids, c.EntryID) || slices.Contains(ids, c.Entry.Conflict) {
			t.dropCard(c)
		}
	}
	f, ok := t.tree.files[manifestFile]
	if !ok {
		f = textFile(manifestFile, newManifest(t.scope.called()))
	}
	data, err := f.bytes()
	if err != nil {
		return t.scope.fail(err)
	}
	if data, err = withPurged(data, ids); err != nil {
		return t.scope.fail(err)
	}
	t.tree.files[manifestFile] = textFile(manifestFile, data)
	t.mark(manifestFile)
	t.entries = nil
	for _, id := range ids {
		t.entries = append(t.entries, "purged/"+id)
	}
	_, err = t.commit(message{op: "purge", title: countEntries(max(n, len(ids))), source: t.scope.home.opt.Writer.source()}, nil)
	return err
}

// Bound of what is held in memory before it is written, in bytes.
const rewriteBatch = 32 << 20

// rewriteRefs moves every ref to what its history becomes without the entries.
func (t *txn) rewriteRefs(ids []string) (int, error) {
	var batch []gitstore.Object
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := t.tx.Write(batch)
		batch, size = nil, 0
		return err
	}
	w := newRewriter(t.ctx, t.repo, ids, func(o gitstore.Object) error {
		batch = append(batch, o)
		if size += len(o.Data); size < rewriteBatch {
			return nil
		}
		return flush()
	})
	refs, err := t.repo.Refs("refs/")
	if err != nil {
		return 0, err
	}
	branch := "refs/heads/" + t.repo.Branch()
	moved := map[string]gitstore.Hash{}
	now, err := w.refs(refs)
	if err != nil {
		return 0, err
	}
	for name, h := range now {
		if h != refs[name] {
			moved[name] = h
		}
	}
	if err := flush(); err != nil {
		return 0, err
	}
	for _, name := range sortedKeys(moved) {
		if name == branch {
			continue
		}
		if err := t.tx.UpdateRef(name, refs[name], moved[name]); err != nil {
			return w.changed, err
		}
	}
	if to, ok := moved[branch]; ok {
		who, err := t.scope.signature()
		if err != nil {
			return w.changed, err
		}
		if _, err := t.tx.Commit(gitstore.Change{To: to, Committer: who}); err != nil {
			return w.changed, err
		}
	}
	return w.changed, t.scope.rewriteUnseen(ids, w.commits)
}

// forgetCaches removes what is kept beside a history and may hold its texts:
// the recall index, receipts, and what git leaves lying about.
func forgetCaches(r *gitstore.Repo) error {
	list, err := os.ReadDir(r.CacheDir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range list {
		if err := os.RemoveAll(filepath.Join(r.CacheDir(), e.Name())); err != nil {
			return err
		}
	}
	for _, name := range []string{"COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD", "MERGE_MSG", "SQUASH_MSG", "AUTO_MERGE", "rr-cache", "lost-found"} {
		if err := os.RemoveAll(filepath.Join(r.GitDir(), name)); err != nil {
			return err
		}
	}
	return nil
}
