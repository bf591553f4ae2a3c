package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Bounds on what is read: the one-line files by which git points from one place
// to another, and the lists of refs.
const (
	maxPointer = 64 << 10
	maxRefs    = 256 << 20
)

// repository is where the parts of somebody's git repository lie. All paths
// are absolute; folders of git are real ones, without symlinks.
type repository struct {
	Root      string // the worktree; for a bare repository its git folder
	GitDir    string // of this worktree
	CommonDir string // of all worktrees: objects, refs, configuration
	Bare      bool   // no worktree was seen on the way
}

// brokenError is a .git that leads nowhere. The folder it stands in is known
// all the same.
type brokenError struct {
	Root string
	what string
}

func (e *brokenError) Error() string { return oneLine(e.what) }

// discover looks for the repository that holds the real folder dir, upwards
// as git does. It gives nil where there is none. The environment does not
// count, nor do file system boundaries.
func discover(dir string) (*repository, error) {
	for {
		repo, err := at(dir)
		if repo != nil || err != nil {
			return repo, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		dir = parent
	}
}

// at looks at one folder: is it a worktree's root, or a git folder itself?
func at(dir string) (*repository, error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	switch {
	case err == nil:
		repo, err := throughDotGit(dir, dotGit, info)
		if repo != nil || err != nil {
			return repo, err
		}
	case !missing(err):
		return nil, fmt.Errorf("cannot look for a git repository: %w", err)
	}
	common, ok := commonDirOf(dir)
	if !ok {
		return nil, nil
	}
	repo := &repository{GitDir: dir, CommonDir: common, Root: dir, Bare: true}
	switch back, err := pointer(filepath.Join(dir, "gitdir"), ""); {
	case err == nil && common != dir: // inside .git/worktrees/NAME
		repo.Root, repo.Bare = filepath.Dir(within(dir, back)), false
	case filepath.Base(dir) == ".git":
		repo.Root, repo.Bare = filepath.Dir(dir), false
	}
	return repo, nil
}

func throughDotGit(dir, dotGit string, info fs.FileInfo) (*repository, error) {
	broken := func(format string, args ...any) error {
		return &brokenError{Root: dir, what: fmt.Sprintf(format, args...)}
	}
	target := dotGit
	if info.Mode()&fs.ModeSymlink != 0 {
		resolved, err := os.Stat(dotGit)
		if err != nil {
			return nil, broken("%s is a symlink that leads nowhere: repair or remove it", dotGit)
		}
		info = resolved
	}
	if !info.IsDir() {
		to, err := pointer(dotGit, "gitdir:")
		if err != nil {
			return nil, broken("%s is no git folder and does not name one: %v", dotGit, err)
		}
		target = within(dir, to)
		if _, err := os.Stat(target); err != nil {
			return nil, broken("%s points to %s, which is not there: if the repository moved, run `git worktree repair` in it", dotGit, target)
		}
	}
	gitDir, err := filepath.EvalSymlinks(target)
	if err != nil {
		return nil, broken("%s cannot be followed: %v", dotGit, err)
	}
	common, ok := commonDirOf(gitDir)
	if !ok {
		if info.IsDir() { // git looks further up, too
			return nil, nil
		}
		return nil, broken("%s points to %s, which is no git repository", dotGit, gitDir)
	}
	return &repository{Root: dir, GitDir: gitDir, CommonDir: common}, nil
}

// commonDirOf tells whether dir is a git folder, by git's own test, and where
// the shared part of it lies.
func commonDirOf(dir string) (string, bool) {
	if info, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil || info.IsDir() {
		return "", false
	}
	common := dir
	if to, err := pointer(filepath.Join(dir, "commondir"), ""); err == nil {
		resolved, err := filepath.EvalSymlinks(within(dir, to))
		if err != nil {
			return "", false
		}
		common = resolved
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return "", false
		}
	}
	return common, true
}

// mainRoot is the folder of the main worktree, as far as the place of the
// shared git folder tells it, which is the same from all worktrees; else "".
func (r *repository) mainRoot() string {
	if filepath.Base(r.CommonDir) == ".git" {
		return filepath.Dir(r.CommonDir)
	}
	return ""
}

// name is what people call the repository: its folder's name, without ".git",
// the same from all its worktrees.
func (r *repository) name() string {
	base := strings.TrimSuffix(filepath.Base(r.CommonDir), ".git")
	if base == "" || base[0] == '.' { // widget/.git, widget/.bare
		base = filepath.Base(filepath.Dir(r.CommonDir))
	}
	return base
}

// pointer reads a file of one line that names a path.
func pointer(file, prefix string) (string, error) {
	data, err := readRegular(file, maxPointer)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(string(data), prefix)
	to = strings.TrimRight(strings.TrimPrefix(to, " "), "\r\n")
	if !ok || to == "" || strings.Contains(to, "\x00") {
		return "", errors.New("not a line that names a folder")
	}
	return filepath.FromSlash(to), nil
}

// readRegular reads a file of a stranger's repository: nothing that blocks,
// nothing without end.
func readRegular(file string, limit int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is too large", file)
	}
	return os.ReadFile(file)
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
