package vault

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/workspace"
)

// A Scope is one git repository of entries: the user's, or a project's.
type Scope struct {
	home  *Home
	name  string
	title string // what it calls itself in its files, where that is not its name
	dir   string

	workspace *workspace.Identity // of the folder, where the scope is its project's
	shared    bool                // maintained by others, and only read here

	mu        sync.Mutex
	repo      *gitstore.Repo
	ahead     map[string]*entryfile.Document // ledgers read before the scope was locked, by path
	aheadBusy sync.Mutex                     // held by who reads ahead
}

func (h *Home) newScope(name, dir string) *Scope {
	return &Scope{home: h, name: name, dir: dir}
}

// called is what the scope calls itself in its files.
func (s *Scope) called() string { return orDefault(s.title, s.name) }

// Name is "user", or the key of the scope's project, which has "/.vault" behind
// it for a vault in the workspace of a project that the home has a memory of.
func (s *Scope) Name() string { return s.name }

// Dir is the absolute path of the scope's folder.
func (s *Scope) Dir() string { return s.dir }

// Exists reports whether the scope's repository has been made.
func (s *Scope) Exists() bool {
	return gitstore.Exists(s.dir, gitstore.Options{FS: s.home.opt.fs})
}

func (s *Scope) options() (gitstore.Options, error) {
	c, err := s.home.Config()
	if err != nil {
		return gitstore.Options{}, err
	}
	return gitstore.Options{FS: s.home.opt.fs, Durability: c.durability(), LockTimeout: c.LockTimeout}, nil
}

// open opens the scope's repository; a scope that has never been written to
// is a NotFound error.
func (s *Scope) open() (*gitstore.Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repo != nil {
		return s.repo, nil
	}
	if !s.Exists() {
		return nil, notFound("the first 'vault remember' makes it", "scope %s has nothing in it yet", s.name)
	}
	if !s.home.maySee(s) {
		return nil, refused("the person looks at it with 'vault trust'", "scope %s was cloned, and no person trusts it yet", s.name)
	}
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	r, err := gitstore.Open(s.dir, o)
	if err != nil {
		return nil, s.fail(err)
	}
	s.repo = r
	return r, nil
}

// fail says which scope an error of its repository is about.
func (s *Scope) fail(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Code: CodeOf(err), Message: "scope " + s.name + ": " + told(err), Err: err}
}

// manifest reads the scope's vault.yaml as it stands on disk.
func (s *Scope) manifest() (manifest, error) {
	data, err := readFile(filepath.Join(s.dir, manifestFile))
	if err != nil {
		return manifest{}, s.fail(err)
	}
	m, err := parseManifest(data)
	return m, s.fail(err)
}

// Head is the scope's newest commit, zero where it has none.
func (s *Scope) Head() (gitstore.Hash, error) {
	r, err := s.open()
	if err != nil {
		return gitstore.Hash{}, err
	}
	h, err := r.Head()
	return h, s.fail(err)
}
