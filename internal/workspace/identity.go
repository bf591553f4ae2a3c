// Package workspace tells which project a folder belongs to: the same one for
// all worktrees, clones and subfolders of a repository, however its remote is
// spelled, and never somebody else's. It reads plain files; git itself is run
// only for what those do not say, and what it said is remembered.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/gitconfig"
)

// Errors that callers tell apart.
var (
	// ErrNoProject is a folder that belongs to no project.
	ErrNoProject = errors.New("no project")
	// ErrBusy is a state that another process has kept locked for too long.
	ErrBusy = errors.New("busy, try again")
)

// Ways in which a project is found.
const (
	ByLink       = "link"        // a person linked the folder
	ByRemote     = "remote"      // by the repository's remote
	ByRootCommit = "root-commit" // by the repository's root commit and folder name
	ByPath       = "path"        // by the folder's place: linked or initialised, or a repository without commits
	ByHere       = "here"        // a vault in the workspace itself
	ByHistory    = "used-before" // by what this repository used before its identity changed
)

// Options is all that Find needs to know of the machine; it reads nothing of
// it by itself.
type Options struct {
	Home     string // $VAULT_HOME: bindings and records are in its state/; "" for none
	UserHome string // the person's home folder, which is no project
	// Env looks up the few variables that say where git's configuration is,
	// see gitconfig.Options, and for git itself PATH and the like. GIT_DIR
	// and its kind never count.
	Env          func(name string) (value string, ok bool)
	HomeOf       func(user string) (string, error) // see gitconfig.Options
	SystemConfig string                            // see gitconfig.SystemFile
	Git          string                            // the git program, "" for none
	Timeout      time.Duration                     // for one question to git; 0 is five seconds
	// Trusted tells whether a vault inside a workspace, by its absolute path,
	// may be offered; nil trusts none.
	Trusted func(vault string) bool
	FS      fsys.FS // writes the state; nil is the operating system's
}

// Identity is a folder's project.
type Identity struct {
	Key     string // "github.com/acme/widget", "widget@3f9c2d1ab4c5", "/home/me/notes"
	Dir     string // its folder under projects/, see Dir
	FoundBy string // one of the ways above
	Root    string // the worktree's root, or the plain folder that was linked
	GitDir  string // the worktree's git folder; "" outside a repository
	Remote  string // the normalised remote, where there is one, whatever Key is
	// Here is the vault in the workspace, if there is one; HereTrusted tells
	// whether it may be offered. Where FoundBy is ByHere the project's scope
	// is there, not under projects/.
	Here        string
	HereTrusted bool
	Notes       []string // what a person should know about how this was found; one line each

	repo    *repository
	options Options
	known   bool // the record says so already
}

func (o Options) env(name string) (string, bool) {
	if o.Env == nil {
		return "", false
	}
	return o.Env(name)
}

func (o Options) timeout() time.Duration {
	if o.Timeout == 0 {
		return gitTimeout
	}
	return o.Timeout
}

// Find tells the project of a folder. Where there is none it says ErrNoProject,
// with what is known all the same (Here, Notes). Any other error is a
// repository that cannot be understood, and what to do about it.
func Find(dir string, o Options) (Identity, error) {
	id, err := o.find(dir)
	for i, note := range id.Notes {
		id.Notes[i] = oneLine(note)
	}
	return id, err
}

func (o Options) find(dir string) (Identity, error) {
	if absolute, err := filepath.Abs(dir); err == nil && o.isOwn(absolute) { // made or not
		return Identity{}, fmt.Errorf("%w: %s belongs to vault itself", ErrNoProject, oneLine(dir))
	}
	dir, err := realDir(dir)
	if err != nil {
		return Identity{}, err
	}
	if o.isOwn(dir) {
		return Identity{}, fmt.Errorf("%w: %s belongs to vault itself", ErrNoProject, oneLine(dir))
	}
	bound, err := o.readBindings()
	if err != nil {
		return Identity{}, err
	}
	repo, err := discoverWorkspace(dir)
	var broken *brokenError
	if err != nil {
		if !errors.As(err, &broken) {
			return Identity{}, err
		}
		if binding, ok := bound.above(dir); ok && isWithin(binding.Path, broken.Root) {
			return o.bound(binding, Identity{Root: binding.Path, Notes: append(bound.notes, broken.Error())}), nil
		}
		return Identity{Notes: bound.notes}, err
	}
	if repo == nil {
		return o.plain(dir, bound)
	}
	return o.inRepository(dir, repo, bound)
}

// realDir is the folder itself, without symlinks on the way.
func realDir(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot tell where %s is: %w", oneLine(dir), err)
	}
	resolved, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", fmt.Errorf("cannot go to %s: %w", oneLine(absolute), cause(err))
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", oneLine(absolute))
	}
	return resolved, nil
}

