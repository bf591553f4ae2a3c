package importers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// decode makes text of a file's bytes: without a byte order mark, with plain
// line ends. UTF-16 with a mark is read too.
func decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return plainLines(utf16Text(data[2:], binary.LittleEndian)), nil
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return plainLines(utf16Text(data[2:], binary.BigEndian)), nil
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errors.New("it is binary, not text")
	}
	return plainLines(string(bytes.TrimPrefix(data, []byte("\ufeff")))), nil
}

func utf16Text(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

func plainLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// A section is a heading and what stands under it.
type section struct {
	title string // "" for what stands before the first heading
	line  int    // of the heading, or of the first line, from 1
	body  string
}

// split cuts text at its ATX headings of a level, not inside of fences, and
// returns the text before the first one too, if there is any. line is the
// number of the text's first line.
func split(text string, level, line int) []section {
	var out []section
	cur := section{line: line}
	var body strings.Builder
	flush := func() {
		cur.body = trimBlank(body.String())
		if cur.title != "" || cur.body != "" {
			out = append(out, cur)
		}
		body.Reset()
	}
	var fence fences
	for l := range strings.Lines(text) {
		if !fence.inside(l) {
			if n, title := heading(l); n == level {
				flush()
				cur = section{title: title, line: line}
				line++
				continue
			}
		}
		body.WriteString(l)
		line++
	}
	flush()
	return out
}

// heading returns the level and text of an ATX heading, 0 for another line.
func heading(l string) (level int, title string) {
	l = strings.TrimRight(l, " \t\n")
	rest := strings.TrimLeft(l, " ")
	if len(l)-len(rest) > 3 {
		return 0, ""
	}
	title = strings.TrimLeft(rest, "#")
	level = len(rest) - len(title)
	if level == 0 || level > 6 || title != "" && title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(title)
	if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		title = strings.TrimSpace(bare)
	}
	return level, title
}

// fences knows whether a line stands inside of a fenced block.
type fences struct{ open string }

func (f *fences) inside(l string) bool {
	t := strings.TrimLeft(l, " ")
	if len(l)-len(t) > 3 {
		return f.open != ""
	}
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(t, mark) {
			continue
		}
		run := t[:len(t)-len(strings.TrimLeft(t, mark[:1]))]
		switch {
		case f.open == "":
			f.open = run
		case run[0] == f.open[0] && len(run) >= len(f.open) && strings.TrimSpace(t[len(run):]) == "":
			f.open = ""
		}
		return true
	}
	return f.open != ""
}

// takeTitle takes the first heading of level 1 off a text, where it stands
// before anything else. line is the first line's number; it returns that of
// what is left.
func takeTitle(text string, line int) (title, rest string, at int) {
	at = line
	for text != "" {
		l, after, _ := strings.Cut(text, "\n")
		if strings.TrimSpace(l) == "" {
			text = after
			at++
			continue
		}
		if n, t := heading(l); n == 1 {
			return t, after, at + 1
		}
		if under, tail, _ := strings.Cut(after, "\n"); len(under) > 1 && strings.Trim(under, "=") == "" {
			return strings.TrimSpace(l), tail, at + 2
		}
		break
	}
	return "", text, at
}

// An item is a bullet or paragraph of a list of notes.
type item struct {
	line int
	text string
}

// items cuts a text into its top-level bullets and paragraphs. Headings are
// left out; what is indented belongs to the bullet above it.
func items(text string, line int) []item {
	var out []item
	var cur []string
	start := line
	flush := func() {
		if t := trimBlank(strings.Join(cur, "\n")); t != "" {
			out = append(out, item{start, t})
		}
		cur = nil
	}
	var fence fences
	bullet := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \t\n")
		inFence := fence.inside(l)
		level, _ := heading(l)
		mark := bulletText(l)
		switch {
		case inFence:
			if cur == nil {
				start = line
			}
			cur = append(cur, strings.TrimPrefix(l, "  "))
		case level > 0, l == "---":
			flush()
			bullet = false
		case mark != "" && l[0] != ' ' && l[0] != '\t':
			flush()
			start, bullet = line, true
			cur = []string{mark}
		case l == "":
			if !bullet {
				flush()
			} else if cur != nil {
				cur = append(cur, "")
			}
		case bullet && l[0] != ' ' && l[0] != '\t' && len(cur) > 0 && cur[len(cur)-1] == "":
			flush()
			start, bullet = line, false
			cur = []string{l}
		default:
			if cur == nil {
				start = line
			}
			cur = append(cur, strings.TrimPrefix(l, "  "))
		}
		line++
	}
	flush()
	return out
}

// bulletText is what stands behind a line's bullet, "" without one.
func bulletText(l string) string {
	t := strings.TrimLeft(l, " \t")
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(t, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
