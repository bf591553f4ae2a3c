package vault

import (
	"context"

	"gitvault/internal/workspace"
)

// A ScopeInfo is one scope of the home.
type ScopeInfo struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Here  bool   `json:"here"` // serves the folder
	Error string `json:"error,omitempty"`
}

// ScopeList lists every scope of the home.
func (h *Home) ScopeList(context.Context) ([]ScopeInfo, error) {
	all, err := h.AllScopes()
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
	for _, s := range all {
		info := ScopeInfo{Name: s.name, Path: s.dir, Here: here[s.dir]}
		if _, err := s.manifest(); err != nil {
			info.Error = oneLine(err.Error())
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
		if t.tx != nil {
			return nil
		}
		made = true
		_, err := t.commit(message{op: "init", title: s.name, source: h.opt.Writer.source()}, nil)
		return err
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

// Link binds the folder's workspace to a scope by name, so that it is found
// from there whatever its remotes say.
func (h *Home) Link(name string) (workspace.Identity, error) {
	id, err := workspace.Link(h.opt.Dir, name, h.workspaceOptions())
	h.forgetWorkspace()
	return id, workspaceError(err)
}
