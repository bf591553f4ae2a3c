package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"gitvault/gitstore"
)

// A shared scope is one that others maintain and that is only read here: it is
// offered in every folder, after the person's own, once they trust it. It stays
// at the commit that was trusted until the person takes a newer one.

// sharedPrefix begins the names of shared scopes.
const sharedPrefix = "team/"

// IsShared reports whether a scope's name is one of a shared scope.
func IsShared(name string) bool { return strings.HasPrefix(name, sharedPrefix) }

var sharedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

func (h *Home) sharedDir() string { return filepath.Join(h.dir, "shared") }

// sharedScope is a shared scope by name, mounted or not.
func (h *Home) sharedScope(name string) (*Scope, error) {
	short := strings.TrimPrefix(name, sharedPrefix)
	if !sharedName().MatchString(short) {
		return nil, invalid("use letters, digits and dashes after "+sharedPrefix, "a shared scope can't be called %q", name)
	}
	s := h.newScope(sharedPrefix+short, filepath.Join(h.sharedDir(), short))
	s.shared = true
	return s, nil
}

// sharedScopes lists the mounted shared scopes by name.
func (h *Home) sharedScopes() ([]*Scope, error) {
	list, err := os.ReadDir(h.sharedDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Code: Failed, Message: "shared scopes can't be listed: " + told(err), Err: err}
	}
	var out []*Scope
	for _, d := range list {
		if s, err := h.sharedScope(sharedPrefix + d.Name()); err == nil && s.Exists() {
			out = append(out, s)
		}
	}
	return out, nil
}

// readPinned is what a shared scope's commit holds, whatever stands on disk.
func (s *Scope) readPinned(r *gitstore.Repo) (*tree, error) {
	head, err := r.Head()
	if err != nil {
		return nil, s.fail(err)
	}
	c, err := r.Commit(head)
	if err != nil {
		return nil, s.fail(err)
	}
	t, err := treeAt(r, c)
	if err != nil {
		return nil, s.fail(err)
	}
	for _, p := range t.cardPaths() { // are decided on where it is maintained
		delete(t.files, p)
	}
	return t, s.knownFormat(t)
}

// readOnly refuses a change of a shared scope.
func (s *Scope) readOnly() error {
	return refused("it is changed where it is maintained; 'vault sync --scope "+s.name+"' takes what is new there", "scope %s is shared, and only read here", s.name)
}

// A SharedUpdate is the cause of a refused sync of a shared scope: what is new
// there, which nobody has agreed to yet.
type SharedUpdate struct {
	Scope   string
	Changes []EntryChange // with texts
}

func (u *SharedUpdate) Error() string {
	return fmt.Sprintf("%s has %s new or changed, which would be offered here", u.Scope, countEntries(len(u.Changes)))
}

// update moves a shared scope to where its remote is now, if the person agrees
// to what that brings.
func (y *syncing) update(ctx context.Context, agreed bool) error {
	theirs, err := y.fetch(ctx)
	if err != nil {
		return err
	}
	if err := y.unchanged(ctx, theirs); err != nil {
		return err
	}
	head, err := y.repo.Head()
	if err != nil || head == theirs {
		return err
	}
	if err := y.scope.isVault(y.repo, theirs, y.at); err != nil {
		return err
	}
	changes, err := y.scope.treeChanges(ctx, y.repo, head, theirs, "")
	if err != nil {
		return err
	}
	if !agreed && len(changes) > 0 {
		news := &SharedUpdate{Scope: y.scope.name}
		for _, ch := range changes {
			news.Changes = append(news.Changes, y.scope.entryChange(ch, true))
		}
		return &Error{Code: Refused, Message: news.Error(), Hint: "'vault sync --scope " + y.scope.name + "' shows it on a terminal; --yes takes it", Err: news}
	}
	if _, y.out.Received, err = y.repo.AheadBehind(ctx, head, theirs); err != nil {
		return err
	}
	err = y.scope.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		who, err := y.scope.signature()
		if err != nil {
			return err
		}
		if _, err := tx.Commit(gitstore.Change{To: theirs, Committer: who}); err != nil {
			if errors.Is(err, gitstore.ErrChanged) {
				return conflict("take the edits out of "+y.scope.dir+": they can't be kept there", "%s", told(err))
			}
			return err
		}
		return (&txn{repo: r, tx: tx}).setSeen(y.at, theirs)
	})
	if err == nil {
		y.count(mergeIn{changes: changes})
	}
	return err
}
