package generate

import (
	"encoding/json"
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
)

// A jsonWriter writes one JSON document, an entry a line.
type jsonWriter struct{ words }

// encode writes a text as a JSON string, without <, > and &.
func encode(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

func encodeLine(s string) string { return encode(safetext.Line(s)) }

func (w jsonWriter) outer() string { return "{\"scopes\":[\n\n]}\n\n" }

func (w jsonWriter) open(s *share, shown, total, omitted int) string {
	name := within(s.scope.Name, maxFrameName, encodeLine)
	var b strings.Builder
	b.WriteString(`{"scope":`)
	switch s.scope.Role {
	case User, Project:
		b.WriteString(encode(roleName(s.scope)))
	default:
		b.WriteString(name + `,"shared":true`)
	}
	if s.scope.Role == Project {
		b.WriteString(`,"project":` + name)
	}
	b.WriteString(`,"use":` + encode(w.use(s.scope, safetext.Line(entryfile.Shorten(s.scope.Name, maxFrameName)))))
	if s.first {
		b.WriteString(`,"read":` + encode(w.say("read")))
	}
	if s.scope.Problem != "" {
		b.WriteString(`,"problem":` + within(s.scope.Problem, maxFrameProblem, encodeLine))
	}
	b.WriteString(`,"shown":` + strconv.Itoa(shown) + `,"total":` + strconv.Itoa(total) + `,"omitted":` + strconv.Itoa(omitted))
	b.WriteString(",\"entries\":[\n")
	return b.String()
}

func (w jsonWriter) end(*share) string { return "\n]},\n" }

func (w jsonWriter) item(c *ContextScope, e *entryfile.Entry, named bool, fields ...string) string {
	var b strings.Builder
	b.WriteString(`{"id":` + encodeLine(entryfile.Shorten(e.ID, 64)) + `,"kind":` + encodeLine(string(e.Kind)))
	if named {
		b.WriteString(`,"scope":` + within(roleName(c), maxFrameName, encodeLine))
	}
	b.WriteString(`,"title":` + encodeLine(entryfile.Shorten(e.Title, entryfile.MaxTitle)))
	if e.Pinned {
		b.WriteString(`,"pinned":true`)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		b.WriteString(`,"` + fields[i] + `":` + fields[i+1])
	}
	b.WriteString("},\n")
	return b.String()
}

func (w jsonWriter) whole(c *ContextScope, e *entryfile.Entry, recalled bool) string {
	return w.item(c, e, recalled || c.Role == Shared, "body", encode(bodyOf(e)))
}

func (w jsonWriter) heading(entryfile.Kind) string { return "" }

func (w jsonWriter) line(c *ContextScope, e *indexed, long bool) string {
	var fields []string
	if g := gist(e); g != "" {
		fields = append(fields, "text", encodeLine(g))
	}
	if long {
		fields = append(fields, "too_long", encode(lengthOf(e.Body)))
	}
	return w.item(c, e.Entry, c.Role == Shared, fields...)
}

func (w jsonWriter) atLeast(e *entryfile.Entry) int { return plainBytes(e.Title) }

func (w jsonWriter) body(s *share) string {
	var b strings.Builder
	for _, p := range s.whole {
		b.WriteString(p.text)
	}
	for _, kind := range listing(s) {
		for _, e := range s.byKind[kind] {
			b.WriteString(e.text)
		}
	}
	return strings.TrimSuffix(b.String(), ",\n")
}

func (w jsonWriter) recalledOpen(shown, omitted int) string {
	return `],"recalled":{"shown":` + strconv.Itoa(shown) + `,"omitted":` + strconv.Itoa(omitted) + ",\"entries\":[\n"
}

func (w jsonWriter) recalledEnd() string { return "\n]}}\n" }

func (w jsonWriter) compose(p *packer) string {
	var b strings.Builder
	for _, s := range p.shares {
		if s.framed {
			b.WriteString(w.open(s, s.shown(), s.total(), s.total()-s.shown()) + w.body(s) + w.end(s))
		}
	}
	out := "{\"scopes\":[\n" + strings.TrimSuffix(b.String(), ",\n") + "\n"
	if len(p.recalled)+len(p.passed) == 0 {
		return out + "]}\n"
	}
	var items strings.Builder
	for _, r := range p.recalled {
		items.WriteString(r.text)
	}
	items.WriteString(strings.Join(p.passed, ""))
	return out + w.recalledOpen(len(p.recalled), p.missed) + strings.TrimSuffix(items.String(), ",\n") + w.recalledEnd()
}
