package entryfile

import "strings"

// KindOf says which kind of entries the file at a slash-separated path within
// a scope holds. It is false for every other file.
func KindOf(path string) (Kind, bool) {
	dir, name, nested := strings.Cut(path, "/")
	if !nested {
		for _, k := range Kinds() {
			if k.IsLedger() && path == k.Ledger() {
				return k, true
			}
		}
		return "", false
	}
	for _, k := range Kinds() {
		if dir != k.Dir() {
			continue
		}
		if k == SessionTrace {
			if rolled, rest, ok := strings.Cut(name, "/"); ok && isRollNumber(rolled) {
				name = rest
			}
		}
		base, ok := strings.CutSuffix(name, ".md")
		if !ok || base == "" || base[0] == '.' || strings.Contains(base, "/") {
			return "", false
		}
		if k.IsLedger() && !isRollNumber(base) {
			return "", false
		}
		return k, true
	}
	return "", false
}

// IsCard reports whether path is that of a review card.
func IsCard(path string) bool {
	name, ok := strings.CutPrefix(path, "review/")
	if !ok {
		return false
	}
	id, ok := strings.CutSuffix(name, ".md")
	return ok && ValidID(id)
}

// isRollNumber reports whether s is the number of a rolled file.
func isRollNumber(s string) bool {
	if len(s) < 4 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
