package vault

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"gitvault/internal/entryfile"
)

// What counts as saying nearly the same: texts that share most runs of three
// words. Candidates are found by what their runs hash to at the least, in bands
// of several hash functions, so that the work grows with the entries, not with
// their pairs.
const (
	mostShared = 0.65 // of all runs that either has, those that both have
	hashes     = 30
	band       = 3 // of which all must agree for a pair to be compared
	compared   = 8 // entries at most, for one band of one entry
	runWords   = 3
)

// nearly finds the entry before each one that says nearly the same.
type nearly struct {
	runs    []map[uint64]bool // of each entry taken up
	places  []int             // which entry that is
	buckets map[[2]uint64][]int
}

// like takes up the text of the next entry, number at, and returns the earlier
// one that is nearly the same; -1 for none.
func (n *nearly) like(at int, e entryfile.Entry) int {
	runs := runsOf(e)
	if len(runs) == 0 {
		return -1
	}
	var keys [hashes / band][2]uint64
	least := leastHashes(runs)
	for b := range keys {
		h := uint64(14695981039346656037)
		for _, m := range least[b*band : (b+1)*band] {
			h = (h ^ m) * 1099511628211
		}
		keys[b] = [2]uint64{uint64(b), h}
	}
	tried := map[int]bool{}
	for _, k := range keys {
		bucket := n.buckets[k]
		for _, i := range bucket[:min(len(bucket), compared)] {
			if !tried[i] && share(runs, n.runs[i]) >= mostShared {
				return n.places[i]
			}
			tried[i] = true
		}
	}
	for _, k := range keys {
		n.buckets[k] = append(n.buckets[k], len(n.runs))
	}
	n.runs, n.places = append(n.runs, runs), append(n.places, at)
	return -1
}

// leastHashes is the least of the runs by each of several hash functions.
func leastHashes(runs map[uint64]bool) [hashes]uint64 {
	var out [hashes]uint64
	for i := range out {
		out[i] = math.MaxUint64
	}
	for r := range runs {
		h := r
		for i := range out {
			h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
			h ^= h >> 32
			out[i] = min(out[i], h)
		}
	}
	return out
}

func share(a, b map[uint64]bool) float64 {
	both := 0
	for r := range a {
		if b[r] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// runsOf are the hashes of an entry's runs of words. A title that the body says
// too counts once.
func runsOf(e entryfile.Entry) map[uint64]bool {
	text := e.Body
	if !strings.HasPrefix(text, e.Title) {
		text = e.Title + "\n" + text
	}
	words := wordHashes(text)
	out := make(map[uint64]bool, len(words))
	for i := range words {
		if i > 0 && i+runWords > len(words) {
			break
		}
		h := uint64(0)
		for _, w := range words[i:min(i+runWords, len(words))] {
			h = h*0x9e3779b97f4a7c15 + w
		}
		out[h] = true
	}
	return out
}

// wordHashes hashes a text's words, in lower case; each letter of a script
// without spaces is one.
func wordHashes(text string) []uint64 {
	var out []uint64
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			h := fnv.New64a()
			_, _ = h.Write([]byte(word.String()))
			out = append(out, h.Sum64())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush()
			word.WriteRune(r)
			flush()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		default:
			flush()
		}
	}
	flush()
	return out
}
