package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// A Commit is one change of a scope, told in entries.
type Commit struct {
	Commit  string        `json:"commit"`
	Scope   string        `json:"scope,omitempty"`
	Time    time.Time     `json:"time"`
	Author  string        `json:"author"`
	Op      string        `json:"op,omitempty"` // what Vault-Op says; "" for a commit that plain git made
	Subject string        `json:"subject"`
	Reason  string        `json:"reason,omitempty"`
	Source  string        `json:"source,omitempty"`
	Session string        `json:"session,omitempty"`
	Code    string        `json:"code,omitempty"` // the workspace's commit and branch at the time
	Entries []EntryChange `json:"entries"`
}

// How an entry fared in a change.
const (
	Added     = "added"
	Edited    = "edited"
	Forgotten = "forgotten"
	Moved     = "moved" // to another file, its text untouched
)

// An EntryChange is what a commit, or a span of history, did to one entry.
type EntryChange struct {
	ID     string `json:"id"`
	Scope  string `json:"scope,omitempty"`
	Kind   Kind   `json:"kind"`
	Title  string `json:"title"`
	Change string `json:"change"`
	Before *Entry `json:"before,omitempty"`
	After  *Entry `json:"after,omitempty"`
}

// LogQuery narrows a log.
type LogQuery struct {
	Scope string // every scope of the folder by default
	ID    string // only changes of this entry, forgotten or not
	Limit int    // at most so many commits, newest first; 0 for all
	Texts bool   // with the versions before and after
}

// Log returns the changes of the folder's scopes, newest first. What changed
// is told from the trees, never from what a commit's message claims.
func (h *Home) Log(ctx context.Context, q LogQuery) ([]Commit, error) {
	id := ""
	if q.ID != "" {
		var err error
		if id, err = idPrefix(q.ID); err != nil {
			return nil, err
		}
	}
	scopes, err := h.selected(q.Scope)
	if err != nil {
		return nil, err
	}
	// Within one second the scope that moved last has the newer commits.
	slices.SortStableFunc(scopes, func(a, b *Scope) int { return b.moved().Compare(a.moved()) })
	var out []Commit
	for _, s := range scopes {
		r, err := s.open()
		if err != nil {
			return nil, err
		}
		head, err := r.Head()
		if err != nil {
			return nil, s.fail(err)
		}
		if head.IsZero() {
			continue
		}
		var life map[string]bool
		if id != "" {
			if life, err = s.chainIDs(ctx, id); err != nil {
				return nil, err
			}
		}
		n := 0
		for c, err := range r.Log(ctx, head) {
			if err != nil {
				return nil, s.fail(err)
			}
			if q.Limit > 0 && n == q.Limit {
				break
			}
			changes, err := s.commitChanges(ctx, r, c, "")
			if err != nil {
				return nil, s.fail(err)
			}
			if id != "" {
				changes = ofLife(changes, id, life)
			}
			if id != "" && len(changes) == 0 {
				continue
			}
			out = append(out, s.describe(c, changes, q.Texts))
			n++
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Time.After(out[j].Time) })
	if q.Limit > 0 && len(out) > q.Limit {
		out = out[:q.Limit]
	}
	if id != "" && len(out) == 0 {
		return nil, noEntry(id)
	}
	return out, nil
}

// chainIDs are the ids of the chains that entries stand in whose ids begin with
// the prefix.
func (s *Scope) chainIDs(ctx context.Context, prefix string) (map[string]bool, error) {
	t, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	found, err := t.find(prefix)
	if err != nil {
		return nil, s.fail(err)
	}
	out := map[string]bool{}
	for _, l := range found {
		_, ids, err := t.reach(ctx, l.ID)
		if err != nil {
			return nil, s.fail(err)
		}
		maps.Copy(out, ids)
	}
	return out, nil
}

