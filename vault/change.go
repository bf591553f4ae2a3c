package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
	"gitvault/internal/secrets"
	"gitvault/internal/workspace"
)

// maxTrailerEntries is how many entries a commit message names.
const maxTrailerEntries = 100

// A txn is one change on its way into a scope: the scope is locked, what a
// crash left has been recovered, and the person's hand edits are committed.
// Edits collect in it and are committed together.
type txn struct {
	ctx   context.Context
	scope *Scope
	repo  *gitstore.Repo
	tx    *gitstore.Tx
	tree  *tree
	now   string

	edited  map[string]bool          // files that the pending edits touch
	entries []string                 // "decisions/gk2m9xqd", one for each entry touched
	take    []string                 // files that the next commit takes as they stand on disk
	parents []gitstore.Hash          // further parents of the next commit
	modes   map[string]gitstore.Mode // of files in the next commit that come from elsewhere

	strayIndex bool   // somebody else wrote INDEX.md, ...
	foundIndex []byte // ... and this is what stands there, nil for nothing

	saved bool // an editor saved a file while it was being replaced
}

// maxRetries bounds how often a change is computed anew because somebody saved
// a file in the instant before it was replaced.
const maxRetries = 20

// write runs fn with the scope locked. It is the one way into a scope: nothing
// else writes to one. Where a file changes under it, fn runs again, on what
// the file has become.
func (s *Scope) write(ctx context.Context, fn func(*txn) error) error {
	if s.shared {
		return s.readOnly()
	}
	if s.workspace != nil {
		if err := workspace.Use(*s.workspace, s.home.workspaceOptions()); err != nil {
			return workspaceError(err)
		}
	}
	if !s.Exists() {
		made, err := s.first(ctx, fn)
		if made || err != nil {
			return err
		}
	}
	r, err := s.open()
	if err != nil {
		return err
	}
	tx, err := r.Begin(ctx)
	if err != nil {
		return s.fail(err)
	}
	defer tx.Close()
	before, err := r.Head()
	if err != nil {
		return s.fail(err)
	}
	for try := 1; ; try++ {
		err = s.attempt(ctx, r, tx, fn)
		if err == nil || try == maxRetries || !errors.Is(err, gitstore.ErrChanged) {
			break
		}
		tx.Refresh()
	}
	if err != nil {
		return s.fail(err)
	}
	if err := tx.Close(); err != nil {
		return s.fail(err)
	}
	// The change is made; that tidying up after it fails is the next write's
	// to mend.
	_, _ = r.Maintain(ctx)
	if head, err := r.Head(); err == nil && head != before {
		s.syncLater()
	}
	return nil
}

func (s *Scope) attempt(ctx context.Context, r *gitstore.Repo, tx *gitstore.Tx, fn func(*txn) error) error {
	t := &txn{ctx: ctx, scope: s, repo: r, tx: tx, now: s.home.now(), edited: map[string]bool{}}
	if err := t.adopt(); err != nil {
		return err
	}
	if err := t.finishPurge(); err != nil {
		return err
	}
	if err := fn(t); err != nil {
		return err
	}
	t.finish()
	return nil
}

// finish does what may be due after a change: entries roll, and what an editor
// saved meanwhile is adopted. The change is made already: what can't be done
// now is done by the next one, and only said here.
func (t *txn) finish() {
	err := t.tidy()
	for try := 1; errors.Is(err, gitstore.ErrChanged) && try < maxRetries; try++ {
		t.reset()
		t.tx.Refresh()
		if err = t.adopt(); err == nil {
			err = t.tidy()
		}
	}
	if err != nil {
		t.scope.home.notice("the change is made, and what was due besides waits for the next one: " + oneLine(t.scope.fail(err).Error()))
	}
}

func (t *txn) tidy() error {
	if err := t.roll(); err != nil {
		return err
	}
	return t.settleSaved()
}

