package importers

import (
	"path"
	"strings"

	"gitvault/internal/entryfile"
)

// Serena keeps a Markdown file for each memory in .serena/memories, in folders
// by topic; those under memories/global of a person's own .serena are for all
// projects. Facts: oraios.github.io/serena, Memories & Onboarding.

func readSerena(s *source) error {
	want := func(f file) bool {
		return f.isMarkdown() && (strings.Contains(f.full, "/.serena/memories/") || path.Base(f.root) == "memories")
	}
	return s.each(want, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		front, rest, _ := takeFront(text)
		title, body, line := takeTitle(rest, front.end+1)
		name := strings.TrimSuffix(f.rel, path.Ext(f.rel))
		if _, after, ok := strings.Cut("/"+f.rel, "/memories/"); ok {
			name = strings.TrimSuffix(after, path.Ext(after))
		}
		r := Record{Scope: Project, Key: "memory/" + name, Where: at(f, max(1, line-1))}
		e := &r.Entry
		e.Title = firstOf(title, words(path.Base(name)))
		e.Body = body
		e.Kind = guess(body, entryfile.Convention)
		if strings.Contains(f.full, "/.serena/memories/global/") || strings.HasPrefix(name, "global/") {
			r.Scope, e.Kind = User, entryfile.Preference
		}
		if topic := path.Dir(name); topic != "." && topic != "global" {
			e.Tags = strings.Split(strings.TrimPrefix(topic, "global/"), "/")
		}
		return s.emit(r)
	})
}
