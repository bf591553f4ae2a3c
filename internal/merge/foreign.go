package merge

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
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
