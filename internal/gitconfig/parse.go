package gitconfig

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// SyntaxError is a configuration file that git, too, would refuse.
type SyntaxError struct {
	File string
	Line int // 1-based
	What string
}

func (e *SyntaxError) Error() string {
	file := e.File
	if strings.ContainsFunc(file, unicode.IsControl) {
		file = strconv.Quote(file)
	}
	return fmt.Sprintf("git configuration %s, line %d: %s", file, e.Line, e.What)
}

// variable is one assignment as it stands in a file.
type variable struct {
	key   string
	value string
	bare  bool // written without "=", which means true
	line  int
}

// parse calls yield for each variable of the file, in order, and stops at the
// first error of either side. It follows git's own reader character by
// character, so that what git reads is what is read here.
func parse(file string, data []byte, yield func(variable) error) error {
	p := &parser{data: data, line: 1}
	if strings.HasPrefix(string(data[:min(3, len(data))]), "\xef\xbb\xbf") {
		p.pos = 3
	}
	fail := func(what string) error { return &SyntaxError{File: file, Line: p.at, What: what} }
	section, inComment := "", false // git takes a variable without a section
	for {
		c := p.next()
		switch {
		case c == '\n':
			if p.eof {
				return nil
			}
			inComment = false
		case inComment || isSpace(c):
		case c == '#' || c == ';':
			inComment = true
		case c == '[':
			name, what := p.section()
			if what != "" {
				return fail(what)
			}
			section = name + "."
		case isAlpha(c):
			v, what := p.variable(section, c)
			if what != "" {
				return fail(what)
			}
			if err := yield(v); err != nil {
				return err
			}
		default:
			return fail("neither a [section], a variable nor a comment")
		}
	}
}

type parser struct {
	data []byte
	pos  int
	line int // of the next character
	at   int // of the last one
	eof  bool
}

// next gives the next character; a line end is "\n" whichever way it is
// written, and so is the end of the file.
func (p *parser) next() byte {
	p.at = p.line
	if p.pos >= len(p.data) {
		p.eof = true
		return '\n'
	}
	c := p.data[p.pos]
	p.pos++
	if c == '\r' && p.pos < len(p.data) && p.data[p.pos] == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return c
}

func (p *parser) section() (name, what string) {
	var b strings.Builder
	for {
		c := p.next()
		switch {
		case p.eof:
			return "", "a [section] is not closed"
		case c == ']':
			if b.Len() == 0 {
				return "", "a [section] has no name"
			}
			return b.String(), ""
		case isSpace(c):
			return p.subsection(&b, c)
		case !isKey(c) && c != '.':
			return "", "a [section] name holds a character that is not allowed"
		}
		b.WriteByte(lower(c))
	}
}

func (p *parser) subsection(b *strings.Builder, c byte) (name, what string) {
	for isSpace(c) {
		if c == '\n' {
			return "", "a [section] is not closed on its line"
		}
		c = p.next()
	}
	if c != '"' {
		return "", "a subsection is not quoted"
	}
	b.WriteByte('.')
	for {
		c = p.next()
		if c == '"' {
			break
		}
		if c == '\\' {
			c = p.next()
		}
		if c == '\n' {
			return "", "a subsection is not closed on its line"
		}
		b.WriteByte(c)
	}
	if p.next() != ']' {
		return "", "a [section] is not closed after its subsection"
	}
	return b.String(), ""
}

func (p *parser) variable(section string, first byte) (v variable, what string) {
	v.line = p.at
	name := []byte{lower(first)}
	c := p.next()
	for ; isKey(c); c = p.next() {
		name = append(name, lower(c))
	}
	v.key = section + string(name)
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	if c == '\n' {
		v.bare = true
		return v, ""
	}
	if c != '=' {
		return v, "a variable name is not followed by ="
	}
	v.value, what = p.value()
	return v, what
}

func (p *parser) value() (value, what string) {
	var b []byte
	quoted, comment := false, false
	keep := 0 // length without the blanks at the end
	for {
		c := p.next()
		if c == '\n' {
			if quoted {
				return "", "a quoted value is not closed on its line"
			}
			return string(b[:keep]), ""
		}
		if comment {
			continue
		}
		if !quoted {
			if isSpace(c) {
				if len(b) > 0 {
					b = append(b, c)
				}
				continue
			}
			if c == ';' || c == '#' {
				comment = true
				continue
			}
		}
		switch c {
		case '\\':
			switch c = p.next(); c {
			case '\n':
				keep = max(keep, len(b))
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
			default:
				return "", "a value holds an escape that git does not know"
			}
			b = append(b, c)
		case '"':
			quoted = !quoted
		default:
			b = append(b, c)
		}
		keep = len(b)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isAlpha(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isKey(c byte) bool   { return isAlpha(c) || '0' <= c && c <= '9' || c == '-' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
