package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"gitvault/gitstore"
)

// A Trouble is something that Doctor noticed, and what is to be done about it.
type Trouble struct {
	Finding
	Fix   string `json:"fix,omitempty"`  // what Doctor does about it with fix; empty: it is a person's
	Fixed bool   `json:"fixed"`          // it has been done
	Copy  string `json:"copy,omitempty"` // where what stood there is kept
}

// Checkup says what Doctor is to do.
type Checkup struct {
	Scope   string // "": every scope of the folder, and a quick look at the others
	All     bool   // every scope of the home
	Fix     bool   // do what cannot lose anything
	UID     int    // the user whose process this is; 0 where that is root or not known
	Program string // that Install wires clients to
	OwnHome bool   // the home is not the default one
}

// maxHookTroubles is how many failures of hooks Doctor lists, hookTroubleAge how
// old they may be: what went wrong before has been mended, or is not missed.
const (
	maxHookTroubles = 5
	hookTroubleAge  = 7 * 24 * time.Hour
)

// Doctor examines the person's settings and the folder's scopes: objects and
// refs, locks, permissions, files that a disk has lost, unfinished merges,
// git's merge driver; then the clients that are wired up, and what hooks failed
// at. With fix it does what cannot lose anything, and moves what is in the way
// aside; nothing is ever deleted. A scope that can't be read does not keep it
// from the others.
func (h *Home) Doctor(ctx context.Context, c Checkup) ([]Trouble, error) {
	out := h.homeTroubles(c.Fix)
	if _, err := h.config(); err != nil {
		h = h.withoutConfig() // which has been told of
	}
	scopes, err := h.selected(c.Scope)
	if err != nil && (c.Scope != "" || len(scopes) == 0 && CodeOf(err) != Failed) {
		return out, err
	}
	if err != nil {
		out = append(out, trouble("project", SeverityError, ".", "%s", told(err)))
	}
	var others []*Scope
	if c.Scope == "" {
		if others, err = h.otherScopes(scopes); err != nil {
			out = append(out, trouble("scope", SeverityError, h.dir, "%s", told(err)))
		}
	}
	if c.All {
		scopes, others = append(scopes, others...), nil
	}
	for _, s := range scopes {
		out = append(out, s.doctor(ctx, c, false)...)
	}
	out = append(out, h.glance(ctx, c, others)...)
	if c.Scope != "" || ctx.Err() != nil {
		return out, ctx.Err()
	}
	for _, f := range h.recallFaults() {
		t := trouble("settings", SeverityWarning, h.configFile(), "%s: %s", f.what(), f.where())
		t.Scope = UserScope
		out = append(out, t)
	}
	clients, err := h.CheckClients(ctx, c.Program, c.OwnHome)
	if err != nil {
		return append(out, trouble("client", SeverityError, h.dir, "%s", told(err))), nil
	}
	for _, k := range clients {
		for _, f := range k.Findings {
			out = append(out, Trouble{Finding: f})
		}
	}
	return append(out, h.hookTroubles()...), nil
}

// otherScopes lists the scopes of the home that are not among these.
func (h *Home) otherScopes(these []*Scope) ([]*Scope, error) {
	all, err := h.AllScopes()
	shared, err2 := h.sharedScopes()
	known := map[string]bool{}
	for _, s := range these {
		known[s.dir] = true
	}
	var out []*Scope
	for _, s := range append(all, shared...) {
		if !known[s.dir] && h.maySee(s) {
			out = append(out, s)
		}
	}
	return out, errors.Join(err, err2)
}

