package entryfile

// resumeList reports whether the line goes on with the list: it is blank,
// indented far enough for the last item, or starts another item.
func (s *scanner) resumeList(list *node) bool {
	line := s.rest()
	if isBlank(line) {
		if list.empty {
			s.emptyItem = true
		}
		return true
	}
	indent, _ := indentWidth(line, s.column())
	if indent < list.offset || list.empty {
		if indent < 4 {
			if m, ok := itemMarker(line); ok && m.indent-list.offset < 4 {
				return m.char == list.marker && !s.isBreakInList(line[m.end-1:])
			}
		}
		if !list.empty || indent < list.offset {
			return false
		}
	}
	return !s.emptyItem
}

// isBreakInList reports whether what looks like an item is a thematic break.
// Only the outermost list asks: goldmark remembers the answer for the line.
func (s *scanner) isBreakInList(marker []byte) bool {
	if s.end <= s.ruleAt {
		return false
	}
	s.ruleAt = s.end
	if !isThematicBreak(marker, 0) {
		return false
	}
	last := s.innermost()
	return last.kind != paragraph || setextMark(marker) != '-'
}

func (s *scanner) resumeItem(item *node) bool {
	list := item.parent
	line := s.rest()
	if isBlank(line) {
		s.skipRest()
		return true
	}
	isEmpty := list.empty && s.emptyItem
	indent, _ := indentWidth(line, s.column())
	if (isEmpty || indent < list.offset) && indent < 4 {
		if _, ok := itemMarker(line); ok {
			s.skipList = true
			return false
		}
		if !isEmpty {
			return false
		}
	}
	pos, pad := indentPosition(line, s.column(), list.offset)
	s.advance(pos, pad)
	return true
}

// openList opens a list, without an item yet.
func (s *scanner) openList(parent *node, line []byte) *node {
	last := s.innermost()
	if s.skipList || last != nil && last.kind == listBlock {
		s.skipList = false
		return nil
	}
	m, ok := itemMarker(line)
	if !ok {
		return nil
	}
	if last != nil && last.kind == paragraph && last.parent == parent {
		// Only a list that begins with 1 and has text interrupts a paragraph.
		if m.ordered && m.number != 1 || isBlank(line[m.end:]) {
			return nil
		}
	}
	if len(s.open) >= maxOpen {
		s.deep = true
		return nil
	}
	list := s.push(parent, listBlock)
	list.marker, list.empty = m.char, true
	s.emptyItem = false
	return list
}

type itemOpening int

const (
	noItem itemOpening = iota
	itemOpened
	itemEmpty
)

func (s *scanner) openItem(list *node, line []byte) itemOpening {
	if list == nil || list.kind != listBlock {
		return noItem
	}
	m, ok := itemMarker(line)
	if !ok || m.indent-list.offset > 3 {
		return noItem
	}
	s.emptyItem = false
	content := line[m.end:]
	blank := isBlank(content)
	offset := 1
	if !blank {
		if w, _ := indentWidth(content, m.end); w <= 4 {
			offset = w
		}
	}
	s.push(list, itemBlock)
	list.offset, list.empty = m.end+offset, true
	if blank {
		return itemEmpty
	}
	pos, pad := indentPosition(content, m.end, offset)
	s.advance(m.end+pos, pad)
	return itemOpened
}

type marker struct {
	char        byte // the bullet, or the delimiter after a number
	ordered     bool
	number      int
	indent, end int
}

// itemMarker reads the bullet or number of a list item.
func itemMarker(line []byte) (marker, bool) {
	i := runLength(line, ' ')
	if i > 3 || i == len(line) {
		return marker{}, false
	}
	m := marker{indent: i}
	switch c := line[i]; {
	case c == '-' || c == '*' || c == '+':
		m.char = c
	case '0' <= c && c <= '9':
		for ; i < len(line) && '0' <= line[i] && line[i] <= '9'; i++ {
			if i-m.indent >= 9 {
				return marker{}, false
			}
			m.number = m.number*10 + int(line[i]-'0')
		}
		if i == len(line) || line[i] != '.' && line[i] != ')' {
			return marker{}, false
		}
		m.char, m.ordered = line[i], true
	default:
		return marker{}, false
	}
	m.end = i + 1
	if m.end < len(line) {
		if c := line[m.end]; c != '\n' && c != ' ' && c != '\t' {
			return marker{}, false
		}
	}
	return m, true
}

// indentPosition finds where width columns of indentation end: the bytes they
// take, and the columns of the last tab that are left over.
func indentPosition(line []byte, column, width int) (pos, pad int) {
	w := 0
	for ; pos < len(line) && w < width; pos++ {
		switch line[pos] {
		case '\t':
			w += tabWidth(column + w)
		case ' ':
			w++
		default:
			return pos, 0
		}
	}
	return pos, max(w-width, 0)
}
