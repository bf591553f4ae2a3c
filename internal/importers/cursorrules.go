package importers

import (
	"path"
	"strings"

	"gitvault/internal/entryfile"
)

// Cursor reads rules from .cursor/rules, one .mdc file each with description,
// globs and alwaysApply in front matter that need not be YAML, and formerly
// from one .cursorrules. Facts: cursor.com/docs/rules.

func readCursorRules(s *source) error {
	want := func(f file) bool {
		return path.Ext(f.rel) == ".mdc" || path.Base(f.rel) == ".cursorrules" || f.isMarkdown() && strings.Contains("/"+f.full, "/.cursor/rules/")
	}
	return s.each(want, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		front, rest, bad := takeFront(text)
		if path.Base(f.rel) == ".cursorrules" {
			return s.instructions(f, rest, front.end+1, Project, func(section) entryfile.Kind { return entryfile.Convention }, nil)
		}
		title, body, line := takeTitle(rest, front.end+1)
		r := Record{Scope: Project, Key: "rule/" + f.rel, Where: at(f, max(1, line-1))}
		e := &r.Entry
		e.Kind = entryfile.Convention
		e.Title = firstOf(title, words(f.stem()))
		e.Description = front.text("description")
		e.Body = body
		if globs := front.list("globs"); len(globs) > 0 {
			e.Body = joinParagraphs(trimBlank(body), "Applies to: "+strings.Join(globs, ", "))
		}
		if front.isTrue("alwaysApply") {
			e.Tags = []string{"always-apply"}
		}
		if bad {
			r.Notes = append(r.Notes, "its front matter could not all be read")
		}
		return s.emit(r)
	})
}
