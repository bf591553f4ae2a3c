package workspace

import (
	"strings"
	"unicode/utf8"
)

// maxDir is the longest folder name, in bytes.
const maxDir = 100

// Dir is the folder under projects/ of a project: readable, the same for the
// same key, never that of another key, and a legal name on every file system,
// also where case does not count.
//
// A key of lower-case ASCII is its own name with "+" for "/"; any other loses
// what is not portable and gets a hash, behind a "~" that no plain one has.
func Dir(key string) string {
	if isPlain(key) {
		return strings.ReplaceAll(key, "/", "+")
	}
	suffix := "~" + hash(key, 12)
	var b strings.Builder
	for _, r := range strings.Trim(key, "/") {
		switch {
		case r == '/':
			b.WriteByte('+')
		case 'A' <= r && r <= 'Z':
			b.WriteRune(r + 'a' - 'A')
		case r < utf8.RuneSelf && isPortable(byte(r)):
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	name := b.String()
	if room := maxDir - len(suffix) - 1; len(name) > room {
		name = name[len(name)-room:] // the end of a path says most
	}
	if name == "" || !startsPlain(name) {
		name = "_" + name
	}
	return name + suffix
}

func isPlain(key string) bool {
	if key == "" || len(key) > maxDir || !startsPlain(key) {
		return false
	}
	last := byte('/')
	for _, c := range []byte(key) {
		if c != '/' && !isPortable(c) || c == '/' && last == '/' {
			return false
		}
		last = c
	}
	return last != '/' && last != '.'
}

func isPortable(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-_.@", c) >= 0
}

// startsPlain refuses names that hide, look like an option, or are devices on
// Windows, whatever follows their first dot.
func startsPlain(name string) bool {
	c := name[0]
	if !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
		return false
	}
	base, _, _ := strings.Cut(strings.ReplaceAll(name, "/", "+"), ".")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return false
	}
	return !(len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) && '0' <= base[3] && base[3] <= '9')
}
