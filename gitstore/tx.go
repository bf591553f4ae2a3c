package gitstore

import (
	"context"
	"errors"
	"path/filepath"

	"gitvault/internal/fsys"
)

// Tx is one writer's turn: while it is open nobody else commits here, plain
// git excepted. It is for one goroutine.
type Tx struct {
	repo    *Repo
	ctx     context.Context
	release func() error
	view    *View // nil: to be taken

	replaced []replacedFile // kept for a while, see there
}

// Begin waits for this writer's turn, finishes or takes back what a crash
// left, and puts git's index right where it does not know what is committed.
//
// ErrBusy: others were writing for the whole of LockTimeout. ErrReadOnly: this
// file system cannot be written. ErrUnfinished: see Repo.Unfinished.
func (r *Repo) Begin(ctx context.Context) (*Tx, error) {
	if err := r.makeStateDirs(); err != nil {
		return nil, err
	}
	release, err := r.lock.acquire(ctx, r.opts.LockTimeout)
	if err != nil {
		return nil, err
	}
	tx := &Tx{repo: r, ctx: ctx, release: release}
	if err := tx.start(); err != nil {
		return nil, errors.Join(err, release())
	}
	return tx, nil
}

func (tx *Tx) start() error {
	r := tx.repo
	if err := r.Unfinished(); err != nil {
		return err
	}
	if err := r.recover(); err != nil {
		return err
	}
	tx.replaced = r.lookAtReplaced()
	v, err := tx.View()
	if err != nil {
		return err
	}
	if v.sparse {
		return fail(ErrUnfinished, "%s is a sparse checkout: run git sparse-checkout disable there", r.dir)
	}
	if v.index != nil {
		if path := v.index.unmerged(); path != "" {
			return fail(ErrUnfinished, "%s is in conflict in %s: settle it, then git add %s", path, r.dir, path)
		}
	}
	if v.indexOK || v.Head.IsZero() && v.index == nil {
		return nil
	}
	if err := r.healIndex(tx.ctx, v); err != nil {
		return err
	}
	tx.view = nil
	return nil
}

// makeStateDirs makes what a clone by plain git lacks.
func (r *Repo) makeStateDirs() error {
	for _, dir := range []string{r.tmpDir(), r.CacheDir()} {
		if _, err := r.fs.Stat(dir); err == nil {
			continue
		}
		if _, err := fsys.MkdirAll(r.fs, dir, 0o777); err != nil {
			return writeError(dir, err)
		}
	}
	return nil
}

// View is what is there: what is committed, and how the worktree differs. A
// Commit, or Refresh, makes the next call look again.
func (tx *Tx) View() (*View, error) {
	for try := 0; tx.view == nil; try++ {
		v, steady, err := tx.repo.look()
		if err != nil {
			return nil, err
		}
		// Plain git may be at work between the looks.
		if steady || try == 3 {
			tx.view = v
		}
	}
	return tx.view, nil
}

// Refresh forgets the View, after ErrChanged or to see later hand edits.
func (tx *Tx) Refresh() { tx.view = nil }

// Close ends the turn.
func (tx *Tx) Close() error {
	if tx.release == nil {
		return nil
	}
	release := tx.release
	tx.release = nil
	return release()
}

func (tx *Tx) tmp(name string) string { return filepath.Join(tx.repo.tmpDir(), name) }
