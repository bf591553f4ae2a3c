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

// keyOfPath takes the blob hash off a path as entries carry it. The root of the
// workspace is the key that all paths begin with.
func keyOfPath(path string) string { return pathKey + plainPath(path) }

func plainPath(path string) string {
	if i := strings.LastIndexByte(path, '@'); i > 0 && isHex(path[i+1:]) {
		path = path[:i]
	}
	if path = strings.Trim(strings.ReplaceAll(path, `\`, "/"), "/"); path == "." {
		return ""
	}
	return path
}

// IsAbout reports whether an entry's path is about a file or folder: it is the
// same, or one of them is below the other.
func IsAbout(path, wanted string) bool {
	path, wanted = plainPath(path), plainPath(wanted)
	return path == wanted || path == "" || wanted == "" || strings.HasPrefix(path, wanted+"/") || strings.HasPrefix(wanted, path+"/")
}

func isHex(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == ""
}
