package vault

import (
	"context"

	"gitvault/internal/workspace"
)

// A ScopeInfo is one scope of the home.
type ScopeInfo struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Here    bool   `json:"here"`    // serves the folder
	Trusted bool   `json:"trusted"` // false for one that was cloned and that nobody has looked at
	Error   string `json:"error,omitempty"`
}

// ScopeList lists every scope of the home; for an agent, those that serve the
// folder.
func (h *Home) ScopeList(context.Context) ([]ScopeInfo, error) {
	all, err := h.AllScopes()
	if err != nil {
		return nil, err
	}
	shared, err := h.sharedScopes()
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	if scopes, err := h.Scopes(); err == nil {
		for _, s := range scopes {
			here[s.dir] = true
		}
	}
	out := []ScopeInfo{}
	for _, s := range append(all, shared...) {
		here[s.dir] = here[s.dir] || s.shared
		if h.opt.Writer.IsAgent() && !here[s.dir] {
			continue
		}
		info := ScopeInfo{Name: s.name, Path: s.dir, Here: here[s.dir], Trusted: s.IsTrusted()}
		if _, err := s.manifest(); err != nil {
			info.Error = told(err)
		}
		out = append(out, info)
	}
	return out, nil
}

// Init makes a scope: the named one, or by default that of the folder's
// project, which a plain folder becomes by it. Made already is no error.
func (h *Home) Init(ctx context.Context, name string) (*Scope, bool, error) {
	s, err := h.Scope(orDefault(name, ProjectScope))
	if name == "" && CodeOf(err) == NotFound {
		if workspace.HoldsEverything(h.opt.Dir, h.workspaceOptions()) {
			return nil, false, refused("go to a project's folder; 'vault init --scope user' makes your own scope, and 'vault link' makes this folder a project all the same",
				"%s holds everything you have and is no project", h.opt.Dir)
		}
		if err := h.LinkFolder(); err != nil {
			return nil, false, err
		}
		s, err = h.project()
	}
	if err != nil {
		return nil, false, err
	}
	if s.Exists() {
		if _, err := s.read(ctx); err == nil {
			return s, false, nil
		}
	}
	made := false
	err = s.write(ctx, func(t *txn) error {
		made = t.tx == nil
		return t.init()
	})
	return s, made, err
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// LinkFolder makes the folder a project of its own: its repository, or the
// plain folder.
func (h *Home) LinkFolder() error {
	_, err := h.Link("")
	return err
}

// Link binds the folder's workspace to the scope of a project, by its name, so
// that it is found from there whatever its remotes say. With "" the folder, or
// its repository, becomes a project of its own.
func (h *Home) Link(name string) (workspace.Identity, error) {
	if name != "" {
		if err := h.personOnly("linking a folder to a scope"); err != nil {
			return workspace.Identity{}, err
		}
		if err := h.linkable(name); err != nil {
			return workspace.Identity{}, err
		}
	}
	id, err := workspace.Link(h.opt.Dir, name, h.workspaceOptions())
	h.forgetWorkspace()
	if err == nil && workspace.HoldsEverything(id.Root, h.workspaceOptions()) {
		h.notice("every folder below " + id.Root + " that is no project itself belongs to this one now")
	}
	return id, workspaceError(err)
}

// linkable refuses a name that is no project's: a typing error would make a
// memory of its own.
func (h *Home) linkable(name string) error {
	if name == UserScope {
		return invalid("preferences go there anyway; '--scope user' puts anything else there", "the user's scope is no project's")
	}
	if ws, err := h.Workspace(); err == nil && (ws.Key == name || ws.Remote == name) {
		return nil
	}
	all, err := h.AllScopes()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.name == name {
			return nil
		}
	}
	return notFound("'vault scopes' lists them; without a name this folder becomes a project of its own", "no scope %q", name)
}
