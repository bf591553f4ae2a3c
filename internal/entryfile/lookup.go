package entryfile

import "crypto/sha256"

// A likeness is a way in which one entry can be taken for another.
type likeness uint8

const (
	sayingTheSame likeness = iota
	sameBody               // a body that is more than the title
	sameTitle
	sameFile // an entry that is a file of its own
)

// lookup finds entries by what they say and where they stand, in constant time.
type lookup map[lookupKey][]string

type lookupKey struct {
	look  likeness
	where string // a path, a kind, or "" for anywhere
	text  [sha256.Size]byte
}

func lookupText(look likeness, s *section) (sum [sha256.Size]byte, ok bool) {
	switch look {
	case sayingTheSame:
		return sha256.Sum256([]byte(derivedFrom(s.Entry))), true
	case sameBody:
		return sha256.Sum256([]byte(s.Body)), s.Body != s.Title
	case sameTitle:
		return sha256.Sum256([]byte(s.Title)), true
	}
	return sum, !s.Kind.IsLedger()
}

// reach is how far to look for an entry: in the same file, among those of the
// same kind, anywhere.
const reach = 3

func whereabouts(near int, path string, kind Kind) string {
	switch near {
	case 0:
		return path
	case 1:
		return "kind " + string(kind)
	}
	return ""
}

func (l lookup) add(id, path string, s *section) {
	for look := sayingTheSame; look <= sameFile; look++ {
		text, ok := lookupText(look, s)
		if !ok {
			continue
		}
		for near := range reach {
			if look == sameFile && near > 0 {
				break
			}
			key := lookupKey{look, whereabouts(near, path, s.Kind), text}
			l[key] = append(l[key], id)
		}
	}
}

// find returns the first entry like s, as near as that, that is still among
// missing.
func (l lookup) find(missing map[string]bool, look likeness, near int, path string, s *section) string {
	text, ok := lookupText(look, s)
	if !ok {
		return ""
	}
	key := lookupKey{look, whereabouts(near, path, s.Kind), text}
	ids := l[key]
	for len(ids) > 0 && !missing[ids[0]] {
		ids = ids[1:]
	}
	l[key] = ids
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
