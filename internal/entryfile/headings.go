package entryfile

import "strings"

// A Heading is a heading of a Markdown document, as a reader sees it.
type Heading struct {
	Line int    // 1-based; of an underlined heading the first line of its text
	Text string // its Markdown, without the marks that make it a heading
}

// Headings lists all headings of a Markdown document, those in quotes, lists
// and bodies too, as a git host finds them: without the rule by which a vault
// comment makes the line before it start an entry.
func Headings(data []byte) []Heading {
	s := scanner{data: data, plainRules: true, collect: true}
	s.run()
	return s.all
}

// underlined is the heading that an underline makes of a paragraph.
func (s *scanner) underlined(paragraph *node) Heading {
	lines := make([]string, 0, len(paragraph.lines))
	for _, l := range paragraph.lines {
		lines = append(lines, strings.TrimSpace(string(s.data[l.start:l.end])))
	}
	return Heading{s.number - len(lines), strings.Join(lines, " ")}
}
