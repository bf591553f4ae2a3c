package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// What follows is for machines without git. The library may give up on a
// damaged repository by a panic.

func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the repository cannot be read: %v", r)
	}
}

func (r *repository) storage() *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(r.CommonDir), cache.NewObjectLRUDefault())
}

// rootBuiltin is root, by the library.
func (o Options) rootBuiltin(r *repository) (root string, err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout())
	defer cancel()
	store := r.storage()
	refs, err := store.IterReferences()
	if err != nil {
		return "", err
	}
	var branches, others []plumbing.Hash
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		switch {
		case ref.Type() != plumbing.HashReference:
		case ref.Name().IsBranch():
			branches = append(branches, ref.Hash())
		default:
			others = append(others, ref.Hash())
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	shallow := r.shallow()
	for _, from := range [][]plumbing.Hash{branches, others} {
		best, err := oldestRoot(ctx, store, from, shallow)
		if best != "" || err != nil || len(shallow) > 0 {
			return best, err
		}
	}
	return "", nil
}

func oldestRoot(ctx context.Context, store *filesystem.Storage, from []plumbing.Hash, shallow map[string]bool) (string, error) {
	var best string
	var bestTime time.Time
	seen := map[plumbing.Hash]bool{}
	for len(from) > 0 {
		if ctx.Err() != nil {
			return "", errSlow
		}
		at := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[at] || shallow[at.String()] {
			continue
		}
		seen[at] = true
		commit, err := object.GetCommit(store, at)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			if tag, tagErr := object.GetTag(store, at); tagErr == nil {
				from = append(from, tag.Target)
				continue
			}
		}
		if err != nil {
			return "", err
		}
		from = append(from, commit.ParentHashes...)
		if len(commit.ParentHashes) > 0 {
			continue
		}
		when := commit.Committer.When
		if best == "" || when.Before(bestTime) || when.Equal(bestTime) && at.String() < best {
			best, bestTime = at.String(), when
		}
	}
	return best, nil
}

// hasBuiltin is has, by the library.
func (o Options) hasBuiltin(r *repository, commit string) (has bool, err error) {
	defer recovered(&err)
	if len(commit) != 40 {
		return false, errors.New("the repository's format is not known")
	}
	err = r.storage().HasEncodedObject(plumbing.NewHash(commit))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil, err
}
