package vault

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/fsys"
	"gitvault/internal/gitconfig"
	"gitvault/internal/workspace"
)

// Options are all that the package takes from the world around it.
type Options struct {
	Home string // the vault's home folder; made by the first write
	Dir  string // the folder whose project is meant

	Writer       Writer
	AllowSecrets []string // rules of the secret scan that a person overrides, see Refused errors

	Now       func() time.Time                // the clock; time.Now by default
	Random    io.Reader                       // where ids come from; crypto/rand by default
	Env       func(string) (string, bool)     // looks up where git's configuration is, and PATH for git itself; nothing by default
	UserHome  string                          // the person's home folder, which is no project
	Account   string                          // the login name, and ...
	Host      string                          // ... the host, for commits of a person git knows no name of
	Environ   []string                        // of programs that are started, such as recall backends
	Recallers []NamedRecaller                 // join recall, beside those of config.yaml
	Git       string                          // the git program, "" for none
	Progress  func(what string, done, of int) // told how far a long piece of work is; of is 0 where unknown
	Notice    func(message string)            // told what a person should know and no error is
	Changed   func(scope, dir string)         // told of a change that is to be synced by itself, see SyncSoon; it must not wait for that

	fs fsys.FS // what scopes and state are written through; a test's breaks
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.fs == nil {
		o.fs = fsys.OS{}
	}
	return o
}

// A Home is a person's vault as it is seen from one folder: the user's scope,
// and the scope of the folder's project. It may be used by several goroutines.
type Home struct {
	opt Options
	dir string

	config func() (Config, error)

	mu    sync.Mutex
	found *found // the folder's project, once looked for
}

// Open prepares a home. It neither reads nor writes anything yet; a home that
// does not exist is made by the first change.
func Open(o Options) (*Home, error) {
	o = o.withDefaults()
	if o.Home == "" {
		return nil, invalid("set VAULT_HOME or pass --home", "no home folder for the vault")
	}
	dir, err := filepath.Abs(o.Home)
	if err != nil {
		return nil, &Error{Code: Failed, Message: "home " + o.Home + " can't be resolved", Err: err}
	}
	if err := o.Writer.check(); err != nil {
		return nil, err
	}
	if err := o.checkAllowed(); err != nil {
		return nil, err
	}
	if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
		return nil, invalid("name a folder", "home %s is not a folder", dir)
	}
	h := &Home{opt: o, dir: dir}
	h.config = sync.OnceValues(func() (Config, error) {
		c, unknown, err := loadConfig(h.configFile())
		if unknown != "" {
			h.notice(h.configFile() + ": " + unknown)
		}
		return c, err
	})
	return h, nil
}

// Dir is the absolute path of the home folder.
func (h *Home) Dir() string { return h.dir }

func (h *Home) configFile() string { return filepath.Join(h.dir, "config.yaml") }

// Config returns the person's settings, the defaults where they set nothing.
func (h *Home) Config() (Config, error) { return h.config() }

func (h *Home) notice(message string) { h.opt.Notice(message) }

func (h *Home) now() string { return entryfile.Stamp(h.opt.Now()) }

// UserScope and ProjectScope are how the two scopes of a folder are named in
// options; a project's scope is shown by its key.
const (
	UserScope    = "user"
	ProjectScope = "project"
)

// Scope returns one scope by name: "user", "project", a project's key, or a
// shared scope's name. The scope need not exist yet. Without a project, "project" is a NotFound error.
// An agent is refused what does not serve the folder, and is not told whether there is such a scope.
func (h *Home) Scope(name string) (*Scope, error) {
	switch name {
	case UserScope:
		return h.userScope(), nil
	case ProjectScope:
		return h.project()
	}
	if IsShared(name) {
		if s, err := h.sharedScope(name); err != nil || s.Exists() {
			return s, err
		}
	}
	serving, _ := h.Scopes() // that the project can't be told is no matter here
	agent := h.opt.Writer.IsAgent()
	var all []*Scope
	if !agent {
		var err error
		if all, err = h.AllScopes(); err != nil {
			return nil, err
		}
	} else if s, err := h.project(); err == nil {
		all = []*Scope{s}
	}
	// What a scope calls itself others may have written: one whose folder is the
	// name's own comes first.
	var named *Scope
	for _, s := range append(serving, all...) {
		if s.name == name && (named == nil || s.dir == h.projectDir(workspace.Identity{Dir: workspace.Dir(name)})) {
			named = s
		}
	}
	if named != nil {
		return named, nil
	}
	if agent {
		return nil, refused("use user or project; what is in another project a person looks up", "scope %q does not serve this folder, and an agent sees no other", name)
	}
	return nil, notFound("use user or project, or a name that 'vault scopes' lists", "no scope %q", name)
}