// rehearse runs fn on the scope as it is, without its lock and without a
// commit, to see what would come of it.
func (s *Scope) rehearse(ctx context.Context, fn func(*txn) error) error {
	t := &txn{ctx: ctx, scope: s, now: s.home.now(), edited: map[string]bool{}}
	var err error
	if s.Exists() {
		if t.tree, err = s.read(ctx); err != nil {
			return err
		}
	} else {
		t.tree = &tree{files: map[string]*file{}, blocked: map[string]string{}}
		t.scaffold()
	}
	return fn(t)
}

// reset forgets the pending edits.
func (t *txn) reset() {
	t.edited, t.entries, t.take, t.parents = map[string]bool{}, nil, nil, nil
}

// errMade means that somebody else made the scope meanwhile.
var errMade = errors.New("made meanwhile")

// first runs fn on a scope that is not there yet: the commit that fn makes is
// the first, and makes the scope. It reports false where somebody else was
// quicker, and fn is to run on what they made.
func (s *Scope) first(ctx context.Context, fn func(*txn) error) (bool, error) {
	t := &txn{ctx: ctx, scope: s, now: s.home.now(), edited: map[string]bool{},
		tree: &tree{files: map[string]*file{}, blocked: map[string]string{}}}
	t.scaffold()
	err := fn(t)
	if errors.Is(err, errMade) {
		return false, nil
	}
	if t.tx != nil {
		if err == nil {
			t.finish()
		}
		err = errors.Join(err, t.tx.Close())
	}
	return true, s.fail(err)
}

// found makes the scope's repository with a first commit.
func (t *txn) found(c gitstore.Change) (gitstore.Outcome, error) {
	o, err := t.scope.options()
	if err != nil {
		return gitstore.Outcome{}, err
	}
	r, created, err := gitstore.Init(t.ctx, t.scope.dir, o, c)
	if err != nil {
		return gitstore.Outcome{}, err
	}
	t.scope.mu.Lock()
	t.scope.repo = r
	t.scope.mu.Unlock()
	if !created {
		return gitstore.Outcome{}, errMade
	}
	t.repo = r
	if t.tx, err = r.Begin(t.ctx); err != nil {
		return gitstore.Outcome{}, err
	}
	head, err := r.Head()
	if err == nil {
		err = t.scope.markUnseen(t.ctx, r, &tree{head: head})
	}
	return gitstore.Outcome{Commit: head}, err
}

// adopt commits the person's hand edits as theirs.
func (t *txn) adopt() error {
	v, err := t.tx.View()
	if err != nil {
		return t.scope.fail(err)
	}
	if err := t.scope.lostBranch(v); err != nil {
		return err
	}
	tree, a, err := t.scope.treeOf(t.ctx, t.repo, v)
	if err != nil {
		return err
	}
	t.tree = tree
	t.scope.foresee(tree)
	t.strayIndex, t.foundIndex = a.index, a.found
	if err := t.writeDown(&a); err != nil {
		return err
	}
	if !a.empty() {
		if err := t.commitAdopted(a); err != nil {
			return err
		}
	}
	if err := t.adoptRescued(); err != nil {
		return err
	}
	if err := t.putRight(); err != nil {
		return err
	}
	return t.dropPurged()
}

func (t *txn) commitAdopted(a adoption) error {
	for p := range a.files {
		t.mark(p)
	}
	t.take = a.taken
	for _, c := range a.changes {
		t.touch(c.Kind, c.ID)
	}
	subject := fmt.Sprintf("%d entries", len(a.changes))
	switch len(a.changes) {
	case 0:
		subject = strings.Join(a.paths(), ", ")
	case 1:
		subject = a.changes[0].Title()
	}
	_, err := t.commit(message{op: "adopt", title: subject, source: sourcePerson}, a.saved)
	return err
}

