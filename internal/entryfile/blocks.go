package entryfile

import "bytes"

// Which lines of a Markdown document are headings at its top level depends on
// all block structure above them: fences, HTML blocks, lists, quotes. The
// scanner follows goldmark's block parser step by step, without building a
// tree, so that what it calls a heading is what a Markdown reader shows as one.

// commentStart begins the comment that holds an entry's metadata.
var commentStart = []byte("<!-- vault:")

// A heading is an ATX heading at the top level of a document.
type heading struct {
	start, end int // of the line, its line end included
	level      int
}

type nodeKind uint8

const (
	quoteBlock nodeKind = iota
	listBlock
	itemBlock
	paragraph
	indentedCode
	fencedCode
	htmlBlock
	oneLiner // a heading or a thematic break, over at the next line
)

// maxOpen bounds how many blocks are followed into each other, and with it
// the work a line can cost. What is nested deeper is taken for text.
const maxOpen = 64

type node struct {
	kind   nodeKind
	parent *node
	free   *node // next in the list of nodes to use again

	marker    byte // list: its bullet or delimiter; fence: its character
	offset    int  // list: indentation of its last item's content
	empty     bool // list: its last item has no content yet
	length    int  // fence: how many characters opened it
	html      htmlKind
	closed    bool   // HTML block: its end is on its first line
	maybeRefs bool   // paragraph: begins as a link reference definition does
	lines     []span // paragraph that maybeRefs, or all if they are collected: its lines
}

type span struct{ start, end int }

type scanner struct {
	data []byte

	// The current line, from what is left of it after container markers.
	head, pos, end int
	pad            int // columns of a tab that are left before pos
	col            int // column of pos
	padded         []byte

	open      []*node
	pool      *node
	emptyItem bool // a blank line followed an empty list item
	skipList  bool // the next item marker continues a list
	ruleAt    int  // end of the last line looked at for a thematic break
	deep      bool // something was nested deeper than maxOpen

	plainRules bool // without the rule for headings before a vault comment
	headings   []heading

	collect bool // keep all headings, nested and underlined ones too
	number  int  // of the current line, from 1
	all     []Heading
}

// topHeadings lists the ATX headings at the top level of data, of every level.
func topHeadings(data []byte) []heading {
	s := scanner{data: data}
	s.run()
	return s.headings
}

func (s *scanner) run() {
	if !s.startLine(0) {
		return
	}
	for {
		if s.entryStart() {
			s.truncate(0)
			s.headings = append(s.headings, heading{s.head, s.end, 2})
		} else if !s.quick() {
			s.line()
		}
		if !s.startLine(s.end) {
			return
		}
	}
}

// startLine makes the line at pos the current one.
func (s *scanner) startLine(pos int) bool {
	if pos >= len(s.data) {
		return false
	}
	s.head, s.pos, s.pad, s.col = pos, pos, 0, 0
	s.number++
	if i := bytes.IndexByte(s.data[pos:], '\n'); i >= 0 {
		s.end = pos + i + 1
	} else {
		s.end = len(s.data)
	}
	return true
}

// entryStart reports whether the line is an ATX heading of level 2 directly
// followed by a vault comment: that starts an entry in whatever is open.
func (s *scanner) entryStart() bool {
	if s.plainRules || s.data[s.head] != '#' {
		return false
	}
	return startsEntry(s.data[s.head:s.end], s.data[s.end:])
}

// startsEntry reports whether a line starts an entry wherever it stands, by
// what follows it.
func startsEntry(line, rest []byte) bool {
	return len(line) > 2 && line[0] == '#' && line[1] == '#' && isSpace(line[2]) && bytes.HasPrefix(rest, commentStart)
}

// quick handles the lines that most text is made of.
func (s *scanner) quick() bool {
	c := s.data[s.head]
	switch len(s.open) {
	case 0:
		return c == '\n'
	case 1:
		n := s.open[0]
		if n.kind == fencedCode {
			return c != n.marker && c != ' ' && c != '\t'
		}
		if n.kind == paragraph && !n.maybeRefs {
			if c == '\n' {
				s.truncate(0)
				return true
			}
			text := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
			if text && s.collect {
				n.lines = append(n.lines, span{s.head, s.end})
			}
			return text
		}
	}
	return false
}

// line takes the current line through the open blocks, outermost first.
func (s *scanner) line() {
	if len(s.open) == 0 {
		if !isBlank(s.rest()) {
			s.openBlocks(nil)
		}
		return
	}
	last := len(s.open) - 1
	for i := 0; i <= last; i++ {
		if s.pos >= s.end {
			return
		}
		n := s.open[i]
		if n.kind != paragraph && s.resume(n) {
			if (n.kind == quoteBlock || n.kind == listBlock || n.kind == itemBlock) && i == last {
				s.openBlocks(n)
				return
			}
			continue
		}
		var parent *node
		if i > 0 {
			parent = s.open[i-1]
		}
		innermost := s.open[last]
		if s.openBlocks(parent) != continuedParagraph {
			if last >= len(s.open) || s.open[last] != innermost {
				last-- // it became a heading, or nothing
			}
			s.closeBlocks(last, i)
		}
		return
	}
}

