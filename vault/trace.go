package vault

import (
	"bytes"
	"context"
	"strings"

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
// appends to it. What the trace ends with already is not added again. With
// Replace the notes are compacted: the text takes their place, says in which
// commit they stand, and they stay in the history.
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
			case n.Replace && from.Body == text, !n.Replace && endsWithNote(from.Body, text):
				out = t.same(*at, from, own)
				return nil
			case n.Replace:
				p.after.Body = text + "\n\n_The notes before this are in commit " + t.tree.head.String()[:12] + "._"
			case from.Body == from.Title:
				p.after.Body = text
			default:
				p.after.Body = from.Body + "\n\n" + text
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
	return out, err
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

// endsWithNote reports whether a trace ends with a note already, as a whole.
func endsWithNote(body, note string) bool {
	return body == note || strings.HasSuffix(body, "\n\n"+note)
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
