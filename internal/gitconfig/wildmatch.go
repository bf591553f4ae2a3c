package gitconfig

import "strings"

// wildmatch matches as git does paths: * and ? stop at a slash, ** between
// slashes does not. Time is bounded by the product of both lengths.
func wildmatch(pattern, text string, fold bool) bool {
	steps, ok := compile(pattern, fold)
	if !ok {
		return false
	}
	// here[i]: the steps so far can match text[:i].
	here := make([]bool, len(text)+1)
	here[0] = true
	for _, s := range steps {
		next := make([]bool, len(text)+1)
		open := false // a star that started earlier is still running
		for i := 0; i <= len(text); i++ {
			switch s.kind {
			case one:
				if i > 0 && here[i-1] && s.match(text[i-1]) {
					next[i] = true
				}
			case star:
				if i > 0 && text[i-1] == '/' {
					open = false
				}
				open = open || here[i]
				next[i] = open
			case anything:
				open = open || here[i]
				next[i] = open
			case folders: // "**/": nothing, or anything up to a slash
				next[i] = here[i] || open && text[i-1] == '/'
				open = open || here[i]
			}
		}
		here = next
	}
	return here[len(text)]
}

type kind int

const (
	one kind = iota
	star
	anything
	folders
)

type step struct {
	kind  kind
	match func(byte) bool
}

func compile(p string, fold bool) (steps []step, ok bool) {
	literal := func(c byte) step {
		if !fold {
			return step{match: func(t byte) bool { return t == c }}
		}
		return step{match: func(t byte) bool { return lower(t) == lower(c) }}
	}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '?':
			steps = append(steps, step{match: func(t byte) bool { return t != '/' }})
			i++
		case '*':
			start := i
			for i < len(p) && p[i] == '*' {
				i++
			}
			rest := p[i:]
			whole := i-start > 1 && (start == 0 || p[start-1] == '/') &&
				(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
			switch {
			case whole && strings.HasPrefix(rest, "/"):
				steps = append(steps, step{kind: folders})
				i++
			case whole:
				steps = append(steps, step{kind: anything})
			default:
				steps = append(steps, step{kind: star})
			}
		case '[':
			set, n := class(p[i:], fold)
			if n == 0 {
				return nil, false
			}
			steps = append(steps, step{match: set})
			i += n
		case '\\':
			if i++; i == len(p) {
				return nil, false
			}
			fallthrough
		default:
			steps = append(steps, literal(p[i]))
			i++
		}
	}
	return steps, true
}

// class reads a bracket expression and gives its length, 0 if it does not end.
func class(p string, fold bool) (match func(byte) bool, n int) {
	var set [256]bool
	add := func(lo, hi byte) {
		for c := int(lo); c <= int(hi); c++ {
			set[c] = true
		}
	}
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		c := p[i]
		if c == ']' && !first {
			break
		}
		if c == '[' && i+1 < len(p) && p[i+1] == ':' {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 && !strings.ContainsRune(p[i+2:i+2+end], ']') {
				member, known := named[p[i+2:i+2+end]]
				if !known {
					return nil, 0
				}
				for b := range 256 {
					set[b] = set[b] || member(byte(b))
				}
				i += end + 4
				continue
			}
		}
		if c == '\\' {
			if i++; i >= len(p) {
				return nil, 0
			}
			c = p[i]
		}
		i++
		hi := c
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			i++
			if hi = p[i]; hi == '\\' {
				if i++; i >= len(p) {
					return nil, 0
				}
				hi = p[i]
			}
			i++
		}
		add(c, hi)
	}
	if fold {
		for c := byte('a'); c <= 'z'; c++ {
			both := set[c] || set[c-'a'+'A']
			set[c], set[c-'a'+'A'] = both, both
		}
	}
	return func(t byte) bool { return t != '/' && set[t] != negated }, i + 1
}

var named = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 0x20 || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return 0x20 < c && c < 0x7f },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return 0x20 <= c && c < 0x7f },
	"punct":  func(c byte) bool { return 0x20 < c && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space":  isSpace,
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' },
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
