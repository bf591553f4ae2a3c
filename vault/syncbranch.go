package vault

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"gitvault/gitstore"
)

// settleBranch chooses which of the remote's branches is the scope's, once:
// main, unless that is another scope's or something else; then the one that is
// called as the scope is. A remote may so serve several scopes.
func (y *syncing) settleBranch(ctx context.Context) error {
	if y.at.Branch != "" {
		return nil
	}
	own := branchName(y.scope.name)
	y.at.Branch = scopeBranch
	var ours bool
	if err := y.scope.home.persist(ctx, func() (err error) {
		ours, err = y.isOurs(ctx)
		return err
	}); err != nil {
		return err
	}
	if !ours {
		y.at.Branch = own
		y.scope.home.notice("branch " + scopeBranch + " of " + y.at.Name + " is not this scope's: it is kept on branch " + own + " there")
	}
	y.out.Branch = y.at.Branch
	return y.scope.editGitConfig(ctx, func(c []byte) []byte { return setRemoteBranch(c, y.at.Name, y.at.Branch) })
}

// isOurs reports whether the branch in question is, or may become, the scope's.
func (y *syncing) isOurs(ctx context.Context) (bool, error) {
	h, err := y.repo.Fetch(ctx, y.wire, y.at)
	if err == nil {
		m, ok, err := manifestAt(y.repo, h)
		return ok && m.Name == y.scope.name, err
	}
	if !errors.Is(err, gitstore.ErrNoBranch) {
		return false, err
	}
	list, err := y.repo.Branches(ctx, y.wire, y.at)
	return err == nil && len(list) == 0, err
}

// branchName is a scope's name as git lets a branch be called.
func branchName(scope string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimLeft(scope, "/"), "/") {
		part = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`~^:?*[\@{`, r) {
				return '-'
			}
			return r
		}, part)
		part = strings.ReplaceAll(part, "..", "-")
		part = strings.Trim(part, ".-")
		part = strings.TrimSuffix(part, ".lock")
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "vault"
	}
	return strings.Join(parts, "/")
}
