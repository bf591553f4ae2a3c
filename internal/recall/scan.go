package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is of its text.
type tokenKind uint8

const (
	wordToken   tokenKind = iota // a word that stands alone
	wholeToken                   // an identifier, path or word with symbols, as it was written
	partToken                    // a word of such a whole
	gramToken                    // a pair of characters of a script without spaces
	symbolToken                  // signs without letters
)

// A token is one thing to find a text by.
type token struct {
	term       string // folded: what is indexed
	plain      string // lower case with its accents, for stemmers; "" where nothing is to be stemmed
	kind       tokenKind
	start, end int // bytes of the text
}

const (
	maxWord  = 64  // bytes of a word; what is longer is no word but data
	maxWhole = 128 // bytes of an identifier or path kept as a whole
)

// tokenize calls emit for each token of text, in order. Any bytes will do.
func tokenize(text string, emit func(token)) {
	s := scanner{text: text, emit: emit}
	for i := 0; i < len(text); {
		c := classes[text[i]]
		if c == gap {
			i++
			continue
		}
		start, all := i, byteClass(0)
		for ; i < len(text); i++ {
			if c = classes[text[i]]; c == gap {
				break
			}
			all |= c
		}
		switch {
		case all&^(lowerLetter|upperLetter|digit) == 0:
			s.plain(start, i, all)
		case all&beyondASCII == 0:
			s.chunk(start, i)
		default:
			s.beyond(start, i)
		}
	}
}

type scanner struct {
	text  string
	emit  func(token)
	words []span // of the chunk at hand
}

// A byteClass says what a byte can be part of; 0 is a gap between chunks.
type byteClass uint8

const (
	gap         byteClass = 0
	lowerLetter byteClass = 1 << iota
	upperLetter
	digit
	sign
	beyondASCII
)

var classes = func() (t [256]byteClass) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = beyondASCII
		case c >= 'a' && c <= 'z':
			t[c] = lowerLetter
		case c >= 'A' && c <= 'Z':
			t[c] = upperLetter
		case c >= '0' && c <= '9':
			t[c] = digit
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"`()[]{},;?!|<>", byte(c)) >= 0:
			t[c] = gap
		default:
			t[c] = sign
		}
	}
	return t
}()

func classesOf(s string) (all byteClass) {
	for i := range len(s) {
		all |= classes[s[i]]
	}
	return all
}

// plain emits a run of ASCII letters and digits.
func (s *scanner) plain(start, end int, all byteClass) {
	w := span{start: start, end: end}
	if all&upperLetter != 0 || end-start > maxWord {
		s.word(w, wordToken)
		return
	}
	t := s.text[start:end]
	s.emit(token{term: t, plain: t, kind: wordToken, start: start, end: end})
}

// beyond takes a run apart at what is a gap outside ASCII.
func (s *scanner) beyond(from, to int) {
	for i := from; i < to; {
		r, n := decode(s.text, i)
		if !inChunk(r) {
			i += n
			continue
		}
		start := i
		for i < to {
			if r, n = decode(s.text, i); !inChunk(r) {
				break
			}
			i += n
		}
		s.chunk(start, i)
	}
}

func decode(s string, i int) (rune, int) {
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// inChunk reports whether r can belong to a word, identifier or path.
func inChunk(r rune) bool {
	if r < utf8.RuneSelf {
		return classes[r] != gap
	}
	if r == utf8.RuneError {
		return false
	}
	return isWordRune(r) || r == '’' || unicode.Is(unicode.So, r) || r == 0xFE0E || r == 0xFE0F
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return classes[r]&(lowerLetter|upperLetter|digit) != 0
	}
	return isCJK(r) || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.IsNumber(r) ||
		r == 0x00AD || r == 0x200C || r == 0x200D
}

// put emits a token, unless folding left nothing of it.
func (s *scanner) put(t token) {
	if t.term != "" {
		s.emit(t)
	}
}

// chunk takes a run without spaces apart.
func (s *scanner) chunk(start, end int) {
	start, end = s.trim(start, end)
	if start == end {
		return
	}
	if all := classesOf(s.text[start:end]); all&(sign|beyondASCII) == 0 {
		s.plain(start, end, all)
		return
	}
	words := s.split(start, end)
	if len(words) == 0 {
		s.symbols(start, end)
		return
	}
	first, last := words[0], words[len(words)-1]
	if len(words) == 1 && first.start == start && first.end == end {
		s.word(first, wordToken)
		return
	}
	if len(words) > 1 && first.end-first.start <= 2 && isApostrophe(s.text[first.end:words[1].start]) {
		s.chunk(words[1].start, end) // "l'entrée", "qu'est-ce"
		return
	}
	if s.onlyApostrophes(words, start, end) {
		s.elided(words)
		return
	}
	for _, w := range words {
		if w.class == spaceless {
			// Symbols next to such a script are punctuation, not an identifier.
			s.mixed(words)
			return
		}
	}
	whole := s.whole(start, end)
	if core := s.text[first.start:last.end]; first.start != start || last.end != end {
		if len(words) > 1 && lower(core) != whole {
			s.whole(first.start, last.end)
		}
	}
	s.segments(words)
	for _, w := range words {
		s.word(w, partToken)
	}
}

