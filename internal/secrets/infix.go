package secrets

import (
	"strings"
	"sync"
)

// An infix is a kind of token that one tells by a mark in its middle.
type infix struct {
	rule    string
	mark    string
	digit   bool // a digit stands before the mark
	before  int  // bytes looked at before the mark
	after   int  // and from it on
	tail    int  // characters of a token that must follow the mark
	pattern string
	entropy float64
}

var infixes = [...]infix{
	{"azure-client-secret", "Q~", true, 5, 40, 31, `(?:\A|[^\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?:[^\w~.-]|\z)`, 3},
	{"azure-storage-key", "AccountKey=", false, 0, 120, 0, `\AAccountKey=([A-Za-z0-9+/]{60,}={0,2})`, 3},
	{"azure-shared-access-signature", "sig=", false, 1, 120, 0, `[?&;]sig=([A-Za-z0-9%+/=]{40,})`, 3},
	{"telegram-bot-api-token", ":A", true, 17, 37, 34, `(?:\A|\D)(\d{5,16}:A[\w-]{34})(?:[^\w-]|\z)`, 3},
	{"terraform-api-token", ".atlasv1.", false, 15, 90, 60, `([a-zA-Z0-9]{14}\.atlasv1\.[\w=-]{60,70})`, 3.5},
	{"maxmind-license-key", "_mmk", false, 36, 4, 0, `([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)`, 3.5},
	{"facebook-access-token", "|", true, 17, 50, 27, `(?:\A|\D)(\d{15,16}\|[\w-]{27,40})(?:[^\w-]|\z)`, 3.5},
	{"mailchimp-api-key", "-us", false, 33, 6, 0, `(?:\A|[^0-9a-f])([0-9a-f]{32}-us\d{1,2})(?:[^\w-]|\z)`, 3},
}

var infixPatterns = sync.OnceValue(func() *[len(infixes)]lazyPattern {
	var p [len(infixes)]lazyPattern
	for i, in := range infixes {
		p[i].source = in.pattern
	}
	return &p
})

// infixes finds tokens by the marks in their middles.
func (s *scanner) infixes() {
	patterns := infixPatterns()
	for k := range infixes {
		in := &infixes[k]
		for at := 0; ; {
			i := strings.Index(s.text[at:], in.mark)
			if i < 0 {
				break
			}
			i += at
			at = i + len(in.mark)
			if in.digit && (i == 0 || s.text[i-1] < '0' || s.text[i-1] > '9') {
				continue
			}
			if !follows(s.text[at:], in.tail) {
				continue
			}
			from := max(0, i-in.before)
			window := s.text[from:min(len(s.text), i+in.after)]
			m := patterns[k].get().FindStringSubmatchIndex(window)
			if m == nil || entropy(window[m[2]:m[3]]) <= in.entropy || filler(window[m[2]:m[3]]) {
				continue
			}
			if in.mark == ":A" && !random(window[m[3]-34:m[3]]) {
				continue // a name in a schema
			}
			s.add(in.rule, from+m[2], from+m[3], weightShape)
		}
	}
}

// follows reports whether text begins with n characters of a token.
func follows(text string, n int) bool {
	if len(text) < n {
		return false
	}
	for i := range n {
		if c := text[i]; !word(c) && c != '-' && c != '~' && c != '.' && c != '=' {
			return false
		}
	}
	return true
}