// ofLife keeps the changes of an entry and of its chain, and adds to that what
// these superseded, which is found further back.
func ofLife(changes []merge.Change, prefix string, chain map[string]bool) []merge.Change {
	changes = slices.DeleteFunc(changes, func(c merge.Change) bool { return !strings.HasPrefix(c.ID, prefix) && !chain[c.ID] })
	for _, c := range changes {
		for _, e := range []*entryfile.Entry{c.Before, c.After} {
			if e != nil {
				for _, old := range e.Supersedes {
					chain[old] = true
				}
			}
		}
	}
	return changes
}

// describe tells a commit with its changes.
func (s *Scope) describe(c *gitstore.Commit, changes []merge.Change, texts bool) Commit {
	out := Commit{
		Commit: c.Hash.String(), Scope: s.name, Time: c.Author.When.UTC(), Author: c.Author.Name,
		Entries: []EntryChange{},
	}
	m := parseMessage(c.Message)
	if s.home.opt.Writer.IsAgent() {
		s.veil(&m, changes)
		changes = s.visible(changes)
	}
	out.Subject, out.Reason, out.Op, out.Source, out.Session, out.Code = m.subject, m.reason, m.op, m.source, m.session, m.code
	for _, ch := range changes {
		out.Entries = append(out.Entries, s.entryChange(ch, texts))
	}
	return out
}

func (s *Scope) entryChange(ch merge.Change, texts bool) EntryChange {
	out := EntryChange{ID: ch.ID, Kind: ch.Kind, Title: ch.Title(), Change: changeWord(ch.Op)}
	if !texts {
		return out
	}
	out.Scope = s.name
	if ch.Before != nil {
		e := present(s.name, located{entryfile.Section{Entry: *ch.Before}, ch.BeforePath})
		e.Description = ch.Before.Description
		out.Before = &e
	}
	if ch.After != nil {
		e := present(s.name, located{entryfile.Section{Entry: *ch.After}, ch.AfterPath})
		e.Description = ch.After.Description
		out.After = &e
	}
	return out
}

func changeWord(op merge.Op) string {
	switch op {
	case merge.Added:
		return Added
	case merge.Edited:
		return Edited
	case merge.Removed:
		return Forgotten
	}
	return Moved
}

// commitChanges tells what a commit did to entries (to those whose id begins
// with the prefix, where one is given). Of a merge it tells only what differs
// from every parent: the rest is told by the commits that it merged.
func (s *Scope) commitChanges(ctx context.Context, r *gitstore.Repo, c *gitstore.Commit, id string) ([]merge.Change, error) {
	if len(c.Parents) == 0 {
		return s.treeChanges(ctx, r, gitstore.Hash{}, c.Tree, id)
	}
	var out []merge.Change
	for i, p := range c.Parents {
		parent, err := r.Commit(p)
		if err != nil {
			return nil, err
		}
		changes, err := s.treeChanges(ctx, r, parent.Tree, c.Tree, id)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = changes
			continue
		}
		out = slices.DeleteFunc(out, func(a merge.Change) bool {
			return !slices.ContainsFunc(changes, func(b merge.Change) bool { return a.ID == b.ID })
		})
	}
	return out, nil
}

// treeChanges compares two trees by entry.
func (s *Scope) treeChanges(ctx context.Context, r *gitstore.Repo, from, to gitstore.Hash, id string) ([]merge.Change, error) {
	paths, err := r.DiffTrees(from, to)
	if err != nil {
		return nil, err
	}
	before, after := merge.Files{}, merge.Files{}
	for _, p := range paths {
		if _, ok := entryfile.KindOf(p.Path); !ok {
			continue
		}
		if err := blobInto(r, before, p.Path, p.Old.Hash); err != nil {
			return nil, err
		}
		if err := blobInto(r, after, p.Path, p.New.Hash); err != nil {
			return nil, err
		}
	}
	changes := merge.Diff(before, after)
	if id == "" {
		return changes, nil
	}
	return slices.DeleteFunc(changes, func(c merge.Change) bool { return !strings.HasPrefix(c.ID, id) }), nil
}

