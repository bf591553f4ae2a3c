package safetext

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes the characters of a JSON document as escapes that could act on a
// terminal, or change what a reader sees. It says the same to programs.
func JSON(doc []byte) []byte {
	var out []byte
	at := 0
	for i := 0; i < len(doc); {
		if doc[i] < utf8.RuneSelf && doc[i] != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(doc[i:])
		if IsHidden(r) {
			out = append(out, doc[at:i]...)
			for _, u := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, "\\u%04x", u)
			}
			at = i + n
		}
		i += n
	}
	if at == 0 {
		return doc
	}
	return append(out, doc[at:]...)
}
