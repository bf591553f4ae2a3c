package generate

import (
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
	"gitvault/templates"
)

// A writer knows one format. Pieces end with a newline, so that the estimates
// of their tokens add up.
type writer interface {
	outer() string // what stands around all parts
	open(s *share, shown, total, omitted int) string
	body(s *share) string
	end(s *share) string
	whole(c *ContextScope, e *entryfile.Entry, recalled bool) string
	heading(k entryfile.Kind) string                    // before the first line of a kind
	line(c *ContextScope, e *indexed, long bool) string // long: its body is too long to stand whole
	atLeast(e *entryfile.Entry) int                     // bytes that the entry's line cannot be under
	recalledOpen(shown, omitted int) string
	recalledEnd() string
	compose(p *packer) string
}

func newWriter(in ContextInput) writer {
	w := words{in.Templates.File(templates.Context)}
	switch in.Format {
	case JSON:
		return jsonWriter{w}
	case Markdown:
		return textWriter{words: w, prefix: "markdown.", gap: "\n", inline: markdownInline, attr: markdownInline, quote: true}
	}
	return textWriter{words: w, prefix: "xml.", inline: inlineXML, attr: safetext.Attr}
}

// Bounds, in bytes, of what the frame quotes.
const (
	maxFrameName    = 100
	maxFrameProblem = 160
)

// words is the wording of the context block.
type words struct{ templates.File }

func (w words) say(part string, values ...string) string {
	return w.Part(part).Text(values...)
}

// use says what a scope's entries are good for.
func (w words) use(c *ContextScope, name string) string {
	switch c.Role {
	case User:
		return w.say("use.user")
	case Project:
		return w.say("use.project")
	}
	return w.say("use.shared", name)
}

func roleName(c *ContextScope) string {
	switch c.Role {
	case User:
		return "user"
	case Project:
		return "project"
	}
	return c.Name
}

// within shortens s until the escaped form has at most n bytes.
func within(s string, n int, escape func(string) string) string {
	s = entryfile.Shorten(s, n)
	out := escape(s)
	for len(out) > n {
		s = entryfile.Shorten(s, min(n, len([]rune(s)))*n/len(out))
		out = escape(s)
	}
	return out
}

// gist is what an entry's line says beside the title.
func gist(e *indexed) string {
	if e.passage != "" {
		return entryfile.Shorten(e.passage, entryfile.MaxDescription)
	}
	return Summary(*e.Entry)
}

// bodyOf is what an entry says, harmless, as lines.
func bodyOf(e *entryfile.Entry) string {
	body := e.Body
	if strings.TrimSpace(body) == "" {
		body = e.Title
	}
	return strings.Trim(safetext.Text(body), "\n")
}

// titled reports whether the title says something that the body does not.
func titled(e *entryfile.Entry) bool {
	return e.Title != "" && e.Title != e.Body && strings.TrimSpace(e.Body) != ""
}

// lengthOf says how long a body is, as limits are written.
func lengthOf(body string) string {
	switch n := len(body); {
	case n < 1<<10:
		return strconv.Itoa(n) + " bytes"
	case n < 1<<20:
		return strconv.Itoa((n+1<<10-1)>>10) + " KiB"
	default:
		return strconv.Itoa((n+1<<20-1)>>20) + " MiB"
	}
}

// A textWriter writes XML or Markdown: the parts with its prefix.
type textWriter struct {
	words
	prefix string
	gap    string              // between a heading and what it is for
	inline func(string) string // makes a text part of a line
	attr   func(string) string // makes a text part of the frame
	quote  bool                // bodies stand behind > marks
}

func inlineXML(s string) string { return safetext.Tagless(safetext.Line(s)) }

// markdownInline is Markdown without <, which a reader of the source could
// take for a tag.
func markdownInline(s string) string {
	return strings.NewReplacer(`\<`, "&lt;", "<", "&lt;", "\uff1c", "&lt;", "\ufe64", "&lt;").Replace(safetext.Markdown(s))
}

func (w textWriter) outer() string { return "" }

