package secrets

import "strings"

// Redact returns text with every secret replaced by "[secret: rule]".
//
// Said is what the text may quote a piece of, as an error quotes a command
// line: what is a secret there is taken out of the text too, although the text
// alone would not show it for one, having only a part of it, or none of the
// words that give it away.
func Redact(text string, said ...string) string {
	found := Scan(text)
	if len(found) > 0 {
		var b strings.Builder
		at := 0
		for _, f := range found {
			b.WriteString(text[at:f.Start] + mark(f))
			at = f.End
		}
		text = b.String() + text[at:]
	}
	for _, from := range said {
		for _, f := range Scan(from) {
			text = without(text, from[f.Start:f.End], mark(f))
		}
	}
	return text
}

func mark(f Finding) string { return "[secret: " + f.Rule + "]" }

// leastPart is how many bytes of a secret tell that it is that one; what is
// shorter than leastSecret could be any word.
const leastPart, leastSecret = 8, 4

// without returns text with every part of it that a secret begins with, if it is
// long enough to be told, replaced by a mark.
func without(text, secret, mark string) string {
	switch {
	case len(secret) < leastSecret:
		return text
	case len(secret) < leastPart:
		return strings.ReplaceAll(text, secret, mark)
	}
	var b strings.Builder
	for {
		i := strings.Index(text, secret[:leastPart])
		if i < 0 {
			return b.String() + text
		}
		n := leastPart
		for n < len(secret) && i+n < len(text) && secret[n] == text[i+n] {
			n++
		}
		b.WriteString(text[:i] + mark)
		text = text[i+n:]
	}
}
