package secrets

import "strings"

// tables finds secrets in the columns of Markdown tables whose heading says
// what stands below.
func (s *scanner) tables() {
	text := s.text
	for at := 0; ; {
		i := strings.Index(text[at:], "--")
		if i < 0 {
			return
		}
		i += at
		lineStart := strings.LastIndexByte(text[:i], '\n') + 1
		lineEnd := lineAfter(text, i)
		at = lineEnd
		rule := text[lineStart:lineEnd]
		if strings.IndexByte(rule, '|') < 0 || strings.Trim(rule, " \t\r\n|:->") != "" || lineStart == 0 {
			continue
		}
		headStart := strings.LastIndexByte(text[:lineStart-1], '\n') + 1
		kinds := headings(text[headStart : lineStart-1])
		for at < len(text) {
			end := lineAfter(text, at)
			if strings.IndexByte(text[at:end], '|') < 0 {
				break
			}
			if kinds != nil {
				s.row(kinds, at, strings.TrimRight(text[at:end], "\r\n"))
			}
			at = end
		}
		if at >= len(text) {
			return
		}
	}
}

func lineAfter(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// headings returns the kind of each column, nil if none is telling.
func headings(line string) []kind {
	var kinds []kind
	telling := false
	for _, cell := range strings.Split(line, "|") {
		k := kindOf(cell)
		kinds = append(kinds, k)
		telling = telling || k != nothing
	}
	if !telling {
		return nil
	}
	return kinds
}

func (s *scanner) row(kinds []kind, at int, line string) {
	for _, k := range kinds {
		cell, _, more := strings.Cut(line, "|")
		if k != nothing {
			start := len(cell) - len(strings.TrimLeft(cell, " \t`*\"'"))
			v := strings.Trim(cell, " \t`*\"'")
			if len(v) >= 6 && !strings.ContainsAny(v, " \t") && plausible(v) {
				if rule, weight := judge(k, v, '"', "", "|"); rule != "" {
					s.add(rule, at+start, at+start+len(v), weight)
				}
			}
		}
		if !more {
			return
		}
		at += len(cell) + 1
		line = line[len(cell)+1:]
	}
}