func (w textWriter) open(s *share, shown, total, omitted int) string {
	name := within(s.scope.Name, maxFrameName, w.attr)
	n, of, left := strconv.Itoa(shown), strconv.Itoa(total), strconv.Itoa(omitted)
	var out string
	switch s.scope.Role {
	case User:
		out = w.say(w.prefix+"open.user", n, of, left)
	case Project:
		out = w.say(w.prefix+"open.project", name, n, of, left)
	default:
		out = w.say(w.prefix+"open.shared", name, n, of, left)
	}
	out += "\n" + w.gap + w.use(s.scope, name) + "\n"
	if s.first {
		out += w.say("read") + "\n"
	}
	if s.scope.Problem != "" {
		out += w.say("problem", within(s.scope.Problem, maxFrameProblem, w.inline)) + "\n"
	}
	return out + w.gap
}

func (w textWriter) end(s *share) string {
	if w.quote {
		return ""
	}
	switch s.scope.Role {
	case User:
		return w.say("xml.close.user") + "\n"
	case Project:
		return w.say("xml.close.project") + "\n"
	}
	return w.say("xml.close.shared") + "\n"
}

func (w textWriter) whole(c *ContextScope, e *entryfile.Entry, recalled bool) string {
	var scope, title string
	if recalled || c.Role == Shared {
		scope = w.say(w.prefix+"entry.scope", within(roleName(c), maxFrameName, w.attr))
	}
	if titled(e) {
		title = w.say(w.prefix+"entry.title", w.attr(entryfile.Shorten(e.Title, entryfile.MaxTitle)))
	}
	out := w.say(w.prefix+"entry.open", w.id(e), w.attr(string(e.Kind)), scope, title) + "\n" + w.gap
	body := safetext.Tagless(bodyOf(e))
	if w.quote {
		return out + quoted(body) + "\n" + w.gap
	}
	return out + body + "\n" + w.say("xml.entry.close") + "\n"
}

func (w textWriter) id(e *entryfile.Entry) string { return w.attr(entryfile.Shorten(e.ID, 64)) }

// quoted puts every line behind a > mark, which no text can end.
func quoted(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " \t")
	}
	return strings.Join(lines, "\n")
}

func (w textWriter) heading(k entryfile.Kind) string {
	return w.say("group."+string(k)) + "\n" + w.gap + w.gap // the second ends the group
}

func (w textWriter) line(c *ContextScope, e *indexed, long bool) string {
	var text, note string
	if g := gist(e); g != "" {
		text = w.say("text", w.inline(g))
	}
	if long {
		note = w.say("note.long", lengthOf(e.Body))
	}
	title := w.inline(entryfile.Shorten(e.Title, entryfile.MaxTitle))
	if c.Role == Shared {
		return w.say("line.shared", w.id(e.Entry), within(c.Name, maxFrameName, w.inline), title, text, note) + "\n"
	}
	return w.say("line", w.id(e.Entry), title, text, note) + "\n"
}

// atLeast counts the letters and digits of the title, which every form of a
// line has.
func (w textWriter) atLeast(e *entryfile.Entry) int { return plainBytes(e.Title) }

func plainBytes(s string) int {
	n := 0
	for i := 0; i < min(len(s), entryfile.MaxTitle-1); i++ {
		if isLetter(s[i]) || isDigit(s[i]) {
			n++
		}
	}
	return n
}

func (w textWriter) body(s *share) string {
	var b strings.Builder
	for _, p := range s.whole {
		b.WriteString(p.text)
	}
	for _, kind := range listing(s) {
		if !s.kinds[kind] {
			continue
		}
		b.WriteString(w.say("group."+string(kind)) + "\n" + w.gap)
		for _, e := range s.byKind[kind] {
			b.WriteString(e.text)
		}
		b.WriteString(w.gap)
	}
	return b.String()
}

func (w textWriter) recalledOpen(shown, omitted int) string {
	return w.say(w.prefix+"recalled.open", strconv.Itoa(shown), strconv.Itoa(omitted)) + "\n" + w.gap
}

func (w textWriter) recalledEnd() string {
	if w.quote {
		return w.gap
	}
	return w.say("xml.recalled.close") + "\n"
}

func (w textWriter) compose(p *packer) string {
	var b strings.Builder
	host := p.host()
	for _, s := range p.shares {
		if !s.framed {
			continue
		}
		b.WriteString(w.open(s, s.shown(), s.total(), s.total()-s.shown()))
		b.WriteString(w.body(s))
		if s == host && len(p.recalled)+len(p.passed) > 0 {
			b.WriteString(w.recalledOpen(len(p.recalled), p.missed))
			for _, r := range p.recalled {
				b.WriteString(r.text)
			}
			b.WriteString(strings.Join(p.passed, ""))
			b.WriteString(w.recalledEnd())
		}
		b.WriteString(w.end(s))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
