package importers

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// personal-memory-vault-starter: nine folders of nodes, each a Markdown file
// whose front matter has type, title, slug, visibility, status and dates;
// [[slug]] links one to another. Facts: hegu-1/personal-memory-vault-starter,
// LLM_GUIDE.md and tracelets/README.md.

// starterKinds says what the types of nodes become.
var starterKinds = map[string]entryfile.Kind{
	"person": entryfile.Convention, "concept": entryfile.Convention, "playbook": entryfile.Convention,
	"project": entryfile.OpenThread, "event": entryfile.Convention, "resource": entryfile.Convention,
	"ai-agent": entryfile.Preference, "business-specific": entryfile.Convention, "tracelet": entryfile.Decision,
}

// starterFolders says which type of node a folder holds.
var starterFolders = map[string]string{
	"people": "person", "concepts": "concept", "playbooks": "playbook", "projects": "project", "ai-agents": "ai-agent",
	"tracelets": "tracelet", "events": "event", "resources": "resource", "business-specific": "business-specific",
}

func readStarter(s *source) error {
	names := map[string]bool{}
	want := func(f file) bool {
		if !f.isMarkdown() || strings.EqualFold(f.stem(), "readme") {
			return false
		}
		return starterFolders[path.Base(f.dir())] != ""
	}
	if err := s.quietly().each(want, func(f file) error {
		names[strings.ToLower(f.stem())] = true
		return nil
	}); err != nil {
		return err
	}
	return s.each(want, func(f file) error {
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		return s.starterNode(f, text, names)
	})
}

func (s *source) starterNode(f file, text string, names map[string]bool) error {
	front, rest, bad := takeFront(text)
	title, body, line := takeTitle(rest, front.end+1)
	slug := firstOf(front.text("slug"), f.stem())
	r := Record{Scope: User, Key: "node/" + slug, Where: at(f, max(1, line-1))}
	if bad {
		r.Notes = append(r.Notes, "its front matter could not all be read")
	}
	if slug != f.stem() {
		r.Notes = append(r.Notes, "its slug is not its file's name")
	}
	kind := firstOf(front.text("type"), starterFolders[path.Base(f.dir())])
	e := &r.Entry
	e.Kind = starterKinds[kind]
	if e.Kind == "" {
		e.Kind = entryfile.Convention
	}
	if kind == "tracelet" && failed(body) {
		e.Kind = entryfile.FailedPath
	}
	e.Title = firstOf(front.text("title"), title, words(slug))
	e.Description = front.text("description")
	e.Body = body
	e.Tags = front.list("tags")
	if kind != "" && kind != "tracelet" {
		e.Tags = append(e.Tags, kind)
	}
	r.dated(&e.Created, "its date", front.text("created"))
	r.dated(&e.Updated, "the date of its change", front.text("updated"))
	if e.Created == "" && len(slug) > 10 {
		e.Created = date(slug[:10])
	}
	e.Evidence = front.text("source")
	keep(e, "slug", slug)
	keep(e, "visibility", front.text("visibility"))
	links := body
	for _, key := range []string{"related", "codified-as"} {
		var slugs []string
		for _, l := range front.list(key) {
			l = strings.Trim(l, "[] ")
			slugs = append(slugs, "[["+l+"]]")
		}
		if len(slugs) > 0 {
			keep(e, key, strings.Join(slugs, " "))
			links += "\n" + strings.Join(slugs, " ")
		}
	}
	r.missingLinks(links, names)
	switch status := strings.ToLower(front.text("status")); status {
	case "", "active":
	case "archived", "deprecated":
		keep(e, "node-status", status)
		if e.Kind == entryfile.OpenThread {
			e.Status = entryfile.StatusResolved
		} else {
			r.end(status, e.Changed())
		}
	default:
		keep(e, "node-status", status)
	}
	return s.emit(r)
}

// failed reports whether a tracelet tells of something that did not work out.
func failed(body string) bool {
	for _, sec := range split(body, 2, 1) {
		t := strings.ToLower(sec.title)
		if (strings.HasPrefix(t, "outcome") || strings.Contains(t, "outcome")) && failurePattern().MatchString(sec.body) {
			return true
		}
	}
	return false
}

var failurePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:dropped|failed|failure|abandoned|reverted|rolled back|undone|did ?n[o']t work|does ?n[o']t work|broke|broken|stale|wasted|mistake|regret(?:ted)?|wrong|never again|gave up)\b`)
})
