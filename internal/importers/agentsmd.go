package importers

import (
	"path"
	"strings"

	"gitvault/internal/entryfile"
)

// AGENTS.md is plain Markdown for agents; one in a folder is about that folder,
// and one in ~/.codex is a person's own. Facts: agents.md, and
// developers.openai.com/codex/guides/agents-md.

func readAgentsMD(s *source) error {
	want := func(f file) bool {
		switch path.Base(f.rel) {
		case "AGENTS.md", "AGENTS.override.md", "AGENT.md":
			return true
		}
		return false
	}
	return s.each(want, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		front, rest, _ := takeFront(text)
		scope, kind := Project, entryfile.Convention
		if path.Base(f.dir()) == ".codex" {
			scope, kind = User, entryfile.Preference
		}
		dir := path.Dir(f.rel)
		return s.instructions(f, rest, front.end+1, scope, func(section) entryfile.Kind { return kind }, func(r *Record) {
			if dir != "." && scope == Project {
				r.Entry.Paths = []string{dir}
				if !strings.Contains(strings.ToLower(r.Entry.Title), strings.ToLower(path.Base(dir))) {
					r.Entry.Tags = append(r.Entry.Tags, path.Base(dir))
				}
			}
		})
	})
}
