package gitstore

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gitvault/internal/fsys"
)

// Durability says what an acknowledged commit survives.
type Durability int

// Full survives power loss; Fast survives a crash of the program only.
const (
	Full Durability = iota
	Fast
)

// Options says how to use a repository. The zero value is good.
type Options struct {
	FS          fsys.FS       // nil: the operating system's
	Branch      string        // the only branch that is served and written; "": main
	Durability  Durability    // Full
	LockTimeout time.Duration // how long Begin and Commit wait for others; 0: 10 s
}

func (o Options) filled() Options {
	if o.FS == nil {
		o.FS = fsys.OS{}
	}
	if o.Branch == "" {
		o.Branch = "main"
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = 10 * time.Second
	}
	return o
}

// Repo is one repository. Its methods may be called from many goroutines.
type Repo struct {
	dir, git string
	branch   string // the full name, refs/heads/main
	opts     Options
	fs       fsys.FS
	refs     *refs
	objects  *objects
	lock     *locker

	noExec, noSymlinks bool // core.filemode, core.symlinks
	packAfter          int  // see there
}

// Open opens the repository in a folder, without reading more than a few bytes
// of it: ErrNotFound where there is none, ErrUnsupported where its format is
// one that this package does not know. Close it after use.
func Open(dir string, o Options) (*Repo, error) {
	o = o.filled()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	git, err := gitDir(o.FS, dir)
	if err != nil {
		return nil, err
	}
	r := newRepo(dir, git, o)
	if err := r.checkFormat(); err != nil {
		return nil, err
	}
	return r, nil
}

func newRepo(dir, git string, o Options) *Repo {
	return &Repo{
		dir: dir, git: git, branch: "refs/heads/" + o.Branch, opts: o, fs: o.FS,
		refs:    &refs{fs: o.FS, git: git},
		objects: newObjects(o.FS, filepath.Join(git, "objects")),
		lock:    newLocker(filepath.Join(git, "vault", "state")),

		packAfter: packAfter,
	}
}

// gitDir finds the folder that .git is, or that a .git file points to.
func gitDir(f fsys.FS, dir string) (string, error) {
	git := filepath.Join(dir, ".git")
	fi, err := f.Stat(git)
	if err != nil {
		if isNotExist(err) || isDirErr(err) {
			return "", fail(ErrNotFound, "no git repository in %s", dir)
		}
		return "", err
	}
	if fi.IsDir() {
		if _, err := f.Lstat(filepath.Join(git, "HEAD")); isNotExist(err) {
			return "", fail(ErrNotFound, "no git repository in %s: its .git has no HEAD; 'vault doctor --fix' writes it again", dir)
		}
		return git, nil
	}
	data, err := f.ReadFile(git)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !ok {
		return "", fail(ErrNotFound, "no git repository in %s: its .git file points nowhere", dir)
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	if _, err := f.Lstat(filepath.Join(to, "commondir")); err == nil {
		return "", fail(ErrUnsupported, "%s is a linked worktree: use the scope's main checkout", dir)
	}
	if fi, err := f.Stat(to); err != nil || !fi.IsDir() {
		return "", fail(ErrNotFound, "no git repository in %s: its .git file points to %s, which is no folder", dir, to)
	}
	return to, nil
}

// checkFormat refuses repositories written in a way that is not known here.
func (r *Repo) checkFormat() error {
	data, err := r.fs.ReadFile(filepath.Join(r.git, "config"))
	if err != nil {
		if isNotExist(err) {
			return nil // git, too, takes the defaults then
		}
		return err
	}
	section := ""
	version := "0"
	r.noExec, r.noSymlinks = runtime.GOOS == "windows", runtime.GOOS == "windows"
	var extensions []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			name, rest, _ := strings.Cut(line[1:], "]")
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
			if line == "" {
				continue
			}
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case section == "core" && key == "repositoryformatversion":
			version = value
		case section == "core" && key == "filemode":
			r.noExec = isFalse(value)
		case section == "core" && key == "symlinks":
			r.noSymlinks = isFalse(value)
		case section == "extensions":
			extensions = append(extensions, key+" "+strings.ToLower(value))
		}
	}
	if version != "0" && version != "1" {
		return fail(ErrUnsupported, "%s has repository format %s, which this version does not know: use a newer one", r.dir, version)
	}
	for _, e := range extensions {
		switch e {
		case "noop ", "noop true", "preciousobjects true", "preciousobjects false", "worktreeconfig true", "worktreeconfig false", "objectformat sha1", "refstorage files", "compatobjectformat sha1":
		default:
			if version == "0" && !strings.HasPrefix(e, "objectformat") && !strings.HasPrefix(e, "refstorage") {
				continue // git heeds most extensions from version 1 on only
			}
			return fail(ErrUnsupported, "%s uses the git extension %q, which is not supported in a scope", r.dir, strings.TrimSpace(e))
		}
	}
	return nil
}

