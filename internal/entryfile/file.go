package entryfile

import (
	"bytes"
	"errors"
	"strings"
)

// A line is a key of front matter, on the line or lines that hold it.
type line struct {
	key string
	span
}

// parseFile reads a file that is one entry.
func (d *Document) parseFile() {
	data, skipped := trimBOM(d.data)
	if isBlank(data) {
		return
	}
	text := string(d.data)
	s := section{next: len(d.data)}
	s.Kind = d.kind
	s.Start = skipped
	s.meta = span{skipped, skipped}
	if inner, end, ok := frontMatter(d.data, skipped); ok {
		s.meta.end = end
		s.front, s.Err = readFront(&s.Entry, text, inner)
		s.rawID = s.ID
	} else if unclosedFront(data) {
		s.Err = errors.New("the front matter is not closed by a line of ---")
	}
	s.body = trimSpan(d.data, span{s.meta.end, len(d.data)})
	s.Body = text[s.body.start:s.body.end]
	s.End = s.meta.end
	if s.body.end > s.body.start {
		s.End = lineAfter(d.data, s.body.end, len(d.data))
	}
	if strings.ContainsRune(s.Title, '\n') {
		s.Title = oneLine(s.Title)
	}
	if s.Title == "" {
		s.Title = strings.ToValidUTF8(titleOfFile(d.path, s.Body), "\ufffd") // it must be possible to write it down
	}
	s.complete(d.path)
	d.sections = []*section{&s}
}

// titleOfFile is the title of a file that has none in its front matter: its
// first heading, or its name.
func titleOfFile(path, body string) string {
	data := []byte(body)
	for _, h := range topHeadings(data) {
		if title := readTitle(headingText(data[h.start:h.end])); title != "" {
			return title
		}
	}
	return titleOfPath(path)
}

// frontMatter finds the front matter that data begins with at start: what
// stands between its two lines of dashes, and where it ends. A file that begins
// with a rule and has another one further down has no front matter.
func frontMatter(data []byte, start int) (inner span, end int, ok bool) {
	at := lineAfter(data, start, len(data))
	if !isFence(data[start:at]) {
		return span{}, 0, false
	}
	inner.start = at
	for at < len(data) {
		next := lineAfter(data, at, len(data))
		if isFence(data[at:next]) || strings.TrimRight(string(data[at:next]), " \t\r\n") == "..." {
			inner.end = at
			return inner, next, isBlank(data[inner.start:at]) || looksLikeKey(data[inner.start:at])
		}
		at = next
	}
	return span{}, 0, false
}

func isFence(line []byte) bool {
	return bytes.Equal(bytes.TrimRight(line, " \t\r\n"), []byte("---"))
}

// looksLikeKey reports whether text begins, after blank lines and YAML
// comments, with "word:" as a mapping does.
func looksLikeKey(text []byte) bool {
	for len(text) > 0 {
		end := lineAfter(text, 0, len(text))
		line := text[:end]
		text = text[end:]
		if isBlank(line) || line[0] == '#' {
			continue
		}
		if line[0] == '{' {
			return true
		}
		n := 0
		for n < len(line) && (isLetter(line[n]) || isDigit(line[n]) || line[n] == '_' || line[n] == '-' || line[n] == '"' || line[n] == '\'' || line[n] >= 0x80) {
			n++
		}
		return n > 0 && n < len(line) && line[n] == ':' && (n+1 == len(line) || isSpace(line[n+1]))
	}
	return false
}

// unclosedFront reports whether data begins like front matter of ours that
// does not end.
func unclosedFront(data []byte) bool {
	end := lineAfter(data, 0, len(data))
	if !isFence(data[:end]) {
		return false
	}
	word, _, ok := bytes.Cut(data[end:lineAfter(data, end, len(data))], []byte(":"))
	if !ok {
		return false
	}
	_, known := fieldIndex[string(word)]
	return known
}

// readFront fills e from front matter.
func readFront(e *Entry, text string, inner span) ([]line, error) {
	source := text[inner.start:inner.end]
	if strings.Trim(source, " \t\r\n") == "" {
		return nil, nil
	}
	pairs, ok := readBlockMapping(source)
	if !ok {
		var err error
		if pairs, err = readYAML(source); err != nil {
			return nil, errors.New("the front matter cannot be read: " + err.Error())
		}
	}
	if _, err := readPairs(e, pairs); err != nil {
		return nil, errors.New("the front matter cannot be read: " + err.Error())
	}
	return frontLines(text, inner, pairs), nil
}

// frontLines finds the lines of each key. It returns nil where it cannot: then
// the front matter is written anew as a whole.
func frontLines(text string, inner span, pairs []pair) []line {
	lines := make([]line, 0, len(pairs))
	for at := inner.start; at < inner.end; {
		end := at + len(text[at:inner.end])
		if i := strings.IndexByte(text[at:inner.end], '\n'); i >= 0 {
			end = at + i + 1
		}
		switch c := text[at]; {
		case c == '#' || isSpace(c):
			if c != '#' && strings.Trim(text[at:end], " \t\r\n") != "" {
				if len(lines) == 0 {
					return nil
				}
				lines[len(lines)-1].end = end
			}
		case c == '-' && len(lines) > 0:
			lines[len(lines)-1].end = end
		default:
			if len(lines) == len(pairs) {
				return nil
			}
			key := pairs[len(lines)].key
			if !strings.HasPrefix(text[at:end], key+":") {
				return nil
			}
			lines = append(lines, line{key, span{at, end}})
		}
		at = end
	}
	if len(lines) != len(pairs) {
		return nil
	}
	return lines
}
