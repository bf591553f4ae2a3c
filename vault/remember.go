package vault

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// A Draft is something to remember. Only Text is needed.
type Draft struct {
	Scope       string // "user" or "project"; by default preferences go to the user's scope, all else to the project's
	Kind        Kind   // a preference by default
	Title       string // the text's first sentence by default
	Description string
	Text        string
	Tags        []string
	Pin         bool
	Paths       []string // workspace files it is about, relative to the workspace or to the folder
	Evidence    string
	Supersedes  []string // ids or prefixes of them
	Expires     string   // a date: 2027-01-31
	Session     string
	Created     time.Time // now by default
}

// A Change is what a command did to one entry.
type Change struct {
	Entry     Entry  `json:"entry"`
	Commit    string `json:"commit,omitempty"`
	Pending   bool   `json:"pending"`             // an agent's change that waits for a person
	Card      string `json:"card,omitempty"`      // the card it waits on
	Unchanged bool   `json:"unchanged,omitempty"` // nothing had to be done: the scope says so already
	Withdrawn bool   `json:"withdrawn,omitempty"` // what the agent had asked for was taken back; nothing else changed
}

// Remember adds one entry, in one commit. A text that is there already is not
// added again: the answer is the entry that says it, marked Unchanged.
func (h *Home) Remember(ctx context.Context, d Draft) (Change, error) {
	if d.Kind == "" {
		d.Kind = Preference
	}
	s, err := h.scopeFor(d.Scope, d.Kind)
	if err != nil {
		return Change{}, err
	}
	e, err := s.draft(d)
	if err != nil {
		return Change{}, err
	}
	s.readAhead(e.Kind)
	var out Change
	err = s.write(ctx, func(t *txn) error {
		if e.Supersedes, err = t.resolve(d.Supersedes); err != nil {
			return err
		}
		if same, ok, err := t.twin(e); err != nil || ok {
			out = Change{Entry: t.present(same), Unchanged: true}
			return err
		}
		waiting, err := t.heldTwin(e)
		if err != nil {
			return err
		}
		if waiting != nil && h.opt.Writer.IsAgent() {
			out = Change{Entry: t.present(waiting.proposed()), Unchanged: true, Pending: true, Card: waiting.ID}
			return nil
		}
		if waiting != nil {
			// The person says what an agent has proposed: that decides it.
			e.ID = waiting.EntryID
			t.dropCard(*waiting)
		}
		done, err := t.propose(proposal{op: entryfile.OpAdd, after: e})
		if err != nil {
			return err
		}
		c, err := t.commit(message{op: "remember", title: e.Title, source: e.Source, session: e.Session}, nil)
		out = t.outcome(done, c)
		return err
	})
	if err == nil && d.Scope == "" {
		h.noteNoProject(d.Kind, s)
	}
	return out, err
}

// scopeFor finds the scope a new entry belongs to.
func (h *Home) scopeFor(name string, kind Kind) (*Scope, error) {
	if name != "" {
		return h.Scope(name)
	}
	if kind == Preference {
		return h.userScope(), nil
	}
	s, err := h.project()
	if CodeOf(err) == NotFound {
		return h.userScope(), nil
	}
	return s, err
}

// noteNoProject says where something went that would have been the project's,
// had there been one.
func (h *Home) noteNoProject(kind Kind, s *Scope) {
	if kind != Preference && s.name == UserScope {
		h.notice("no project here: it is with the user's own")
	}
}

