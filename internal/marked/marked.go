// Package marked keeps sections that vault writes into other programs'
// Markdown files: each between two lines that mark it, so that it can be
// written anew, taken out, and left out where such a file is read.
package marked

import (
	"bytes"
	"fmt"
	"strings"
)

// A Section is one of the sections that may stand in a file.
type Section string

// The sections.
const (
	Instructions Section = "instructions" // how to use vault
	Index        Section = "index"        // what the vault holds
)

const (
	opening = "<!-- vault-"
	ending  = "<!-- /vault-"
)

// begin is the line that a section starts with; only its first word counts.
func (s Section) begin() string {
	return opening + string(s) + ": made by vault, do not edit between these lines -->"
}

func (s Section) end() string { return ending + string(s) + " -->" }

var bom = []byte("\ufeff")

// A place is where a section's lines are in a file.
type place struct {
	section    Section
	start, end int // of its lines, the marks' included
}

// places finds the sections of a file. A mark without its other is an error
// that says on which line.
func places(data []byte) ([]place, error) {
	var out []place
	var open *place
	line, opened := 0, 0
	start := len(data) - len(bytes.TrimPrefix(data, bom)) // a byte order mark is no part of a line
	for at := start; at < len(data); {
		line++
		next := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		text := strings.TrimSpace(string(data[at:next]))
		if open == nil {
			if n := fenced(data[at:]); n > 0 {
				line += bytes.Count(data[at:at+n], []byte("\n")) - 1
				at += n
				continue
			}
		}
		switch {
		case strings.HasPrefix(text, opening):
			if open != nil {
				return nil, fmt.Errorf("line %d: a vault section starts inside another: put its mark %s… on line %d right, or take it out", line, ending, opened)
			}
			name := strings.TrimPrefix(text, opening)
			name = name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))]
			open, opened = &place{section: Section(name), start: at}, line
		case strings.HasPrefix(text, ending):
			if open == nil || text != open.section.end() {
				return nil, fmt.Errorf("line %d: a vault section ends that did not start: take the line out", line)
			}
			open.end = next
			out = append(out, *open)
			open = nil
		}
		at = next
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: a vault section has no end: add the line %s, or take its first line out", opened, open.section.end())
	}
	return out, nil
}

// fenced is the length of the code block that data begins with, fences and
// all: what looks like a mark in it is an example. 0 where there is none, or
// none that ends.
func fenced(data []byte) int {
	first, rest, ok := bytes.Cut(data, []byte("\n"))
	fence := fenceOf(first)
	if fence == "" || !ok || fence[0] == '`' && bytes.Contains(first[bytes.Index(first, []byte(fence))+len(fence):], []byte("`")) {
		return 0
	}
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if f := fenceOf(line); len(f) >= len(fence) && f[0] == fence[0] && strings.TrimSpace(string(line)) == f {
			return len(data) - len(after)
		}
		rest = after
	}
	return 0
}

// fenceOf is the row of ` or ~ that a line starts a code block with.
func fenceOf(line []byte) string {
	text := strings.TrimLeft(string(line), " ")
	if len(line)-len(text) > 3 {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, "`"))
	if n == 0 {
		n = len(text) - len(strings.TrimLeft(text, "~"))
	}
	if n < 3 {
		return ""
	}
	return text[:n]
}

func (s Section) find(data []byte) (*place, error) {
	list, err := places(data)
	var found *place
	for i, p := range list {
		if p.section != s {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("line %d: the vault section %s is there twice: take one out", 1+bytes.Count(data[:p.start], []byte("\n")), s)
		}
		found = &list[i]
	}
	return found, err
}

// Has reports whether a file has the section.
func (s Section) Has(data []byte) bool {
	p, err := s.find(data)
	return err == nil && p != nil
}

// Set is how a file changes that is to have the section with a text: from byte
// at, was becomes is. Both are empty where the section stands there already.
func (s Section) Set(data []byte, text string) (at int, was, is string, err error) {
	nl := "\n"
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		nl = "\r\n"
	}
	section := strings.ReplaceAll(s.begin()+"\n"+guard(text)+"\n"+s.end(), "\n", nl)
	p, err := s.find(data)
	if err != nil {
		return 0, "", "", err
	}
	if p == nil {
		before := ""
		if old := bytes.TrimPrefix(data, bom); len(old) > 0 {
			before = nl
			if old[len(old)-1] != '\n' {
				before += nl
			}
			if bytes.HasSuffix(old, []byte("\n\n")) || bytes.HasSuffix(old, []byte("\n\r\n")) {
				before = ""
			}
		}
		return len(data), "", before + section + nl, nil
	}
	old := string(data[p.start:p.end])
	if strings.HasSuffix(old, "\n") {
		section += nl
	}
	if old == section {
		return 0, "", "", nil
	}
	return p.start, old, section, nil
}

// Cut is how a file changes that is to have the section no more, with one of
// the blank lines around it. Lines in it that are in none of the texts that were
// written there are somebody else's and stay, as rest; without texts all are
// vault's.
func (s Section) Cut(data []byte, wrote ...string) (at int, was, rest string, err error) {
	p, err := s.find(data)
	if err != nil || p == nil {
		return 0, "", "", err
	}
	if rest = others(string(data[p.start:p.end]), wrote); rest != "" {
		return p.start, string(data[p.start:p.end]), rest, nil
	}
	start := p.start
	for _, blank := range []string{"\n\r\n", "\n\n"} {
		if bytes.HasSuffix(data[:start], []byte(blank)) {
			start -= len(blank) - 1
			break
		}
	}
	return start, string(data[start:p.end]), "", nil
}

// others are the lines of a section, without its marks, that are in none of the
// texts, the blank ones around them left out.
func others(section string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	ours := map[string]bool{}
	for _, text := range texts {
		for line := range strings.Lines(guard(text) + "\n" + text) {
			ours[strings.TrimSpace(line)] = true
		}
	}
	lines := strings.SplitAfter(section, "\n")
	var b strings.Builder
	for _, line := range lines[1:] {
		if text := strings.TrimSpace(line); !strings.HasPrefix(text, ending) && (text == "" || !ours[text]) {
			b.WriteString(line)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return ""
	}
	return strings.Trim(b.String(), "\r\n") + lines[0][len(strings.TrimRight(lines[0], "\r\n")):]
}

// Strip blanks all sections out of a text that is read for what people wrote,
// so that its lines keep their numbers. A section that does not end goes to
// the end of the text.
func Strip(text string) string {
	if !strings.Contains(text, opening) {
		return text
	}
	data := []byte(text)
	out := make([]byte, 0, len(data))
	inside := false
	at := len(data) - len(bytes.TrimPrefix(data, bom))
	out = append(out, data[:at]...)
	for at < len(data) {
		if n := fenced(data[at:]); n > 0 && !inside {
			out = append(out, data[at:at+n]...)
			at += n
			continue
		}
		line, _, more := bytes.Cut(data[at:], []byte("\n"))
		trimmed := strings.TrimSpace(string(line))
		ends := strings.HasPrefix(trimmed, ending)
		inside = inside || strings.HasPrefix(trimmed, opening)
		if !inside && !ends {
			out = append(out, line...)
		}
		if more {
			out = append(out, '\n')
		}
		inside = inside && !ends
		at += len(line) + 1
	}
	return string(out)
}

// guard keeps a text from holding marks.
func guard(text string) string {
	for _, mark := range []string{opening, ending} {
		text = strings.ReplaceAll(text, mark, "&lt;"+mark[1:])
	}
	return text
}
