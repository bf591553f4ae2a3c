package importers

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// Architecture decision records, as MADR (status, date and links in front
// matter or in bullets under the title) and Nygard (a Date line, a Status
// section) write them. Facts: adr.github.io/madr and its template, and
// npryce/adr-tools' doc/adr.

type decision struct {
	Record
	place string
	standing
}

func readADR(s *source) error {
	var all []decision
	var known chains
	err := s.each(func(f file) bool { return f.isMarkdown() && looksLikeADR(f) }, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		d, ok := s.readDecision(f, text)
		if !ok {
			return nil
		}
		known.add(d.Key, d.place, d.standing)
		all = append(all, d)
		return nil
	})
	if err != nil {
		return err
	}
	known.resolve()
	for _, d := range all {
		known.apply(&d.Record, d.place, d.standing)
		if err := s.emit(d.Record); err != nil {
			return err
		}
	}
	return nil
}

// looksLikeADR leaves out what stands beside decisions in their folder.
func looksLikeADR(f file) bool {
	switch name := strings.ToLower(f.stem()); {
	case name == "readme", name == "index", name == "template", strings.HasSuffix(name, "-template"), strings.HasPrefix(name, "adr-template"):
		return false
	}
	return true
}

func (s *source) readDecision(f file, text string) (decision, bool) {
	front, rest, bad := takeFront(text)
	title, body, line := takeTitle(rest, front.end+1)
	head := metadata(body)
	d := decision{place: f.full}
	d.Key = "adr/" + f.rel
	d.Scope, d.Revises = Project, true
	d.Where = at(f, max(1, line-1))
	if bad {
		d.Notes = append(d.Notes, "its front matter could not all be read")
	}
	status := strings.Join(nonEmpty(front.text("status"), head["status"], statusSection(body)), "\n")
	if !f.named() && decisionNumber(f.stem()) == "" && status == "" && !hasSection(body, "decision") {
		s.note(f.show, "it looks like no decision: name the file itself to import it")
		return decision{}, false
	}
	d.standing = readStatus(status)
	for _, key := range []string{"superseded-by", "superseded_by", "supersededBy", "superseded by"} {
		for _, v := range append(front.list(key), head[key]) {
			if v != "" {
				d.by = append(d.by, references(v)...)
			}
		}
	}
	for _, key := range []string{"supersedes", "replaces"} {
		for _, v := range append(front.list(key), head[key]) {
			if v != "" {
				d.takes = append(d.takes, references(v)...)
			}
		}
	}
	if len(d.by) > 0 && (d.word == "" || d.word == "accepted") {
		d.word = "superseded"
	}
	e := &d.Entry
	e.Kind = entryfile.Decision
	e.Title = titlePattern().ReplaceAllString(title, "")
	if e.Title == "" {
		e.Title = strings.ReplaceAll(titlePattern().ReplaceAllString(f.stem(), ""), "-", " ")
	}
	e.Body = body
	e.Description = firstOf(front.text("description", "summary"), outcome(body))
	e.Tags = front.list("tags", "categories")
	d.dated(&e.Created, "its date", firstOf(front.text("date", "created"), head["date"]))
	d.dated(&e.Updated, "the date of its change", front.text("updated", "modified", "last-modified"))
	if n := decisionNumber(path.Base(f.rel)); n != "" {
		keep(e, "adr", n)
	}
	return d, true
}

// titlePattern is the number that a decision's title or file name begins with.
var titlePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:(?:adr|madr)[-_ #]*)?\d{1,6}\s*(?:[.:)]|[-–—_]+|\s)\s*|^\s*(?:adr|madr)\s*[:–—-]\s*`)
})

// metadata reads the lines "Date: …" and "* Status: …" that stand under the
// title, before the first section. Names are in lower case.
func metadata(body string) map[string]string {
	found := map[string]string{}
	for l := range strings.Lines(body) {
		l = strings.TrimSpace(l)
		if n, _ := heading(l); n > 0 {
			break
		}
		l = strings.TrimSpace(strings.TrimLeft(l, "*-+ "))
		name, value, ok := strings.Cut(l, ":")
		name = strings.ToLower(strings.Trim(name, "*_ "))
		if !ok || len(name) > 30 {
			continue
		}
		if value = strings.Trim(strings.TrimSpace(value), "*_ "); value != "" && found[name] == "" {
			found[name] = value
		}
	}
	return found
}

// outcome is the first sentence of what was decided.
func outcome(body string) string {
	for _, sec := range split(body, 2, 1) {
		if strings.HasPrefix(strings.ToLower(sec.title), "decision") && !strings.Contains(strings.ToLower(sec.title), "driver") {
			return entryfile.DefaultTitle(afterHeadings(sec.body))
		}
	}
	return ""
}

func statusSection(body string) string {
	for _, sec := range split(body, 2, 1) {
		if strings.EqualFold(sec.title, "status") {
			return sec.body
		}
	}
	return ""
}

// hasSection reports whether a text has a section of level 2 that begins with
// the word.
func hasSection(body, word string) bool {
	for _, sec := range split(body, 2, 1) {
		if strings.HasPrefix(strings.ToLower(sec.title), word) {
			return true
		}
	}
	return false
}
