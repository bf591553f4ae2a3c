package merge

import "strings"

// Nearest says which committed version, newest first, somebody had before them
// who saved these bytes: the one that shares most with them. It is the base for
// adopting what was saved; -1 if there is no version.
//
// What equals an older version but for blank lines was not typed into an old
// buffer: it is the newest version with something taken out by hand, so the
// newest is its base.
func Nearest(saved []byte, versions [][]byte) int {
	if len(versions) == 0 {
		return -1
	}
	count := map[string]int{}
	for line := range strings.Lines(string(saved)) {
		if line = strings.TrimSpace(line); line != "" {
			count[line]++
		}
	}
	best, least := 0, -1
	for i, v := range versions {
		used := map[string]int{}
		var extra []string
		for line := range strings.Lines(string(v)) {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
			case used[line] < count[line]:
				used[line]++
			default:
				extra = append(extra, line)
			}
		}
		distance := wordDistance(count, used, extra)
		if distance == 0 {
			return 0
		}
		if least < 0 || distance < least {
			best, least = i, distance
		}
	}
	return best
}

// wordDistance is how much text, in bytes, two sets of lines do not share: those
// of a saved file that are not in a version as they are, and the others of that
// version. A line that was written on shares what stood there before.
func wordDistance(count, used map[string]int, extra []string) int {
	distance := 0
	left := map[string]int{}
	for line, n := range count {
		for range n - used[line] {
			for word := range strings.FieldsSeq(line) {
				left[word]++
				distance += len(word)
			}
		}
	}
	for _, line := range extra {
		for word := range strings.FieldsSeq(line) {
			if left[word] > 0 {
				left[word]--
				distance -= len(word)
			} else {
				distance += len(word)
			}
		}
	}
	return distance
}