func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// isOwn tells whether a folder is part of the home that holds the scopes:
// these are repositories, and nobody's project.
func (o Options) isOwn(dir string) bool {
	if o.Home == "" {
		return false
	}
	for _, home := range []string{o.Home, resolved(o.Home)} {
		for _, name := range []string{"user", "projects", "state"} {
			if isWithin(dir, filepath.Join(home, name)) {
				return true
			}
		}
	}
	return false
}

func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// discoverWorkspace is discover, but from within a workspace's own vault it
// finds the workspace.
func discoverWorkspace(dir string) (*repository, error) {
	repo, err := discover(dir)
	if err == nil && repo != nil && filepath.Base(repo.Root) == hereName && isVault(repo.Root) {
		return discover(filepath.Dir(repo.Root))
	}
	return repo, err
}

// isNobodys tells the folders that hold everything and are no project, unless
// a person says so.
func (o Options) isNobodys(root string) bool {
	return filepath.Dir(root) == root || o.UserHome != "" && samePath(root, resolved(o.UserHome))
}

func (o Options) bound(b Binding, id Identity) Identity {
	id.Key, id.FoundBy = b.Key, ByLink
	if !b.Git && b.Key == pathKey(b.Path) {
		id.FoundBy = ByPath
	}
	id.Dir, id.options = Dir(id.Key), o
	return id
}

func (o Options) plain(dir string, bound *bindings) (Identity, error) {
	id := Identity{Root: dir, Notes: bound.notes, options: o}
	binding, linked := bound.above(dir)
	if linked {
		id.Root = binding.Path
	}
	for at := dir; !o.isNobodys(at); at = filepath.Dir(at) {
		if o.here(&id, at) {
			if !linked || isWithin(at, binding.Path) {
				id.Root = at
			}
			break
		}
	}
	switch {
	case linked:
		return o.bound(binding, id), nil
	case id.HereTrusted:
		id.Key, id.FoundBy = pathKey(id.Root), ByHere
		id.Dir = Dir(id.Key)
		return id, nil
	case id.Here != "":
		return id, fmt.Errorf("%w: the vault in %s is not trusted: look at it, then run 'vault trust'", ErrNoProject, oneLine(id.Root))
	}
	return id, fmt.Errorf("%w: %s is in no git repository and not linked: run 'vault link' in it to make it one", ErrNoProject, oneLine(dir))
}

func (o Options) inRepository(dir string, repo *repository, bound *bindings) (Identity, error) {
	id := Identity{Root: repo.Root, GitDir: repo.GitDir, Notes: bound.notes, repo: repo, options: o}
	cfg, err := o.config(repo)
	if err != nil {
		return id, err
	}
	repo.settle(cfg)
	id.Root = repo.Root

	binding, linked := bound.find(repo.CommonDir, true)
	if !linked { // a folder that was linked before it, or one around it, became a repository
		if binding, linked = bound.above(dir); !linked || !isWithin(binding.Path, repo.Root) {
			binding, linked = bound.find(rootOrMain(repo), false)
		}
		if linked && !samePath(binding.Path, repo.Root) && !samePath(binding.Path, repo.mainRoot()) {
			return o.bound(binding, Identity{Root: binding.Path, Notes: bound.notes}), nil
		}
	}
	if !linked && o.isNobodys(rootOrMain(repo)) {
		// A dotfiles repository, say: the folders below are not its project.
		return Identity{Root: dir, Notes: bound.notes, options: o},
			fmt.Errorf("%w: the repository in %s is not one unless it is linked: run 'vault link' there", ErrNoProject, oneLine(repo.Root))
	}
	for _, root := range []string{repo.mainRoot(), repo.Root} {
		if root != "" && o.here(&id, root) {
			break
		}
	}
	remote, remoteNotes := o.remoteOf(repo, cfg, nil)
	id.Remote = remote.Key
	if linked {
		return o.bound(binding, id), nil
	}
	o.identify(&id, repo, remote, remoteNotes)
	if id.HereTrusted {
		id.FoundBy = ByHere
	}
	id.Dir = Dir(id.Key)
	return id, nil
}

// rootOrMain is the main worktree's root where that is known: all worktrees
// share one answer.
func rootOrMain(repo *repository) string {
	if root := repo.mainRoot(); root != "" {
		return root
	}
	return repo.Root
}

// identify fills in the repository's key without bindings: by remote, root
// commit or path, or by what the same repository used before.
func (o Options) identify(id *Identity, repo *repository, remote found, notes []string) {
	rec, note := o.readRecord(repo.CommonDir)
	if note != "" {
		id.Notes = append(id.Notes, note)
	}
	natural := remote
	if natural.Key == "" {
		var more []string
		natural, more = o.withoutRemote(repo, rec)
		notes = append(notes, more...)
	}
	id.Key, id.FoundBy = natural.Key, natural.By
	if o.usedBefore(repo, rec, id.Key) {
		id.Notes = append(id.Notes, fmt.Sprintf("this repository was %s before it became %s, and keeps that memory; 'vault link %s' would change over", rec.Key, id.Key, id.Key))
		id.Key, id.FoundBy = rec.Key, ByHistory
	} else {
		id.Notes = append(id.Notes, notes...)
	}
	id.known = rec.Key == id.Key && rec.Stamp == stamp(repo.CommonDir)
}

