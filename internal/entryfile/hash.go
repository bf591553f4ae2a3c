package entryfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hash is 32 hexadecimal digits that stand for all an entry says: its kind,
// id, title, body and metadata, however these are written in a file.
func Hash(e Entry) string {
	e = normal(e)
	h := sha256.New()
	put := func(key, value string) { fmt.Fprintf(h, "%s %d %s", key, len(value), value) }
	put("kind", string(e.Kind))
	put("text", e.Body)
	writePairs(&e, true, plain, inFlow, put)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
