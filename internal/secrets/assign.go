package secrets

import "strings"

// How far an assignment is looked for around its operator.
const (
	nameWindow  = 64  // bytes before the operator that may hold the name
	gapWindow   = 24  // spaces, quotes and emphasis between operator and value
	valueWindow = 512 // longest value looked at
)

// assignments finds values that are given to a name which says what they are:
// api_key = "…", "password": "…", | token | … |, the password is `…`.
func (s *scanner) assignments() {
	text := s.text
	run := 0 // the end of the last bare value: values that begin before it end there too
	for i := 0; i < len(text); i++ {
		end := operator(text, i)
		if end == 0 {
			continue
		}
		op := text[i:end]
		start, quote := opening(text, end)
		var stop int
		if quote != 0 || start >= run {
			stop = closing(text, start, quote)
		} else {
			stop = run
		}
		if quote == 0 {
			run = stop
			stop = trimPunctuation(text, start, stop)
		}
		before := i
		i = end - 1
		if stop-start < 6 || !plausible(text[start:stop]) {
			continue
		}
		kind := kindOf(name(text, before))
		if kind == nothing {
			continue
		}
		if rule, weight := judge(kind, text[start:stop], quote, text[stop:min(len(text), stop+2)], op); rule != "" {
			s.add(rule, start, stop, weight)
			i = stop - 1
		}
	}
}

var beginsOperator = [256]bool{'=': true, ':': true, '|': true, ',': true, '>': true, '?': true, '.': true, '+': true, 'i': true, 'w': true, 0xef: true, 0xe6: true}

// operator returns the end of an assignment operator that begins at i, or 0.
func operator(text string, i int) int {
	if !beginsOperator[text[i]] {
		return 0
	}
	switch text[i] {
	case '=', ':', '|', ',', '>':
		end := i + 1
		for end < len(text) && end < i+4 && strings.IndexByte("=:>|", text[end]) >= 0 {
			end++
		}
		return end
	case '?', '.', '+':
		if i+1 < len(text) && text[i+1] == '=' {
			return i + 2
		}
	case 'i', 'w':
		if i > 0 && text[i-1] == ' ' && (strings.HasPrefix(text[i:], "is ") || strings.HasPrefix(text[i:], "was ")) {
			return i + strings.IndexByte(text[i:], ' ')
		}
	case 0xef:
		if strings.HasPrefix(text[i:], "\uff1a") || strings.HasPrefix(text[i:], "\uff1d") { // full-width colon, equals
			return i + 3
		}
	case 0xe6:
		if strings.HasPrefix(text[i:], "是") {
			return i + 3
		}
	}
	return 0
}

// opening returns where the value after an operator begins and the quote that
// opens it, 0 without one.
func opening(text string, at int) (start int, quote byte) {
	lines := 0
	for limit := min(len(text), at+gapWindow); at < limit; at++ {
		switch c := text[at]; c {
		case ' ', '\t', '\r', '*', '=', '\\':
			continue
		case '\n':
			if lines++; lines > 3 {
				return at, 0
			}
			quote = 0
			continue
		case '"', '\'', '`':
			quote = c
			continue
		case '>', '|':
			if lines == 0 && c == '|' {
				return at, 0
			}
			continue
		case '&':
			if strings.HasPrefix(text[at:], "&quot;") {
				at += len("&quot;") - 1
				quote = '&'
				continue
			}
		}
		break
	}
	return at + scheme(text[at:]), quote
}

// closing returns where the value that begins at start ends.
func closing(text string, start int, quote byte) int {
	stop := start
	for limit := min(len(text), start+valueWindow); stop < limit; stop++ {
		c := text[stop]
		if c <= ' ' || c >= 0x80 || closes[c] || quote == 0 && closesBare[c] || c == '&' && (quote == 0 || quote == '&') {
			break
		}
	}
	return stop
}

var (
	closes     = [256]bool{'"': true, '\'': true, '`': true, '<': true, '>': true, '\\': true}
	closesBare = [256]bool{',': true, ';': true, '|': true, ')': true, '}': true, '[': true, ']': true}
)

// trimPunctuation takes a sentence's own signs off the end of a bare value.
func trimPunctuation(text string, start, stop int) int {
	for stop > start && strings.IndexByte(".,:;!?*_", text[stop-1]) >= 0 {
		stop--
	}
	return stop
}

// scheme returns the length of an authentication scheme's name that stands
// before the value proper.
func scheme(s string) int {
	for _, name := range [...]string{"bearer ", "basic ", "token ", "api-token ", "apikey "} {
		if len(s) > len(name) && (s[0]|0x20) == name[0] && strings.EqualFold(s[:len(name)], name) {
			return len(name)
		}
	}
	return 0
}

// plausible is the cheap part of the judgement: a secret mixes letters with
// digits or signs.
func plausible(v string) bool {
	letter, other := false, false
	for i := 0; i < len(v) && !(letter && other); i++ {
		if k := class(v[i]); k == 'a' || k == 'A' {
			letter = true
		} else {
			other = true
		}
	}
	return other && (letter || len(v) >= 12)
}

// name returns what stands before the operator at i and may be the name that
// a value is given to.
func name(text string, i int) string {
	from := i
	for from > 0 && i-from < nameWindow && inName(text[from-1]) {
		from--
	}
	n := text[from:i]
	trimmed := strings.Trim(n, " \t\"'`*_-.")
	if strings.EqualFold(trimmed, "value") || strings.EqualFold(trimmed, "val") || strings.HasSuffix(strings.ToLower(trimmed), " value") {
		return named(text[max(0, i-2*nameWindow):i])
	}
	return n
}

