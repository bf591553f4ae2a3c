package vault

import (
	"context"
	"os"
	"path/filepath"

	"gitvault/gitstore"
	"gitvault/internal/workspace"
)

// NewClone says what to clone, and as what.
type NewClone struct {
	URL    string
	As     string // user, project, a project's name, or team/NAME for one that others maintain; by default what the vault says it is
	Branch string // main by default

	Alongside bool // of the folder's project, from the code's own remote, AlongsideBranch by default
}

// Clone makes a scope from a remote's. The remote stays known as DefaultRemote.
// Nothing of the scope is offered before a person trusts it.
func (h *Home) Clone(ctx context.Context, n NewClone) (*Scope, error) {
	if err := h.personOnly("cloning"); err != nil {
		return nil, err
	}
	if n.Alongside {
		var err error
		if n.URL, err = h.codeURL(); err != nil {
			return nil, err
		}
		n.As, n.Branch = ProjectScope, orDefault(n.Branch, AlongsideBranch)
	}
	if err := usableURL(n.URL); err != nil {
		return nil, err
	}
	var as *Scope
	if n.As != "" {
		var err error
		if as, err = h.cloneScope(n.As); err != nil {
			return nil, err
		}
	}
	c, err := h.cloneBranch(ctx, n, as)
	if err != nil {
		return nil, err
	}
	m, ok, err := manifestAt(c.Repo(), c.Commit())
	switch {
	case err != nil:
	case !ok:
		err = refused("name its branch with --branch, or another repository", "%s holds no vault", gitstore.Redact(n.URL))
	case as == nil && m.Name == "":
		err = invalid("say with --as which scope it is", "the vault does not say what it is of")
	case as == nil && IsShared(m.Name):
		err = invalid("say with --as which scope it is", "the vault calls itself %q", m.Name)
	case as == nil:
		as, err = h.cloneScope(m.Name)
	}
	if err != nil {
		_ = c.Discard()
		return nil, err
	}
	if err := distrust(c.Repo().StateDir()); err != nil {
		_ = c.Discard()
		return nil, as.fail(err)
	}
	if _, err := c.Place(ctx, as.dir); err != nil {
		_ = c.Discard()
		return nil, as.failRemote(err)
	}
	return as, as.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		cfg, err := as.gitConfig()
		if err != nil {
			return err
		}
		return (&txn{repo: r, tx: tx}).setSeen(gitstore.Remote{Name: DefaultRemote, Branch: branchOf(cfg, DefaultRemote)}, c.Commit())
	})
}

// cloneScope is the scope that a clone becomes, which must not be there yet.
func (h *Home) cloneScope(name string) (*Scope, error) {
	var s *Scope
	switch name {
	case UserScope:
		s = h.userScope()
	case ProjectScope:
		var err error
		if s, err = h.project(); err != nil {
			return nil, err
		}
	default:
		if IsShared(name) {
			var err error
			if s, err = h.sharedScope(name); err != nil {
				return nil, err
			}
			break
		}
		s = h.newScope(name, filepath.Join(h.dir, "projects", workspace.Dir(name)))
	}
	if s.Exists() {
		return nil, invalid("'vault remote add URL' and 'vault sync' join the two", "scope %s is there already", s.name)
	}
	if list, err := os.ReadDir(s.dir); err == nil && len(list) > 0 {
		return nil, invalid("move what is in it away", "folder %s is not empty", s.dir)
	}
	_ = os.Remove(s.dir) // an empty one
	return s, nil
}

// cloneBranch fetches the branch that is asked for: the named one, else main,
// else the one that is called as the scope is.
func (h *Home) cloneBranch(ctx context.Context, n NewClone, as *Scope) (*gitstore.Clone, error) {
	w, err := h.wire()
	if err != nil {
		return nil, err
	}
	w.SSH, _ = h.opt.Env("GIT_SSH_COMMAND")
	cfg, err := h.Config()
	if err != nil {
		return nil, err
	}
	o := gitstore.Options{Durability: cfg.durability(), LockTimeout: cfg.LockTimeout}
	branches := []string{n.Branch}
	if n.Branch == "" {
		branches = []string{scopeBranch}
		if as != nil && !as.shared {
			branches = append(branches, branchName(as.name))
		}
	}
	for i, b := range branches {
		at := gitstore.Remote{Name: DefaultRemote, URL: n.URL, Branch: b}
		section := string(addRemoteSection(nil, NewRemote{Name: DefaultRemote, URL: n.URL, Branch: b}, true))
		var c *gitstore.Clone
		err := h.persist(ctx, func() (err error) {
			c, err = gitstore.NewClone(ctx, filepath.Join(h.dir, "projects"), o, w, at, section)
			return err
		})
		if err == nil && i+1 < len(branches) {
			if m, ok, merr := manifestAt(c.Repo(), c.Commit()); merr != nil || !ok || m.Name != as.name {
				_ = c.Discard()
				continue
			}
		}
		if err == nil || i+1 == len(branches) {
			return c, h.userScope().failRemote(err)
		}
	}
	return nil, nil
}