// draft makes an entry of a draft, all but its id and what depends on other
// entries.
func (s *Scope) draft(d Draft) (entryfile.Entry, error) {
	text := entryfile.TrimBody(d.Text)
	e := entryfile.Entry{
		Kind: d.Kind, Title: strings.TrimSpace(d.Title), Description: strings.TrimSpace(d.Description), Body: text,
		Tags: d.Tags, Pinned: d.Pin, Evidence: strings.TrimSpace(d.Evidence), Expires: strings.TrimSpace(d.Expires),
		Session: d.Session, Source: s.home.opt.Writer.source(), Code: s.codeCommit(), Created: s.home.now(),
	}
	if e.Session == "" {
		e.Session = s.home.opt.Writer.Session
	}
	if text == "" && e.Title == "" {
		return e, invalid("give it as an argument, or '-' and on standard input", "nothing to remember: the text is empty")
	}
	if e.Title == "" {
		e.Title = entryfile.DefaultTitle(text)
	}
	if e.Body == "" {
		e.Body = e.Title
	}
	if !d.Created.IsZero() {
		e.Created = entryfile.Stamp(d.Created)
	}
	if d.Kind == OpenThread {
		e.Status = entryfile.StatusOpen
	}
	for _, p := range d.Paths {
		seen, err := s.pathSeen(p)
		if err != nil {
			return e, err
		}
		e.Paths = append(e.Paths, seen)
	}
	if err := entryfile.Check(e); err != nil {
		return e, &Error{Code: Invalid, Message: err.Error(), Err: err}
	}
	return e, nil
}

// twin finds an entry of the current files that says the same already.
func (t *txn) twin(e entryfile.Entry) (located, bool, error) {
	seen, err := t.sight()
	if err != nil {
		return located{}, false, err
	}
	for _, p := range seen.paths(e.Kind) {
		f := seen.files[p]
		if f.rolled() {
			continue
		}
		doc, err := f.document()
		if err != nil {
			return located{}, false, t.scope.fail(err)
		}
		for s := range doc.All() {
			if s.Err == nil && s.Title == e.Title && s.Body == e.Body {
				return located{s, p}, true, nil
			}
		}
	}
	return located{}, false, nil
}

// heldTwin finds the card of an entry that would say the same; an agent has
// only its own.
func (t *txn) heldTwin(e entryfile.Entry) (*card, error) {
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	for _, c := range list {
		if who := t.scope.home.opt.Writer; who.IsAgent() && c.Source != who.source() {
			continue
		}
		if c.Op == entryfile.OpAdd && c.HasEntry() && c.Kind == e.Kind && c.Entry.Title == e.Title && c.Entry.Body == e.Body {
			return &c, nil
		}
	}
	return nil, nil
}

// resolve turns prefixes of ids into the ids they mean.
func (t *txn) resolve(prefixes []string) ([]string, error) {
	var out []string
	seen, err := t.sight()
	if err != nil {
		return nil, err
	}
	for _, p := range prefixes {
		l, err := seen.one(p)
		if err != nil {
			return nil, err
		}
		out = append(out, l.ID)
	}
	return out, nil
}

func (t *txn) present(l located) Entry { return present(t.scope.name, l) }

func (t *txn) outcome(o outcome, c gitstore.Hash) Change {
	ch := t.result(o.at, c)
	ch.Card, ch.Pending, ch.Withdrawn = o.card, o.pending, o.withdrawn
	ch.Unchanged = ch.Unchanged || o.unchanged
	return ch
}

func (t *txn) result(l located, c gitstore.Hash) Change {
	e := t.present(l)
	if c.IsZero() {
		return Change{Entry: e, Unchanged: true}
	}
	e.Commit = c.String()
	return Change{Entry: e, Commit: e.Commit}
}

// one returns the only entry whose id begins with the prefix.
func (t *tree) one(prefix string) (located, error) {
	prefix, err := idPrefix(prefix)
	if err != nil {
		return located{}, err
	}
	found, err := t.find(prefix)
	if err != nil {
		return located{}, err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return located{}, noEntry(prefix)
	}
	return located{}, ambiguous(prefix, found)
}

func noEntry(prefix string) error {
	return notFound("'vault list' shows the ids; 'vault log' what was forgotten", "no entry %s", prefix)
}

func ambiguous(prefix string, found []located) error {
	var ids []string
	for i, l := range found {
		if i == 4 {
			ids = append(ids, "…")
			break
		}
		if entryfile.IsCard(l.path) {
			l.ID = cardID(l.path)
		}
		ids = append(ids, l.ID)
	}
	return invalid("type more of the id", "%s could be %s", prefix, strings.Join(ids, ", "))
}

