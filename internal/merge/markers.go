package merge

import (
	"bytes"
	"strings"
)

// HasMarkers reports whether data holds conflict markers as git leaves them: a
// line of each kind, in order, at the left margin. A setext heading's underline
// and an example quoted in a code fence are none.
func HasMarkers(data []byte) bool {
	if !bytes.Contains(data, []byte("<<<<<<<")) || !bytes.Contains(data, []byte(">>>>>>>")) {
		return false
	}
	list := strings.Split(string(data), "\n")
	closing := closers(list)
	seen := 0
	for i := 0; i < len(list); i++ {
		line := strings.TrimSuffix(list[i], "\r")
		if kind, size, _ := fence(line); size > 0 && i+1 < len(list) && closing[kind][i+1] >= size {
			for i++; ; i++ {
				if k, n, bare := fence(list[i]); k == kind && n >= size && bare {
					break
				}
			}
			continue
		}
		switch {
		case isMarker(line, "<<<<<<<"):
			seen = 1
		case line == "=======" && seen == 1:
			seen = 2
		case isMarker(line, ">>>>>>>") && seen == 2:
			return true
		}
	}
	return false
}

func isMarker(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && (rest == "" || rest[0] == ' ')
}

// fence reads a line as one that opens or, if bare, closes a code fence of the
// given size; kind 0 is of backticks, 1 of tildes.
func fence(line string) (kind, size int, bare bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 {
		return 0, 0, false
	}
	if s[0] == '~' {
		kind = 1
	} else if s[0] != '`' {
		return 0, 0, false
	}
	rest := strings.TrimLeft(s, s[:1])
	if size = len(s) - len(rest); size < 3 || kind == 0 && strings.Contains(rest, "`") {
		return 0, 0, false
	}
	return kind, size, strings.TrimSpace(rest) == ""
}

// closers tells, for each line on, how long the longest closing fence of either
// kind is that still comes: a fence that nothing closes hides nothing.
func closers(list []string) [2][]int {
	var out [2][]int
	for kind := range out {
		out[kind] = make([]int, len(list)+1)
	}
	for i := len(list) - 1; i >= 0; i-- {
		out[0][i], out[1][i] = out[0][i+1], out[1][i+1]
		if kind, size, bare := fence(list[i]); bare {
			out[kind][i] = max(out[kind][i], size)
		}
	}
	return out
}