// trim takes off what surrounds a word in prose and Markdown, and leaves what
// people write as part of a name: `.env`, `--flag`, `C++`, `C#`, `~/x`.
func (s *scanner) trim(start, end int) (int, int) {
	for start < end {
		switch c := s.text[start]; {
		case c == '\'' || c == ':' || c == '=' && end-start > 2:
		case (c == '*' || c == '_') && end-start > 1 && strings.Trim(s.text[start:end], s.text[start:start+1]) != "":
		case strings.HasPrefix(s.text[start:end], "’"):
			start += len("’") - 1
		default:
			goto right
		}
		start++
	}
right:
	for start < end {
		switch c := s.text[end-1]; {
		case c == '.' || c == ':' || c == '\'':
		case (c == '*' || c == '_' || c == '=' || c == '-' || c == '/' || c == '\\' || c == '~') && isWordRune(s.runeBefore(end-1, start)):
		case (c == '*' || c == '_') && end-start > 1 && s.text[start] != c:
		case strings.HasSuffix(s.text[start:end], "’"):
			end -= len("’") - 1
		default:
			return start, end
		}
		end--
	}
	return start, end
}

func (s *scanner) runeBefore(i, start int) rune {
	if i <= start {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[start:i])
	return r
}

// scriptClass sorts scripts by how their words are told apart.
type scriptClass uint8

const (
	spaced    scriptClass = iota // words between spaces
	hangul                       // words between spaces, with endings glued on
	spaceless                    // no spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese
)

func classOf(r rune) scriptClass {
	switch {
	case r < 0x0E00:
		return spaced
	case r >= 0xAC00 && r <= 0xD7A3:
		return hangul
	case isCJK(r):
		return spaceless
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Bopomofo, unicode.Yi), r == 'ー', r == 'ｰ', r == '々', isVoicing(r):
		return spaceless
	case unicode.Is(unicode.Hangul, r):
		return hangul
	}
	return spaced
}

// isVoicing reports a mark that belongs to the Japanese letter before it.
func isVoicing(r rune) bool { return r == 0x3099 || r == 0x309A || r == 'ﾞ' || r == 'ﾟ' }

type span struct {
	start, end int
	class      scriptClass
}

// split finds the runs of letters and digits of one class of scripts.
func (s *scanner) split(start, end int) []span {
	words := s.words[:0]
	for i := start; i < end; {
		r, n := decode(s.text, i)
		if !isWordRune(r) {
			i += n
			continue
		}
		w := span{start: i, class: classOf(r)}
		for i += n; i < end; i += n {
			r, n = decode(s.text, i)
			if !isWordRune(r) || classOf(r) != w.class && !(r >= utf8.RuneSelf && unicode.IsMark(r)) {
				break
			}
		}
		w.end = i
		words = append(words, w)
	}
	s.words = words
	return words
}

// mixed emits words of several scripts that stand together without spaces.
func (s *scanner) mixed(words []span) {
	for _, w := range words {
		s.word(w, wordToken)
	}
}

// word emits a run of letters, and its parts where case tells them apart.
func (s *scanner) word(w span, kind tokenKind) {
	raw := s.text[w.start:w.end]
	if w.class == spaceless {
		s.grams(w)
		return
	}
	if len(raw) <= maxWord {
		plain := lower(raw)
		s.put(token{term: unaccent(plain), plain: plain, kind: kind, start: w.start, end: w.end})
	}
	if w.class == hangul {
		s.grams(w)
		return
	}
	if parts := camelParts(raw); len(parts) > 0 && (len(parts) > 1 || len(parts[0]) < len(raw)) {
		at := w.start
		for _, p := range parts {
			plain := lower(p)
			s.put(token{term: unaccent(plain), plain: plain, kind: partToken, start: at, end: at + len(p)})
			at += len(p)
		}
		return
	}
}

// grams emits each pair of neighbouring characters of a run, and its last
// character, so that every character begins some term.
func (s *scanner) grams(w span) {
	type char struct{ start, end int }
	var chars []char
	for i := w.start; i < w.end; {
		r, n := decode(s.text, i)
		if len(chars) > 0 && (isVoicing(r) || r >= 0x1160 && r <= 0x11FF) {
			chars[len(chars)-1].end = i + n // composed with the one before
		} else {
			chars = append(chars, char{i, i + n})
		}
		i += n
	}
	for i, c := range chars {
		end := c.end
		if i+1 < len(chars) {
			end = chars[i+1].end
		}
		s.put(token{term: unaccent(lower(s.text[c.start:end])), kind: gramToken, start: c.start, end: end})
	}
}

