package importers

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// Claude Code keeps what it learnt itself in ~/.claude/projects/<folder>/memory
// (MEMORY.md, an index with a line for each topic file, and notes of its own),
// and reads what people wrote from CLAUDE.md, CLAUDE.local.md and
// .claude/rules. <folder> is the workspace's path with dashes for all that is
// no letter or digit. Facts: docs.claude.com/en/docs/claude-code/memory.

func readClaudeCode(s *source) error {
	described := map[string]string{} // path of a topic file -> what the index says of it
	projects := map[string]bool{}    // folders under projects that hold a memory
	want := func(f file) bool { return f.isMarkdown() && claudeFile(f) != "" }
	// The index comes before the topics that it describes, whatever their names.
	err := s.quietly().each(want, func(f file) error {
		if _, after, ok := strings.Cut(f.full, "/projects/"); ok {
			projects[firstSegment(after)] = true
		}
		if path.Base(f.full) != "MEMORY.md" {
			return nil
		}
		text, ok := s.quietly().text(f)
		if !ok {
			return nil
		}
		for _, it := range items(text, 1) {
			if m := indexPattern().FindStringSubmatch(it.text); m != nil {
				described[path.Join(f.dir(), m[2])] = strings.TrimSpace(m[3])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.each(want, func(f file) error {
		where := claudeFile(f)
		if where == "memory" && !s.claudeProject(f, len(projects)) {
			s.note(f.show, "it belongs to another project: name its folder to import it here")
			return nil
		}
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		switch {
		case where != "memory":
			return s.claudeInstructions(f, text, where)
		case path.Base(f.full) == "MEMORY.md":
			return s.claudeIndex(f, text, described)
		}
		return s.claudeTopic(f, text, described[f.full])
	})
}

// quietly is the same source for a first look, which tells nobody anything.
func (s *source) quietly() *source {
	q := *s
	q.out = Sink{}
	return &q
}

var indexPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[([^\]]*)\]\(([^)\s]+\.md)\)\s*(?:[-:–—]+\s*)?((?s).*)$`)
})

// claudeFile says what a file is: "memory", or "user" or "project" for
// instructions; "" for none of Claude Code's.
func claudeFile(f file) string {
	name := path.Base(f.full)
	inHome := path.Base(f.dir()) == ".claude" && isHomeClaude(f)
	switch {
	case path.Base(f.dir()) == "memory" && (strings.Contains(f.full, "/projects/") || f.root == f.dir() || f.named()):
		return "memory"
	case name == "CLAUDE.md" && inHome:
		return User
	case name == "CLAUDE.md", name == "CLAUDE.local.md":
		return Project
	case strings.Contains(f.full, "/.claude/rules/"):
		if root, _, _ := strings.Cut(f.full, "/rules/"); isHomeClaude(file{full: root + "/x", root: f.root}) {
			return User
		}
		return Project
	case f.named() && name == "MEMORY.md":
		return "memory"
	case f.named():
		return Project
	}
	return ""
}

// isHomeClaude reports whether a file stands in a person's own .claude folder,
// which holds the projects' folder, and not in a workspace's.
func isHomeClaude(f file) bool {
	dir := f.dir()
	return dirExists(dir + "/projects")
}

// claudeProject reports whether a memory folder is this project's: by the name
// of its folder, since it or its project was named, or since a copy was named
// that holds no other.
func (s *source) claudeProject(f file, projects int) bool {
	_, after, ok := strings.Cut(f.full, "/projects/")
	if !ok || strings.Contains(f.root+"/", "/projects/"+firstSegment(after)+"/") {
		return true
	}
	if s.in.Project != "" && firstSegment(after) == claudeFolder(s.in.Project) {
		return true
	}
	return projects == 1 && !strings.Contains(f.root+"/", "/.claude/")
}

func firstSegment(p string) string {
	p, _, _ = strings.Cut(p, "/")
	return p
}

// claudeFolder is the name of a workspace's folder under projects.
func claudeFolder(workspace string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, workspace)
}

func (s *source) claudeInstructions(f file, text, scope string) error {
	front, rest, _ := takeFront(text)
	kind := entryfile.Convention
	if scope == User {
		kind = entryfile.Preference
	}
	globs := front.list("paths", "globs")
	return s.instructions(f, rest, front.end+1, scope, func(section) entryfile.Kind { return kind }, func(r *Record) {
		r.Key = "instructions/" + r.Key
		if len(globs) > 0 {
			r.Entry.Body = joinParagraphs(r.Entry.Body, "Applies to: "+strings.Join(globs, ", "))
		}
	})
}

// claudeIndex reads the notes that the index holds itself; its lines about
// topic files are those files' descriptions.
func (s *source) claudeIndex(f file, text string, described map[string]string) error {
	for _, it := range items(text, 1) {
		if m := indexPattern().FindStringSubmatch(it.text); m != nil {
			if !fileExists(path.Join(f.dir(), m[2])) {
				s.note(at(f, it.line), "the file it points to is not there")
			}
			continue
		}
		err := s.emit(Record{
			Entry: entryfile.Entry{Kind: guess(it.text, entryfile.Convention), Body: it.text},
			Scope: Project, Key: "memory/" + textHash(it.text), Where: at(f, it.line),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// claudeKinds says what the types of topic files become, and whose they are.
var claudeKinds = map[string]struct {
	kind  entryfile.Kind
	scope string
}{
	"user":      {entryfile.Preference, User},
	"feedback":  {entryfile.Preference, User},
	"project":   {entryfile.Convention, Project},
	"reference": {entryfile.Convention, Project},
}

func (s *source) claudeTopic(f file, text, described string) error {
	front, rest, _ := takeFront(text)
	title, body, line := takeTitle(rest, front.end+1)
	r := Record{Scope: Project, Key: "memory/" + path.Base(f.rel), Where: at(f, max(1, line-1))}
	e := &r.Entry
	e.Title = firstOf(title, words(front.text("name", "title")), words(f.stem()))
	e.Description = firstOf(front.text("description"), described)
	e.Body = body
	e.Kind = guess(body, entryfile.Convention)
	if k, ok := claudeKinds[strings.ToLower(front.nested("metadata", "type"))]; ok {
		e.Kind, r.Scope = k.kind, k.scope
		if k.kind == entryfile.Convention {
			e.Kind = guess(body, k.kind)
		}
	}
	r.dated(&e.Created, "its date", front.text("created", "date"))
	return s.emit(r)
}