// Scopes returns the scopes that serve the folder and exist: the user's, the
// project's, then that of a trusted vault in the workspace beside it; for an
// agent, those that a person trusts.
func (h *Home) Scopes() ([]*Scope, error) {
	var out []*Scope
	if user := h.userScope(); user.Exists() && h.maySee(user) {
		out = append(out, user)
	}
	project, err := h.project()
	switch {
	case err == nil && project.Exists() && h.maySee(project):
		out = append(out, project)
	case err != nil && CodeOf(err) != NotFound:
		return out, err
	}
	if err == nil {
		if id := *project.workspace; id.HereTrusted && project.dir != id.Here {
			out = append(out, h.hereScope(id))
		}
	}
	return out, nil
}

// hereScope is the scope of the vault in a workspace. Where the project has a
// memory in the home as well, it goes by a name of its own.
func (h *Home) hereScope(id workspace.Identity) *Scope {
	s := h.newScope(orDefault(id.Key, filepath.ToSlash(id.Root)), id.Here)
	s.workspace, s.title = &id, s.name
	if id.Dir != "" && h.newScope(id.Key, h.projectDir(id)).Exists() {
		s.name += "/" + filepath.Base(id.Here)
	}
	return s
}

func (h *Home) projectDir(id workspace.Identity) string {
	return filepath.Join(h.dir, "projects", id.Dir)
}

// AllScopes returns every scope of the home that is the person's own, whatever
// the folder: the user's, then the projects' by name.
func (h *Home) AllScopes() ([]*Scope, error) {
	var out, projects []*Scope
	if user := h.userScope(); user.Exists() {
		out = append(out, user)
	}
	dir := filepath.Join(h.dir, "projects")
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, &Error{Code: Failed, Message: "projects can't be listed", Hint: err.Error(), Err: err}
	}
	for _, d := range list {
		s := h.newScope(d.Name(), filepath.Join(dir, d.Name()))
		if !s.Exists() {
			continue
		}
		if m, err := s.manifest(); err == nil && m.Name != "" {
			s.name = m.Name
		}
		projects = append(projects, s)
	}
	sort.Slice(projects, func(i, j int) bool { return projects[i].name < projects[j].name })
	return append(out, projects...), nil
}

func (h *Home) userScope() *Scope { return h.newScope(UserScope, filepath.Join(h.dir, "user")) }

// Workspace says which project the folder belongs to and how that was found.
// A folder of none is a NotFound error.
func (h *Home) Workspace() (workspace.Identity, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found == nil {
		id, err := workspace.Find(h.opt.Dir, h.workspaceOptions())
		h.found = &found{id, workspaceError(err)}
	}
	return h.found.id, h.found.err
}

// found is what looking for the folder's project came to.
type found struct {
	id  workspace.Identity
	err error
}

func workspaceError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, workspace.ErrNoProject):
		return &Error{Code: NotFound, Message: told(err), Err: err}
	case errors.Is(err, workspace.ErrBusy):
		return &Error{Code: Busy, Message: told(err), Err: err}
	}
	return &Error{Code: Failed, Message: told(err), Err: err}
}

func (h *Home) forgetWorkspace() {
	h.mu.Lock()
	h.found = nil
	h.mu.Unlock()
}

func (h *Home) workspaceOptions() workspace.Options {
	o := workspace.Options{
		Home: h.dir, UserHome: h.opt.UserHome, Env: h.opt.Env, Git: h.opt.Git, FS: h.opt.fs,
		SystemConfig: gitconfig.SystemFile(h.opt.Env),
	}
	o.Trusted = func(vault string) bool { // what has lost its repository is no longer what was trusted
		return workspace.IsTrusted(vault, workspace.Options{Home: h.dir}) && h.newScope("", vault).Exists()
	}
	return o
}

// project is the scope of the folder's project, made or not: in the home, or
// where nothing is there, in a vault in the workspace that a person trusts.
func (h *Home) project() (*Scope, error) {
	id, err := h.Workspace()
	if err != nil {
		return nil, err
	}
	s := h.newScope(id.Key, h.projectDir(id))
	s.workspace = &id
	if id.FoundBy == workspace.ByHere && !s.Exists() {
		return h.hereScope(id), nil
	}
	return s, nil
}

// signature is the person's git identity: what the scope's configuration says,
// then their own.
func (s *Scope) signature() (gitstore.Signature, error) {
	git := filepath.Join(s.dir, ".git")
	cfg, err := gitconfig.Load(gitconfig.Options{
		Env: s.home.opt.Env, UserHome: s.home.opt.UserHome, System: gitconfig.SystemFile(s.home.opt.Env), GitDir: git, CommonDir: git,
	})
	if err != nil {
		s.home.notice("git's configuration: " + told(err))
	}
	p := gitconfig.Identity(cfg, gitconfig.Fallback(s.home.opt.Account, s.home.opt.Host))
	return gitstore.Signature{Name: p.Name, Email: p.Email, When: s.home.opt.Now()}, nil
}
