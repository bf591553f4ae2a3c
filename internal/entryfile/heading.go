package entryfile

import (
	"bytes"
	"strings"
)

// headingText is the text of an ATX heading as it stands on its line: without
// the marks before it, and a closing sequence of them after it.
func headingText(line []byte) string {
	line = trimLeft(line)
	line = line[runLength(line, '#'):]
	text := bytes.Trim(line, " \t\r\n")
	i := len(text)
	for i > 0 && text[i-1] == '#' {
		i--
	}
	if i == 0 {
		return ""
	}
	if i < len(text) && isSpace(text[i-1]) {
		text = bytes.TrimRight(text[:i], " \t\r\n")
	}
	return string(text)
}

// readTitle undoes the escape of marks at the end of a heading.
func readTitle(text string) string {
	if at, slashes := closingMarks(text); at > 0 && slashes > 0 {
		return text[:at-1] + text[at:]
	}
	return text
}

// writeTitle is the text of a heading for title. Where that does not read back
// as title (it has spaces at its ends), exact is false.
func writeTitle(title string) (text string, exact bool) {
	text = strings.Trim(title, " \t\r\n")
	if at, _ := closingMarks(text); at >= 0 {
		text = text[:at] + `\` + text[at:]
	}
	return text, readTitle(headingText([]byte("## "+text))) == title
}

// closingMarks finds marks at the end of a heading's text that would close it:
// where they begin, -1 if there are none, and how many backslashes escape them.
func closingMarks(text string) (at, slashes int) {
	at = len(strings.TrimRight(text, "#"))
	if at == len(text) {
		return -1, 0
	}
	before := strings.TrimRight(text[:at], `\`)
	if before != "" && !isSpace(before[len(before)-1]) {
		return -1, 0
	}
	return at, at - len(before)
}