// whole emits a chunk as it was written and returns its term.
func (s *scanner) whole(start, end int) string {
	if end-start > maxWhole {
		return ""
	}
	term := unaccent(lower(s.text[start:end]))
	s.put(token{term: term, kind: wholeToken, start: start, end: end})
	return term
}

// segments emits the names inside a path or address (`v2-handler` of
// `api/v2-handler`), and what a name joined by hyphens is when written as one
// word.
func (s *scanner) segments(words []span) {
	for i := 0; i < len(words); {
		j := i
		for j+1 < len(words) && !strings.ContainsAny(s.text[words[j].end:words[j+1].start], `/\:@=#+~&%^$*`) {
			j++
		}
		if j > i {
			from, to := words[i].start, words[j].end
			if from != words[0].start || to != words[len(words)-1].end {
				s.whole(from, to)
			}
			if seg := s.text[from:to]; len(seg) <= maxWord && strings.Trim(seg, "-_") == seg && !strings.ContainsAny(seg, ".") {
				joined := unaccent(lower(strings.Map(dropJoiner, seg)))
				s.put(token{term: joined, kind: wholeToken, start: from, end: to})
			}
		}
		i = j + 1
	}
}

func dropJoiner(r rune) rune {
	if r == '-' || r == '_' {
		return -1
	}
	return r
}

func (s *scanner) onlyApostrophes(words []span, start, end int) bool {
	if len(words) < 2 || words[0].start != start || words[len(words)-1].end != end {
		return false
	}
	for i := 1; i < len(words); i++ {
		if !isApostrophe(s.text[words[i-1].end:words[i].start]) {
			return false
		}
	}
	return true
}

func isApostrophe(s string) bool { return s == "'" || s == "’" }

// elided emits words joined by apostrophes: "Ann's" is Ann, "don't" one word.
func (s *scanner) elided(words []span) {
	last := words[len(words)-1]
	if t := s.text[last.start:last.end]; t == "s" || t == "S" {
		words = words[:len(words)-1]
	}
	if len(words) == 1 {
		s.word(words[0], wordToken)
		return
	}
	from, to := words[0].start, words[len(words)-1].end
	if to-from > maxWord {
		s.mixed(words)
		return
	}
	plain := lower(strings.NewReplacer("'", "", "’", "").Replace(s.text[from:to]))
	s.put(token{term: unaccent(plain), plain: plain, kind: wordToken, start: from, end: to})
}

// symbols emits a chunk without letters: an operator, an emoji, a sign.
func (s *scanner) symbols(start, end int) {
	if end-start > 16 {
		return
	}
	if lineMark(s.text, start, end) {
		return
	}
	s.put(token{term: lower(s.text[start:end]), kind: symbolToken, start: start, end: end})
}

// lineMark reports whether the signs are Markdown's own: a bullet, a heading,
// a rule, a fence, an underline.
func lineMark(text string, start, end int) bool {
	lineStart := strings.LastIndexByte(text[:start], '\n') + 1
	if strings.Trim(text[lineStart:start], " \t>") != "" {
		return false
	}
	if lineStart == 0 && end == len(text) {
		return false // all there is
	}
	return strings.Trim(text[start:end], "*-+#=_~") == ""
}

// camelParts splits an identifier at its humps: "parseHTTPBody" is parse, HTTP
// and Body.
func camelParts(word string) []string {
	if !hasHump(word) {
		return nil
	}
	runes := []rune(word)
	if n := len(runes); n > 2 && runes[n-1] == 's' && unicode.IsUpper(runes[n-2]) && unicode.IsUpper(runes[n-3]) {
		runes = runes[:n-1] // the plural of an abbreviation: "the URLs"
	}
	var parts []string
	from := 0
	for i := 1; i < len(runes); i++ {
		up, prevUp := unicode.IsUpper(runes[i]), unicode.IsUpper(runes[i-1])
		nextLow := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if up && (!prevUp || nextLow) {
			parts = append(parts, string(runes[from:i]))
			from = i
		}
	}
	return append(parts, string(runes[from:]))
}

func hasHump(word string) bool {
	prevLower, upper := false, 0
	for _, r := range word {
		up := unicode.IsUpper(r)
		if up && prevLower {
			return true
		}
		if up {
			upper++
		} else if upper > 1 && unicode.IsLower(r) {
			return true
		} else {
			upper = 0
		}
		prevLower = !up
	}
	return false
}
