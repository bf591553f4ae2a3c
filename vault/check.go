package vault

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// Severities of a finding.
const (
	SeverityError   = "error"   // something is wrong, and a check fails on it
	SeverityWarning = "warning" // something to look at
)

// A Finding is something that a check noticed.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Scope    string `json:"scope"`
	ID       string `json:"id,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
}

// Check looks for what is wrong in the folder's scopes. With fix it first does
// what a write would do anyway: commit hand edits, write ids down, and make
// INDEX.md anew; and it sets up git's merge driver where that is missing. Where
// a hand edit holds what looks like a secret, it commits nothing of that scope.
//
// In a scope's own folder it is that scope that is checked, whoever's it is: so
// it works as a hook of git's and wherever a clone is tested.
func (h *Home) Check(ctx context.Context, scope string, fix bool) ([]Finding, error) {
	return h.checkEach(scope, func(s *Scope) ([]Finding, error) {
		if fix {
			if err := s.setUpDriver(ctx); err != nil {
				return nil, err
			}
			if err := s.fixable(ctx); err != nil {
				h.notice(told(err))
				return s.check(ctx)
			}
			if err := s.write(ctx, (*txn).reindex); err != nil {
				return nil, err
			}
		}
		return s.check(ctx)
	})
}

// fixable refuses to commit hand edits that hold what looks like a secret: once
// committed it would have to be purged. Where no check asks for it, the next
// change commits them all the same, as what a person typed.
func (s *Scope) fixable(ctx context.Context) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	v, err := r.View(ctx)
	if err != nil {
		return s.fail(err)
	}
	_, a, err := s.treeOf(ctx, r, v)
	if err != nil {
		return err
	}
	for _, p := range sortedKeys(a.saved) {
		if holdsSecret(p, a.saved[p]) {
			return refused("take it out, or let it in with 'vault edit --allow-secret'; 'vault check' names its place",
				"scope %s: nothing was committed, because %s holds what looks like a secret", s.name, p)
		}
	}
	return nil
}

// holdsSecret reports whether any entry in a file, or on a card, holds what
// looks like a secret.
func holdsSecret(path string, data []byte) bool {
	if entryfile.IsCard(path) {
		k, err := entryfile.ParseCard(data)
		return err == nil && hasSecret(k.Entry)
	}
	kind, ok := entryfile.KindOf(path)
	if !ok {
		return false
	}
	for s := range entryfile.Parse(kind, path, data).All() {
		if s.Err == nil && hasSecret(s.Entry) {
			return true
		}
	}
	return false
}

// CheckStaged is Check of what the next commit by git itself would hold: of the
// files as they are staged. As a hook of git's it reads the index that git is
// about to commit, which GIT_INDEX_FILE names.
func (h *Home) CheckStaged(ctx context.Context, scope string) ([]Finding, error) {
	return h.checkEach(scope, func(s *Scope) ([]Finding, error) { return s.checkStaged(ctx) })
}

func (h *Home) checkEach(scope string, check func(*Scope) ([]Finding, error)) ([]Finding, error) {
	scopes, err := h.checked(scope)
	if err != nil {
		return nil, err
	}
	out := []Finding{}
	for _, s := range scopes {
		found, err := check(s)
		if err != nil {
			found = append(found, Finding{Rule: "scope", Severity: SeverityError, File: ".", Message: told(err)})
		}
		for _, f := range found {
			f.Scope, f.File, f.Message = s.name, secrets.Redact(f.File), secrets.Redact(f.Message)
			out = append(out, f)
		}
	}
	return out, nil
}

// checked are the scopes to check.
func (h *Home) checked(name string) ([]*Scope, error) {
	if name == "" && !h.opt.Writer.IsAgent() {
		if s := h.scopeAt(h.opt.Dir); s != nil {
			return []*Scope{s}, nil
		}
	}
	return h.selected(name)
}

// scopeAt is the scope that a folder is, or is within; nil for none.
func (h *Home) scopeAt(dir string) *Scope {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for {
		s := h.newScope(filepath.Base(dir), dir)
		if m, err := s.manifest(); err == nil && s.Exists() && m.Format > 0 {
			if m.Name != "" {
				s.name = m.Name
			}
			return s
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// reindex commits an INDEX.md that had fallen behind, and nothing else.
func (t *txn) reindex() error {
	_, err := t.commit(message{op: "adopt", title: indexFile, source: "vault"}, nil)
	return err
}

func (s *Scope) check(ctx context.Context) ([]Finding, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	v, err := r.View(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	if err := s.lostBranch(v); err != nil {
		return nil, err
	}
	t, a, err := s.treeOf(ctx, r, v)
	if err != nil {
		return nil, err
	}
	c := checker{tree: t, saved: a.saved, byID: map[string][]located{}}
	for _, p := range sortedKeys(t.blocked) {
		c.add(Finding{Rule: "file", Severity: SeverityError, File: p, Message: t.blocked[p]})
	}
	if err := c.content(ctx, s); err != nil {
		return c.sorted(), s.fail(err)
	}
	if !s.mergesByEntry() {
		c.add(Finding{Rule: "driver", Severity: SeverityWarning, File: ".git/config", Message: "plain git merges this scope by line: 'vault check --fix' or a sync sets its merge driver up"})
	}
	if err := r.Unfinished(); err != nil {
		c.add(Finding{Rule: "unfinished", Severity: SeverityWarning, File: ".", Message: told(err)})
	} else if err := c.index(s, v); err != nil {
		return c.sorted(), s.fail(err)
	}
	return c.sorted(), nil
}

func (s *Scope) checkStaged(ctx context.Context) ([]Finding, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	index, _ := s.home.opt.Env("GIT_INDEX_FILE")
	if index != "" && !filepath.IsAbs(index) {
		index = filepath.Join(s.dir, index) // where git runs its hooks
	}
	files, err := r.Staged(index)
	if err != nil {
		return nil, s.fail(err)
	}
	t := &tree{files: make(map[string]*file, len(files))}
	for _, f := range files {
		if f.Path != indexFile {
			t.files[f.Path] = newFile(f.Path, f.Hash, func() ([]byte, error) { return r.Blob(f.Hash) })
		}
	}
	c := checker{tree: t, byID: map[string][]located{}}
	for _, f := range files {
		if f.Mode == gitstore.ModeSymlink && !isForeign(f.Path) {
			delete(t.files, f.Path)
			c.add(Finding{Rule: "file", Severity: SeverityError, File: f.Path, Message: f.Path + " is a symbolic link: stage a plain file"})
		}
	}
	err = c.content(ctx, s)
	return c.sorted(), s.fail(err)
}

// content checks all that people and agents have written.
func (c *checker) content(ctx context.Context, s *Scope) error {
	if err := c.entries(ctx); err != nil {
		return err
	}
	if err := c.ids(); err != nil {
		return err
	}
	if err := c.cards(); err != nil {
		return err
	}
	c.settings()
	c.links()
	if err := c.textLinks(ctx, s.home); err != nil {
		return err
	}
	c.chains()
	c.worn(s.home.opt.Now())
	if err := c.duplicates(ctx); err != nil {
		return err
	}
	return c.paths(s)
}

// sorted are the findings by file and line.
func (c *checker) sorted() []Finding {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return c.findings
}

type checker struct {
	tree     *tree
	saved    map[string][]byte // files as they stand on disk, where that is not committed
	byID     map[string][]located
	all      []located // in the order of the files
	findings []Finding
}

func (c *checker) add(f Finding) { c.findings = append(c.findings, f) }

func (c *checker) about(rule, severity string, l located, format string, args ...any) {
	c.add(Finding{Rule: rule, Severity: severity, ID: l.ID, File: l.path, Line: l.Line, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) entries(ctx context.Context) error {
	for _, p := range c.tree.paths(Kinds()...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		doc, err := c.tree.files[p].document()
		if err != nil {
			return err
		}
		for _, s := range doc.Sections() {
			l := located{s, p}
			if s.Err != nil {
				c.about("format", SeverityError, l, "not readable as an entry, and not offered: %s", oneLine(s.Err.Error()))
				continue
			}
			c.byID[s.ID] = append(c.byID[s.ID], l)
			c.all = append(c.all, l)
			e := s.Entry
			for _, stamp := range []*string{&e.Created, &e.Updated} {
				if *stamp != "" && entryfile.Stamp(parseStamp(*stamp)) != *stamp {
					c.about("date", SeverityWarning, l, "%q is no time like 2026-11-30T19:27:00Z", shortened(*stamp))
					*stamp = ""
				}
			}
			if err := entryfile.Check(e); err != nil {
				c.about("limit", SeverityError, l, "%s", told(err))
			}
			for _, f := range secretsOf(s.Entry) {
				c.about("secret", SeverityError, l, "%s in the %s, line %d, column %d: agents don't get to see it; 'vault purge %s' takes it out, of the history too; if it is none, 'vault edit %s --allow-secret %s' lets it in",
					f.Rule, f.Field, f.Line, f.Column, l.ID, l.ID, f.Rule)
			}
		}
	}
	return nil
}

// cards checks that each card can be decided on.
func (c *checker) cards() error {
	for _, p := range c.tree.cardPaths() {
		data, err := c.tree.files[p].bytes()
		if err != nil {
			return err
		}
		k, err := entryfile.ParseCard(data)
		if err == nil && k.Path() != p {
			err = fmt.Errorf("its id is %s", k.ID)
		}
		if err != nil {
			c.add(Finding{Rule: "card", Severity: SeverityError, File: p, Message: "not readable as a card, and not shown for review: " + told(err)})
			continue
		}
		if k.Op != entryfile.OpAdd && c.byID[k.EntryID] == nil && !(card{Card: k}).isApplied() {
			c.add(Finding{Rule: "card", Severity: SeverityWarning, ID: k.EntryID, File: p, Line: 1,
				Message: fmt.Sprintf("asks to %s %s, which is not there: look at it with 'vault review'", k.Op, k.EntryID)})
		}
		for _, f := range secretsOf(k.Entry) {
			c.add(Finding{Rule: "secret", Severity: SeverityError, ID: k.EntryID, File: p,
				Message: fmt.Sprintf("%s in the %s, line %d, column %d of what it proposes: restore it, and 'vault purge %s'", f.Rule, f.Field, f.Line, f.Column, k.EntryID)})
		}
	}
	return nil
}

// ids checks that each id stands in one place.
func (c *checker) ids() error {
	type place struct {
		path string
		line int
	}
	first := map[string]place{}
	for _, p := range c.tree.paths(Kinds()...) {
		doc, err := c.tree.files[p].document()
		if err != nil {
			return err
		}
		if saved := c.saved[p]; saved != nil {
			doc = entryfile.Parse(doc.Kind(), p, saved)
		}
		for id, line := range doc.WrittenIDs() {
			if was, twice := first[id]; twice {
				c.add(Finding{Rule: "id", Severity: SeverityError, ID: id, File: p, Line: line,
					Message: fmt.Sprintf("the id %s stands at %s:%d too: take it out of the one that is a copy, which gets an id of its own then", id, was.path, was.line)})
				continue
			}
			first[id] = place{p, line}
		}
	}
	return nil
}

// links checks that what points to an entry points to one that is there.
func (c *checker) links() {
	for _, id := range sortedKeys(c.byID) {
		list := c.byID[id]
		l := list[0]
		targets := map[string][]string{"supersedes": l.Supersedes, "derived_from": l.DerivedFrom}
		if l.Conflict != "" {
			targets["conflict"] = []string{l.Conflict}
		}
		for _, key := range sortedKeys(targets) {
			for _, to := range targets[key] {
				if c.byID[to] == nil {
					c.about("link", SeverityWarning, l, "%s names %s, which is not there", key, to)
				}
			}
		}
	}
}

// index checks that INDEX.md is what the files make it.
func (c *checker) index(s *Scope, v *gitstore.View) error {
	want, err := c.tree.index(s.called(), s.cacheDir())
	if err != nil {
		return err
	}
	got, err := v.Read(indexFile)
	if err != nil && CodeOf(err) != NotFound {
		return err
	}
	if !bytes.Equal(got, want) {
		c.add(Finding{Rule: "index", Severity: SeverityWarning, File: indexFile,
			Message: "is not what the entries make it: the next change, or 'vault check --fix', makes it anew"})
	}
	return nil
}
