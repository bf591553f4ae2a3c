package generate

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inlineText is what a reader sees of a line of Markdown: the words without
// code marks, emphasis, link destinations, tags and images. Plain stars need no
// look, because no anchor has one.
func inlineText(s string) string {
	if !strings.ContainsAny(s, "\\`<&[_") {
		return s
	}
	p := inline{s: s}
	p.run()
	return p.text()
}

// plainText is inlineText with code left between its marks, for a line that
// people and agents read.
func plainText(s string) string {
	if !strings.ContainsAny(s, "\\`<&[_*") {
		return s
	}
	p := inline{s: s, keepCode: true}
	p.run()
	return p.text()
}

// An inline is a scan over one line of Markdown.
type inline struct {
	s        string
	keepCode bool
	out      []byte
	runs     []emphasis
	opens    []bracket
}

// A bracket is a [ that may turn out to open a link.
type bracket struct {
	out   int // length of out before it
	runs  int // number of runs before it
	image bool
}

// An emphasis is a run of _ or * in out that may be just that.
type emphasis struct {
	mark        byte
	at, n       int
	open, close bool
	left        int // how many are still plain text
}

func (p *inline) run() {
	s := p.s
	for i := 0; i < len(s); {
		switch s[i] {
		case '\\':
			if i+1 < len(s) && isPunct(s[i+1]) {
				p.out = append(p.out, s[i+1])
				i += 2
				continue
			}
		case '`':
			n := runLength(s[i:], '`')
			if code, end := codeSpan(s[i+n:], n); end > 0 {
				if p.keepCode {
					code = s[i : i+n+end]
				}
				p.out = append(p.out, code...)
				i += n + end
				continue
			}
			p.out = append(p.out, s[i:i+n]...)
			i += n
			continue
		case '&':
			if end := 1 + len(s[i+1:]) - len(strings.TrimLeft(s[i+1:], entityBytes)); end > 1 && end < len(s)-i && s[i+end] == ';' {
				if text := html.UnescapeString(s[i : i+end+1]); text != s[i:i+end+1] {
					p.out = append(p.out, text...)
					i += end + 1
					continue
				}
			}
		case '<':
			if text, n := autolink(s[i:]); n > 0 {
				p.out = append(p.out, text...)
				i += n
				continue
			}
			if n := htmlTag(s[i:]); n > 0 {
				i += n
				continue
			}
		case '_', '*':
			n := runLength(s[i:], s[i])
			p.emphasis(i, n)
			i += n
			continue
		case '!':
			if strings.HasPrefix(s[i:], "![") {
				p.opens = append(p.opens, bracket{len(p.out), len(p.runs), true})
				p.out = append(p.out, "!["...)
				i += 2
				continue
			}
		case '[':
			p.opens = append(p.opens, bracket{len(p.out), len(p.runs), false})
		case ']':
			if n := len(p.opens); n > 0 {
				b := p.opens[n-1]
				p.opens = p.opens[:n-1]
				if end := linkTail(s[i+1:]); end > 0 {
					p.link(b)
					i += 1 + end
					continue
				}
			}
		}
		p.out = append(p.out, s[i])
		i++
	}
}

const entityBytes = "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// link makes what stands since the bracket the text of a link, or nothing if
// it is an image. Links do not nest: the brackets before are plain text.
func (p *inline) link(b bracket) {
	match(p.runs[b.runs:])
	text := plain(p.out, p.runs[b.runs:], b.out)
	p.out, p.runs = p.out[:b.out], p.runs[:b.runs]
	if b.image {
		return
	}
	p.out = append(p.out, text[1:]...)
	for len(p.opens) > 0 && !p.opens[len(p.opens)-1].image {
		p.opens = p.opens[:len(p.opens)-1]
	}
}

func (p *inline) text() string {
	match(p.runs)
	return string(plain(p.out, p.runs, 0))
}

// plain returns out from the offset on without the marks of emphasis.
func plain(out []byte, runs []emphasis, from int) []byte {
	var b []byte
	for _, r := range runs {
		b = append(b, out[from:r.at]...)
		b = append(b, out[r.at:r.at+r.left]...)
		from = r.at + r.n
	}
	return append(b, out[from:]...)
}

func (p *inline) emphasis(i, n int) {
	before, _ := utf8.DecodeLastRuneInString(p.s[:i])
	after, _ := utf8.DecodeRuneInString(p.s[i+n:])
	if i == 0 {
		before = ' '
	}
	if i+n == len(p.s) {
		after = ' '
	}
	punct := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	left := !unicode.IsSpace(after) && (!punct(after) || unicode.IsSpace(before) || punct(before))
	right := !unicode.IsSpace(before) && (!punct(before) || unicode.IsSpace(after) || punct(after))
	inWord := p.s[i] == '*' // stars may mark a part of a word
	p.runs = append(p.runs, emphasis{
		mark: p.s[i], at: len(p.out), n: n, left: n,
		open:  left && (inWord || !right || punct(before)),
		close: right && (inWord || !left || punct(after)),
	})
	p.out = append(p.out, p.s[i:i+n]...)
}