// resume reports whether the open block goes on with the current line.
func (s *scanner) resume(n *node) bool {
	switch n.kind {
	case quoteBlock:
		return s.quoteMarker()
	case listBlock:
		return s.resumeList(n)
	case itemBlock:
		return s.resumeItem(n)
	case indentedCode:
		line := s.rest()
		w, _ := indentWidth(line, s.column())
		if w < 4 && !isBlank(line) {
			return false
		}
		s.skipRest()
		return true
	case fencedCode:
		line := s.rest()
		if w, pos := indentWidth(line, s.column()); w < 4 {
			run := runLength(line[pos:], n.marker)
			if run >= n.length && isBlank(line[pos+run:]) {
				s.skipRest()
				return false
			}
		}
		s.skipRest()
		return true
	case htmlBlock:
		return s.resumeHTML(n)
	}
	return false
}

type opening int

const (
	openedNothing opening = iota
	openedBlock
	continuedParagraph
)

// openBlocks opens what the rest of the line starts, inside parent.
func (s *scanner) openBlocks(parent *node) opening {
	result := openedNothing
	innermost := s.innermost()
	continuable := innermost != nil && innermost.kind == paragraph
retry:
	line := s.rest()
	if len(line) > 0 && line[0] != '\n' {
		indent, pos := indentWidth(line, s.column())
		mark := pos
		if indent >= len(line) {
			mark = -1
		}
		var c byte
		if pos < len(line) {
			c = line[pos]
		}
		interrupting := continuable && result == openedNothing
		if indent <= 3 {
			switch c {
			case '#':
				if s.openHeading(parent, line, mark) {
					return openedBlock
				}
			case '>':
				if len(s.open) >= maxOpen {
					s.deep = true
				} else if s.quoteMarker() {
					parent = s.push(parent, quoteBlock)
					result = openedBlock
					goto retry
				}
			case '`', '~':
				if s.openFence(parent, line, mark) {
					return openedBlock
				}
			case '<':
				if s.openHTML(parent, line) {
					return openedBlock
				}
			case '-', '=', '*', '_', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
				if c == '-' || c == '=' {
					switch s.openUnderline(parent, line) {
					case underlineOpened:
						return openedBlock
					case underlineOfNothing:
						continuable = false
						goto retry
					}
				}
				if (c == '-' || c == '*' || c == '_') && isThematicBreak(line, s.column()) {
					s.skipRest()
					s.push(parent, oneLiner)
					return openedBlock
				}
				if c == '=' || c == '_' {
					break
				}
				if list := s.openList(parent, line); list != nil {
					parent = list
					result = openedBlock
					goto retry
				}
				switch s.openItem(parent, line) {
				case itemEmpty:
					return openedBlock
				case itemOpened:
					parent = s.innermost()
					result = openedBlock
					goto retry
				}
			}
		}
		if !interrupting {
			if indent >= 4 {
				if !isBlank(line) {
					s.skipRest()
					s.push(parent, indentedCode)
					return openedBlock
				}
			} else if !isBlank(line) {
				s.openParagraph(parent)
				return openedBlock
			}
		}
	}
	if result == openedNothing && continuable && !isBlank(line) {
		if innermost.maybeRefs || s.collect {
			innermost.lines = append(innermost.lines, span{s.pos, s.end})
		}
		s.skipRest()
		return continuedParagraph
	}
	return result
}

func (s *scanner) openParagraph(parent *node) {
	n := s.push(parent, paragraph)
	n.maybeRefs = bytes.HasPrefix(trimLeft(s.data[s.pos:s.end]), []byte("["))
	n.lines = n.lines[:0]
	if n.maybeRefs || s.collect {
		n.lines = append(n.lines, span{s.pos, s.end})
	}
	s.skipRest()
}

func (s *scanner) openHeading(parent *node, line []byte, mark int) bool {
	if mark < 0 {
		return false
	}
	level := runLength(line[mark:], '#')
	if level > 6 || mark+level < len(line) && !isSpace(line[mark+level]) {
		return false
	}
	if parent == nil {
		s.headings = append(s.headings, heading{s.head, s.end, level})
	}
	if s.collect {
		s.all = append(s.all, Heading{s.number, headingText(line[mark:])})
	}
	s.skipRest()
	s.push(parent, oneLiner)
	return true
}

func (s *scanner) openFence(parent *node, line []byte, mark int) bool {
	if mark < 0 {
		return false
	}
	c := line[mark]
	length := runLength(line[mark:], c)
	if length < 3 || c == '`' && bytes.IndexByte(line[mark+length:], '`') >= 0 {
		return false
	}
	n := s.push(parent, fencedCode)
	n.marker, n.length = c, length
	s.skipRest()
	return true
}