func blobInto(r *gitstore.Repo, files merge.Files, path string, h gitstore.Hash) error {
	if h.IsZero() {
		return nil
	}
	data, err := r.Blob(h)
	files[path] = data
	return err
}

// parsedMessage is what a commit message says.
type parsedMessage struct {
	subject, reason, op, source, session, code string
	restores                                   []string // commits, by hash
}

func parseMessage(text string) parsedMessage {
	var m parsedMessage
	subject, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	m.subject = strings.TrimSpace(subject)
	fields := map[string]*string{"Vault-Op": &m.op, "Vault-Source": &m.source, "Vault-Session": &m.session,
		"Code-Commit": &m.code}
	// Trailers are the last paragraph; a line like one above it is only text.
	body, trailers := "", rest
	if i := strings.LastIndex(strings.TrimRight(rest, "\n"), "\n\n"); i >= 0 {
		body, trailers = rest[:i], rest[i:]
	}
	for line := range strings.SplitSeq(trailers, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if f := fields[key]; ok && f != nil {
			*f = strings.TrimSpace(value)
		}
		if ok && key == "Vault-Restores" {
			m.restores = append(m.restores, strings.TrimSpace(value))
		}
	}
	m.reason = strings.TrimSpace(body)
	return m
}

// ResolveCommit finds a commit of a scope by hash, or part of one, or by what
// git calls it (HEAD~2, a branch, a tag).
func (s *Scope) resolveCommit(rev string) (*gitstore.Repo, *gitstore.Commit, error) {
	r, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	h, err := r.Resolve(rev)
	if err != nil {
		if CodeOf(err) == NotFound {
			return nil, nil, noCommit(rev)
		}
		return nil, nil, s.fail(err)
	}
	c, err := r.Commit(h)
	return r, c, s.fail(err)
}

func noCommit(rev string) error { return notFound("'vault log' lists them", "no commit %q", rev) }

// findCommit finds a commit among the folder's scopes, or in the named one.
func (h *Home) findCommit(scope, rev string) (*Scope, *gitstore.Repo, *gitstore.Commit, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, nil, nil, err
	}
	// A name such as HEAD means something in each scope: the project's is nearest.
	for _, s := range slices.Backward(scopes) {
		r, c, err := s.resolveCommit(rev)
		if err == nil {
			return s, r, c, nil
		}
		if CodeOf(err) != NotFound {
			return nil, nil, nil, err
		}
	}
	return nil, nil, nil, noCommit(rev)
}

// Show tells one commit with the texts it changed.
func (h *Home) Show(ctx context.Context, scope, rev string) (Commit, error) {
	s, r, c, err := h.findCommit(scope, rev)
	if err != nil {
		return Commit{}, err
	}
	changes, err := s.commitChanges(ctx, r, c, "")
	if err != nil {
		return Commit{}, s.fail(err)
	}
	return s.describe(c, changes, true), nil
}

// A DiffQuery names two states of a scope: commits, or "" for the files as
// they are now. Without either, it is what has been edited by hand and not yet
// committed.
type DiffQuery struct {
	Scope string
	From  string
	To    string
}

// A Diff is what lies between two states of a scope.
type Diff struct {
	Scope   string        `json:"scope"`
	Changes []EntryChange `json:"changes"`
	Patch   []FilePatch   `json:"-"`
}

// A FilePatch is the two versions of one file.
type FilePatch struct {
	Path          string
	Before, After []byte // nil where the file is not there
}

