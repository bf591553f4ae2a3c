package entryfile

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The comment under a heading is nearly always a flow mapping of plain words,
// quoted strings and lists of these. Reading that by hand is what makes a
// thousand entries cheap; all else is left to the YAML library. Where this
// reader gives an answer at all, it is the library's.

// readFlowMapping reads "{key: value, …}" into pairs, and says whether it could.
func readFlowMapping(pairs []pair, s string) ([]pair, bool) {
	r := flowReader{s: strings.Trim(s, " ")}
	if !r.take('{') {
		return nil, false
	}
	for first := true; ; first = false {
		r.spaces()
		if first && r.take('}') {
			break
		}
		key := r.key()
		if key == "" {
			return nil, false
		}
		v, ok := r.value(true)
		if !ok {
			return nil, false
		}
		pairs = append(pairs, pair{key, v})
		r.spaces()
		if r.take('}') {
			break
		}
		if !r.take(',') {
			return nil, false
		}
	}
	return pairs, r.pos == len(r.s)
}

// readBlockMapping reads lines of "key: value", and says whether it could.
func readBlockMapping(s string) ([]pair, bool) {
	var pairs []pair
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		s = rest
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		r := flowReader{s: strings.TrimRight(line, " ")}
		key := r.key()
		if key == "" {
			return nil, false
		}
		v, ok := r.value(inBlock)
		if !ok || r.pos != len(r.s) {
			return nil, false
		}
		pairs = append(pairs, pair{key, v})
	}
	return pairs, len(pairs) > 0
}

type flowReader struct {
	s   string
	pos int
}

func (r *flowReader) take(c byte) bool {
	if r.pos < len(r.s) && r.s[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *flowReader) spaces() {
	for r.pos < len(r.s) && r.s[r.pos] == ' ' {
		r.pos++
	}
}

// key reads a plain word, the colon after it, and at least one space.
func (r *flowReader) key() string {
	start := r.pos
	i := start
	for i < len(r.s) && (isLetter(r.s[i]) || i > start && (isDigit(r.s[i]) || r.s[i] == '_' || r.s[i] == '-')) {
		i++
	}
	if i-start > 128 || i+1 >= len(r.s) || r.s[i] != ':' || r.s[i+1] != ' ' {
		return ""
	}
	r.pos = i + 1
	r.spaces()
	return r.s[start:i]
}

func (r *flowReader) value(flow bool) (value, bool) {
	if r.pos == len(r.s) {
		return value{}, false
	}
	switch r.s[r.pos] {
	case '[':
		return r.list()
	case '"':
		return r.quoted()
	}
	n := plainLength(r.s[r.pos:], flow)
	text := strings.TrimRight(r.s[r.pos:r.pos+n], " ")
	if text == "" || !r.ends(r.pos+n, flow) {
		return value{}, false
	}
	r.pos += n
	return value{text: text}, true
}

// ends reports whether a value can end at pos.
func (r *flowReader) ends(pos int, flow bool) bool {
	if pos == len(r.s) {
		return true
	}
	c := r.s[pos]
	return flow && (c == ',' || c == ']' || c == '}')
}

func (r *flowReader) list() (value, bool) {
	r.pos++
	v := value{kind: list}
	for first := true; ; first = false {
		r.spaces()
		if first && r.take(']') {
			return v, true
		}
		if r.pos < len(r.s) && r.s[r.pos] == '[' {
			return v, false
		}
		item, ok := r.value(inFlow)
		if !ok {
			return v, false
		}
		v.items = append(v.items, item)
		r.spaces()
		if r.take(']') {
			return v, true
		}
		if !r.take(',') {
			return v, false
		}
	}
}

func (r *flowReader) quoted() (value, bool) {
	s := r.s[r.pos+1:]
	i := 0
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= ' ' && s[i] < 0x7f {
		i++
	}
	if i < len(s) && s[i] == '"' {
		r.pos += i + 2
		return value{text: s[:i], quoted: true}, true
	}
	var b strings.Builder
	for i = 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"':
			r.pos += i + 2
			return value{text: b.String(), quoted: true}, true
		case c == '\\':
			n := unescape(&b, s[i:])
			if n == 0 {
				return value{}, false
			}
			i += n
		default:
			c, size := utf8.DecodeRuneInString(s[i:])
			if !isPrintable(c, size) {
				return value{}, false
			}
			b.WriteString(s[i : i+size])
			i += size
		}
	}
	return value{}, false
}

// unescape reads one of the escapes that writeQuoted writes and returns its
// length, 0 for any other.
func unescape(b *strings.Builder, s string) int {
	if len(s) < 2 {
		return 0
	}
	digits := 0
	switch s[1] {
	case '"', '\\':
		b.WriteByte(s[1])
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	default:
		return 0
	}
	if digits > 0 {
		if len(s) < 2+digits {
			return 0
		}
		code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return 0
		}
		b.WriteRune(rune(code))
	}
	return 2 + digits
}
