package secrets

import "strings"

// A plain text is what a reader sees of a text, with the way back to it:
// invisible characters and Markdown's backslashes before punctuation, which
// would cut a token in two, are taken out.
type plain struct {
	text string
	cuts []cut
}

// A cut says that from a position in the plain text on, so many bytes were
// taken out before it.
type cut struct{ at, removed int }

// invisible characters that may stand inside a word: soft hyphen, zero-width
// space, joiners, word joiner, byte order mark.
var invisible = []string{"\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"}

func unveil(text string) plain {
	veiled := strings.Contains(text, `\`)
	for _, c := range invisible {
		veiled = veiled || strings.Contains(text, c)
	}
	if !veiled {
		return plain{text: text}
	}
	var b strings.Builder
	b.Grow(len(text))
	var cuts []cut
	removed, from := 0, 0
	for i := 0; i < len(text); {
		if !mayHide[text[i]] {
			i++
			continue
		}
		n := veil(text[i:])
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[from:i])
		removed += n
		i += n
		from = i
		cuts = append(cuts, cut{b.Len(), removed})
	}
	b.WriteString(text[from:])
	return plain{b.String(), cuts}
}

// mayHide holds the bytes at which veil has to look.
var mayHide = [256]bool{'\\': true, 0xc2: true, 0xe2: true, 0xef: true}

// veil returns how many bytes at the start of s a reader does not see.
func veil(s string) int {
	switch s[0] {
	case '\\':
		if len(s) > 1 && strings.IndexByte("_-*.+=/~`\"'&|:@", s[1]) >= 0 {
			return 1
		}
	case 0xc2, 0xe2, 0xef:
		for _, c := range invisible {
			if strings.HasPrefix(s, c) {
				return len(c)
			}
		}
	}
	return 0
}

// offset is where the byte at position at of the plain text stands in the
// original.
func (p plain) offset(at int) int {
	lo, hi := 0, len(p.cuts)
	for lo < hi {
		mid := (lo + hi) / 2
		if p.cuts[mid].at <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return at
	}
	return at + p.cuts[lo-1].removed
}
