package entryfile

import "bytes"

// onlyLinkReferences reports whether a paragraph, given by its lines, is made
// of link reference definitions and nothing else: then a line of dashes under
// it underlines nothing. The reading is goldmark's, oddities included.
func onlyLinkReferences(data []byte, lines []span) bool {
	r := refReader{}
	for i, l := range lines {
		line := trimLeft(data[l.start:l.end])
		if i == len(lines)-1 {
			line = bytes.TrimRightFunc(line, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
		}
		r.text = append(r.text, line...)
	}
	left, taken := len(lines), 0
	for {
		from, to, ok := r.definition()
		if !ok {
			return left == 0
		}
		if left > 0 {
			left = max(from-taken, 0) + max(left-(to-taken), 0)
			taken = to
		}
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