// quoteMarker takes the > of a block quote, and the space after it.
func (s *scanner) quoteMarker() bool {
	line := s.rest()
	w, pos := indentWidth(line, s.column())
	if w > 3 || pos >= len(line) || line[pos] != '>' {
		return false
	}
	pos++
	s.advance(pos, 0)
	if pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
		pad := 0
		if line[pos] == '\t' {
			pad = tabWidth(s.column()) - 1
		}
		s.advance(1, pad)
	}
	return true
}

type underline int

const (
	noUnderline underline = iota
	underlineOpened
	underlineOfNothing // of a paragraph that is link references only
)

// openUnderline makes the open paragraph a setext heading.
func (s *scanner) openUnderline(parent *node, line []byte) underline {
	last := s.innermost()
	if last == nil || last.kind != paragraph || last.parent != parent || setextMark(line) == 0 {
		return noUnderline
	}
	s.open = s.open[:len(s.open)-1]
	if last.maybeRefs {
		if last.lines = withoutReferences(s.data, last.lines); len(last.lines) == 0 {
			return underlineOfNothing
		}
	}
	if s.collect {
		s.all = append(s.all, s.underlined(last))
	}
	s.skipRest()
	s.push(parent, oneLiner)
	return underlineOpened
}

// setextMark returns the character of a setext underline, 0 if it is none.
func setextMark(line []byte) byte {
	space := runLength(line, ' ')
	if space > 3 || space == len(line) {
		return 0
	}
	mark := line[space]
	if mark != '=' && mark != '-' {
		return 0
	}
	if !isBlank(line[space+runLength(line[space:], mark):]) {
		return 0
	}
	return mark
}

func isThematicBreak(line []byte, column int) bool {
	w, pos := indentWidth(line, column)
	if w > 3 {
		return false
	}
	var mark byte
	count := 0
	for _, c := range line[pos:] {
		switch {
		case isSpace(c):
		case mark == 0 && (c == '*' || c == '-' || c == '_'):
			mark, count = c, 1
		case c == mark && mark != 0:
			count++
		default:
			return false
		}
	}
	return count > 2
}

// rest is what is left of the current line, the rest of a tab as spaces. It is
// valid until the next call.
func (s *scanner) rest() []byte {
	if s.pad == 0 {
		return s.data[s.pos:s.end]
	}
	s.padded = s.padded[:0]
	for range s.pad {
		s.padded = append(s.padded, ' ')
	}
	s.padded = append(s.padded, s.data[s.pos:s.end]...)
	return s.padded
}

// column is where the rest of the line begins.
func (s *scanner) column() int { return s.col - s.pad }

// advance takes n bytes of the rest of the line, and leaves pad columns of the
// last one.
func (s *scanner) advance(n, pad int) {
	for ; n > 0 && s.pad > 0; n-- {
		s.pad--
	}
	for ; n > 0 && s.pos < s.end; n-- {
		if s.data[s.pos] == '\t' {
			s.col += tabWidth(s.col)
		} else {
			s.col++
		}
		s.pos++
	}
	s.pad = max(s.pad, pad)
}

// skipRest takes all of the line but its newline.
func (s *scanner) skipRest() {
	s.pad = 0
	s.pos = s.end
	if s.data[s.end-1] == '\n' {
		s.pos--
	}
}

func (s *scanner) innermost() *node {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

func (s *scanner) push(parent *node, kind nodeKind) *node {
	n := s.pool
	if n == nil {
		n = &node{}
	} else {
		s.pool = n.free
	}
	*n = node{kind: kind, parent: parent, lines: n.lines}
	if parent != nil && parent.kind == itemBlock {
		parent.parent.empty = false
	}
	s.open = append(s.open, n)
	return n
}

func (s *scanner) release(n *node) {
	n.free = s.pool
	s.pool = n
}

func (s *scanner) truncate(to int) { s.closeBlocks(len(s.open)-1, to) }

// closeBlocks takes the blocks from index to up to index from off the stack.
func (s *scanner) closeBlocks(from, to int) {
	if from < to {
		return
	}
	for _, n := range s.open[to : from+1] {
		s.release(n)
	}
	s.open = append(s.open[:to], s.open[from+1:]...)
}

// indentWidth measures the leading spaces and tabs of line, which begins at
// column: their width in columns and in bytes.
func indentWidth(line []byte, column int) (width, bytes int) {
	for _, c := range line {
		switch c {
		case ' ':
			width++
		case '\t':
			width += tabWidth(column + width)
		default:
			return width, bytes
		}
		bytes++
	}
	return width, bytes
}

func tabWidth(column int) int { return 4 - column%4 }

func runLength[T string | []byte](line T, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isBlank(line []byte) bool {
	for _, c := range line {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func trimLeft(line []byte) []byte {
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	return line
}
