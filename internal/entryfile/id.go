package entryfile

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
)

// IDLength is the number of characters of an id.
const IDLength = 8

// An id is lower-case Crockford base32 that begins with a letter past f: it is
// never a number or a commit hash.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// ValidID reports whether s is an id as entries carry it.
func ValidID(s string) bool {
	if len(s) != IDLength || s[0] < 'g' {
		return false
	}
	for i := range len(s) {
		if !isIDChar(s[i]) {
			return false
		}
	}
	return true
}

func isIDChar(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' && c != 'i' && c != 'l' && c != 'o' && c != 'u'
}

// NewID returns an id from 39 random bits. That two entries of a scope get the
// same one is unlikely, not impossible: ask the scope.
func NewID(random io.Reader) (string, error) {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("no random bytes for an id: %w", err)
	}
	return formatID(binary.BigEndian.Uint64(b[:])), nil
}

// DerivedID is the id of an entry that was written by hand: text is its title,
// a newline and its body; occurrence tells it from others that say the same.
func DerivedID(kind Kind, text string, occurrence int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%d\x00%s", kind, occurrence, text)
	return formatID(binary.BigEndian.Uint64(h.Sum(nil)))
}

func formatID(bits uint64) string {
	var id [IDLength]byte
	id[0] = idAlphabet[16+bits&15]
	bits >>= 4
	for i := 1; i < IDLength; i++ {
		id[i] = idAlphabet[bits&31]
		bits >>= 5
	}
	return string(id[:])
}