// Diff compares two states of each of the folder's scopes, entry by entry. A
// revision is looked up in the scope where it is found.
func (h *Home) Diff(ctx context.Context, q DiffQuery) ([]Diff, error) {
	var scopes []*Scope
	var err error
	if q.From == "" {
		scopes, err = h.selected(q.Scope)
	} else {
		var s *Scope
		s, _, _, err = h.findCommit(q.Scope, q.From)
		scopes = []*Scope{s}
	}
	if err != nil {
		return nil, err
	}
	var out []Diff
	for _, s := range scopes {
		d, err := s.diff(ctx, q)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (s *Scope) diff(ctx context.Context, q DiffQuery) (Diff, error) {
	out := Diff{Scope: s.name, Changes: []EntryChange{}}
	r, err := s.open()
	if err != nil {
		return out, err
	}
	from, err := s.sideOf(r, q.From)
	if err != nil {
		return out, err
	}
	if q.To != "" {
		to, err := s.sideOf(r, q.To)
		if err != nil {
			return out, err
		}
		return s.diffTrees(r, from, to)
	}
	before, after := merge.Files{}, merge.Files{}
	if err := s.againstNow(ctx, r, from, before, after); err != nil {
		return out, s.fail(err)
	}
	return s.diffFiles(before, after), nil
}

// diffTrees compares two trees; zero is one without files.
func (s *Scope) diffTrees(r *gitstore.Repo, from, to gitstore.Hash) (Diff, error) {
	before, after := merge.Files{}, merge.Files{}
	paths, err := r.DiffTrees(from, to)
	if err != nil {
		return Diff{}, s.fail(err)
	}
	for _, p := range paths {
		if err := blobInto(r, before, p.Path, p.Old.Hash); err != nil {
			return Diff{}, s.fail(err)
		}
		if err := blobInto(r, after, p.Path, p.New.Hash); err != nil {
			return Diff{}, s.fail(err)
		}
	}
	return s.diffFiles(before, after), nil
}

// diffFiles tells what lies between two sets of files.
func (s *Scope) diffFiles(before, after merge.Files) Diff {
	out := Diff{Scope: s.name, Changes: []EntryChange{}}
	for p := range union(before, after) {
		if string(before[p]) != string(after[p]) || (before[p] == nil) != (after[p] == nil) {
			out.Patch = append(out.Patch, FilePatch{p, before[p], after[p]})
		}
	}
	sort.Slice(out.Patch, func(i, j int) bool { return out.Patch[i].Path < out.Patch[j].Path })
	out.Patch = s.visiblePatch(out.Patch)
	for _, ch := range s.visible(merge.Diff(before, after)) {
		out.Changes = append(out.Changes, s.entryChange(ch, true))
	}
	return out
}

// sideOf is the tree of a revision, HEAD's for "".
func (s *Scope) sideOf(r *gitstore.Repo, rev string) (gitstore.Hash, error) {
	if rev == "" {
		head, err := r.Head()
		if err != nil || head.IsZero() {
			return gitstore.Hash{}, s.fail(err)
		}
		c, err := r.Commit(head)
		if err != nil {
			return gitstore.Hash{}, s.fail(err)
		}
		return c.Tree, nil
	}
	_, c, err := s.resolveCommit(rev)
	if err != nil {
		return gitstore.Hash{}, err
	}
	return c.Tree, nil
}

// againstNow fills in the files that differ between a tree and the scope as it
// is on disk.
func (s *Scope) againstNow(ctx context.Context, r *gitstore.Repo, from gitstore.Hash, before, after merge.Files) error {
	t, err := s.read(ctx)
	if err != nil {
		return err
	}
	old, err := r.Tree(from)
	if err != nil {
		return err
	}
	for p, f := range t.files {
		if was, ok := old[p]; ok && !f.hash.IsZero() && was.Hash == f.hash {
			delete(old, p)
			continue
		}
		data, err := f.bytes()
		if err != nil {
			return err
		}
		after[p] = data
	}
	for p, was := range old {
		if _, ok := t.files[p]; !ok && p == indexFile {
			continue
		}
		if err := blobInto(r, before, p, was.Hash); err != nil {
			return err
		}
	}
	return nil
}

func union[V any](a, b map[string]V) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func countEntries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// fileAt is the blob that a path is in a commit; zero where it is not there.
func fileAt(r *gitstore.Repo, commit gitstore.Hash, path string) (gitstore.Hash, error) {
	e, err := r.Entry(commit, path)
	if errors.Is(err, gitstore.ErrNotFound) {
		return gitstore.Hash{}, nil
	}
	return e.Hash, err
}
