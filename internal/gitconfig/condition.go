package gitconfig

import (
	"path/filepath"
	"strings"
)

// holds decides the condition of an includeIf that stands at e. Conditions
// that are not known are false, as for git. byURL tells that remote URLs
// decided it.
func (l *loader) holds(condition string, e Entry) (byURL, yes bool, err error) {
	if pattern, ok := strings.CutPrefix(condition, "gitdir:"); ok {
		return false, l.gitDirMatches(pattern, e.File, false), nil
	}
	if pattern, ok := strings.CutPrefix(condition, "gitdir/i:"); ok {
		return false, l.gitDirMatches(pattern, e.File, true), nil
	}
	if pattern, ok := strings.CutPrefix(condition, "onbranch:"); ok {
		if l.o.Branch == nil || l.o.CommonDir == "" {
			return false, false, nil
		}
		branch := l.o.Branch()
		return false, branch != "" && wildmatch(forFolder(pattern), branch, false), nil
	}
	if pattern, ok := strings.CutPrefix(condition, "hasconfig:remote.*.url:"); ok {
		if l.scanning {
			return true, false, nil
		}
		if err := l.scan(); err != nil {
			return true, false, err
		}
		for _, url := range l.urls {
			if wildmatch(pattern, url, false) {
				return true, true, nil
			}
		}
		return true, false, nil
	}
	return false, false, nil
}

// scan collects all remote URLs, for which the files that such a condition
// would include do not count.
func (l *loader) scan() error {
	if l.scanned {
		return nil
	}
	s := &loader{o: l.o, scanning: true}
	if err := s.sources(); err != nil {
		return err
	}
	for _, e := range s.entries {
		if section, remote, name := e.Split(); section == "remote" && remote != "" && name == "url" {
			l.urls = append(l.urls, e.Value)
		}
	}
	l.scanned = true
	return nil
}

func (l *loader) gitDirMatches(pattern, file string, fold bool) bool {
	if l.o.GitDir == "" {
		return false
	}
	prefix, pattern := "", forFolder(pattern)
	switch {
	case strings.HasPrefix(pattern, "~"):
		home := *l
		home.o.UserHome = real(l.o.UserHome)
		expanded, err := home.expand(pattern)
		if err != nil {
			return false
		}
		pattern = filepath.ToSlash(expanded)
	case strings.HasPrefix(pattern, "./"):
		prefix = strings.TrimSuffix(filepath.ToSlash(filepath.Dir(real(file))), "/") + "/"
		pattern = pattern[2:]
	case !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "/"):
		pattern = forFolder("**/" + pattern)
	}
	for _, dir := range []string{real(l.o.GitDir), l.o.GitDir} {
		dir = filepath.ToSlash(dir)
		// The folder of the file is taken literally, whatever it holds.
		if len(dir) < len(prefix) || !equal(dir[:len(prefix)], prefix, fold) {
			continue
		}
		if wildmatch(pattern, dir[len(prefix):], fold) {
			return true
		}
	}
	return false
}

func equal(a, b string, fold bool) bool {
	return a == b || fold && strings.EqualFold(a, b)
}

func forFolder(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern + "**"
	}
	return pattern
}

func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}
