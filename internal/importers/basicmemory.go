package importers

import (
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// Basic Memory keeps notes with title, type, tags and permalink in front
// matter, observations such as "- [decision] text #tag (context)" and relations
// such as "- implements [[Other note]]". Facts:
// docs.basicmemory.com/concepts/knowledge-format and the project's
// NOTE-FORMAT.md.

// basicKinds says what types of notes and categories of observations become.
var basicKinds = map[string]entryfile.Kind{
	"decision": entryfile.Decision, "adr": entryfile.Decision,
	"preference": entryfile.Preference,
	"problem":    entryfile.FailedPath, "bug": entryfile.FailedPath, "gotcha": entryfile.FailedPath, "failed": entryfile.FailedPath, "pitfall": entryfile.FailedPath,
	"question": entryfile.OpenThread, "todo": entryfile.OpenThread, "task": entryfile.OpenThread,
}

func readBasicMemory(s *source) error {
	names := map[string]bool{}
	isNote := func(f file) bool { return f.isMarkdown() }
	if err := s.quietly().each(isNote, func(f file) error {
		names[strings.ToLower(f.stem())] = true
		if text, ok := s.quietly().text(f); ok {
			front, rest, _ := takeFront(text)
			title, _, _ := takeTitle(rest, 1)
			names[strings.ToLower(firstOf(front.text("title"), title))] = true
		}
		return nil
	}); err != nil {
		return err
	}
	return s.each(isNote, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		front, rest, bad := takeFront(text)
		title, body, line := takeTitle(rest, front.end+1)
		r := Record{Key: "note/" + firstOf(front.text("permalink"), f.rel), Where: at(f, max(1, line-1))}
		if bad {
			r.Notes = append(r.Notes, "its front matter could not all be read")
		}
		e := &r.Entry
		e.Title = firstOf(front.text("title"), title, words(f.stem()))
		if title != "" && title != e.Title {
			body = rest
		}
		e.Body = body
		e.Tags = append(front.list("tags"), inlineTags(body)...)
		e.Kind = basicKind(front.text("type"), body)
		r.dated(&e.Created, "its date", front.text("created", "created_at", "date"))
		r.dated(&e.Updated, "the date of its change", front.text("modified", "updated", "updated_at"))
		keep(e, "permalink", front.text("permalink"))
		r.missingLinks(body, names)
		return s.emit(r)
	})
}

var observation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*[-*] \[([\p{L}][\p{L}\p{N} _-]{0,40})\]\s+\S`)
})

// basicKind is the kind of a note: by its type, else by the category that most
// of its observations have.
func basicKind(noteType, body string) entryfile.Kind {
	if k, err := entryfile.ParseKind(noteType); err == nil {
		return k
	}
	if k, ok := basicKinds[strings.ToLower(noteType)]; ok {
		return k
	}
	count := map[entryfile.Kind]int{}
	total := 0
	for _, m := range observation().FindAllStringSubmatch(body, -1) {
		total++
		count[basicKinds[strings.ToLower(m[1])]]++
	}
	for _, k := range entryfile.Kinds() {
		if count[k]*2 > total {
			return k
		}
	}
	return guess(body, entryfile.Convention)
}
