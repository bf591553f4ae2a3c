package importers

import (
	"strings"
	"unicode/utf8"

	"gitvault/internal/entryfile"
)

// An instruction file is cut into entries at its headings of level 2, or of
// level 1 where it has several of those and none of level 2: what stands
// together stays together.
func (s *source) instructions(f file, body string, line int, scope string, kind func(section) entryfile.Kind, add func(*Record)) error {
	title, rest, at1 := takeTitle(body, line)
	parts := split(rest, 2, at1)
	if headings(parts) == 0 {
		if whole := split(body, 1, line); headings(whole) > 1 || title == "" && headings(whole) > 0 {
			parts, title = whole, ""
		}
	}
	for i, p := range parts {
		r := Record{Scope: scope, Where: at(f, p.line)}
		e := &r.Entry
		e.Title, e.Body, e.Kind = p.title, p.body, kind(p)
		if p.title == "" {
			if strings.TrimSpace(p.body) == "" {
				continue
			}
			e.Title = title
			if e.Title == "" {
				e.Title = entryfile.DefaultTitle(p.body)
			}
		} else if p.body == "" && !isSentence(p.title) {
			continue // a heading with nothing under it
		}
		r.Key = f.rel + "#" + slugOf(e.Title, i)
		if add != nil {
			add(&r)
		}
		if err := s.emit(r); err != nil {
			return err
		}
	}
	return nil
}

// isSentence reports whether a heading says all by itself.
func isSentence(title string) bool {
	last, _ := utf8.DecodeLastRuneInString(title)
	return strings.ContainsRune(".!?。！？", last)
}

// headings counts the parts that have one.
func headings(parts []section) int {
	n := 0
	for _, p := range parts {
		if p.title != "" {
			n++
		}
	}
	return n
}

func slugOf(title string, i int) string {
	if title == "" {
		return string(rune('0' + i%10))
	}
	return strings.Join(strings.Fields(strings.ToLower(title)), "-")
}

// words makes a title of a file name: release-notes is Release notes.
func words(stem string) string {
	t := strings.Join(strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
	if t == "" {
		return stem
	}
	if t[0] >= 'a' && t[0] <= 'z' {
		t = strings.ToUpper(t[:1]) + t[1:]
	}
	return t
}
