package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/workspace"
)

// A Moment is a scope as it stood when a commit of the workspace's code was the
// current one.
type Moment struct {
	Scope  string    `json:"scope"`
	Code   string    `json:"code"`              // the commit of the code, whole
	Commit string    `json:"commit,omitempty"`  // the scope's commit; "" where it had none yet
	Time   time.Time `json:"time,omitzero"`     // of that
	ByDate bool      `json:"by_date,omitempty"` // no commit of the scope names one of the code's up to there, so that dates had to tell
}

// At finds a scope (the folder's project's by default) as it was when a commit
// of the workspace was current, by what git calls that: the scope's newest
// commit that was made while it, or one it comes from, was; where the scope's
// commits don't say, the newest one of the time before it. It returns the
// entries it then had, as List would order them by file.
func (h *Home) At(ctx context.Context, scope, rev string) (Moment, []Entry, error) {
	s, m, err := h.moment(ctx, scope, rev)
	if err != nil || m.Commit == "" {
		return m, []Entry{}, err
	}
	r, c, err := s.resolveCommit(m.Commit)
	if err != nil {
		return m, nil, err
	}
	t, err := treeAt(r, c)
	if err != nil {
		return m, nil, s.fail(err)
	}
	found, err := t.entries(ctx)
	if err != nil {
		return m, nil, s.fail(err)
	}
	out := []Entry{}
	marks := s.unseenMarks()
	for _, l := range found {
		if h.opt.Writer.IsAgent() && hides(marks, l.Entry) {
			continue
		}
		out = append(out, present(s.name, l))
	}
	list := make([]*Entry, len(out))
	for i := range out {
		list[i] = &out[i]
	}
	return m, out, s.fail(t.relate(ctx, h, list))
}

// treeAt is what a commit holds.
func treeAt(r *gitstore.Repo, c *gitstore.Commit) (*tree, error) {
	files, err := r.Tree(c.Hash)
	if err != nil {
		return nil, err
	}
	t := &tree{head: c.Hash, files: map[string]*file{}, blocked: map[string]string{}}
	for p, e := range files {
		if _, ok := entryfile.KindOf(p); ok || entryfile.IsCard(p) || p == manifestFile {
			t.files[p] = newFile(p, e.Hash, func() ([]byte, error) { return r.Blob(e.Hash) })
		}
	}
	return t, nil
}

// moment finds the scope's commit that belongs to one of the code.
func (h *Home) moment(ctx context.Context, scope, rev string) (*Scope, Moment, error) {
	scopes, err := h.selected(orDefault(scope, ProjectScope))
	if err != nil {
		return nil, Moment{}, err
	}
	if len(scopes) == 0 {
		return nil, Moment{}, notFound("the first 'vault remember' makes it", "scope %s has nothing in it yet", orDefault(scope, ProjectScope))
	}
	s := scopes[0]
	m := Moment{Scope: s.name}
	ws, err := h.Workspace()
	if err != nil {
		return s, m, err
	}
	code, err := ws.Revision(rev)
	switch {
	case errors.Is(err, workspace.ErrNoRevision):
		return s, m, notFound("'git log' in the workspace lists them", "%s", told(err))
	case err != nil:
		return s, m, &Error{Code: Failed, Message: told(err), Err: err}
	}
	m.Code = code.Commit
	c, byDate, err := s.momentOf(ctx, code)
	if err != nil {
		return s, m, s.fail(err)
	}
	if c != nil {
		m.Commit, m.Time, m.ByDate = c.Hash.String(), c.Author.When.UTC(), byDate
	}
	if byDate {
		h.notice(fmt.Sprintf("no change of %s says that it was made at %s or before it in the code's history: this is by date, %s", s.name, rev, code.Time.Format(time.RFC3339)))
	}
	return s, m, nil
}

// momentOf goes back through the scope's history.
func (s *Scope) momentOf(ctx context.Context, code workspace.Revision) (at *gitstore.Commit, byDate bool, err error) {
	r, err := s.open()
	if err != nil {
		return nil, false, err
	}
	head, err := r.Head()
	if err != nil || head.IsZero() {
		return nil, true, err
	}
	var before *gitstore.Commit
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, false, err
		}
		made, _, _ := strings.Cut(parseMessage(c.Message).code, " ")
		if made != "" && code.Includes(made) {
			return c, false, nil
		}
		if before == nil && !c.Committer.When.After(code.Time) {
			before = c
		}
	}
	return before, true, nil
}

// DiffCode compares a scope at two commits of the workspace's code, entry by
// entry; see At.
func (h *Home) DiffCode(ctx context.Context, scope, from, to string) ([]Diff, error) {
	s, before, err := h.moment(ctx, scope, from)
	if err != nil {
		return nil, err
	}
	_, after, err := h.moment(ctx, scope, to)
	if err != nil {
		return nil, err
	}
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	var sides [2]gitstore.Hash
	for i, m := range []Moment{before, after} {
		if m.Commit == "" {
			continue
		}
		if sides[i], err = s.sideOf(r, m.Commit); err != nil {
			return nil, err
		}
	}
	d, err := s.diffTrees(r, sides[0], sides[1])
	return []Diff{d}, err
}
