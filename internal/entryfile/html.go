package entryfile

import (
	"bytes"
	"strings"
)

// htmlKind is a way an HTML block begins and ends, numbered as CommonMark does.
type htmlKind uint8

const (
	htmlNone     htmlKind = iota
	htmlRaw               // <pre>, <script>, <style>, <textarea>, up to the end tag
	htmlComment           // <!-- up to -->
	htmlProcess           // <? up to ?>
	htmlDeclare           // <!X up to >
	htmlCData             // <![CDATA[ up to ]]>
	htmlBlockTag          // a block-level tag, up to a blank line
	htmlAnyTag            // any complete tag alone on its line, up to a blank line
)

func (s *scanner) openHTML(parent *node, line []byte) bool {
	last := s.innermost()
	kind := htmlStart(line, last != nil && last.kind == paragraph)
	if kind == htmlNone {
		return false
	}
	n := s.push(parent, htmlBlock)
	n.html = kind
	n.closed = endsHTML(line, kind)
	s.skipRest()
	return true
}

func (s *scanner) resumeHTML(n *node) bool {
	if n.closed {
		return false
	}
	line := s.rest()
	if n.html == htmlBlockTag || n.html == htmlAnyTag {
		if isBlank(line) {
			return false
		}
	} else if endsHTML(line, n.html) {
		s.skipRest()
		return false
	}
	s.skipRest()
	return true
}

// htmlStart says which HTML block the line begins. A tag that is not
// block-level does not begin one within a paragraph.
func htmlStart(line []byte, inParagraph bool) htmlKind {
	space := runLength(line, ' ')
	if space > 3 || space == len(line) || line[space] != '<' {
		return htmlNone
	}
	rest := line[space+1:]
	switch {
	case startsRaw(rest):
		return htmlRaw
	case bytes.HasPrefix(rest, []byte("!--")):
		return htmlComment
	case bytes.HasPrefix(rest, []byte("?")):
		return htmlProcess
	case len(rest) > 1 && rest[0] == '!' && 'A' <= rest[1] && rest[1] <= 'Z':
		return htmlDeclare
	case bytes.HasPrefix(rest, []byte("![CDATA[")):
		return htmlCData
	}
	closing := len(rest) > 0 && rest[0] == '/'
	if closing {
		rest = bytes.TrimLeft(rest[1:], " ")
	}
	n := tagName(rest)
	if n == 0 {
		return htmlNone
	}
	name := strings.ToLower(string(rest[:n]))
	attributes, complete := completeTag(rest[n:])
	if blockTags[name] {
		if complete || endsTagName(rest[n:]) {
			return htmlBlockTag
		}
		return htmlNone
	}
	if complete && !inParagraph && !(closing && attributes) &&
		name != "script" && name != "style" && name != "pre" {
		return htmlAnyTag
	}
	return htmlNone
}

var rawTags = []string{"script", "pre", "style", "textarea"}

// startsRaw matches a raw tag's name and what may follow it.
func startsRaw(rest []byte) bool {
	for _, name := range rawTags {
		after, ok := cutFold(rest, name)
		if !ok {
			continue
		}
		after = trimLineEnd(after)
		if len(after) == 0 || isRegexpSpace(after[0]) || after[0] == '>' || bytes.HasPrefix(after, []byte("/>")) {
			return true
		}
	}
	return false
}

// endsHTML reports whether the line holds the end of a block of that kind.
func endsHTML(line []byte, kind htmlKind) bool {
	switch kind {
	case htmlRaw:
		for {
			i := bytes.Index(line, []byte("</"))
			if i < 0 {
				return false
			}
			line = line[i+2:]
			for _, name := range rawTags {
				if after, ok := cutFold(line, name); ok && len(after) > 0 && after[0] == '>' {
					return true
				}
			}
		}
	case htmlComment:
		return bytes.Contains(line, []byte("-->"))
	case htmlProcess:
		return bytes.Contains(line, []byte("?>"))
	case htmlDeclare:
		return bytes.IndexByte(line, '>') >= 0
	case htmlCData:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

func tagName(rest []byte) int {
	n := 0
	for n < len(rest) && (isLetter(rest[n]) || n > 0 && (isDigit(rest[n]) || rest[n] == '-')) {
		n++
	}
	return n
}

// endsTagName reports whether after can follow the name of a block-level tag.
func endsTagName(after []byte) bool {
	after = trimLineEnd(after)
	return len(after) == 0 || after[0] == ' ' || after[0] == '>' || bytes.HasPrefix(after, []byte("/>"))
}

// completeTag reports whether after, what follows a tag's name, completes the
// tag with nothing else on the line, and whether it has attributes.
func completeTag(after []byte) (attributes, complete bool) {
	for {
		n := attribute(after)
		if n == 0 {
			break
		}
		after, attributes = after[n:], true
	}
	after = bytes.TrimLeft(after, " ")
	after = bytes.TrimPrefix(after, []byte("/"))
	if len(after) == 0 || after[0] != '>' {
		return attributes, false
	}
	return attributes, len(trimLineEnd(bytes.TrimLeft(after[1:], " "))) == 0
}

// attribute returns the length of the attribute that s begins with, white
// space before it included, or 0.
func attribute(s []byte) int {
	i := tagSpace(s)
	if i == 0 || i == len(s) || !isLetter(s[i]) && s[i] != '_' && s[i] != ':' {
		return 0
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '_' || s[i] == ':' || s[i] == '.' || s[i] == '-') {
		i++
	}
	v := i + tagSpace(s[i:])
	if v == len(s) || s[v] != '=' {
		return i
	}
	v++
	v += tagSpace(s[v:])
	if v == len(s) {
		return i
	}
	if q := s[v]; q == '\'' || q == '"' {
		if n := bytes.IndexByte(s[v+1:], q); n >= 0 {
			return v + n + 2
		}
		return i
	}
	n := 0
	for v+n < len(s) && s[v+n] > ' ' && !strings.ContainsRune("\"'=<>`", rune(s[v+n])) {
		n++
	}
	if n == 0 {
		return i
	}
	return v + n
}

func tagSpace(s []byte) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\r' || s[n] == '\n') {
		n++
	}
	return n
}

// cutFold takes name off the front of s, whatever its case.
func cutFold(s []byte, name string) ([]byte, bool) {
	rest := s
	for _, want := range name {
		r, size := foldASCII(rest)
		if size == 0 || r != byte(want) {
			return nil, false
		}
		rest = rest[size:]
	}
	return rest, true
}

// foldASCII returns the first letter of s in lower case. The long s and the
// Kelvin sign fold to ASCII letters, too.
func foldASCII(s []byte) (c byte, size int) {
	switch {
	case len(s) == 0:
		return 0, 0
	case bytes.HasPrefix(s, []byte("ſ")):
		return 's', 2
	case bytes.HasPrefix(s, []byte("\u212a")):
		return 'k', 3
	case 'A' <= s[0] && s[0] <= 'Z':
		return s[0] + 'a' - 'A', 1
	}
	return s[0], 1
}

// trimLineEnd takes one line end off.
func trimLineEnd(s []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(s, []byte("\n")), []byte("\r"))
}

func isRegexpSpace(c byte) bool { return isSpace(c) || c == '\f' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

var blockTags = func() map[string]bool {
	tags := map[string]bool{}
	for _, name := range strings.Fields(`
		address article aside base basefont blockquote body caption center col colgroup
		dd details dialog dir div dl dt fieldset figcaption figure footer form frame
		frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu
		menuitem meta nav noframes ol optgroup option p param search section summary
		table tbody td tfoot th thead title tr track ul`) {
		tags[name] = true
	}
	return tags
}()
