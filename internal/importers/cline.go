package importers

import (
	"path"
	"strings"

	"gitvault/internal/entryfile"
)

// Cline's memory bank is a folder memory-bank of projectbrief, productContext,
// activeContext, systemPatterns, techContext and progress; Roo's adds
// decisionLog. Facts: docs.cline.bot/features/memory-bank,
// GreatScottyMac/roo-code-memory-bank.

func readClineMemoryBank(s *source) error {
	want := func(f file) bool {
		dir := path.Base(f.dir())
		return f.isMarkdown() && (strings.Contains(f.full, "/memory-bank/") || dir == "memory-bank" || clineFile(f.stem()))
	}
	return s.each(want, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		front, rest, _ := takeFront(text)
		stem := f.stem()
		return s.instructions(f, rest, front.end+1, Project, func(sec section) entryfile.Kind { return clineKind(stem, sec) }, func(r *Record) {
			r.Key = "bank/" + r.Key
			r.Entry.Tags = []string{stem}
			for _, sep := range []string{" - ", " – ", ": "} {
				if when, rest, ok := strings.Cut(strings.Trim(r.Entry.Title, "[]"), sep); ok && date(when) != "" && rest != "" {
					r.Entry.Title, r.Entry.Created = rest, date(when)
					break
				}
			}
		})
	})
}

func clineFile(stem string) bool {
	switch stem {
	case "projectbrief", "productContext", "activeContext", "systemPatterns", "techContext", "progress", "decisionLog":
		return true
	}
	return false
}

// clineKind is told by the section's heading, then by its file.
func clineKind(stem string, sec section) entryfile.Kind {
	title := strings.ToLower(sec.title)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(title, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("next step", "what's left", "left to build", "remaining", "known issue", "todo", "open ", "question", "blocker", "current focus", "current work", "active decisions"):
		return entryfile.OpenThread
	case stem == "decisionLog", has("decision"):
		return entryfile.Decision
	case has("failed", "did not work", "didn't work", "pitfall", "dead end"):
		return entryfile.FailedPath
	}
	return guess(sec.body, entryfile.Convention)
}
