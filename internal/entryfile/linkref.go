package entryfile

import "bytes"

// withoutReferences takes the link reference definitions off the lines of a
// paragraph. Where nothing is left, a line of dashes under it underlines
// nothing. The reading is goldmark's, oddities included.
func withoutReferences(data []byte, lines []span) []span {
	r := refReader{}
	for i, l := range lines {
		line := trimLeft(data[l.start:l.end])
		if i == len(lines)-1 {
			line = bytes.TrimRight(line, " \t\r\n")
		}
		r.text = append(r.text, line...)
	}
	taken := 0
	for {
		from, to, ok := r.definition()
		if !ok || len(lines) == 0 {
			return lines
		}
		cut := min(max(to-taken, 0), len(lines))
		keep := min(max(from-taken, 0), cut)
		copy(lines[cut-keep:cut], lines[:keep])
		lines = lines[cut-keep:]
		taken = to
	}
}

// refReader reads the text of a paragraph.
type refReader struct {
	text []byte
	pos  int
	line int // number of the line of pos
}

// definition reads one definition and returns the lines it takes.
func (r *refReader) definition() (from, to int, ok bool) {
	r.space()
	if r.peek() != '[' {
		return 0, 0, false
	}
	from = r.line
	r.advance(1)
	start := r.pos
	if !r.closing('[', ']') || isBlank(r.text[start:r.pos-1]) || r.peek() != ':' {
		return 0, 0, false
	}
	r.advance(1)
	r.space()
	if !r.destination() {
		return 0, 0, false
	}
	alone := isBlank(r.restOfLine())
	end := r.line
	space := r.space()
	opener := r.peek()
	if opener != '"' && opener != '\'' && opener != '(' {
		return from, end + 1, alone
	}
	if space == 0 {
		return 0, 0, false
	}
	r.advance(1)
	closer := opener
	if opener == '(' {
		closer = ')'
	}
	if !r.closing(opener, closer) {
		return from, end + 1, alone
	}
	if !isBlank(r.restOfLine()) {
		return from, max(end, from+1), alone
	}
	return from, r.line + 1, true
}

func (r *refReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0xff
}

func (r *refReader) restOfLine() []byte {
	rest := r.text[r.pos:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

func (r *refReader) advance(n int) {
	r.line += bytes.Count(r.text[r.pos:r.pos+n], []byte("\n"))
	r.pos += n
}

// space skips white space and returns how much there was.
func (r *refReader) space() int {
	n := 0
	for r.pos+n < len(r.text) && isSpace(r.text[r.pos+n]) {
		n++
	}
	r.advance(n)
	return n
}

// closing moves past the next closer that is not escaped. Where there is none,
// or an opener comes first, it moves past the line at which that shows.
func (r *refReader) closing(opener, closer byte) bool {
	for i := r.pos; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\' && i+1 < len(r.text) && isPunctuation(r.text[i+1]):
			i++
		case c == closer:
			r.advance(i + 1 - r.pos)
			return true
		case c == opener:
			r.advance(i - r.pos)
			r.advance(len(r.restOfLine()))
			r.advance(min(1, len(r.text)-r.pos))
			return false
		}
	}
	r.advance(len(r.text) - r.pos)
	return false
}

func (r *refReader) destination() bool {
	line := r.restOfLine()
	angled := len(line) > 0 && line[0] == '<'
	depth := 0
	i := 0
	if angled {
		i = 1
	}
	for i < len(line) {
		c := line[i]
		if c == '\\' && i+1 < len(line) && isPunctuation(line[i+1]) {
			i += 2
			continue
		}
		if angled {
			if c == '>' {
				r.advance(i + 1)
				return true
			}
		} else if c == '(' {
			depth++
		} else if c == ')' && depth == 0 || isSpace(c) {
			break
		} else if c == ')' {
			depth--
		}
		i++
	}
	if angled {
		return false
	}
	r.advance(i)
	return i > 0
}

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c)
}
