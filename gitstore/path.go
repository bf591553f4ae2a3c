package gitstore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkPath reports why a path cannot be written to on every system: it would
// leave the repository, reach into .git, or be another name somewhere else.
func checkPath(p string) error {
	if !utf8.ValidString(p) {
		return fail(ErrPath, "path %q is not UTF-8: choose another name", p)
	}
	for _, part := range strings.Split(p, "/") {
		if why := badName(part); why != "" {
			return fail(ErrPath, "path %q is not allowed (%s): choose another name", p, why)
		}
	}
	return nil
}

func badName(name string) string {
	switch {
	case name == "":
		return "an empty name"
	case name == "." || name == "..":
		return "leads elsewhere"
	case isDotGit(name):
		return "is git's own"
	case len(name) > 255:
		return "a name longer than 255 bytes"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "ends in a dot or space"
	case strings.ContainsAny(name, `\:*?"<>|`):
		return "holds a character that Windows forbids"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "holds a control character"
	case isDevice(name):
		return "a device on Windows"
	}
	return ""
}

// gitAllows is what git itself demands of a path, which is all that is asked
// of a file that a person put there.
func gitAllows(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." || isDotGit(part) {
			return false
		}
	}
	return true
}

// isDotGit recognises .git as any file system may spell it.
func isDotGit(name string) bool {
	// HFS+ ignores these code points in names.
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":") // an NTFS stream
	name, _, _ = strings.Cut(name, `\`)
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	name = strings.TrimRight(name, " ")
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	if rest, ok := strings.CutPrefix(name, "com"); ok {
		return isPort(rest)
	}
	if rest, ok := strings.CutPrefix(name, "lpt"); ok {
		return isPort(rest)
	}
	return false
}

func isPort(s string) bool {
	return len(s) == 1 && s[0] >= '0' && s[0] <= '9' || s == "¹" || s == "²" || s == "³"
}