// idPrefix reads an id as people type it: abbreviated, or with its folder in
// front as commits name it.
func idPrefix(s string) (string, error) {
	p := strings.TrimSpace(s)
	if p == "HEAD" { // git's, though its letters could begin an id
		return "", invalid("name an entry by its id", "%q is no id", s)
	}
	p = strings.ToLower(p)
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		p = p[i+1:]
	}
	if len(p) < 4 || len(p) > 8 || !validPrefix(p) {
		return "", invalid("give at least 4 characters of an id that 'vault list' shows", "%q is no id", s)
	}
	return p, nil
}

// again finds what was located before the scope was locked, as it is now.
func (t *txn) again(l located) (located, error) {
	if !entryfile.IsCard(l.path) {
		seen, err := t.sight()
		if err != nil {
			return located{}, err
		}
		return seen.one(l.ID)
	}
	if t.tree.files[l.path] == nil {
		return located{}, noEntry(l.ID)
	}
	c, err := t.tree.cardAt(l.path)
	return c.proposed(), t.scope.fail(err)
}

// locate finds the one entry, or the one card, that a prefix means among the
// folder's scopes, or in the named one. An agent finds of cards only its own,
// and nothing that holds a secret.
func (h *Home) locate(ctx context.Context, scope, prefix string) (*Scope, *tree, located, error) {
	p, err := idPrefix(prefix)
	if err != nil {
		return nil, nil, located{}, err
	}
	scopes, first := h.selected(scope)
	own := len(scopes)
	if scope == "" {
		if shared, err := h.sharedScopes(); err == nil {
			scopes = append(scopes, slices.DeleteFunc(shared, func(s *Scope) bool { return !s.IsTrusted() })...)
		}
	}
	var (
		in    *Scope
		at    *tree
		found []located
	)
	for i, s := range scopes {
		if i >= own && len(found) > 0 {
			break // the person's own count first
		}
		t, err := s.read(ctx)
		if err != nil {
			first = errors.Join(first, err)
			continue
		}
		l, err := t.find(p)
		if h.opt.Writer.IsAgent() {
			l = slices.DeleteFunc(l, func(l located) bool { return hasSecret(l.Entry) })
		}
		if err == nil && (len(l) == 0 || len(p) < entryfile.IDLength) {
			var onCards []located
			onCards, err = t.onCards(p, h.opt.Writer)
			l = append(l, onCards...)
		}
		if err != nil {
			first = errors.Join(first, s.fail(err))
			continue
		}
		if len(l) > 0 {
			in, at = s, t
			found = append(found, l...)
		}
	}
	switch {
	case len(found) == 1:
		return in, at, found[0], nil
	case len(found) > 1:
		return nil, nil, located{}, ambiguous(p, found)
	case first != nil:
		return nil, nil, located{}, first
	}
	return nil, nil, located{}, noEntry(p)
}

// selected returns the named scope, or all that serve the folder.
func (h *Home) selected(name string) ([]*Scope, error) {
	if name == "" {
		return h.Scopes()
	}
	s, err := h.Scope(name)
	if err != nil {
		return nil, err
	}
	if !s.Exists() {
		return nil, nil
	}
	return []*Scope{s}, nil
}

// serving is selected for what is to be offered: only what a person trusts, and
// as far as it can be; where the folder's project can't be told, it says so and
// leaves that out.
func (h *Home) serving(name string) ([]*Scope, error) {
	scopes, err := h.selected(name)
	if err != nil && name == "" {
		h.notice(err.Error())
		err = nil
	}
	if name == "" {
		shared, err := h.sharedScopes()
		if err != nil {
			h.notice(err.Error())
		}
		scopes = append(scopes, shared...)
	}
	var out []*Scope
	for _, s := range scopes {
		if s.IsTrusted() {
			out = append(out, s)
			continue
		}
		h.notice("scope " + s.name + " was cloned, and nothing of it is offered before 'vault trust --scope " + s.name + "'")
	}
	return out, err
}

// IsID reports whether a person's word has the form of an entry's id, or of
// the beginning of one; a commit's hash never has.
func IsID(s string) bool {
	_, err := idPrefix(s)
	return err == nil
}

func validPrefix(s string) bool {
	return entryfile.ValidID(s + "00000000"[:entryfile.IDLength-len(s)])
}
