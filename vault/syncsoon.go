package vault

import (
	"context"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Whether scopes with a remote sync by themselves.
const (
	syncManual      = "manual"
	syncAfterChange = "after-change"
)

// A sync after a change waits until the scope has been quiet for quietTime, but
// not longer than latestTime.
const (
	quietTime  = 2 * time.Second
	latestTime = 20 * time.Second
	claimTime  = 300 * time.Millisecond // for whoever only looks whether somebody waits
)

func (s *Scope) soonFile() string {
	return filepath.Join(s.dir, ".git", "vault", "state", "sync-soon")
}

// syncLater has a change synced by whoever it is for to do that, unless a
// process already waits for the scope to be quiet.
func (s *Scope) syncLater() {
	if s.home.opt.Changed == nil {
		return
	}
	if c, err := s.home.Config(); err != nil || c.Sync != syncAfterChange {
		return
	}
	if cfg, err := s.gitConfig(); err != nil || len(cfg.Remotes()) == 0 {
		return
	}
	waits := flock.New(s.soonFile())
	free, err := waits.TryRLock()
	if err != nil || !free {
		return
	}
	_ = waits.Unlock()
	name := s.name
	if s.workspace != nil {
		name = ProjectScope
	}
	s.home.opt.Changed(name, s.home.opt.Dir)
}

// SyncSoon waits until a scope has not changed for a while, then syncs it: once
// for all who ask meanwhile, who get an empty answer.
func (h *Home) SyncSoon(ctx context.Context, scope string) ([]Synced, error) {
	if err := h.personOnly("syncing"); err != nil {
		return nil, err
	}
	s, err := h.Scope(scope)
	if err != nil {
		return nil, err
	}
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	mine := flock.New(s.soonFile())
	claim, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	if ok, err := mine.TryLockContext(claim, claimTime/10); err != nil || !ok {
		return []Synced{}, ctx.Err() // somebody else waits
	}
	defer func() { _ = mine.Unlock() }()
	last, err := r.Head()
	if err != nil {
		return nil, s.fail(err)
	}
	for waited := time.Duration(0); waited < latestTime; waited += quietTime {
		select {
		case <-time.After(quietTime):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		head, err := r.Head()
		if err != nil {
			return nil, s.fail(err)
		}
		if head == last {
			break
		}
		last = head
	}
	// What changes from here on is the next one's to sync.
	if err := mine.Unlock(); err != nil {
		return nil, s.fail(err)
	}
	return h.Sync(ctx, SyncQuery{Scope: scope})
}
