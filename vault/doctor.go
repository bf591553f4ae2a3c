package vault

import (
	"bytes"
	"context"
	"fmt"

	"gitvault/gitstore"
)

// A Trouble is something that Doctor noticed, and what is to be done about it.
type Trouble struct {
	Finding
	Fix   string `json:"fix,omitempty"`  // what Doctor does about it with fix; empty: it is a person's
	Fixed bool   `json:"fixed"`          // it has been done
	Copy  string `json:"copy,omitempty"` // where what was in the way has been moved to
}

// Checkup says what Doctor is to do.
type Checkup struct {
	Scope   string // "": every scope of the folder
	Fix     bool   // do what cannot lose anything
	Program string // that Install wires clients to
	OwnHome bool   // the home is not the default one
}

// maxHookTroubles is how many failures of hooks Doctor lists.
const maxHookTroubles = 5

// Doctor examines the folder's scopes: objects and refs, locks, permissions,
// files that a disk has lost, unfinished merges, git's merge driver; then the
// clients that are wired up, and what hooks failed at. With fix it does what
// cannot lose anything, and moves what is in the way aside; nothing is ever
// deleted. A scope that can't be read does not keep it from the others.
func (h *Home) Doctor(ctx context.Context, c Checkup) ([]Trouble, error) {
	scopes, err := h.selected(c.Scope)
	out := []Trouble{}
	if err != nil && (c.Scope != "" || len(scopes) == 0 && CodeOf(err) != Failed) {
		return out, err
	}
	if err != nil {
		out = append(out, trouble("project", SeverityError, ".", "%s", told(err)))
	}
	for _, s := range scopes {
		d := &doctor{scope: s, fix: c.Fix}
		if err := d.examine(ctx); err != nil {
			d.add(trouble("scope", SeverityError, ".", "%s", told(err)))
		}
		for _, t := range d.found {
			t.Scope = s.name
			out = append(out, t)
		}
	}
	if c.Scope != "" {
		return out, nil
	}
	for _, f := range h.recallFaults() {
		t := trouble("settings", SeverityWarning, h.configFile(), "%s: %s", f.what(), f.where())
		t.Scope = UserScope
		out = append(out, t)
	}
	clients, err := h.CheckClients(ctx, c.Program, c.OwnHome)
	if err != nil {
		return out, err
	}
	for _, k := range clients {
		for _, f := range k.Findings {
			out = append(out, Trouble{Finding: f})
		}
	}
	return append(out, h.hookTroubles()...), nil
}

func (h *Home) hookTroubles() []Trouble {
	failed, err := h.HookFailures(maxHookTroubles)
	if err != nil {
		return []Trouble{trouble("hook", SeverityWarning, hookLogPath(h.dir), "%s", told(err))}
	}
	var out []Trouble
	for _, f := range failed {
		t := trouble("hook", SeverityWarning, hookLogPath(h.dir), "%s of %s failed on %s: %s", f.Event, f.Client, f.Time.Format("2006-01-02 15:04 MST"), f.Error)
		t.Scope = UserScope
		out = append(out, t)
	}
	return out
}

func trouble(rule, severity, file, format string, args ...any) Trouble {
	return Trouble{Finding: Finding{Rule: rule, Severity: severity, File: file, Message: fmt.Sprintf(format, args...)}}
}

// doctor examines one scope.
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

func (d *doctor) examine(ctx context.Context) error {
	r, err := d.scope.open()
	if err != nil {
		return err
	}
	now := d.scope.home.opt.Now()
	list, err := r.Examine(ctx, now)
	for _, x := range list {
		d.damage(r, x)
	}
	if err != nil {
		return d.scope.fail(err)
	}
	if err := r.Unfinished(); err != nil {
		d.add(trouble("unfinished", SeverityWarning, ".", "%s", told(err)))
		return nil // what stands on the disk is another branch's, or half a merge
	}
	if !d.scope.mergesByEntry() {
		d.mend(trouble("driver", SeverityWarning, ".git/config", "plain git merges this scope by line"),
			"set git's merge driver up", func() (string, error) { return "", d.scope.setUpDriver(ctx) })
	}
	return d.files(ctx, r)
}

func (d *doctor) damage(r *gitstore.Repo, x gitstore.Damage) {
	t := trouble(string(x.Kind), SeverityError, x.Path, "%s", x.Text)
	switch {
	case x.Kind == gitstore.DamagedObject:
		t.File = ".git/objects"
		t.Message += "; another copy of the scope may have it: git fetch there brings it back"
	case x.Kind == gitstore.LeftLock && x.Dead:
		now := d.scope.home.opt.Now()
		d.mend(t, "move it aside", func() (string, error) { return r.MoveLock(x, now) })
		return
	case x.Kind == gitstore.LeftLock:
		t.Severity = SeverityWarning
	case x.Kind == gitstore.NoPermission:
		d.mend(t, "let its owner write to it", func() (string, error) { return "", r.Allow(x) })
		return
	}
	d.add(t)
}

// files looks for files of the worktree that can't be taken for what a person
// saved.
func (d *doctor) files(ctx context.Context, r *gitstore.Repo) error {
	v, err := r.View(ctx)
	if err != nil {
		return d.scope.fail(err)
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
