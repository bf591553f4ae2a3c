package importers

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// Sessions of Claude Code (~/.claude/projects/<folder>/<session>.jsonl) and of
// Codex (~/.codex/sessions/<y>/<m>/<d>/rollout-<time>-<session>.jsonl) become
// one trace each: notes that a person can read. Facts: the files that both
// programs write, and openai/codex, codex-rs/protocol/src/{protocol,models}.rs.

// errNoSession says that a file is none of a session.
var errNoSession = errors.New("it is no session of Claude Code or Codex")

func readSessions(s *source) error {
	isSession := func(f file) bool { return path.Ext(f.rel) == ".jsonl" && path.Base(f.rel) != "history.jsonl" }
	others := 0
	err := s.each(isSession, func(f file) error {
		t := newTrace()
		err := s.jsonLines(f, func(n int, line []byte) error { return t.line(line) })
		switch {
		case errors.Is(err, errNoSession):
			if f.named() {
				s.refuse(f.show, "%s", err)
			}
			return nil
		case err != nil:
			return err
		case t.program == "" || len(t.requests) == 0:
			s.note(f.show, "nobody asked for anything in it: passed over")
			return nil
		case s.isOfAnother(f, t.dir):
			others++
			return nil
		}
		return s.emit(t.record(f))
	})
	if err == nil && others > 0 {
		s.note(strings.Join(s.in.Paths, ", "), "%d sessions were held in other folders than this project's: name their files to import them here", others)
	}
	return err
}

// isOfAnother reports whether a session was held in a folder that is not the
// workspace's, and so is not of this project. A file that a person named, or a
// project's own folder, is theirs to import.
func (s *source) isOfAnother(f file, dir string) bool {
	if s.in.Project == "" || dir == "" || f.named() {
		return false
	}
	if root := f.root + "/"; strings.Contains(root, "/.claude/projects/") && !strings.HasSuffix(root, "/.claude/projects/") {
		return false
	}
	project := filepath.ToSlash(s.in.Project)
	dir = strings.ReplaceAll(dir, "\\", "/")
	return dir != project && !strings.HasPrefix(dir, strings.TrimRight(project, "/")+"/")
}

// Bounds of a trace, in characters of one thing and in how many of them.
const (
	maxRequest  = 2000
	maxRequests = 100
	maxListed   = 100
	maxError    = 400
	maxErrors   = 30
	maxEnding   = 4000
	giveUpAfter = 20 // lines that are no session's, before anything that is
)

// A trace gathers what a session's lines say.
type trace struct {
	program, session, dir, branch string
	from, to                      string // first and last time, as written
	requests                      []string
	files                         counted // path -> what was done to it
	commands                      counted
	errors                        []string
	ending                        string
	aborted                       bool
	calls                         map[string]call
	unknown                       map[string]int
	bad, left                     int
	lines                         int
}

// A call is a tool's use that waits for its result.
type call struct{ what string }

func newTrace() *trace {
	return &trace{calls: map[string]call{}, unknown: map[string]int{}}
}

// counted keeps texts in the order of their first use, with their counts.
type counted struct {
	order []string
	times map[string]int
	left  int
}

func (c *counted) add(s string) {
	if s = strings.TrimSpace(s); s == "" {
		return
	}
	if c.times == nil {
		c.times = map[string]int{}
	}
	if c.times[s] == 0 {
		if len(c.order) == maxListed {
			c.left++
			return
		}
		c.order = append(c.order, s)
	}
	c.times[s]++
}