// glance looks quickly at scopes of other folders, and tells which of them are
// to be looked at.
func (h *Home) glance(ctx context.Context, c Checkup, others []*Scope) []Trouble {
	var out []Trouble
	for _, s := range others {
		found := s.doctor(ctx, Checkup{UID: c.UID}, true)
		if len(found) == 0 {
			continue
		}
		t := trouble("scope", SeverityWarning, ".", "%s at a quick look: 'vault doctor --scope %s' says which", counted(len(found), "finding"), s.name)
		for _, f := range found {
			if f.Severity == SeverityError {
				t.Severity = SeverityError
			}
		}
		t.Scope = s.name
		out = append(out, t)
	}
	if n := len(others) - len(out); n > 0 {
		h.notice(fmt.Sprintf("%s of other folders well at a quick look: 'vault doctor --all' examines all of it", counted(n, "scope")))
	}
	return out
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (h *Home) hookTroubles() []Trouble {
	failed, err := h.HookFailures(maxHookTroubles)
	if err != nil {
		return []Trouble{trouble("hook", SeverityWarning, hookLogPath(h.dir), "%s", told(err))}
	}
	var out []Trouble
	for _, f := range failed {
		if h.opt.Now().Sub(f.Time) > hookTroubleAge {
			continue
		}
		t := trouble("hook", SeverityWarning, hookLogPath(h.dir), "%s of %s failed on %s: %s", f.Event, f.Client, f.Time.Format("2006-01-02 15:04 MST"), f.Error)
		t.Scope = UserScope
		out = append(out, t)
	}
	return out
}

func trouble(rule, severity, file, format string, args ...any) Trouble {
	return Trouble{Finding: Finding{Rule: rule, Severity: severity, File: file, Message: fmt.Sprintf(format, args...)}}
}

// doctor examines one scope, and mends it where it may be written to.
func (s *Scope) doctor(ctx context.Context, c Checkup, quick bool) []Trouble {
	d := &doctor{scope: s, fix: c.Fix && !s.shared}
	if err := d.examine(ctx, gitstore.Look{Now: s.home.opt.Now(), UID: c.UID, Quick: quick}); err != nil {
		d.add(trouble("scope", SeverityError, ".", "%s", told(err)))
	}
	for i := range d.found {
		d.found[i].Scope = s.name
	}
	return d.found
}

// doctor is what is found of one scope.
type doctor struct {
	scope *Scope
	fix   bool
	found []Trouble
}

func (d *doctor) add(t Trouble) { d.found = append(d.found, t) }

// mend adds a trouble that can be mended, and mends it if that is asked for.
func (d *doctor) mend(t Trouble, fix string, do func() (copied string, err error)) {
	t.Fix = fix
	if d.fix {
		copied, err := do()
		t.Copy, t.Fixed = copied, err == nil
		if err != nil {
			t.Fix = ""
			t.Message += "; it can't be mended: " + told(err)
		}
	}
	d.add(t)
}

func (d *doctor) examine(ctx context.Context, look gitstore.Look) error {
	s := d.scope
	o, err := s.options()
	if err != nil {
		return err
	}
	damaged, err := gitstore.OpenDamaged(s.dir, o)
	if err != nil {
		return s.fail(err)
	}
	err = damaged.Examine(ctx, look, func(x gitstore.Damage) { d.damage(ctx, x) })
	if err := errors.Join(err, damaged.Close()); err != nil {
		return s.fail(err)
	}
	r, err := s.open()
	if err != nil {
		return d.explained(err)
	}
	if err := r.Unfinished(); errors.Is(err, gitstore.ErrUnfinished) {
		d.add(trouble("unfinished", SeverityWarning, ".", "%s", told(err)))
	} else if d.fixed() {
		// Git's index is made again of the commit that is now the newest.
		if err := s.withTx(ctx, func(*gitstore.Repo, *gitstore.Tx) error { return nil }); err != nil {
			return d.explained(err)
		}
	}
	d.settings(ctx)
	return d.explained(d.files(ctx, r))
}

func (d *doctor) fixed() bool {
	return slices.ContainsFunc(d.found, func(t Trouble) bool { return t.Fixed })
}

// explained leaves out an error that comes of something that has been told of.
func (d *doctor) explained(err error) error {
	known := slices.ContainsFunc(d.found, func(t Trouble) bool { return t.Severity == SeverityError && !t.Fixed })
	if known && (errors.Is(err, gitstore.ErrCorrupt) || errors.Is(err, gitstore.ErrNotFound) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errLostBranch)) {
		return nil
	}
	return d.scope.fail(err)
}

func (d *doctor) damage(ctx context.Context, x gitstore.Damage) {
	t := trouble(string(x.Kind), SeverityError, x.Path, "%s", x.Text)
	if x.Minor {
		t.Severity = SeverityWarning
	}
	if x.Fix == "" {
		d.add(t)
		return
	}
	d.mend(t, x.Fix, func() (string, error) { return x.Mend(ctx) })
	if last := &d.found[len(d.found)-1]; x.Left && last.Fixed {
		last.Fixed, last.Fix = false, ""
	}
}

// settings looks at what has git treat the scope's files as vault does.
func (d *doctor) settings(ctx context.Context) {
	s := d.scope
	if s.shared {
		return // nothing is merged there
	}
	cfg, err := s.gitConfig()
	if err != nil {
		d.add(trouble("config", SeverityError, ".git/config", "git can't read its configuration: %s: mend that line in an editor", told(err)))
		return
	}
	driver, ok := cfg.Get("merge.vault.driver")
	switch {
	case !ok || driver == "":
		d.mend(trouble("driver", SeverityWarning, ".git/config", "plain git merges this scope by line"),
			"set git's merge driver up", func() (string, error) { return "", s.addDriver(ctx) })
	case !isOurDriver(driver):
		d.mend(trouble("driver", SeverityWarning, ".git/config", "plain git merges this scope with %q, which is not vault's way", driver),
			"set git's merge driver up, behind what stands there", func() (string, error) { return "", s.addDriver(ctx) })
	}
	d.attributes(ctx)
}

// files looks for files of the worktree that can't be taken for what a person
// saved.
func (d *doctor) files(ctx context.Context, r *gitstore.Repo) error {
	v, err := r.View(ctx)
	if err != nil {
		return d.scope.fail(err)
	}
	if d.scope.shared {
		_, err := d.scope.readPinned(r)
		return err
	}
	if err := d.scope.lostBranch(v); err != nil {
		return err
	}
	t, _, err := d.scope.treeOf(ctx, r, v)
	if err != nil {
		return err
	}
	for _, p := range sortedKeys(t.blocked) {
		found := trouble("file", SeverityError, p, "%s", t.blocked[p])
		if f, ok := v.File(p); !ok || !wipedOut(v, f) {
			d.add(found)
			continue
		}
		d.mend(found, "give it its committed content; what stands there is moved aside", func() (copied string, err error) {
			err = d.scope.withTx(ctx, func(_ *gitstore.Repo, tx *gitstore.Tx) error {
				copied, err = tx.PutBack(p)
				return err
			})
			return copied, err
		})
	}
	return nil
}

// wipedOut reports whether nothing, or less than a person ever saved, stands where
// a file was committed.
func wipedOut(v *gitstore.View, f gitstore.File) bool {
	if f.Untracked || f.Err != nil || f.WorkMode == gitstore.ModeSymlink {
		return false
	}
	if f.Missing {
		return true
	}
	saved, err := v.Read(f.Path)
	return err == nil && !f.Work.IsZero() && (len(bytes.TrimSpace(saved)) == 0 || bytes.Contains(saved, wiped))
}
