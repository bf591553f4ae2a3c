package entryfile

import (
	"bytes"
	"strings"
)

// TrimBody takes blank lines off both ends of a body, and the end of its last
// line.
func TrimBody(s string) string {
	for {
		line, rest, found := strings.Cut(s, "\n")
		if strings.Trim(line, " \t\r") != "" {
			break
		}
		if !found {
			return ""
		}
		s = rest
	}
	for {
		i := strings.LastIndexByte(s, '\n')
		if i < 0 || strings.Trim(s[i+1:], " \t\r") != "" {
			break
		}
		s = s[:i]
	}
	return strings.TrimRight(s, "\r")
}

// encodeBody finds the first way to write body in a ledger file that leaves
// the entries around it alone.
func encodeBody(body string) (string, bodyForm) {
	if fits(body) {
		return body, plain
	}
	if n := shiftFor(body); n > 0 {
		shifted := shiftHeadings(body, n)
		if fits(shifted) && shiftHeadings(shifted, -n) == body {
			return shifted, bodyForm(n)
		}
	}
	return quote(body), quoted
}

// decodeBody is the body that raw stands for.
func decodeBody(raw string, form bodyForm) string {
	switch {
	case form == quoted:
		return unquote(raw)
	case form > 0:
		return shiftHeadings(raw, -int(form))
	}
	return raw
}

var follower = []byte("\n\n## x\n")

// fits reports whether raw can stand under a heading with any entry after it:
// no line of it starts another, and it ends with nothing open that would
// swallow what follows.
func fits(raw string) bool {
	if TrimBody(raw) != raw {
		return false
	}
	doc := make([]byte, 0, len(raw)+len(follower))
	doc = append(append(doc, raw...), follower...)
	for _, h := range topHeadings(doc) {
		if h.level <= 2 {
			return h.start == len(raw)+2
		}
	}
	return false
}

// shiftFor is by how many levels the headings of body must move down to be
// below those of entries, 0 if that is not possible.
func shiftFor(body string) int {
	top, bottom := 7, 0
	for _, h := range topHeadings([]byte(body)) {
		top, bottom = min(top, h.level), max(bottom, h.level)
	}
	if top > 2 || bottom+3-top > 6 {
		return 0
	}
	return 3 - top
}

// shiftHeadings moves the top-level headings of body down by n levels, or up
// where n is negative.
func shiftHeadings(body string, n int) string {
	data := []byte(body)
	var b bytes.Buffer
	done := 0
	for _, h := range topHeadings(data) {
		mark := h.start + bytes.IndexByte(data[h.start:h.end], '#')
		b.Write(data[done:mark])
		done = mark
		if n < 0 && h.level > -n {
			done = mark - n
		}
		for range n {
			b.WriteByte('#')
		}
	}
	b.Write(data[done:])
	return b.String()
}

// quote puts every line of body behind a "> ".
func quote(body string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(body, "\n") {
		b.WriteByte('>')
		if line != "\n" && line != "\r\n" && line != "" {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

func unquote(raw string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(raw, "\n") {
		if behind, ok := strings.CutPrefix(line, ">"); ok {
			line = strings.TrimPrefix(behind, " ")
		}
		b.WriteString(line)
	}
	return b.String()
}