func inName(c byte) bool {
	return word(c) || c >= 0x80 || strings.IndexByte(" \t\"'`*-.$[]\\/", c) >= 0
}

// named finds the name where it is a value itself: key="…" value="…", or
// - name: …, on the line before value: ….
func named(before string) string {
	low := strings.ToLower(before)
	k := max(strings.LastIndex(low, "name"), strings.LastIndex(low, "key"))
	if k < 0 {
		return ""
	}
	rest := before[k:]
	op := strings.IndexAny(rest, "=:")
	if op < 0 || op > 8 {
		return ""
	}
	rest = strings.TrimLeft(rest[op+1:], " \t\"'`")
	if n := strings.IndexAny(rest, "\"'`\n\r <>,;"); n >= 0 {
		rest = rest[:n]
	}
	return rest
}

// A kind says how much a name tells of its value.
type kind int

const (
	nothing  kind = iota
	weak          // key, auth, access, api: many values that are no secrets
	strong        // token, secret, api key, a provider's name
	password      // a person's choice, so not always random
)

// judge decides whether a value of its kind is a secret, and by which rule.
func judge(k kind, v string, quote byte, after, op string) (rule string, weight int) {
	if placeholder(v) || wellKnown(v) || looksLikeCode(v, quote) || after == ".." {
		return "", 0
	}
	if hexNumber(v) || op == "," && quote == 0 || quote == 0 && identifier(v) || strings.Count(v, ":") > 2 || strings.HasPrefix(v, "urn:") {
		return "", 0
	}
	switch k {
	case password:
		if v[0] == '/' || v[0] == '+' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") {
			return "", 0 // a path, a concatenation
		}
		if prose := op[0] == 'i' || op[0] == 'w'; prose && quote == 0 && (len(v) < 7 || !strings.ContainsAny(v, "0123456789")) {
			return "", 0
		}
		if chosen(v, quote, after) {
			return rulePassword, weightPassword
		}
	case strong:
		if len(v) >= 10 && (random(v) || digitsOnly(v) && len(v) >= 16) {
			return ruleGeneric, weightGuess
		}
	case weak:
		if len(v) >= 16 && random(v) && entropy(v) > 3.5 && mixedCase(v) {
			return ruleGeneric, weightGuess
		}
	}
	return "", 0
}

// chosen reports whether v can be a password that a person chose: it has a
// digit or sign among its letters and is no word of prose.
func chosen(v string, quote byte, after string) bool {
	if len(v) < 7 && quote == 0 || len(v) < 6 {
		return false
	}
	if random(v) {
		return true
	}
	if quote == 0 && !ends(after) {
		return false
	}
	letters, digits, signs := 0, 0, 0
	for i := 0; i < len(v); i++ {
		switch class(v[i]) {
		case 'a', 'A':
			letters++
		case '0':
			digits++
		default:
			signs++
		}
	}
	switch {
	case digits == 0 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./:=") == "":
		return false // words-and-paths
	case letters == 0:
		return false // a number, a date
	case strings.IndexByte(v, '/') >= 0 && strings.IndexByte(v, '.') >= 0:
		return false // a path
	}
	return digits > 0 || signs > 0
}

// ends reports whether what stands behind a bare value shows that it was all:
// the line's, cell's or sentence's end.
func ends(after string) bool {
	if after == "" || strings.IndexByte("\r\n|,;&)<", after[0]) >= 0 {
		return true
	}
	switch after[0] {
	case ' ':
		return len(after) == 1 || after[1] == '|' || after[1] == '\n' || after[1] == '-'
	case '.', '!':
		return len(after) == 1 || after[1] == ' ' || after[1] == '\n'
	}
	return false
}

// looksLikeCode reports whether a value is an expression of a program, or the
// name of a way to protect passwords.
func looksLikeCode(v string, quote byte) bool {
	if n := strings.IndexByte(v, '('); n >= 0 && (quote == 0 || strings.HasSuffix(v, ")") && strings.Trim(splitCall(v), "_.") == "") {
		return true
	}
	if len(v) >= 40 {
		return false
	}
	low := strings.ToLower(v)
	for _, start := range [...]string{"argon2", "bcrypt", "scrypt", "pbkdf2", "sha256", "sha512", "hs256", "rs256", "oauth2", "base64", "utf-8", "var.", "self.", "this.", "config.", "env.", "secrets.", "data.", "local."} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return false
}

// splitCall returns what is no letter or digit before the parenthesis.
func splitCall(v string) string {
	v, _, _ = strings.Cut(v, "(")
	return strings.Map(func(r rune) rune {
		if r < 0x80 && alnum(byte(r)) {
			return -1
		}
		return r
	}, v)
}

// identifier reports whether v is a name in a program that says itself what
// it names: testPrivateKey2.
func identifier(v string) bool {
	for i := 0; i < len(v); i++ {
		if !word(v[i]) && v[i] != '.' {
			return false
		}
	}
	for _, w := range [...]string{"Key", "Private", "Public", "Secret", "Token", "Password", "Algo", "Cert", "Type", "Name", "Config"} {
		if strings.Contains(v, w) {
			return true
		}
	}
	return false
}

// hexNumber reports whether v is a number of a program: 0x80310037.
func hexNumber(v string) bool {
	n, is := strings.CutPrefix(strings.ToLower(strings.TrimLeft(v, "+-")), "0x")
	return is && len(n) <= 16 && strings.Trim(n, "0123456789abcdef_") == ""
}

func digitsOnly(v string) bool { return strings.Trim(v, "0123456789") == "" }

func mixedCase(v string) bool {
	return strings.ToLower(v) != v && strings.ToUpper(v) != v
}
