package entryfile

import (
	"bytes"
	"errors"
	"strings"
)

// isVaultComment reports whether the line begins a vault comment, as vault
// writes it or as somebody may type it.
func isVaultComment(line []byte) bool {
	rest, ok := bytes.CutPrefix(trimLeft(line), []byte("<!--"))
	return ok && bytes.HasPrefix(trimLeft(rest), []byte("vault:"))
}

// readComment fills e from a line for which isVaultComment holds.
func readComment(e *Entry, line string) (bodyForm, error) {
	_, rest, _ := strings.Cut(line, "vault:")
	rest = strings.TrimRight(rest, " \t\r\n")
	text, ok := strings.CutSuffix(rest, "-->")
	if !ok {
		return plain, errors.New("the vault comment does not end with --> on its line")
	}
	if closesComment(text) {
		return plain, errors.New("the vault comment ends before the end of its line")
	}
	var room [8]pair
	pairs, ok := readFlowMapping(room[:0], text)
	if !ok {
		var err error
		if !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
			err = errNoMapping
		} else {
			pairs, err = readYAML(text)
		}
		if err != nil {
			return plain, errors.New("the vault comment cannot be read: " + err.Error())
		}
	}
	form, err := readPairs(e, pairs)
	if err != nil {
		return plain, errors.New("the vault comment cannot be read: " + err.Error())
	}
	return form, nil
}

// writeComment is the comment of an entry, without a line end. The title is in
// it only where the heading cannot hold it.
func writeComment(e *Entry, form bodyForm) string {
	_, exact := writeTitle(e.Title)
	var b strings.Builder
	b.Write(commentStart)
	b.WriteString(" {")
	first := true
	writePairs(e, !exact, form, inFlow, func(key, value string) {
		if !first {
			b.WriteString(", ")
		}
		first = false
		b.WriteString(key)
		b.WriteString(": ")
		b.WriteString(value)
	})
	b.WriteString("} -->")
	return b.String()
}
