package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

type getArgs struct {
	ID     string   `json:"id"`
	IDs    []string `json:"ids"`
	Cursor string   `json:"cursor"`
}

// A whole is an entry whole, or a part of one whose body is long.
type whole struct {
	ID           string     `json:"id"`
	Scope        string     `json:"scope"`
	Kind         vault.Kind `json:"kind"`
	Title        string     `json:"title"`
	Description  string     `json:"description,omitempty"`
	Body         string     `json:"body"`
	BodyFrom     int        `json:"body_from,omitempty"` // of a part: where it begins, in bytes
	BodySize     int        `json:"body_size,omitempty"` // of a part: how long the body is in all
	Tags         []string   `json:"tags,omitempty"`
	Pinned       bool       `json:"pinned,omitempty"`
	Status       string     `json:"status,omitempty"`
	Outcome      string     `json:"outcome,omitempty"`
	Source       string     `json:"source,omitempty"`
	Evidence     string     `json:"evidence,omitempty"`
	Created      string     `json:"created,omitempty"`
	Updated      string     `json:"updated,omitempty"`
	Paths        []string   `json:"paths,omitempty"`
	Code         string     `json:"code,omitempty"`
	Session      string     `json:"session,omitempty"`
	Supersedes   []string   `json:"supersedes,omitempty"`
	SupersededBy []string   `json:"superseded_by,omitempty"`
	DerivedFrom  []string   `json:"derived_from,omitempty"`
	Expires      string     `json:"expires,omitempty"`
	Conflict     string     `json:"conflict,omitempty"`
	Cards        []string   `json:"cards,omitempty"`
	Review       string     `json:"review,omitempty"`
}

// maxField is how long a field but the body may be to stand in its own place;
// a longer one stands at the body's end, which is given in parts.
const maxField = 500

// atEnd stands in the place of a field that is at the body's end.
const atEnd = "(at the body's end)"

func wholeOf(e vault.Entry) whole {
	w := whole{
		ID: e.ID, Scope: e.Scope, Kind: e.Kind, Title: e.Title, Description: e.Description, Body: e.Body, Tags: e.Tags, Pinned: e.Pinned,
		Status: e.Status, Outcome: e.Outcome, Source: e.Source, Evidence: e.Evidence, Created: stamp(e.Created), Updated: stamp(e.Updated),
		Paths: e.Paths, Code: e.Code, Session: e.Session, Supersedes: e.Supersedes, SupersededBy: e.SupersededBy, DerivedFrom: e.DerivedFrom,
		Expires: e.Expires, Conflict: e.Conflict, Cards: e.Cards, Review: e.Review,
	}
	if strings.HasPrefix(oneLine(e.Body), strings.TrimSuffix(e.Description, "…")) {
		w.Description = "" // it was derived from the body
	}
	for _, f := range []struct {
		name string
		text *string
	}{{"outcome", &w.Outcome}, {"evidence", &w.Evidence}, {"source", &w.Source}, {"code", &w.Code}, {"session", &w.Session}, {"expires", &w.Expires}} {
		if len(*f.text) > maxField {
			w.Body += "\n\n" + f.name + ": " + *f.text
			*f.text = atEnd
		}
	}
	for _, f := range []struct {
		name string
		list *[]string
	}{{"tags", &w.Tags}, {"paths", &w.Paths}, {"supersedes", &w.Supersedes}, {"superseded_by", &w.SupersededBy}, {"derived_from", &w.DerivedFrom}, {"cards", &w.Cards}} {
		if text := strings.Join(*f.list, "\n"); len(text) > maxField {
			w.Body += "\n\n" + f.name + ":\n" + text
			*f.list = []string{atEnd}
		}
	}
	return w
}

