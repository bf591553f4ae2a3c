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
	total := 0
	for line := range strings.Lines(string(saved)) {
		if line = strings.TrimSpace(line); line != "" {
			count[line]++
			total += len(line)
		}
	}
	best, least := 0, -1
	for i, v := range versions {
		distance := total
		used := map[string]int{}
		for line := range strings.Lines(string(v)) {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
			case used[line] < count[line]:
				used[line]++
				distance -= len(line)
			default:
				distance += len(line)
			}
		}
		if distance == 0 {
			return 0
		}
		if least < 0 || distance < least {
			best, least = i, distance
		}
	}
	return best
}
