package generate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gitvault/internal/entryfile"
)

// maxSummary is the length in characters to which a summary made from a body
// is shortened. A description stands as it was written.
const maxSummary = 160

// Summary is the line an index shows beside the title: the description, or
// without one the first sentence of the body that says more than the title.
// It is raw text, to be made harmless where it is shown.
func Summary(e entryfile.Entry) string {
	if e.Description != "" {
		return shorten(e.Description, entryfile.MaxDescription)
	}
	if e.Body == e.Title {
		return ""
	}
	prose := firstProse(e.Body)
	if title, cut := strings.CutSuffix(e.Title, "…"); cut && strings.HasPrefix(prose, title) {
		rest, _ := sentence(prose[len(title):])
		return shorten("…"+strings.TrimSpace(rest), maxSummary)
	}
	first, rest := sentence(prose)
	if same(first, e.Title) {
		first, _ = sentence(rest)
	}
	return shorten(first, maxSummary)
}

// same reports whether a sentence is the title with at most a full stop more.
func same(first, title string) bool {
	trim := func(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".。!?:") }
	return trim(first) == trim(title)
}

// firstProse returns the first paragraph of a body as one line: what comes
// after headings, rules, comments, front lines of fences and tables.
func firstProse(body string) string {
	var b strings.Builder
	fence := ""
	for len(body) > 0 && b.Len() < 8*maxSummary {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		}
		item, isItem := listItem(line)
		switch {
		case fence != "" || line == "" || notProse(line):
			if b.Len() > 0 {
				return b.String()
			}
			continue
		case underline(line):
			b.Reset() // the line above was a setext heading
			continue
		case isItem && b.Len() > 0:
			return b.String()
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(item)
	}
	return b.String()
}

func notProse(line string) bool {
	switch line[0] {
	case '|', '#':
		return line[0] == '|' || strings.HasPrefix(strings.TrimLeft(line, "#"), " ")
	}
	return strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, "[//]:")
}

func underline(line string) bool {
	return strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "" || strings.Trim(line, "* ") == "" || strings.Trim(line, "_ ") == ""
}

// listItem takes the marker of a list item or quote off a line.
func listItem(line string) (string, bool) {
	for _, m := range []string{"- ", "* ", "+ ", "> "} {
		if s, ok := strings.CutPrefix(line, m); ok {
			return strings.TrimSpace(s), true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 10 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")) {
		return strings.TrimSpace(digits[2:]), true
	}
	return line, false
}

// sentence cuts the first sentence off a line of prose.
func sentence(s string) (first, rest string) {
	s = strings.TrimSpace(s)
	for i, r := range s {
		n := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '।', '۔':
			return s[:n], strings.TrimSpace(s[n:])
		case '.', '!', '?':
			tail := strings.TrimLeft(s[n:], `"')]”’*_`)
			if tail == "" {
				return s, ""
			}
			if tail[0] != ' ' || r == '.' && abbreviated(s[:i], tail) {
				continue
			}
			n = len(s) - len(tail)
			return s[:n], strings.TrimSpace(tail)
		}
	}
	return s, ""
}

// abbreviated reports whether the full stop after s ends no sentence: a single
// letter or a common short form stands before it, or a small letter follows.
func abbreviated(s, tail string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(tail, " "))
	if unicode.IsLower(next) {
		return true
	}
	word := s[strings.LastIndexByte(s, ' ')+1:]
	switch strings.ToLower(strings.TrimLeft(word, "(\"'")) {
	case "e.g", "i.e", "cf", "vs", "etc", "no", "dr", "mr", "mrs", "ms", "st", "fig":
		return true
	}
	return utf8.RuneCountInString(word) == 1 && unicode.IsLetter(rune(word[0]))
}

// shorten cuts s to at most n characters, at a word where there is one, and
// says so with an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, end, word := 0, 0, 0
	for i, r := range s {
		if count == n-1 {
			end = i
		}
		if r == ' ' && count < n {
			word = i
		}
		count++
		if count > n {
			break
		}
	}
	if count <= n {
		return s
	}
	if word > end/2 {
		end = word
	}
	return strings.TrimRight(s[:end], " ,;:.-–—(") + "…"
}