// text is the entry as a fenced text: what it says can't end the fence.
func (w whole) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<entry id=%q kind=%q scope=\"%s\" title=\"%s\"", w.ID, w.Kind, safetext.Attr(w.Scope), safetext.Attr(w.Title))
	attr := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=\"%s\"", name, safetext.Attr(value))
		}
	}
	attr("status", w.Status)
	attr("created", w.Created)
	attr("updated", w.Updated)
	attr("source", w.Source)
	attr("tags", strings.Join(w.Tags, ", "))
	attr("paths", strings.Join(w.Paths, ", "))
	attr("evidence", w.Evidence)
	attr("outcome", w.Outcome)
	attr("supersedes", strings.Join(w.Supersedes, ", "))
	attr("superseded_by", strings.Join(w.SupersededBy, ", "))
	attr("derived_from", strings.Join(w.DerivedFrom, ", "))
	attr("expires", w.Expires)
	attr("cards", strings.Join(w.Cards, ", "))
	attr("review", w.Review)
	if w.Pinned {
		attr("pinned", "yes")
	}
	if w.BodySize > 0 {
		fmt.Fprintf(&b, " bytes=\"%d-%d of %d\"", w.BodyFrom, w.BodyFrom+len(w.Body), w.BodySize)
	}
	b.WriteString(">\n" + safetext.Tagless(safetext.Text(w.Body)) + "\n</entry>")
	return b.String()
}

// part is the entry with the bytes of its body from and to.
func (w whole) part(from, to int) whole {
	if from == 0 && to == len(w.Body) {
		return w
	}
	w.BodyFrom, w.BodySize = from, len(w.Body)
	w.Body = w.Body[from:to]
	return w
}

type getAnswer struct {
	where
	Entries []whole `json:"entries"`
	Cursor  string  `json:"cursor,omitempty"`
}

// get answers with whole entries, as many as fit; a body that does not fit
// alone comes in parts.
func (c *call) get(ctx context.Context, _ *mcp.CallToolRequest, a getArgs) (*mcp.CallToolResult, error) {
	ids := a.IDs
	if a.ID != "" {
		ids = append([]string{a.ID}, ids...)
	}
	from, err := parseCursor(a.Cursor)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, invalid("give id, or ids", "no entry is asked for")
	case len(ids) > maxIDs:
		return nil, invalid("ask in several calls", "%d entries are asked for; the limit is %d", len(ids), maxIDs)
	case from.item >= len(ids):
		return nil, invalid("give the same ids as before", "cursor %s is past the last of %d entries", a.Cursor, len(ids))
	}
	found, err := c.home.Get(ctx, "", ids[from.item:])
	if err != nil {
		return nil, err
	}
	all := make([]whole, len(found))
	for i, e := range found {
		all[i] = wholeOf(e)
	}
	if from.at > len(all[0].Body) {
		return nil, invalid("begin again without a cursor", "the body of %s is shorter than cursor %s", all[0].ID, a.Cursor)
	}
	page := func(list []whole, next cursor, more bool) (*mcp.CallToolResult, error) {
		out := getAnswer{where: c.where(), Entries: list}
		texts := make([]string, len(list))
		for i, w := range list {
			texts[i] = w.text()
		}
		text := strings.Join(texts, "\n")
		if more {
			out.Cursor = next.String()
			text += "\nmore: call again with cursor " + out.Cursor
		}
		return result(out.where.text(text), out)
	}
	first := all[0].part(from.at, len(all[0].Body))
	r, err := page([]whole{first}, cursor{item: from.item + 1}, len(all) > 1)
	if err != nil {
		return nil, err
	}
	if size(r) > room {
		rest := all[0].Body[from.at:]
		return fit(min(len(rest), room), func(n int) (*mcp.CallToolResult, error) {
			to := from.at + cut(rest, n)
			return page([]whole{all[0].part(from.at, to)}, cursor{from.item, to}, true)
		})
	}
	return fit(len(all), func(n int) (*mcp.CallToolResult, error) {
		list := slices.Concat([]whole{first}, all[1:n])
		return page(list, cursor{item: from.item + n}, n < len(all))
	})
}

// cut is where to cut a text that may take at most n bytes: after a line where
// that wastes little, never inside a character, and after one at least.
func cut(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	if i := strings.LastIndexByte(s[:n], '\n'); i >= n-n/4 && i > 0 {
		return i + 1
	}
	i := n
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	if i == 0 {
		_, i = utf8.DecodeRuneInString(s)
	}
	return i
}
