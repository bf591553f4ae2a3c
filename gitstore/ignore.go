package gitstore

import (
	"path/filepath"
	"strings"

	"gitvault/internal/fsys"
)

// ignores answers which untracked files a person told git to leave alone, by
// .gitignore files and .git/info/exclude.
type ignores struct {
	fs       fsys.FS
	dir, git string
	files    map[string][]pattern // by the folder they hold for
}

type pattern struct {
	glob     string
	negate   bool
	dirOnly  bool
	anchored bool // the glob is for the whole path below the folder
}

func (g *ignores) patterns(dir string) []pattern {
	if p, ok := g.files[dir]; ok {
		return p
	}
	var list []pattern
	if dir == "" {
		data, _ := g.fs.ReadFile(filepath.Join(g.git, "info", "exclude"))
		list = parsePatterns(data)
	}
	// A symbolic link is not followed, as in git.
	name := filepath.Join(g.dir, filepath.FromSlash(dir), ".gitignore")
	if fi, err := g.fs.Lstat(name); err == nil && fi.Mode().IsRegular() {
		data, _ := g.fs.ReadFile(name)
		list = append(list, parsePatterns(data)...)
	}
	if g.files == nil {
		g.files = map[string][]pattern{}
	}
	g.files[dir] = list
	return list
}

// match reports whether this one path is ignored, its parents not being so.
func (g *ignores) match(path string, isDir bool) bool {
	for dir, more := parent(path), true; more; {
		rel := path
		if dir != "" {
			rel = path[len(dir)+1:]
		}
		list := g.patterns(dir)
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].match(rel, isDir) {
				return !list[i].negate
			}
		}
		more = dir != ""
		dir = parent(dir)
	}
	return false
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)]
}

func parsePatterns(data []byte) []pattern {
	var list []pattern
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		var p pattern
		if line[0] == '!' {
			p.negate, line = true, line[1:]
		}
		line = trimSpaces(line)
		if rest, ok := strings.CutSuffix(line, "/"); ok {
			p.dirOnly, line = true, rest
		}
		p.anchored = strings.Contains(line, "/")
		p.glob = strings.TrimPrefix(line, "/")
		if p.glob != "" {
			list = append(list, p)
		}
	}
	return list
}

// trimSpaces takes away trailing spaces that are not escaped.
func trimSpaces(s string) string {
	for strings.HasSuffix(s, " ") {
		slashes := 0
		for i := len(s) - 2; i >= 0 && s[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

func (p pattern) match(rel string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	glob := p.glob
	if !p.anchored {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	} else if n := strings.IndexAny(glob, `*?[\`); n > 0 {
		// git compares what comes before the first special character apart.
		if !strings.HasPrefix(rel, glob[:n]) {
			return false
		}
		glob, rel = glob[n:], rel[n:]
	}
	return wildmatch(glob, rel)
}

// wildmatch is git's: * and ? and [] stop at slashes, ** as a whole part does
// not.
func wildmatch(p, s string) bool {
	budget := 100000
	return wild(p, s, true, &budget)
}

func wild(p, s string, atStart bool, budget *int) bool {
	for len(p) > 0 {
		if *budget--; *budget < 0 {
			return false
		}
		switch p[0] {
		case '?':
			if s == "" || s[0] == '/' {
				return false
			}
			p, s, atStart = p[1:], s[1:], false
		case '*':
			rest := strings.TrimLeft(p, "*")
			if len(p)-len(rest) == 2 && atStart && (rest == "" || rest[0] == '/') {
				if rest == "" {
					return s != ""
				}
				rest = rest[1:]
				for {
					if wild(rest, s, true, budget) {
						return true
					}
					i := strings.IndexByte(s, '/')
					if i < 0 {
						return false
					}
					s = s[i+1:]
				}
			}
			for i := 0; ; i++ {
				if wild(rest, s[i:], false, budget) {
					return true
				}
				if i == len(s) || s[i] == '/' {
					return false
				}
			}
		case '[':
			if s == "" || s[0] == '/' {
				return false
			}
			ok, rest := class(p, s[0])
			if !ok {
				return false
			}
			p, s, atStart = rest, s[1:], false
		case '\\':
			if len(p) == 1 {
				return false
			}
			p = p[1:]
			fallthrough
		default:
			if s == "" || s[0] != p[0] {
				return false
			}
			atStart = p[0] == '/'
			p, s = p[1:], s[1:]
		}
	}
	return s == ""
}

var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 32 || c == 127 },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 32 && c < 127 },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= 32 && c < 127 },
	"punct":  func(c byte) bool { return c > 32 && c < 127 && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper":  func(c byte) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// class matches one character against a bracket expression at the start of p,
// and gives what follows it.
func class(p string, c byte) (bool, string) {
	p = p[1:]
	negate := p != "" && (p[0] == '!' || p[0] == '^')
	if negate {
		p = p[1:]
	}
	matched := false
	for first := true; ; first = false {
		if p == "" {
			return false, ""
		}
		if p[0] == ']' && !first {
			return matched != negate, p[1:]
		}
		if strings.HasPrefix(p, "[:") {
			if end := strings.Index(p, ":]"); end > 0 {
				is, ok := classes[p[2:end]]
				if !ok {
					return false, ""
				}
				matched = matched || is(c)
				p = p[end+2:]
				continue
			}
		}
		lo, rest, ok := classChar(p)
		if !ok {
			return false, ""
		}
		hi := lo
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			if hi, rest, ok = classChar(rest[1:]); !ok {
				return false, ""
			}
		}
		matched = matched || c == lo || lo <= c && c <= hi
		p = rest
	}
}

func classChar(p string) (byte, string, bool) {
	if p[0] == '\\' {
		if p = p[1:]; p == "" {
			return 0, "", false
		}
	}
	return p[0], p[1:], true
}