// adoptRescued takes in what somebody saved while the very file was being
// replaced, and overwrote with a later save at once: each as a hand edit.
func (t *txn) adoptRescued() error {
	list, err := t.tx.Rescued()
	if err != nil {
		return t.scope.fail(err)
	}
	for _, r := range list {
		if r.Path == indexFile { // is generated
			if err := t.tx.Settled(r); err != nil {
				return t.scope.fail(err)
			}
			continue
		}
		if torn(r) {
			continue // its writer may be about to go on
		}
		a, err := t.scope.rescued(t.ctx, t.repo, t.tree, r)
		if err != nil {
			return err
		}
		if !a.empty() {
			if err := t.commitAdopted(a); err != nil {
				return err
			}
		}
		if err := t.tx.Settled(r); err != nil {
			return t.scope.fail(err)
		}
	}
	return nil
}

// lostBranch refuses a scope whose branch leads nowhere although files were
// committed: what seems to be a new beginning would bury the history.
func (s *Scope) lostBranch(v *gitstore.View) error {
	if !v.Head.IsZero() {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".git", "index")); err != nil {
		return nil
	}
	return &Error{Code: Failed, Err: errLostBranch, Message: "scope " + s.name + ": its branch leads to no commit, though there were some",
		Hint: "'vault doctor --fix' brings it back to the newest one; nothing was changed"}
}

var errLostBranch = errors.New("branch lost")

// scaffold gives a new scope its first files; they go in with its first change.
func (t *txn) scaffold() {
	first := map[string][]byte{
		manifestFile:     newManifest(t.scope.called()),
		".gitattributes": []byte(gitAttributes),
	}
	for _, k := range Kinds() {
		if k.IsLedger() {
			first[k.Ledger()] = []byte(entryfile.Skeleton(k))
		}
	}
	for p, data := range first {
		t.tree.files[p] = textFile(p, data)
		t.mark(p)
	}
}

// touch notes that the pending change is about an entry.
func (t *txn) touch(kind Kind, id string) {
	t.entries = append(t.entries, kind.Dir()+"/"+id)
}

// document returns the parsed file of a path, for editing; a file that is not
// there yet begins as the kind's skeleton.
func (t *txn) document(path string, kind Kind) (*entryfile.Document, error) {
	if why, ok := t.tree.blocked[path]; ok {
		return nil, conflict("", "%s", why)
	}
	f, ok := t.tree.files[path]
	if !ok {
		var data []byte
		if kind.IsLedger() {
			data = []byte(entryfile.Skeleton(kind))
		}
		f = textFile(path, data)
		t.tree.files[path] = f
	}
	t.mark(path)
	return f.editable()
}

// mark says that a file is being edited: what is known of its committed
// content no longer holds.
func (t *txn) mark(path string) {
	t.edited[path] = true
	if f, ok := t.tree.files[path]; ok {
		f.hash = gitstore.Hash{}
	}
}

// add puts a new entry into its file and returns it as it will stand there.
func (t *txn) add(e entryfile.Entry) (located, error) { return t.addAgain(e, nil) }

// addAgain is add for an entry that the history has; before is what it held.
func (t *txn) addAgain(e entryfile.Entry, before *entryfile.Entry) (located, error) {
	if e.ID == "" {
		id, err := t.newID()
		if err != nil {
			return located{}, err
		}
		e.ID = id
	}
	if err := t.check(&e, before); err != nil {
		return located{}, err
	}
	path := e.Kind.Ledger()
	if path == "" {
		path = e.Kind.Dir() + "/" + entryfile.FileName(e)
	}
	doc, err := t.document(path, e.Kind)
	if err != nil {
		return located{}, err
	}
	if err := doc.Append(e); err != nil {
		return located{}, t.scope.fail(err)
	}
	t.touch(e.Kind, e.ID)
	return located{entryfile.Section{Entry: e}, path}, nil
}

// set replaces an entry where it stands.
func (t *txn) set(l located, e entryfile.Entry) error {
	if err := t.refuseCircle(e, l.Supersedes); err != nil {
		return err
	}
	return t.overwrite(l, e)
}

