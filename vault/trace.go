package vault

import (
	"bytes"
	"context"
	"strings"
	"unicode"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// A TraceNote is something to note down about a session.
type TraceNote struct {
	Scope   string // the project's by default, the user's where there is none
	Session string // which session; it has one trace, however often it is added to
	Title   string // of a new trace; by default from the text
	Text    string
	Replace bool // compact: the text takes the place of all notes so far
}

// Trace adds to the notes of a session: it makes the session's trace, or
// appends to it. What the trace ends with already is not added again, see
// afterNotes. With Replace the notes are compacted: the text takes their place,
// names the commit that last changed them, and they stay in the history.
func (h *Home) Trace(ctx context.Context, n TraceNote) (Change, error) {
	n.Session = strings.TrimSpace(n.Session)
	if n.Session == "" {
		return Change{}, invalid("name it with --session", "a trace needs a session")
	}
	text := entryfile.TrimBody(n.Text)
	if text == "" {
		return Change{}, invalid("give it as an argument, or '-' and on standard input", "nothing to note: the text is empty")
	}
	s, err := h.scopeFor(n.Scope, SessionTrace)
	if err != nil {
		return Change{}, err
	}
	var out Change
	longer := false
	err = s.write(ctx, func(t *txn) error {
		at, err := t.traceOf(n.Session)
		if err != nil {
			return err
		}
		p := proposal{op: entryfile.OpAdd}
		verb := "remember"
		switch {
		case at == nil && n.Replace:
			return notFound("'vault trace list' shows the sessions", "no trace of session %s", n.Session)
		case at == nil:
			p.after, err = s.draft(Draft{Kind: SessionTrace, Title: orDefault(n.Title, traceTitle(text)), Text: text, Session: n.Session})
			if err != nil {
				return err
			}
		default:
			from, own, err := t.latest(*at)
			if err != nil {
				return err
			}
			verb = "edit"
			p.op, p.before, p.after = entryfile.OpEdit, at, from.Clone()
			switch {
			case n.Replace && (from.Body == text || withoutNotesBefore(from.Body) == text):
			case n.Replace:
				last, err := t.lastChange(at.path)
				if err != nil {
					return err
				}
				p.after.Body = text + notesBefore + last.String()[:12] + notesBeforeEnd
				longer = len(text) > len(withoutNotesBefore(from.Body))
			case from.Body == from.Title:
				p.after.Body = text
			default:
				p.after.Body = afterNotes(from.Body, text)
			}
			if p.after.Body == from.Body {
				out = t.same(*at, from, own)
				return nil
			}
			if n.Title != "" {
				p.after.Title = n.Title
			}
			p.after.Updated = later(t.now, from)
		}
		done, err := t.propose(p)
		if err != nil {
			return err
		}
		m := t.message(verb, p.after.Title)
		m.session = n.Session
		c, err := t.commit(m, nil)
		out = t.outcome(done, c)
		return err
	})
	if err == nil && n.Scope == "" {
		h.noteNoProject(SessionTrace, s)
	}
	if err == nil && longer {
		h.notice("these notes are longer than those whose place they take")
	}
	return out, err
}

// What compacted notes end with, around the name of a commit.
const (
	notesBefore    = "\n\n_The notes before this are in commit "
	notesBeforeEnd = "._"
)

// withoutNotesBefore is a text without the line that compacting put under it.
func withoutNotesBefore(body string) string {
	if i := strings.LastIndex(body, notesBefore); i >= 0 && strings.HasSuffix(body, notesBeforeEnd) && !strings.Contains(body[i+len(notesBefore):], "\n") {
		return body[:i]
	}
	return body
}

// lastChange is the newest commit that changed a file that is committed.
func (t *txn) lastChange(path string) (gitstore.Hash, error) {
	for c, err := range t.repo.Log(t.ctx, t.tree.head) {
		if err != nil {
			return gitstore.Hash{}, t.scope.fail(err)
		}
		now, err := fileAt(t.repo, c.Hash, path)
		if err != nil {
			return gitstore.Hash{}, t.scope.fail(err)
		}
		same := false
		for _, parent := range c.Parents {
			before, err := fileAt(t.repo, parent, path)
			if err != nil {
				return gitstore.Hash{}, t.scope.fail(err)
			}
			same = same || before == now
		}
		if !same {
			return c.Hash, nil
		}
	}
	return t.tree.head, nil
}

// afterNotes adds a note to notes: all of it as a paragraph of its own, or what
// of it they do not end with already. They end with the beginning of it where
// their last lines are its first ones, but for blanks at the ends of lines, and
// these are all lines of either, or two at least that say something: that both
// have one line such as "ok" means nothing.
func afterNotes(notes, note string) string {
	old, lines := strings.Split(notes, "\n"), strings.Split(note, "\n")
	n := overlap(trimmed(old), trimmed(lines))
	said := 0
	for _, line := range lines[:n] {
		if strings.TrimSpace(line) != "" {
			said++
		}
	}
	switch {
	case n == len(lines):
		return notes
	case n == len(old) && n > 0, said >= 2:
		return notes + "\n" + strings.Join(lines[n:], "\n")
	}
	return notes + "\n\n" + note
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return out
}

// overlap is the largest number of lines at the end of the old ones that are
// the first of the added ones, found as Knuth, Morris and Pratt find a word.
func overlap(old, added []string) int {
	back := make([]int, len(added)+1) // how many first lines end the first n, less than n
	step := func(n int, line string) int {
		for n > 0 && (n == len(added) || added[n] != line) {
			n = back[n]
		}
		if n < len(added) && added[n] == line {
			n++
		}
		return n
	}
	for i := 1; i < len(added); i++ {
		back[i+1] = step(back[i], added[i])
	}
	n := 0
	for _, line := range old {
		n = step(n, line)
	}
	return n
}

// traceTitle is a trace's title by default. It never is the whole text, which
// is added to later.
func traceTitle(text string) string {
	title := entryfile.DefaultTitle(text)
	if title == text {
		title = "Session: " + title
	}
	return entryfile.Shorten(title, 100)
}

// traceOf finds the trace of a session, a held one of the same agent included.
func (t *txn) traceOf(session string) (*located, error) {
	seen, err := t.sight()
	if err != nil {
		return nil, err
	}
	found, err := seen.tracesOf(session)
	if err != nil || len(found) > 0 {
		if err == nil {
			return &found[0], nil
		}
		return nil, t.scope.fail(err)
	}
	cards, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	for _, c := range cards {
		if c.Op == entryfile.OpAdd && c.HasEntry() && c.Kind == SessionTrace && c.Entry.Session == session && c.Source == t.scope.home.opt.Writer.source() {
			l := c.proposed()
			return &l, nil
		}
	}
	return nil, nil
}

// tracesOf finds the traces of a session in the authored files.
func (t *tree) tracesOf(session string) ([]located, error) {
	var out []located
	for _, p := range t.paths(SessionTrace) {
		f := t.files[p]
		data, err := f.bytes()
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(data, []byte(session)) {
			continue
		}
		doc, err := f.document()
		if err != nil {
			return nil, err
		}
		for _, s := range doc.Sections() {
			if s.Err == nil && s.Session == session {
				out = append(out, located{s, p})
			}
		}
	}
	return out, nil
}

// ShowTrace returns the trace of a session, or of an id.
func (h *Home) ShowTrace(ctx context.Context, scope, session string) (Entry, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return Entry{}, err
	}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return Entry{}, err
		}
		found, err := t.tracesOf(session)
		if err != nil {
			return Entry{}, s.fail(err)
		}
		if len(found) > 0 && !(h.opt.Writer.IsAgent() && hasSecret(found[0].Entry)) {
			return present(s.name, found[0]), nil
		}
	}
	if IsID(session) {
		found, err := h.Get(ctx, scope, []string{session})
		if err == nil && found[0].Kind == SessionTrace {
			return found[0], nil
		}
	}
	return Entry{}, notFound("'vault trace list' shows the sessions", "no trace of session %s", session)
}