// line takes one line of either program.
func (t *trace) line(data []byte) error {
	t.lines++
	var l struct {
		Type      string          `json:"type"`
		Timestamp string          `json:"timestamp"`
		Payload   json.RawMessage `json:"payload"`
		Message   json.RawMessage `json:"message"`
		SessionID string          `json:"sessionId"`
		Cwd       string          `json:"cwd"`
		Branch    string          `json:"gitBranch"`
		Sidechain bool            `json:"isSidechain"`
		Meta      bool            `json:"isMeta"`
		Compacted bool            `json:"isCompactSummary"`
		Role      string          `json:"role"`
		ID        string          `json:"id"`
		Git       struct {
			Branch string `json:"branch"`
		} `json:"git"`
		Instructions json.RawMessage `json:"instructions"`
	}
	if err := json.Unmarshal(data, &l); err != nil {
		t.bad++
		return t.giveUp()
	}
	if date(l.Timestamp) != "" {
		if t.from == "" {
			t.from = l.Timestamp
		}
		t.to = l.Timestamp
	}
	switch {
	case l.Payload != nil:
		t.codex(l.Type, l.Payload)
	case l.SessionID != "" || l.Message != nil && (l.Type == "user" || l.Type == "assistant"):
		t.is("Claude Code", l.SessionID, l.Cwd, l.Branch)
		switch l.Type {
		case "user":
			t.claudeUser(l.Message, l.Meta || l.Sidechain || l.Compacted)
		case "assistant":
			t.claudeAssistant(l.Message, l.Sidechain)
		case "system", "summary", "file-history-snapshot", "queue-operation", "progress", "attachment", "last-prompt", "permission-mode", "mode", "custom-title", "ai-title", "agent-name", "pr-link":
		default:
			t.unknown[l.Type]++
		}
	case l.Type == "summary", l.Type == "file-history-snapshot":
	case l.Type == "" && l.ID != "" && l.Timestamp != "":
		// The first line of Codex's older files.
		t.is("Codex", l.ID, "", l.Git.Branch)
	case t.program == "Codex":
		t.codexItem(data)
	default:
		t.unknown[l.Type]++
		return t.giveUp()
	}
	return nil
}

// giveUp ends the reading of a file that has shown nothing of a session.
func (t *trace) giveUp() error {
	if t.program == "" && t.lines >= giveUpAfter {
		return errNoSession
	}
	return nil
}

func (t *trace) is(program, session, dir, branch string) {
	t.program = program
	t.session = firstOf(t.session, session)
	t.dir = firstOf(t.dir, dir)
	t.branch = firstOf(t.branch, branch)
}

// request takes what a person asked for. What the programs put between a
// person's words is left out.
func (t *trace) request(s string) {
	s = strings.TrimSpace(withoutTags(s))
	if s == "" || strings.HasPrefix(s, "Caveat: The messages below") || strings.HasPrefix(s, "[Request interrupted") {
		return
	}
	if len(t.requests) == maxRequests {
		t.left++
		return
	}
	if s = clean(s, maxRequest); len(t.requests) > 0 && t.requests[len(t.requests)-1] == s {
		return
	}
	t.requests = append(t.requests, s)
	t.aborted = false
}

func (t *trace) failed(what, output string) {
	if len(t.errors) == maxErrors {
		t.left++
		return
	}
	text := entryfile.Shorten(lastLines(secrets.Redact(readable(output)), 6), maxError)
	if what != "" {
		text = what + ": " + text
	}
	t.errors = append(t.errors, text)
}

// did records what a tool did: to a file, or as a command.
func (t *trace) did(verb, file string) {
	t.files.add(verb + " `" + strings.ReplaceAll(t.local(clean(file, 300)), "`", "'") + "`")
}

func (t *trace) ran(command string) string {
	command = clean(oneLine(command), 200)
	t.commands.add("`" + strings.ReplaceAll(command, "`", "'") + "`")
	return "`" + strings.ReplaceAll(command, "`", "'") + "`"
}

// local is a path as seen from the session's folder.
func (t *trace) local(p string) string {
	if t.dir == "" {
		return p
	}
	return strings.TrimPrefix(p, strings.TrimRight(t.dir, "/\\")+"/")
}

// clean is a text that may be kept: without secrets, and not endless. Secrets
// are looked for in the whole text, since a part of one is not known for one.
func clean(s string, limit int) string {
	return entryfile.Shorten(strings.TrimSpace(secrets.Redact(readable(s))), limit)
}

func readable(s string) string {
	return strings.ToValidUTF8(plainLines(strings.ReplaceAll(s, "\x00", "")), "\uFFFD")
}

