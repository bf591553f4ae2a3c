package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const snippetBytes = 240 // of a snippet, without its ellipses

// A sighting is a place in a text where a word of the query was found.
type sighting struct {
	start, end int
	group      int
	how        string
}

// sightings finds the query's words in a text.
func (s *searcher) sightings(text string) []sighting {
	var list []sighting
	tokenize(text, func(t token) {
		if k, ok := s.known[t.term]; ok {
			list = append(list, sighting{t.start, t.end, k.group, k.how})
		}
	})
	return list
}

// snippet cuts from a text the stretch that shows most of the query, as one
// line without control characters.
func (s *searcher) snippet(text string) string {
	if len(text) <= snippetBytes {
		return oneLine(withoutMarks(text))
	}
	seen := s.sightings(text)
	best, most, bestEnd := 0, -1.0, 0
	for i, first := range seen {
		sum, groups, end := 0.0, map[int]bool{}, first.end
		for _, w := range seen[i:] {
			if w.end-first.start > snippetBytes {
				break
			}
			end = max(end, w.end)
			if !groups[w.group] {
				groups[w.group] = true
				sum += s.weights[w.group]
			}
		}
		if sum > most {
			best, most, bestEnd = first.start, sum, end
		}
	}
	room := max(snippetBytes-(bestEnd-best), 0)
	from := max(best-room/3, 0)
	to := min(from+snippetBytes, len(text))
	from = max(min(from, to-snippetBytes), 0)
	return cutOut(text, from, to)
}

// cutOut takes text[from:to], at spaces where they are near, with ellipses
// where something is left out.
func cutOut(text string, from, to int) string {
	if from > 0 {
		if i := strings.IndexAny(text[from:min(from+24, to)], " \n\t"); i >= 0 {
			from += i + 1
		}
		for from < to && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	if to < len(text) {
		if i := strings.LastIndexAny(text[max(to-24, from):to], " \n\t"); i >= 0 {
			to = max(to-24, from) + i
		}
		for to > from && !utf8.RuneStart(text[to]) {
			to--
		}
	}
	line := text[from:to]
	if from == 0 || text[from-1] == '\n' {
		line = withoutMarks(line)
	} else if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1] + withoutMarks(line[i+1:])
	}
	line = oneLine(line)
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}

// withoutMarks takes out what only lays a text out, whose lines are about to be
// joined: the marks of headings, rules, fences of code.
func withoutMarks(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		switch {
		case isHeading(line):
			lines[i] = named(strings.TrimSpace(strings.Trim(bare, "#")), i+1 < len(lines))
		case isRule(bare):
			if lines[i] = ""; i > 0 && len(lines[i-1]) <= len(bare)+2 {
				lines[i-1] = named(strings.TrimSpace(lines[i-1]), i+1 < len(lines))
			}
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// named is a heading as it stands before what it is for.
func named(heading string, more bool) string {
	if last, _ := utf8.DecodeLastRuneInString(heading); more && (unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')') {
		return heading + ":"
	}
	return heading
}

// isRule reports a line that is drawn: under or over a heading, between parts,
// under the head of a table.
func isRule(line string) bool {
	if len(line) < 3 || strings.TrimRight(line, "|-: ") == "" && strings.Contains(line, "-") {
		return len(line) >= 3
	}
	return strings.Contains("=-~^\"'*+#_`", line[:1]) && strings.Trim(line, line[:1]) == ""
}

// isHeading reports a line such as "## Why".
func isHeading(line string) bool {
	rest := strings.TrimLeft(strings.TrimSpace(line), "#")
	return strings.HasPrefix(strings.TrimSpace(line), "#") && strings.HasPrefix(rest, " ")
}

// oneLine puts a text on one line and takes out what is no text.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		if r == utf8.RuneError || unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// firstSentence is the beginning of a text, to its first full stop.
func firstSentence(s string) string {
	s = oneLine(s)
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?':
			if end < len(s) && s[end] != ' ' {
				continue
			}
		case '。', '！', '？':
		default:
			continue
		}
		if end > 20 {
			return limitText(s[:end])
		}
	}
	return limitText(s)
}

func limitText(s string) string {
	if len(s) <= snippetBytes {
		return s
	}
	return cutOut(s, 0, snippetBytes)
}