// match pairs runs as emphasis, as CommonMark does.
func match(runs []emphasis) {
	var stack []int
	for i := range runs {
		c := &runs[i]
		for j := len(stack) - 1; c.close && c.left > 0 && j >= 0; j-- {
			o := &runs[stack[j]]
			for c.mark == o.mark && c.left > 0 && o.left > 0 {
				if (o.close || c.open) && (o.n+c.n)%3 == 0 && (o.n%3 != 0 || c.n%3 != 0) {
					break
				}
				n := 1
				if c.left > 1 && o.left > 1 {
					n = 2
				}
				c.left -= n
				o.left -= n
				stack = stack[:j+1] // what opened in between is plain text
			}
			if o.left == 0 {
				stack = stack[:j]
			}
		}
		if c.open && c.left > 0 {
			stack = append(stack, i)
		}
	}
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// codeSpan returns the code before the next run of exactly n backticks, and
// where the text goes on; 0 if there is none.
func codeSpan(s string, n int) (string, int) {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := runLength(s[i:], '`')
		if m == n {
			code := s[:i]
			if len(code) > 2 && code[0] == ' ' && code[i-1] == ' ' && strings.Trim(code, " ") != "" {
				code = code[1 : i-1]
			}
			return code, i + m
		}
		i += m
	}
	return "", 0
}

// autolink returns the text of <scheme:…> or <user@host>, and its length.
func autolink(s string) (string, int) {
	end := strings.IndexByte(s, '>')
	if end < 0 || strings.ContainsAny(s[1:end], " \t<") {
		return "", 0
	}
	text := s[1:end]
	if scheme, _, ok := strings.Cut(text, ":"); ok && len(scheme) >= 2 && len(scheme) <= 32 && isLetter(scheme[0]) &&
		strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == "" {
		return text, end + 1
	}
	if user, host, ok := strings.Cut(text, "@"); ok && user != "" && host != "" && !strings.ContainsAny(host, "@/\\:") && !strings.ContainsAny(user, "\\\"(),:;[]/") {
		return text, end + 1
	}
	return "", 0
}

// htmlTag returns the length of the HTML tag or comment that s starts with.
func htmlTag(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if end := strings.Index(s, "-->"); end > 0 {
			return end + 3
		}
		return 0
	}
	if len(s) > 2 && (s[1] == '?' || s[1] == '!' && isLetter(s[2])) {
		if end := strings.IndexByte(s, '>'); end > 0 {
			return end + 1
		}
		return 0
	}
	i := 1
	closing := i < len(s) && s[i] == '/'
	if closing {
		i++
	}
	if i >= len(s) || !isLetter(s[i]) {
		return 0
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '-') {
		i++
	}
	for {
		gap := len(s[i:]) - len(strings.TrimLeft(s[i:], " \t"))
		i += gap
		switch {
		case i >= len(s):
			return 0
		case s[i] == '>':
			return i + 1
		case closing:
			return 0
		case strings.HasPrefix(s[i:], "/>"):
			return i + 2
		case gap == 0:
			return 0
		}
		n := htmlAttribute(s[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
}

// htmlAttribute returns the length of the attribute that s starts with.
func htmlAttribute(s string) int {
	i := 0
	for i < len(s) && (isLetter(s[i]) || s[i] == '_' || s[i] == ':' || i > 0 && (isDigit(s[i]) || s[i] == '.' || s[i] == '-')) {
		i++
	}
	if i == 0 {
		return 0
	}
	rest := strings.TrimLeft(s[i:], " \t")
	if !strings.HasPrefix(rest, "=") {
		return i
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	start := len(s) - len(rest)
	if rest == "" {
		return 0
	}
	if q := rest[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(rest[1:], q)
		if end < 0 {
			return 0
		}
		return start + end + 2
	}
	n := strings.IndexAny(rest, " \t\"'=<>`")
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return 0
	}
	return start + n
}

// linkTail returns the length of the (destination "title") that s starts with.
func linkTail(s string) int {
	if !strings.HasPrefix(s, "(") {
		return 0
	}
	i := 1 + blanks(s[1:])
	if strings.HasPrefix(s[i:], "<") {
		end := strings.IndexAny(s[i+1:], "<>")
		if end < 0 || s[i+1+end] != '>' {
			return 0
		}
		i += end + 2
	} else {
		depth := 0
		for ; i < len(s) && s[i] > ' '; i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
				continue
			}
			if s[i] == '(' {
				depth++
			}
			if s[i] == ')' {
				if depth == 0 {
					break
				}
				depth--
			}
		}
		if depth != 0 {
			return 0
		}
	}
	gap := blanks(s[min(i, len(s)):])
	i += gap
	if gap > 0 && i < len(s) && strings.IndexByte(`"'(`, s[i]) >= 0 {
		q := s[i]
		if q == '(' {
			q = ')'
		}
		end := strings.IndexByte(s[i+1:], q)
		if end < 0 {
			return 0
		}
		i += end + 2
		i += blanks(s[i:])
	}
	if i < len(s) && s[i] == ')' {
		return i + 1
	}
	return 0
}

func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
