package recall

import "strings"

// The index's dictionary holds words and, under a first byte that no word has,
// what else entries are looked up by.
const (
	tagKey  = "\x02" // a tag, folded
	pathKey = "\x03" // a workspace path
	stemKey = "\x01" // a language's letter and a stem: lists the words that have it
)

func keyOfStem(l language, stem string) string { return stemKey + string(rune(l)) + stem }

func keyOfTag(tag string) string { return tagKey + unaccent(lower(strings.TrimSpace(tag))) }

// keyOfPath takes the blob hash off a path as entries carry it.
func keyOfPath(path string) string {
	if i := strings.LastIndexByte(path, '@'); i > 0 && isHex(path[i+1:]) {
		path = path[:i]
	}
	return pathKey + strings.Trim(strings.ReplaceAll(path, `\`, "/"), "/")
}

func isHex(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == ""
}
