package entryfile

import (
	"iter"
	"strings"
)

// A passage is a piece of a text on one line: a heading, a list item, or a
// paragraph with its wrapped lines joined.
type passage struct {
	text string
	kind passageKind
}

type passageKind uint8

const (
	prose     passageKind = iota
	titleLine             // a heading
	aside                 // what says little of a text's matter: code, tables, HTML, pictures, "Author: …"
)

// Bounds on the length of a passage, and on how much of a text is looked
// through for them, in bytes.
const (
	maxPassage = 4 << 10
	maxLook    = 32 << 10
	enough     = 4 * MaxDescription // of a paragraph, to take a sentence from
)

// passages lists the passages of a Markdown text. It is for choosing a line to
// show; where a text is ambiguous it guesses.
func passages(text string) iter.Seq[passage] {
	return func(yield func(passage) bool) {
		var open []byte // the paragraph so far
		flush := func(kind passageKind) bool {
			p := passage{string(open), kind}
			if kind == prose && isAside(p.text) {
				p.kind = aside
			}
			open = open[:0]
			return p.text == "" || yield(p)
		}
		fence := ""
		for line := range strings.SplitSeq(text[:min(len(text), maxLook)], "\n") {
			hardBreak := strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`)
			line = strings.TrimSpace(line[:min(len(line), maxPassage)])
			if fence != "" {
				if strings.HasPrefix(line, fence) {
					fence = ""
				} else if !yield(passage{oneLine(line), aside}) {
					return
				}
				continue
			}
			switch {
			case line == "":
				if !flush(prose) {
					return
				}
				continue
			case isUnderline(line):
				if !flush(titleLine) {
					return
				}
				if strings.HasPrefix(line, "~~~") && len(open) == 0 {
					fence = "~~~"
				}
				continue
			case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
				if !flush(prose) {
					return
				}
				fence = line[:3]
				continue
			}
			bare, marked := stripMarks(line)
			if marked != unmarked || !wraps(len(open)) {
				if !flush(prose) {
					return
				}
			}
			if len(open) < enough {
				if len(open) > 0 && bare != "" {
					open = append(open, ' ')
				}
				open = append(open, oneLine(bare)...)
			}
			if marked == headingMark && !flush(titleLine) {
				return
			}
			if hardBreak && !flush(prose) {
				return
			}
		}
		flush(prose)
	}
}

// wraps reports whether a line may go on in the next one: it is long enough to
// have been wrapped, and what is joined is not too long.
func wraps(length int) bool { return length >= 40 && length < maxPassage }

type mark uint8

const (
	unmarked mark = iota
	headingMark
	otherMark
)

// stripMarks takes the marks of headings, quotes and list items off a line.
func stripMarks(line string) (bare string, found mark) {
	for {
		line = strings.TrimLeft(line, " \t")
		if level := runLength(line, '#'); level > 0 {
			if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
				return line, found
			}
			return readTitle(headingText([]byte(line))), headingMark
		}
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			line, found = rest, otherMark
			continue
		}
		m, ok := itemMarker([]byte(line))
		if !ok || m.end == len(line) {
			return line, found
		}
		line, found = line[m.end:], otherMark
		for _, box := range []string{" [ ] ", " [x] ", " [X] "} {
			line = strings.TrimPrefix(line, box)
		}
	}
}

// isUnderline reports whether a line is one punctuation character three times
// or more: a rule, or the underline of a heading.
func isUnderline(line string) bool {
	c := line[0]
	return len(line) >= 3 && strings.IndexByte("=-~^*_+#\"", c) >= 0 && runLength(line, c) == len(line)
}

// isAside reports whether a paragraph is a table, HTML, a picture, a directive,
// a link's definition, a link with hardly a word, or a line of bibliography.
func isAside(text string) bool {
	if text == "" || strings.IndexByte("|<", text[0]) >= 0 || text[0] == '[' && strings.Contains(text, "]: ") {
		return true
	}
	for _, start := range []string{"![", "[![", ".. "} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	if key, value, ok := strings.Cut(text, ":"); ok && len(key) < 24 {
		value = strings.TrimSpace(value)
		if value == "N/A" || bibliography[strings.ToLower(strings.Trim(key, "*_ "))] {
			return true
		}
	}
	return strings.Contains(text, "://") && len(strings.Fields(text)) < 5
}

var bibliography = map[string]bool{
	"author": true, "authors": true, "author(s)": true, "by": true, "date": true, "start date": true, "created": true, "updated": true,
	"last updated": true, "status": true, "deciders": true, "consulted": true, "informed": true, "contact": true, "discussion": true,
	"feature name": true, "version": true,
}