func isFalse(value string) bool {
	switch strings.ToLower(value) {
	case "false", "no", "off", "0":
		return true
	}
	return false
}

// Close releases open files. Transactions must be closed before.
func (r *Repo) Close() error {
	r.objects.close()
	return nil
}

// Dir is the folder of the worktree, absolute.
func (r *Repo) Dir() string { return r.dir }

// GitDir is the repository's .git folder, absolute.
func (r *Repo) GitDir() string { return r.git }

// CacheDir is the folder for what may vanish at any moment.
func (r *Repo) CacheDir() string { return filepath.Join(r.git, "vault", "cache") }

// StateDir is the folder for the lock, the journal, and whatever else is
// neither memory nor disposable.
func (r *Repo) StateDir() string { return filepath.Join(r.git, "vault", "state") }

// Branch is the short name of the branch that is served.
func (r *Repo) Branch() string { return r.opts.Branch }

// Head gives the newest commit of the served branch, whatever is checked out;
// ZeroHash where it has none yet.
func (r *Repo) Head() (Hash, error) { return r.refs.read(r.branch) }

// Unfinished says in one line what a person has to finish before anything can
// be written: a detached HEAD, another branch, a merge or rebase in progress.
// It gives nil, or an error that answers to ErrUnfinished.
func (r *Repo) Unfinished() error {
	ref, at, err := r.refs.head()
	if err != nil {
		return err
	}
	if text := r.opInProgress(); text != "" {
		return fail(ErrUnfinished, text, r.dir)
	}
	switch {
	case ref == "":
		return fail(ErrUnfinished, "HEAD is detached at %s in %s: go back with git switch %s", at.String()[:10], r.dir, r.opts.Branch)
	case ref != r.branch:
		return fail(ErrUnfinished, "branch %s is checked out in %s: go back with git switch %s", strings.TrimPrefix(ref, "refs/heads/"), r.dir, r.opts.Branch)
	}
	return nil
}

// opInProgress says what git operation a person has to finish, as a text about
// a folder; "": none.
func (r *Repo) opInProgress() string {
	for _, op := range []struct{ file, text string }{
		{"rebase-merge", "a rebase is unfinished in %s: finish it with git rebase --continue, or take it back with git rebase --abort"},
		{"rebase-apply", "a rebase or am is unfinished in %s: finish it with git rebase --continue (or git am --continue), or take it back with --abort"},
		{"MERGE_HEAD", "a merge is unfinished in %s: finish it with git commit, or take it back with git merge --abort"},
		{"CHERRY_PICK_HEAD", "a cherry-pick is unfinished in %s: finish it with git cherry-pick --continue, or take it back with git cherry-pick --abort"},
		{"REVERT_HEAD", "a revert is unfinished in %s: finish it with git revert --continue, or take it back with git revert --abort"},
		{"sequencer", "a cherry-pick or revert of several commits is unfinished in %s: finish it with --continue, or take it back with --abort"},
		{"BISECT_LOG", "a bisect is unfinished in %s: end it with git bisect reset"},
	} {
		if _, err := r.fs.Lstat(filepath.Join(r.git, op.file)); err == nil {
			return op.text
		}
	}
	return ""
}

// writeError gives an error of writing its kind.
func writeError(what string, err error) error {
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		return fail(ErrReadOnly, "cannot write %s: %v", what, err)
	}
	return fail(errWrite, "cannot write %s: %v", what, err)
}

var errWrite = errors.New("cannot write")