// overwrite is set for one of many entries whose chains have been looked at.
func (t *txn) overwrite(l located, e entryfile.Entry) error {
	if err := t.check(&e, &l.Entry); err != nil {
		return err
	}
	doc, err := t.document(l.path, e.Kind)
	if err != nil {
		return err
	}
	if err := doc.Set(e); err != nil {
		return t.scope.fail(err)
	}
	t.touch(e.Kind, e.ID)
	return nil
}

// remove takes an entry out of its file; an entry file goes as a whole.
func (t *txn) remove(l located) error {
	t.touch(l.Kind, l.ID)
	if !l.Kind.IsLedger() {
		if why, ok := t.tree.blocked[l.path]; ok {
			return conflict("", "%s", why)
		}
		delete(t.tree.files, l.path)
		t.mark(l.path)
		return nil
	}
	doc, err := t.document(l.path, l.Kind)
	if err != nil {
		return err
	}
	return t.scope.fail(doc.Remove(l.ID))
}

// newID makes an id that no entry of the scope's current files has.
func (t *txn) newID() (string, error) {
	for {
		id, err := entryfile.NewID(t.scope.home.opt.Random)
		if err != nil {
			return "", &Error{Code: Failed, Message: "no random numbers for an id", Hint: err.Error(), Err: err}
		}
		taken, err := t.taken(id)
		if err != nil || !taken {
			return id, err
		}
	}
}

func (t *txn) taken(id string) (bool, error) {
	if purged := t.tree.isPurged(); purged != nil && purged(id) {
		return true, nil
	}
	for _, p := range t.tree.paths(Kinds()...) {
		f := t.tree.files[p]
		if !f.kind.IsLedger() && strings.Contains(p, id) {
			return true, nil
		}
		if !f.kind.IsLedger() || f.rolled() {
			continue
		}
		data, err := f.bytes()
		if err != nil {
			return false, err
		}
		if bytes.Contains(data, []byte(id)) {
			return true, nil
		}
	}
	return false, nil
}

// A message is what a commit says about itself.
type message struct {
	op      string
	verb    string // the subject's, where it is not op
	title   string
	source  string
	session string
	reason  string // why, in the person's words
	undoes  []gitstore.Hash
	noted   bool // the commit is for what it says, though it may change nothing
}