// found is an identity and what it rests on.
type found struct{ Key, By string }

// withoutRemote identifies a repository by its root commit, else its place.
func (o Options) withoutRemote(repo *repository, rec record) (found, []string) {
	root, err := o.cachedRoot(repo, rec)
	if root != "" {
		return found{rootKey(repo.name(), root), ByRootCommit}, nil
	}
	why := "it has no commit yet"
	switch {
	case err != nil:
		why = fmt.Sprintf("its root commit is not known: %v", err)
	case len(repo.shallow()) > 0:
		why = "it is a shallow clone, and its root commit is not in it"
	}
	return found{pathKey(repo.place()), ByPath}, []string{"this repository has no remote to know it by and is known by its folder: " + why}
}

// remoteOf identifies a repository by its remote. through lists the
// repositories whose remote led here.
func (o Options) remoteOf(repo *repository, cfg *gitconfig.Config, through []*repository) (found, []string) {
	remotes := cfg.Remotes()
	i := slices.IndexFunc(remotes, func(r gitconfig.Remote) bool { return r.Name == "origin" })
	switch {
	case i >= 0:
	case len(remotes) == 1:
		i = 0
	case len(remotes) == 0:
		return found{}, nil
	default:
		return found{}, []string{"this repository has several remotes and none is called origin: none of them counts"}
	}
	written := remotes[i].URLs[0]
	a, err := parseURL(cfg.Rewrite(written))
	if err == nil && a.Local != "" && strings.Contains(written, "://") {
		// A mirror on this machine stands in for a host: the host says more.
		if host, err := parseURL(written); err == nil && host.Key != "" {
			a = host
		}
	}
	if err != nil {
		return found{}, []string{fmt.Sprintf("the URL of remote %q does not count: %v", remotes[i].Name, err)}
	}
	if a.Key != "" {
		return found{a.Key, ByRemote}, nil
	}
	return o.localRemote(repo, a.Local, append(through, repo))
}

// localRemote identifies a repository whose remote is another one on this
// machine: as that one.
func (o Options) localRemote(repo *repository, local string, through []*repository) (found, []string) {
	target := within(rootOrMain(repo), filepath.FromSlash(local))
	upstream, err := atRemote(target)
	if err != nil {
		return found{}, []string{fmt.Sprintf("the remote of this repository is %s, and cannot be used: %v", oneLine(target), err)}
	}
	if upstream == nil {
		if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() { // a bundle
			return found{pathKey(resolved(target)), ByRemote}, nil
		}
		return found{}, []string{fmt.Sprintf("the remote of this repository is %s, which is not there", oneLine(target))}
	}
	if i := slices.IndexFunc(through, func(r *repository) bool { return samePath(r.CommonDir, upstream.CommonDir) }); i >= 0 {
		return o.cycle(through[i:])
	}
	cfg, err := o.config(upstream)
	if err != nil {
		return found{}, []string{err.Error()}
	}
	upstream.settle(cfg)
	if bound, err := o.readBindings(); err == nil {
		if b, ok := bound.find(upstream.CommonDir, true); ok {
			return found{b.Key, ByRemote}, nil
		}
	}
	remote, _ := o.remoteOf(upstream, cfg, through)
	var id Identity
	o.identify(&id, upstream, remote, nil)
	return found{id.Key, ByRemote}, nil
}

// cycle identifies repositories that are each other's remotes: the same one
// of them stands for all, whichever was asked for.
func (o Options) cycle(repos []*repository) (found, []string) {
	if len(repos) == 1 {
		return found{}, []string{"the remote of this repository is itself"}
	}
	first := slices.MinFunc(repos, func(a, b *repository) int {
		return compare(pathID(a.CommonDir), pathID(b.CommonDir))
	})
	rec, _ := o.readRecord(first.CommonDir)
	natural, _ := o.withoutRemote(first, rec)
	return found{natural.Key, ByRemote}, []string{"the remote of this repository leads back to itself"}
}

func (o Options) config(repo *repository) (*gitconfig.Config, error) {
	return gitconfig.Load(gitconfig.Options{
		Env: o.Env, UserHome: o.UserHome, HomeOf: o.HomeOf, System: o.SystemConfig,
		GitDir: repo.GitDir, CommonDir: repo.CommonDir,
		Branch: func() string { ref, _ := repo.head(); return branchOf(ref) },
	})
}
