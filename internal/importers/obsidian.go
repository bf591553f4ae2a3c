package importers

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// Obsidian, and any other folder of Markdown: one entry a note, with the
// properties of its front matter; [[links]] and #tags stay in the text. Facts:
// help.obsidian.md, Properties, Tags and Internal links.

func readObsidian(s *source) error {
	names, keys := map[string]bool{}, map[string]string{} // of notes by their names in lower case
	isNote := func(f file) bool { return f.isMarkdown() }
	if err := s.quietly().each(isNote, func(f file) error {
		name := strings.ToLower(f.stem())
		names[name], keys[name] = true, noteKey(f)
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
		r := Record{Key: noteKey(f), Where: at(f, max(1, line-1))}
		if bad {
			r.Notes = append(r.Notes, "its front matter could not all be read")
		}
		e := &r.Entry
		e.Title = firstOf(front.text("title"), title, words(f.stem()))
		if title != "" && e.Title != title {
			body = rest
		}
		e.Body = body
		e.Description = front.text("description", "summary")
		e.Tags = append(front.list("tags", "tag"), inlineTags(body)...)
		e.Kind = guess(body, entryfile.Convention)
		for _, k := range []string{front.text("kind"), front.text("type"), path.Base(path.Dir(f.rel))} {
			if kind, err := entryfile.ParseKind(k); err == nil {
				e.Kind = kind
				break
			}
		}
		r.dated(&e.Created, "its date", front.text("created", "date", "date created", "created_at"))
		r.dated(&e.Updated, "the date of its change", front.text("updated", "modified", "date modified", "updated_at", "last_modified"))
		for _, alias := range front.list("aliases", "alias") {
			keep(e, "aliases", alias)
			break
		}
		r.properties(front, keys)
		r.missingLinks(body, names)
		return s.emit(r)
	})
}

func noteKey(f file) string { return "note/" + f.rel }

// properties takes what a note says of itself in the words of our own export.
func (r *Record) properties(front front, keys map[string]string) {
	e := &r.Entry
	switch scope := front.text("scope"); scope {
	case User, Project:
		r.Scope = scope
	}
	e.Pinned = front.isTrue("pinned")
	e.Evidence = oneLine(front.text("evidence"))
	e.Paths = front.list("paths")
	e.Session, e.Code = oneLine(front.text("session")), oneLine(front.text("code"))
	if e.Kind == entryfile.OpenThread {
		e.Outcome = front.text("outcome")
		if strings.EqualFold(front.text("status"), entryfile.StatusResolved) {
			e.Status = entryfile.StatusResolved
		}
	}
	if until := front.text("expires"); date(until) != "" {
		e.Expires = until
		if len(until) > len("2026-11-30") {
			e.Expires = date(until)
		}
	}
	for _, link := range front.list("supersedes") {
		m := wikiLink().FindStringSubmatch(link)
		if m == nil {
			continue
		}
		if key := keys[strings.ToLower(strings.TrimSpace(m[1]))]; key != "" {
			r.Supersedes = append(r.Supersedes, key)
		}
	}
	if front.text("review") == entryfile.OpAdd {
		r.Proposal = &Proposal{Op: entryfile.OpAdd}
	}
}

var wikiLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`!?\[\[([^\[\]|#^]+)[^\[\]]*\]\]`)
})

// missingLinks notes the [[links]] whose notes are not there. names are in
// lower case.
func (r *Record) missingLinks(body string, names map[string]bool) {
	told := map[string]bool{}
	for _, m := range wikiLink().FindAllStringSubmatch(body, -1) {
		name := strings.TrimSpace(m[1])
		key := strings.ToLower(strings.TrimSuffix(path.Base(name), ".md"))
		if strings.HasPrefix(m[0], "!") || names[key] || told[key] || path.Ext(key) != "" {
			continue
		}
		told[key] = true
		r.Notes = append(r.Notes, "it links to a note that is not there: "+entryfile.Shorten(oneLine(name), 80))
	}
}

var tagPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s(])#([\p{L}\p{N}_/-]*[\p{L}_][\p{L}\p{N}_/-]*)`)
})

// inlineTags are the #tags of a text, outside of code.
func inlineTags(body string) []string {
	var tags []string
	var fence fences
	for l := range strings.Lines(body) {
		if n, _ := heading(l); fence.inside(l) || n > 0 || strings.Contains(l, "`") {
			continue
		}
		for _, m := range tagPattern().FindAllStringSubmatch(l, -1) {
			if len(tags) < entryfile.MaxTags {
				tags = append(tags, m[1])
			}
		}
	}
	return tags
}
