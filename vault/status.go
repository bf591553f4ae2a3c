package vault

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/generate"
	"gitvault/internal/workspace"
)

// Status is how the home stands, seen from one folder.
type Status struct {
	Home      string          `json:"home"`
	Workspace WorkspaceStatus `json:"workspace"`
	Scopes    []ScopeStatus   `json:"scopes"`
	Context   ContextStatus   `json:"context"`
	Backends  []BackendStatus `json:"backends,omitempty"` // recall backends, as they did when last asked
	Receipts  []Receipt       `json:"receipts,omitempty"` // the last answers given, the newest first
}

// ContextStatus is what a context block holds now, and leaves out; sizes are
// estimated tokens.
type ContextStatus struct {
	Budget  int `json:"budget"`
	Used    int `json:"used"`
	Shown   int `json:"shown"`
	Omitted int `json:"omitted"`
}

// statusReceipts is how many receipts of a scope a status shows.
const statusReceipts = 3

// WorkspaceStatus says which project the folder belongs to, and how that was
// found; the key is empty where it belongs to none.
type WorkspaceStatus struct {
	Dir     string   `json:"dir"`
	Key     string   `json:"key,omitempty"`
	FoundBy string   `json:"found_by,omitempty"` // link, remote, root-commit, path, here or before
	Notes   []string `json:"notes,omitempty"`
	Alike   []string `json:"alike,omitempty"` // scopes that may be the same project under another name
}

// ScopeStatus is one scope that serves the folder.
type ScopeStatus struct {
	Name        string       `json:"name"`
	Path        string       `json:"path"`
	Head        string       `json:"head,omitempty"`
	Entries     map[Kind]int `json:"entries"`
	Pending     int          `json:"pending"`   // open cards, and what others changed and nobody looked at; for an agent, its own cards
	Conflicts   int          `json:"conflicts"` // entries kept beside another of the same origin
	Secrets     int          `json:"secrets"`   // entries that hold what looks like a secret, which no agent gets to see
	Bytes       int64        `json:"bytes"`     // on disk, history included
	Uncommitted []string     `json:"uncommitted,omitempty"`
	Blocked     []string     `json:"blocked,omitempty"` // files that writes can't go to, and why
	Remotes     []Remote     `json:"remotes"`
	Error       string       `json:"error,omitempty"` // why the scope can't be read
}

// Status reports on the scopes that serve the folder.
func (h *Home) Status(ctx context.Context) (Status, error) {
	out := Status{Home: h.dir, Workspace: WorkspaceStatus{Dir: h.opt.Dir}, Scopes: []ScopeStatus{}}
	if ws, err := h.Workspace(); err == nil {
		out.Workspace.Key, out.Workspace.FoundBy, out.Workspace.Notes = ws.Key, ws.FoundBy, ws.Notes
		out.Workspace.Alike = h.alikeScopes()
	} else {
		out.Workspace.Notes = []string{strings.TrimPrefix(told(err), workspace.ErrNoProject.Error()+": ")}
	}
	if ws, err := h.Workspace(); ws.Here != "" && !ws.HereTrusted && err == nil {
		out.Workspace.Notes = append(slices.Clone(out.Workspace.Notes), "a vault that nobody trusts yet is in "+ws.Here+": 'vault trust' shows what is in it")
	}
	for _, s := range h.distrusted() {
		out.Workspace.Notes = append(slices.Clone(out.Workspace.Notes), "scope "+s.name+" was cloned and nobody trusts it yet: 'vault trust --scope "+s.name+"' shows what is in it")
	}
	scopes, _ := h.Scopes() // that the project can't be found is said above
	if shared, err := h.sharedScopes(); err == nil {
		scopes = append(scopes, slices.DeleteFunc(shared, func(s *Scope) bool { return !s.IsTrusted() })...)
	}
	for _, s := range scopes {
		out.Scopes = append(out.Scopes, s.status(ctx))
	}
	var err error
	if out.Context, err = h.contextStatus(ctx); err != nil {
		return out, err
	}
	out.Backends = h.backendStatus()
	out.Receipts, _ = h.Receipts(ctx, statusReceipts)
	return out, nil
}

func (h *Home) contextStatus(ctx context.Context) (ContextStatus, error) {
	in, _, err := h.contextInput(ctx, ContextQuery{})
	if err != nil {
		return ContextStatus{}, err
	}
	res := generate.Context(in)
	out := ContextStatus{Budget: in.Tokens, Used: res.Tokens}
	if out.Budget == 0 {
		out.Budget = generate.DefaultContextTokens
	}
	for _, s := range res.Scopes {
		out.Shown += s.Shown
		out.Omitted += s.Omitted
	}
	return out, nil
}

// alikeScopes names the scopes that may be this project's under another name,
// as long as it has none of its own.
func (h *Home) alikeScopes() []string {
	project, err := h.project()
	if err != nil || project.Exists() {
		return nil
	}
	all, err := h.AllScopes()
	if err != nil {
		return nil
	}
	var known, out []string
	for _, s := range all {
		if s.name != UserScope {
			known = append(known, s.name)
		}
	}
	for _, m := range workspace.Alike(*project.workspace, known, h.workspaceOptions()) {
		out = append(out, m.Key)
	}
	return out
}

func (s *Scope) status(ctx context.Context) ScopeStatus {
	out := ScopeStatus{Name: s.name, Path: s.dir, Entries: map[Kind]int{}, Remotes: []Remote{}, Bytes: size(s.dir)}
	fail := func(err error) ScopeStatus {
		out.Error = told(err)
		return out
	}
	r, err := s.open()
	if err != nil {
		return fail(err)
	}
	v, err := r.View(ctx)
	if err != nil {
		return fail(s.fail(err))
	}
	if !v.Head.IsZero() {
		out.Head = v.Head.String()
	}
	t, a, err := s.treeOf(ctx, r, v)
	if err != nil {
		return fail(err)
	}
	if err := r.Unfinished(); err != nil {
		out.Blocked = append(out.Blocked, told(err))
	}
	for _, p := range sortedKeys(t.blocked) {
		out.Blocked = append(out.Blocked, t.blocked[p])
	}
	out.Uncommitted = a.paths()
	if list, err := s.remotes(ctx); err != nil {
		out.Blocked = append(out.Blocked, told(err))
	} else {
		for _, m := range list {
			m.Scope = ""
			out.Remotes = append(out.Remotes, m)
		}
	}
	list, err := t.entries(ctx)
	if err != nil {
		return fail(s.fail(err))
	}
	for _, l := range list {
		out.Entries[l.Kind]++
		if l.Conflict != "" {
			out.Conflicts++
		}
	}
	cards, err := t.cards()
	if err != nil {
		return fail(s.fail(err))
	}
	who := s.home.opt.Writer
	for _, c := range cards {
		if !who.IsAgent() || c.Source == who.source() {
			out.Pending++
		}
	}
	if !who.IsAgent() {
		others, err := t.unseenChanges(s.name)
		if err != nil {
			return fail(s.fail(err))
		}
		out.Pending += len(others)
	}
	all, err := t.survey(s.cacheDir())
	if err != nil {
		return fail(s.fail(err))
	}
	for _, units := range all.kinds {
		for _, u := range units {
			out.Secrets += u.secrets
		}
	}
	return out
}

// size is how many bytes a folder takes; what can't be read counts nothing.
func size(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}
