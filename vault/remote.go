package vault

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/gitconfig"
	"gitvault/internal/workspace"
)

// A Remote is a place that a scope is synced with.
type Remote struct {
	Scope     string     `json:"scope,omitempty"`
	Name      string     `json:"name"`
	URL       string     `json:"url"`    // without credentials
	Branch    string     `json:"branch"` // there; "" until the first sync has chosen one
	Ahead     int        `json:"ahead"`  // commits that the remote did not have when it was last seen
	Behind    int        `json:"behind"` // commits seen there that are not here
	LastSync  *time.Time `json:"last_sync,omitempty"`
	LastError string     `json:"last_error,omitempty"` // what the last sync failed of, if it did

	at gitstore.Remote
}

// DefaultRemote is the name of a remote that was given none.
const DefaultRemote = "origin"

// scopeBranch is the only branch that a scope has.
const scopeBranch = "main"

// Remotes lists the remotes of the folder's scopes, or of the named one. It
// looks at what is known here and asks no server.
func (h *Home) Remotes(ctx context.Context, scope string) ([]Remote, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []Remote{}
	for _, s := range scopes {
		list, err := s.remotes(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func (s *Scope) gitConfig() (*gitconfig.Config, error) {
	git := filepath.Join(s.dir, ".git")
	return gitconfig.Load(gitconfig.Options{
		Env: s.home.opt.Env, UserHome: s.home.opt.UserHome, System: gitconfig.SystemFile(s.home.opt.Env), GitDir: git, CommonDir: git,
	})
}

// remotes lists the scope's remotes as they were when last seen.
func (s *Scope) remotes(ctx context.Context) ([]Remote, error) {
	cfg, err := s.gitConfig()
	if err != nil {
		return nil, &Error{Code: Failed, Message: told(err), Err: err}
	}
	list := cfg.Remotes()
	if len(list) == 0 {
		return nil, nil
	}
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	head, err := r.Head()
	if err != nil {
		return nil, s.fail(err)
	}
	state := readSyncState(r.StateDir())
	var out []Remote
	for _, g := range list {
		m := Remote{Scope: s.name, Name: g.Name, URL: gitstore.Redact(g.URLs[0]), Branch: branchOf(cfg, g.Name)}
		m.at = gitstore.Remote{Name: g.Name, URL: cfg.Rewrite(g.URLs[0]), Branch: m.Branch}
		if m.Branch != "" {
			seen, err := s.lastSeen(r, m.at)
			if err != nil {
				return nil, s.fail(err)
			}
			if m.Ahead, m.Behind, err = r.AheadBehind(ctx, head, seen); err != nil {
				return nil, s.fail(err)
			}
		}
		if known, ok := state[g.Name]; ok {
			m.LastError = known.Error
			if !known.Synced.IsZero() {
				m.LastSync = &known.Synced
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// branchOf is the remote's branch for the scope: the only one that is fetched
// from it; "" where that is not settled.
func branchOf(cfg *gitconfig.Config, name string) string {
	for _, spec := range cfg.All("remote." + name + ".fetch") {
		from, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		if b, ok := strings.CutPrefix(from, "refs/heads/"); ok && !strings.Contains(b, "*") {
			return b
		}
	}
	if of, _ := cfg.Get("branch." + scopeBranch + ".remote"); of == name {
		merge, _ := cfg.Get("branch." + scopeBranch + ".merge")
		return strings.TrimPrefix(merge, "refs/heads/")
	}
	return ""
}

// NewRemote is a remote to be added.
type NewRemote struct {
	Scope     string // the folder's project's by default, else the user's
	Name      string // DefaultRemote by default
	URL       string
	Branch    string // there; chosen by the first sync by default
	Alongside bool   // the code's own remote, with AlongsideBranch by default, instead of a URL
	Confirmed bool   // a person knows who can read it
}

// AlongsideBranch is where a project's memory is kept beside its code.
const AlongsideBranch = "vault"

// A ConfirmError says what a person has to agree to before something is done.
type ConfirmError struct{ Question string }

func (e *ConfirmError) Error() string { return e.Question }

var remoteName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// AddRemote notes a remote in the configuration of the scope's repository. It
// asks no server. Where the remote is the code's own, whoever can read the code
// could read the memory: unless that is Confirmed it is Refused, by a
// ConfirmError.
func (h *Home) AddRemote(ctx context.Context, n NewRemote) (Remote, error) {
	if err := h.personOnly("adding a remote"); err != nil {
		return Remote{}, err
	}
	n.Name, n.URL = orDefault(n.Name, DefaultRemote), strings.TrimSpace(n.URL)
	if n.Alongside {
		if n.Scope == UserScope {
			return Remote{}, invalid("give it a remote of its own", "the user's scope belongs to no code")
		}
		var err error
		if n.URL, err = h.codeURL(); err != nil {
			return Remote{}, err
		}
		n.Branch = orDefault(n.Branch, AlongsideBranch)
	}
	if !remoteName().MatchString(n.Name) || strings.Contains(n.Name, "..") || strings.HasSuffix(n.Name, ".lock") {
		return Remote{}, invalid("use letters, digits and dashes", "remote name %q can't be used", n.Name)
	}
	if err := usableURL(n.URL); err != nil {
		return Remote{}, err
	}
	s, err := h.forRemote(n.Scope)
	if err != nil {
		return Remote{}, err
	}
	if s.shared {
		return Remote{}, s.readOnly()
	}
	if err := h.confirmReaders(s, n); err != nil {
		return Remote{}, err
	}
	if !s.Exists() {
		if _, _, err := h.Init(ctx, s.name); err != nil {
			return Remote{}, err
		}
	}
	list, err := s.remotes(ctx)
	if err != nil {
		return Remote{}, err
	}
	for _, m := range list {
		if m.Name == n.Name {
			return Remote{}, invalid("remove it first, or give the new one another name", "remote %s is there already: %s", m.Name, m.URL)
		}
	}
	if err := s.editGitConfig(ctx, func(c []byte) []byte { return addRemoteSection(c, n, len(list) == 0) }); err != nil {
		return Remote{}, err
	}
	return Remote{Scope: s.name, Name: n.Name, URL: gitstore.Redact(n.URL), Branch: n.Branch}, nil
}

func usableURL(url string) error {
	switch {
	case url == "":
		return invalid("give one, such as git@github.com:me/memory.git", "the remote's url is empty")
	case url[0] == '-' || strings.ContainsAny(url, "\n\r\x00") || strings.Contains(strings.SplitN(url, "/", 2)[0], "::"):
		return invalid("give an https, ssh or file url", "url %q can't be used", gitstore.Redact(url))
	}
	return nil
}

// forRemote is the scope that a remote is meant for.
func (h *Home) forRemote(name string) (*Scope, error) {
	if name != "" {
		return h.Scope(name)
	}
	s, err := h.project()
	if err != nil && CodeOf(err) == NotFound {
		return h.userScope(), nil
	}
	return s, err
}

// confirmReaders refuses a remote that the code has, too, until a person has
// agreed to who can read it.
func (h *Home) confirmReaders(s *Scope, n NewRemote) error {
	key := workspace.KeyOf(n.URL)
	if n.Confirmed || key == "" && !n.Alongside {
		return nil
	}
	if n.Alongside {
		return askReaders(orDefault(key, gitstore.Redact(n.URL)), s.name, " there, on branch "+n.Branch)
	}
	code := map[string]bool{}
	if ws, err := h.Workspace(); err == nil {
		code[ws.Remote] = true
		for _, u := range ws.RemoteURLs() {
			code[workspace.KeyOf(u)] = true
		}
	}
	all, err := h.AllScopes()
	if err != nil {
		return err
	}
	for _, other := range all {
		code[other.name] = true
	}
	if !code[key] {
		return nil
	}
	return askReaders(key, s.name, " there")
}

// codeURL is the remote of the folder's code, the one that names the project if
// there are several.
func (h *Home) codeURL() (string, error) {
	ws, err := h.Workspace()
	if err != nil {
		return "", err
	}
	urls := ws.RemoteURLs()
	for _, u := range urls {
		if workspace.KeyOf(u) == ws.Remote {
			return fromRoot(u, ws.Root), nil
		}
	}
	if len(urls) == 0 {
		return "", invalid("'git remote add' gives it one, or name another place for the memory", "the code in %s has no remote", ws.Root)
	}
	return fromRoot(urls[0], ws.Root), nil
}

// fromRoot makes the path of a repository whole that counts from the code's.
func fromRoot(url, root string) string {
	if strings.HasPrefix(url, "./") || strings.HasPrefix(url, "../") {
		return filepath.Join(root, filepath.FromSlash(url))
	}
	return url
}

func askReaders(where, scope, place string) error {
	question := where + " holds the code: everybody who can read that repository, all the world if it is public, will be able to read the memory of " + scope + place
	return &Error{Code: Refused, Message: question, Hint: "give --yes if that is meant, or another repository", Err: &ConfirmError{question}}
}

// RemoveRemote takes a remote out of the configuration, with what was known of
// it. Nothing that came from it goes.
func (h *Home) RemoveRemote(ctx context.Context, scope, name string) (Remote, error) {
	if err := h.personOnly("removing a remote"); err != nil {
		return Remote{}, err
	}
	name = orDefault(name, DefaultRemote)
	scopes, err := h.selected(scope)
	if err != nil {
		return Remote{}, err
	}
	for i := len(scopes) - 1; i >= 0; i-- {
		s := scopes[i]
		list, err := s.remotes(ctx)
		if err != nil {
			return Remote{}, err
		}
		for _, m := range list {
			if m.Name == name {
				return m, s.removeRemote(ctx, name)
			}
		}
	}
	return Remote{}, notFound("'vault remote list' lists them", "no remote %s", name)
}

func (s *Scope) removeRemote(ctx context.Context, name string) error {
	if err := s.editGitConfig(ctx, func(c []byte) []byte { return dropRemoteSections(c, name) }); err != nil {
		return err
	}
	return s.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		for _, prefix := range []string{"refs/remotes/" + name + "/", seenRefs + name + "/", "refs/vault/fetched/" + name + "/"} {
			refs, err := r.Refs(prefix)
			if err != nil {
				return err
			}
			for ref := range refs {
				if err := moveRef(r, tx, ref, gitstore.Hash{}); err != nil {
					return err
				}
			}
		}
		state := readSyncState(r.StateDir())
		delete(state, name)
		return writeSyncState(r.StateDir(), state)
	})
}

func (s *Scope) editGitConfig(ctx context.Context, edit func([]byte) []byte) error {
	return s.withTx(ctx, func(_ *gitstore.Repo, tx *gitstore.Tx) error {
		return tx.EditConfig(func(c []byte) ([]byte, error) { return edit(c), nil })
	})
}

// withTx runs what changes the repository but no file of the scope.
func (s *Scope) withTx(ctx context.Context, fn func(*gitstore.Repo, *gitstore.Tx) error) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	tx, err := r.Begin(ctx)
	if err != nil {
		return s.fail(err)
	}
	defer tx.Close()
	if err := fn(r, tx); err != nil {
		return s.fail(err)
	}
	return s.fail(tx.Close())
}