// text lays a commit message out: a subject that reads well in git log, and
// trailers that say the rest, one line each.
func (m message) text(entries []string, code string) string {
	verb := m.verb
	if verb == "" {
		verb = m.op
	}
	var b strings.Builder
	b.WriteString(verb + ": " + secrets.Redact(oneLine(m.title)) + "\n\n")
	if m.reason != "" {
		b.WriteString(oneLine(m.reason) + "\n\n")
	}
	trailer := func(key, value string) {
		if value = oneLine(value); value != "" {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	trailer("Vault-Op", m.op)
	for i, e := range entries {
		if i == maxTrailerEntries {
			trailer("Vault-Entries", fmt.Sprintf("%d in all", len(entries)))
			break
		}
		trailer("Vault-Entry", e)
	}
	trailer("Vault-Source", m.source)
	trailer("Vault-Session", m.session)
	for _, h := range m.undoes {
		trailer("Vault-Restores", h.String())
	}
	trailer("Code-Commit", secrets.Redact(code))
	return b.String()
}

// commit commits the pending edits, with the INDEX.md that belongs to them.
// Without any, it makes no commit and returns the zero hash.
func (t *txn) commit(m message, saved map[string][]byte) (gitstore.Hash, error) {
	if err := t.scope.home.refuseSecretText("reason", m.reason); err != nil {
		return gitstore.Hash{}, err
	}
	c := gitstore.Change{Put: map[string][]byte{}, Take: t.take, Expect: map[string][]byte{}, Parents: t.parents, Modes: t.modes, Empty: m.noted}
	maps.Copy(c.Expect, saved)
	c.Discard = t.tree.savedPurged(saved)
	c.Discard[indexFile] = true // is generated
	if t.strayIndex {
		c.Expect[indexFile] = t.foundIndex
	}
	for p := range t.edited {
		f, ok := t.tree.files[p]
		if !ok {
			c.Delete = append(c.Delete, p)
			continue
		}
		data, err := t.print(f)
		if err != nil {
			return gitstore.Hash{}, err
		}
		if f.kind.IsLedger() && f.rolled() && (len(data) == 0 || string(data) == entryfile.Skeleton(f.kind)) {
			delete(t.tree.files, p) // the last of what was rolled into it is gone
			c.Delete = append(c.Delete, p)
			continue
		}
		c.Put[p] = data
	}
	index, err := t.tree.index(t.scope.called(), t.scope.cacheDir())
	if err != nil {
		return gitstore.Hash{}, err
	}
	c.Put[indexFile] = index
	sort.Strings(t.entries)
	c.Message = m.text(t.entries, t.scope.codeCommit())
	if c.Author, err = t.scope.signature(); err != nil {
		return gitstore.Hash{}, err
	}
	c.Committer = c.Author
	var done gitstore.Outcome
	if t.tx == nil {
		done, err = t.found(c)
	} else {
		done, err = t.tx.Commit(c)
	}
	if err != nil {
		return gitstore.Hash{}, err
	}
	for p := range t.edited {
		if f, ok := t.tree.files[p]; ok {
			f.hash = gitstore.BlobHash(f.data)
		}
	}
	t.tree.head = done.Commit
	if t.strayIndex && t.foundIndex != nil && !bytes.Equal(t.foundIndex, index) {
		t.scope.home.notice(indexFile + " is generated: the edit to it was put back; edit the entries instead")
	}
	t.strayIndex, t.foundIndex = false, nil
	t.saved = t.saved || len(done.Saved) > 0
	t.edited, t.take, t.entries, t.parents = map[string]bool{}, nil, nil, nil
	t.modes = nil
	if done.Unchanged {
		return gitstore.Hash{}, nil
	}
	return done.Commit, nil
}

// settleSaved adopts what an editor saved in the very moment in which the file
// was being replaced.
func (t *txn) settleSaved() error {
	for try := 0; t.saved && try < maxRetries; try++ {
		t.saved = false
		t.tx.Refresh()
		if err := t.adopt(); err != nil {
			return err
		}
	}
	return nil
}

// writeDown adds the ids that committed files lack: entries that somebody
// typed and committed with plain git.
func (t *txn) writeDown(a *adoption) error {
	s, err := t.tree.survey(t.scope.cacheDir())
	if err != nil {
		return t.scope.fail(err)
	}
	for _, unit := range s.unwritten {
		for _, f := range t.tree.files {
			if f.kind == "" || f.unit() != unit || a.files[f.path] != nil || t.tree.blocked[f.path] != "" {
				continue
			}
			doc, err := f.editable()
			if err != nil {
				return t.scope.fail(err)
			}
			before := doc.Bytes()
			ids, err := doc.Adopt(entryfile.Entry{Created: t.now, Source: sourcePerson, Code: t.scope.codeCommit()})
			if err != nil {
				return t.scope.fail(err)
			}
			if len(ids) == 0 {
				continue
			}
			a.files[f.path], a.saved[f.path] = doc.Bytes(), before
			for _, id := range ids {
				if s, ok := doc.Get(id); ok {
					e := s.Entry
					a.changes = append(a.changes, merge.Change{Op: merge.Added, ID: id, Kind: f.kind, After: &e, AfterPath: f.path})
				}
			}
		}
	}
	return nil
}

// print gives the bytes of an edited file, having made sure that they say what
// was meant.
func (t *txn) print(f *file) ([]byte, error) {
	if f.doc == nil || f.kind == "" {
		return f.bytes()
	}
	data := f.doc.Bytes()
	again := entryfile.ParseAgain(f.prev, f.kind, f.path, data)
	if !f.doc.Says(again) {
		return nil, &Error{Code: Failed, Message: f.path + " would not read back as it was meant", Hint: "nothing was written; please report this"}
	}
	f.data, f.loaded, f.doc = data, true, again
	return data, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
