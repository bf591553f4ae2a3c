package merge

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"gitvault/internal/entryfile"
)

// blobHash names content as git does, in hexadecimal. It only has to be the
// same on every replica, whichever hash its repository uses.
func blobHash(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// conflictPath is where the version of a file that does not stand is kept.
func conflictPath(path string, data []byte) string {
	return path + ".conflict-" + blobHash(data)[:8]
}

// mergeForeign merges versions of a file that is not vault's; nil is a file
// that is not there. An edit stands against a deletion. Where both changed the
// same text, lost is what does not stand.
func mergeForeign(base, ours, theirs []byte, prefer int) (merged, lost []byte) {
	switch {
	case equalFile(ours, theirs), equalFile(theirs, base):
		return ours, nil
	case equalFile(ours, base), ours == nil:
		return theirs, nil
	case theirs == nil:
		return ours, nil
	}
	if isText(base) && isText(ours) && isText(theirs) {
		if s, ok := Text(string(base), string(ours), string(theirs)); ok {
			return []byte(s), nil
		}
	}
	if prefer > 0 || prefer == 0 && blobHash(theirs) > blobHash(ours) {
		return theirs, ours
	}
	return ours, theirs
}

func equalFile(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(a, b)
}

// isText reports whether merging line by line makes sense.
func isText(data []byte) bool {
	return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data)
}

// mergeOthers merges the files that hold no entries.
func (t *tree) mergeOthers(paths []string) {
	for _, path := range paths {
		if _, ok := entryfile.KindOf(path); ok && !t.isBroken(path) || t.isReadableCard(path) {
			continue
		}
		b, o, th := file(t.base.files, path), file(t.ours.files, path), file(t.theirs.files, path)
		if t.Mode == Revert {
			th = b // takes back changes of entries, and nothing else
		}
		merged, lost := mergeForeign(b, o, th, t.prefer())
		if path == settingsFile {
			if m, ok := mergeSettings(b, o, th, merged); ok {
				merged, lost = m, nil
			}
		}
		if lost != nil {
			t.keepBeside(path, lost)
		}
		if merged != nil {
			t.files[path] = merged
		}
	}
}

// file is the content of a path, nil only if it is not there.
func file(files Files, path string) []byte {
	data, ok := files[path]
	if ok && data == nil {
		return []byte{}
	}
	return data
}

// untangle moves a file out of the way of a folder of the same name.
func (t *tree) untangle() {
	for _, path := range slices.Sorted(maps.Keys(t.files)) {
		for i, c := range path {
			if c != '/' {
				continue
			}
			if data, ok := t.files[path[:i]]; ok {
				delete(t.files, path[:i])
				t.keepBeside(path[:i], data)
			}
		}
	}
}

// keepBeside keeps a version of text that does not stand.
func (t *tree) keepBeside(path string, lost []byte) {
	if t.virtual {
		return
	}
	kept := conflictPath(path, lost)
	t.files[kept] = lost
	t.conflicts = append(t.conflicts, Conflict{Path: path, Kept: kept})
}