// lastLines are the last lines of an output, which tell what went wrong.
func lastLines(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := len(s); i > 0; {
		i = strings.LastIndexByte(s[:i], '\n')
		if i < 0 {
			break
		}
		if n--; n == 0 {
			return s[i+1:]
		}
	}
	return s
}

// withoutTags takes out the blocks in which the programs tell the model things
// of their own: <system-reminder>…</system-reminder> and the like.
func withoutTags(s string) string {
	for _, tag := range [...]string{"system-reminder", "environment_context", "user_instructions", "command-message", "command-name", "command-args", "local-command-stdout", "local-command-stderr", "local-command-caveat", "hook_context", "turn_aborted", "permissions instructions", "INSTRUCTIONS", "ide_opened_file", "ide_selection"} {
		for {
			i := strings.Index(s, "<"+tag)
			if i < 0 {
				break
			}
			end := strings.Index(s[i:], "</"+tag+">")
			if end < 0 {
				break
			}
			s = s[:i] + s[i+end+len("</"+tag+">"):]
		}
	}
	if i := strings.Index(s, "# AGENTS.md instructions"); i == 0 {
		return ""
	}
	return s
}

func (t *trace) record(f file) Record {
	session := firstOf(clean(oneLine(t.session), 80), f.stem())
	r := Record{Scope: Project, Key: "session/" + session, Where: at(f, 1)}
	e := &r.Entry
	e.Kind = entryfile.SessionTrace
	e.Title = entryfile.DefaultTitle(t.requests[0])
	e.Session = session
	r.dated(&e.Created, "its time", t.from)
	e.Updated = date(t.to)
	e.Body = t.notes(r.Entry.Created, e.Updated)
	if t.bad > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d lines could not be read", t.bad))
	}
	if n := len(t.unknown); n > 0 {
		total := 0
		for _, c := range t.unknown {
			total += c
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%d lines are of kinds that are not known: %s", total, clean(strings.Join(sortedKeys(t.unknown), ", "), 200)))
	}
	return r
}

// notes writes the trace for people.
func (t *trace) notes(from, to string) string {
	var b strings.Builder
	b.WriteString("A session of " + t.program)
	if from != "" {
		b.WriteString(", " + from)
		if to != "" && to != from {
			b.WriteString(" to " + to)
		}
	}
	if t.dir != "" {
		b.WriteString(", in " + clean(path.Base(strings.ReplaceAll(t.dir, "\\", "/")), 100))
	}
	if t.branch != "" {
		b.WriteString(" on branch " + clean(t.branch, 100))
	}
	b.WriteString(".\n")
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		b.WriteString("\n## " + title + "\n\n")
		for _, it := range items {
			b.WriteString("- " + strings.ReplaceAll(it, "\n", "\n  ") + "\n")
		}
	}
	list("Requests", t.requests)
	list("Files", t.files.lines())
	list("Commands", t.commands.lines())
	list("Errors", t.errors)
	b.WriteString("\n## How it ended\n\n")
	switch {
	case t.ending != "":
		b.WriteString(quoteHeadings(clean(t.ending, maxEnding)) + "\n")
	default:
		b.WriteString("Nothing was said.\n")
	}
	if t.aborted {
		b.WriteString("\nIt was interrupted.\n")
	}
	var left []string
	if t.left > 0 {
		left = append(left, fmt.Sprintf("%d more requests and errors", t.left))
	}
	if n := t.files.left + t.commands.left; n > 0 {
		left = append(left, fmt.Sprintf("%d more files and commands", n))
	}
	if len(left) > 0 {
		b.WriteString("\nLeft out: " + strings.Join(left, ", ") + ".\n")
	}
	return b.String()
}

func (c *counted) lines() []string {
	out := make([]string, len(c.order))
	for i, s := range c.order {
		out[i] = s
		if n := c.times[s]; n > 1 {
			out[i] += fmt.Sprintf(" (%d times)", n)
		}
	}
	return out
}

// quoteHeadings keeps a text's own headings from passing for the trace's.
func quoteHeadings(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if n, title := heading(l); n > 0 {
			lines[i] = "**" + title + "**"
		}
	}
	return strings.Join(lines, "\n")
}
