package gitconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Bounds on what is read, so that no file of a stranger's repository makes a
// command slow: include depth as git's own, the others far above real use.
const (
	maxDepth = 10
	maxFiles = 1000
	maxBytes = 8 << 20
)

// Options says which files there are and what conditional includes are
// measured by. Every field may be empty.
type Options struct {
	// Env looks up GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_GLOBAL
	// and XDG_CONFIG_HOME. No other variable counts: what git hands to the
	// hooks it runs (GIT_DIR, GIT_CONFIG_PARAMETERS …) is about another
	// repository than the one asked for.
	Env func(name string) (value string, ok bool)
	// UserHome is the person's home folder.
	UserHome string
	// HomeOf gives the home folder of a named user, for paths like ~name/x.
	HomeOf func(name string) (string, error)
	// System is the system's file, see SystemFile.
	System string
	// GitDir and CommonDir are the repository's folders: the same, but in a
	// linked worktree. Without them only system and person count.
	GitDir, CommonDir string
	// Branch gives the short name of the branch checked out, or "".
	Branch func() string
}

// SystemFile is where git, as commonly installed, keeps the system's
// configuration.
func SystemFile(env func(string) (string, bool)) string {
	switch runtime.GOOS {
	case "windows":
		if dir, ok := lookup(env, "ProgramFiles"); ok && dir != "" {
			return filepath.Join(dir, "Git", "etc", "gitconfig")
		}
		return ""
	case "darwin":
		for _, file := range []string{"/opt/homebrew/etc/gitconfig", "/usr/local/etc/gitconfig"} {
			if _, err := os.Stat(file); err == nil {
				return file
			}
		}
	}
	return "/etc/gitconfig"
}

// Load reads all files in git's order. A missing file is an empty one; a file
// that git would refuse is an error that names file and line, together with
// what was read before it.
func Load(o Options) (*Config, error) {
	l := &loader{o: o}
	err := l.sources()
	return &Config{entries: l.entries}, err
}

func lookup(env func(string) (string, bool), name string) (string, bool) {
	if env == nil {
		return "", false
	}
	return env(name)
}

type loader struct {
	o        Options
	entries  []Entry
	files    int
	scanning bool     // only collecting remote URLs for hasconfig conditions
	urls     []string // what the scan found
	scanned  bool
	noURL    int // > 0 inside a file that must not name a remote
}

func (l *loader) sources() error {
	system, given := lookup(l.o.Env, "GIT_CONFIG_SYSTEM")
	if !given {
		system = l.o.System
	}
	if off, ok := lookup(l.o.Env, "GIT_CONFIG_NOSYSTEM"); ok && isTrue(off) {
		system = ""
	}
	if err := l.source(system, System); err != nil {
		return err
	}
	for _, file := range l.global() {
		if err := l.source(file, Global); err != nil {
			return err
		}
	}
	if l.o.CommonDir == "" {
		return nil
	}
	if err := l.source(filepath.Join(l.o.CommonDir, "config"), Local); err != nil {
		return err
	}
	if !l.worktreeConfig() {
		return nil
	}
	return l.source(filepath.Join(l.o.GitDir, "config.worktree"), Worktree)
}

func (l *loader) global() []string {
	if file, ok := lookup(l.o.Env, "GIT_CONFIG_GLOBAL"); ok {
		return []string{file}
	}
	var files []string
	if xdg, _ := lookup(l.o.Env, "XDG_CONFIG_HOME"); xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	} else if l.o.UserHome != "" {
		files = append(files, filepath.Join(l.o.UserHome, ".config", "git", "config"))
	}
	if l.o.UserHome != "" {
		files = append(files, filepath.Join(l.o.UserHome, ".gitconfig"))
	}
	return files
}

func (l *loader) worktreeConfig() bool {
	on := false
	for _, e := range l.entries {
		if e.Key == "extensions.worktreeconfig" && e.Scope == Local {
			on = e.Bare || isTrue(e.Value)
		}
	}
	return on
}

// source reads one of git's own files. Those of system and person that may
// not be read count as missing, as they do for git.
func (l *loader) source(file string, scope Scope) error {
	if file == "" {
		return nil
	}
	err := l.file(file, scope, 0)
	if scope <= Global && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

func (l *loader) file(file string, scope Scope, depth int) error {
	data, err := read(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return fmt.Errorf("cannot read the git configuration: %w", err)
	}
	if l.files++; l.files > maxFiles {
		return fmt.Errorf("git configuration %s: more than %d files are included", file, maxFiles)
	}
	return parse(file, data, func(v variable) error {
		return l.variable(Entry{Key: v.key, Value: v.value, Bare: v.bare, Scope: scope, File: file, Line: v.line}, depth)
	})
}

func (l *loader) variable(e Entry, depth int) error {
	section, condition, name := e.Split()
	if section == "remote" && name == "url" && condition != "" && l.noURL > 0 {
		return &SyntaxError{e.File, e.Line, "a file that is included by hasconfig:remote.*.url names a remote's url"}
	}
	l.entries = append(l.entries, e)
	if name != "path" {
		return nil
	}
	switch section {
	case "include":
		if condition != "" {
			return nil
		}
		return l.include(e, depth)
	case "includeif":
		byURL, yes, err := l.holds(condition, e)
		if err != nil || !yes {
			return err
		}
		if byURL {
			l.noURL++
			defer func() { l.noURL-- }()
		}
		return l.include(e, depth)
	}
	return nil
}

func (l *loader) include(e Entry, depth int) error {
	if e.Bare {
		return &SyntaxError{e.File, e.Line, "an include has no path"}
	}
	file, err := l.expand(e.Value)
	if err != nil {
		return &SyntaxError{e.File, e.Line, err.Error()}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(e.File), file)
	}
	if depth+1 > maxDepth {
		return &SyntaxError{e.File, e.Line, fmt.Sprintf("includes are nested more than %d deep; does a file include itself?", maxDepth)}
	}
	return l.file(file, e.Scope, depth+1)
}

// expand replaces a leading ~ or ~name.
func (l *loader) expand(path string) (string, error) {
	if !strings.HasPrefix(path, "~") {
		return path, nil
	}
	user, rest, _ := strings.Cut(path[1:], "/")
	if user == "" {
		if l.o.UserHome == "" {
			return "", errors.New("a path starts with ~, and the home folder is not known")
		}
		return l.o.UserHome + "/" + rest, nil
	}
	if l.o.HomeOf == nil {
		return "", fmt.Errorf("the home folder of %q is not known", user)
	}
	home, err := l.o.HomeOf(user)
	if err != nil {
		return "", fmt.Errorf("the home folder of %q is not known: %v", user, err)
	}
	return home + "/" + rest, nil
}

// read reads a regular file of bounded size; anything that could block or
// never end is an error, but for the null device.
func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		if file == os.DevNull {
			return nil, nil
		}
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if len(data) > maxBytes {
			return nil, fmt.Errorf("%s is larger than %d MiB", file, maxBytes>>20)
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
