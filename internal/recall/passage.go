package recall

import "strings"

// A passage is a part of a body that is judged on its own.
type passage struct {
	start, end int // bytes of the body
}

const (
	passageWords = 150 // a passage of prose ends at the next break after so many words
	longestWords = 250 // and is cut at a line or sentence there if no break comes
	traceWords   = 200 // the same for the notes of a session, where every paragraph is a passage
)

// passages takes a body apart: prose into windows of about equal length that
// begin at headings where there are any, a trace into its turns. A heading is
// never a turn of its own.
func passages(body string, trace bool) []passage {
	var out []passage
	words, bare := 0, false // bare: there is only a heading so far
	for _, b := range blocks(body, trace) {
		n := len(out)
		fresh := n == 0 || trace && !bare || !trace && (b.heading && words >= passageWords/3 || words+b.words > longestWords || words >= passageWords)
		bare = b.heading && (fresh || bare)
		if fresh {
			out = append(out, passage{b.start, b.end})
			words = b.words
			continue
		}
		out[n-1].end = b.end
		words += b.words
	}
	if n := len(out); trace && bare && n > 1 {
		out[n-2].end = out[n-1].end
		out = out[:n-1]
	}
	return out
}

type block struct {
	start, end int
	words      int
	heading    bool
}

// blocks finds the paragraphs of a body. In a trace a line that begins a list
// item or names its speaker begins one too.
func blocks(body string, trace bool) []block {
	var out []block
	limit := longestWords
	if trace {
		limit = traceWords
	}
	open, fence := false, ""
	for start := 0; start < len(body); {
		end := start + strings.IndexByte(body[start:], '\n')
		next := end + 1
		if end < start {
			end, next = len(body), len(body)
		}
		line := strings.TrimSpace(body[start:end])
		words := countWords(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		}
		if line == "" {
			open = open && fence != ""
			start = next
			continue
		}
		heading := fence == "" && isHeading(line)
		n := len(out)
		if open && fence == "" && n > 0 && !strings.Contains(body[out[n-1].start:out[n-1].end], "\n") && isUnderline(line) {
			out[n-1].end, out[n-1].heading = end, true
			start = next
			continue
		}
		if !open || heading || out[n-1].heading || out[n-1].words+words > limit || trace && fence == "" && startsTurn(line) {
			out = append(out, block{start: start, end: end, words: words, heading: heading})
		} else {
			out[n-1].end = end
			out[n-1].words += words
		}
		open = true
		start = next
	}
	return splitLong(body, out, limit)
}

// countWords counts what stands between spaces, about.
func countWords(line string) int {
	n, space := 0, true
	for i := range len(line) {
		if line[i] <= ' ' {
			space = true
		} else if space {
			n++
			space = false
		}
	}
	return n
}

// isUnderline reports a line that makes a heading of the one above it.
func isUnderline(line string) bool {
	return len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("=-~^", line[:1])
}

// splitLong cuts blocks that are one endless line.
func splitLong(body string, in []block, limit int) []block {
	longest := limit * 12 // bytes; text without spaces counts too
	var out []block
	for _, b := range in {
		for b.end-b.start > longest {
			cut := b.start + cutBefore(body[b.start:b.end], longest)
			out = append(out, block{start: b.start, end: cut, words: limit, heading: b.heading})
			b.start, b.heading = cut, false
		}
		b.words = max(min(b.words, limit), (b.end-b.start)/12)
		out = append(out, b)
	}
	return out
}

// cutBefore finds a place to cut s at or before limit: after a sentence, at a
// space, between characters.
func cutBefore(s string, limit int) int {
	for _, mark := range []string{". ", "。", "\n", " "} {
		if i := strings.LastIndex(s[:limit], mark); i > limit/2 {
			return i + len(mark)
		}
	}
	for limit > 1 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return limit
}

// startsTurn reports whether a line begins a list item or names who speaks:
// "- did this", "1. did that", "Ann: did you?".
func startsTurn(line string) bool {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	i := strings.IndexAny(line, ":.)")
	if i <= 0 || i > 40 || i+1 >= len(line) || line[i+1] != ' ' {
		return false
	}
	if line[i] == ':' {
		return strings.Count(line[:i], " ") <= 3
	}
	return strings.Trim(line[:i], "0123456789") == ""
}
