package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitvault/gitstore"
)

// PurgedThere is the cause of a refused sync: the remote has purged entries
// whose texts this scope's history still holds.
type PurgedThere struct {
	Remote string
	IDs    []string
}

func (p *PurgedThere) Error() string {
	return fmt.Sprintf("%s has purged %s, which this scope's history still holds: %s", p.Remote, countEntries(len(p.IDs)), strings.Join(p.IDs, ", "))
}

// agreePurges brings both sides to the same purges before they are merged.
// What the remote has purged is purged here, if the person lets it; and it
// gives the remote's commit as it is without what was purged here.
func (y *syncing) agreePurges(ctx context.Context, theirs gitstore.Hash) (gitstore.Hash, error) {
	if theirs.IsZero() || y.repo.Shallow() {
		return theirs, nil
	}
	head, err := y.repo.Head()
	if err != nil || head.IsZero() {
		return theirs, err
	}
	here, _, err := manifestAt(y.repo, head)
	if err != nil {
		return theirs, err
	}
	there, ok, err := manifestAt(y.repo, theirs)
	if err != nil || !ok {
		return theirs, nil // merging says what is wrong with it
	}
	if ids := beyond(there.Purged, here.Purged); len(ids) > 0 {
		if err := y.purgeHere(ctx, ids); err != nil {
			return theirs, err
		}
	}
	if len(beyond(here.Purged, there.Purged)) == 0 {
		return theirs, nil
	}
	out := theirs
	err = y.scope.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		var objects []gitstore.Object
		w := newRewriter(ctx, r, slices.Concat(here.Purged, there.Purged), func(o gitstore.Object) error {
			objects = append(objects, o)
			return nil
		})
		if out, err = w.ref(theirs); err != nil || len(objects) == 0 {
			return err
		}
		return tx.Write(objects)
	})
	return out, err
}

// dropFetched removes what came along with a remote that had not been purged.
func (y *syncing) dropFetched(ctx context.Context) error {
	return y.scope.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		refs, err := r.Refs(fetchedRefs)
		if err != nil {
			return err
		}
		for _, name := range sortedKeys(refs) {
			if err := tx.UpdateRef(name, refs[name], gitstore.Hash{}); err != nil {
				return err
			}
		}
		return tx.DropUnreachable()
	})
}

// fetchedRefs hold what was fetched, until the next fetch.
const fetchedRefs = "refs/vault/fetched/"

// beyond lists what is in a and not in b.
func beyond(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
}

// purgeHere does the remote's purge on this scope's history, where that holds
// the entries at all.
func (y *syncing) purgeHere(ctx context.Context, ids []string) error {
	w := newRewriter(ctx, y.repo, ids, nil)
	refs, err := y.repo.Refs("refs/heads/")
	if err != nil {
		return err
	}
	if _, err := w.refs(refs); err != nil {
		return err
	}
	if w.changed == 0 {
		return nil
	}
	if !y.purge {
		cause := &PurgedThere{y.at.Name, ids}
		return &Error{Code: Refused, Message: cause.Error(), Hint: "'vault sync' asks on a terminal; --yes purges them here, too", Err: cause}
	}
	return y.scope.write(ctx, func(t *txn) error {
		if err := writeIntent(t.repo.StateDir(), ids); err != nil {
			return err
		}
		_, err := t.purge(ids)
		return err
	})
}
