package vault

import (
	"context"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// versionWithHash finds the version of an entry that a card was made on; nil
// where the history does not hold it.
func (s *Scope) versionWithHash(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, id, hash string) (*entryfile.Entry, error) {
	var found *entryfile.Entry
	err := s.versions(ctx, r, head, id, func(_ *gitstore.Commit, ch merge.Change) bool {
		for _, e := range []*entryfile.Entry{ch.After, ch.Before} {
			if e != nil && entryfile.Hash(*e) == hash {
				found = e
			}
		}
		return found == nil
	})
	return found, err
}

// versionApplied is the entry as the change left it that made a card; nil where
// it took the entry out. A card that was decided on and is open again has been
// made twice, the second time without a change of its entry.
func (s *Scope) versionApplied(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, c card) (*entryfile.Entry, error) {
	for k, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, s.fail(err)
		}
		made, err := makes(r, k, c.path)
		if err != nil {
			return nil, s.fail(err)
		}
		if !made {
			continue
		}
		changes, err := s.commitChanges(ctx, r, k, c.EntryID)
		if err != nil {
			return nil, s.fail(err)
		}
		for _, ch := range changes {
			if ch.ID == c.EntryID {
				return ch.After, nil
			}
		}
	}
	return nil, nil
}

// makes reports whether a file is in a commit and in none of its parents.
func makes(r *gitstore.Repo, c *gitstore.Commit, path string) (bool, error) {
	h, err := fileAt(r, c.Hash, path)
	if err != nil || h.IsZero() {
		return false, err
	}
	for _, p := range c.Parents {
		if h, err := fileAt(r, p, path); err != nil || !h.IsZero() {
			return false, err
		}
	}
	return true, nil
}

// versions goes back through the changes of one entry, the newest first, until
// yield says no.
func (s *Scope) versions(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, id string, yield func(*gitstore.Commit, merge.Change) bool) error {
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return s.fail(err)
		}
		changes, err := s.commitChanges(ctx, r, c, id)
		if err != nil {
			return s.fail(err)
		}
		for _, ch := range changes {
			if !yield(c, ch) {
				return nil
			}
		}
	}
	return nil
}
