package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

// maxResult bounds a whole result as it goes over the wire, in bytes. Clients
// cut longer ones, some in the middle.
//
// A result says everything twice, as text and as structured content: of the
// clients some show their model only the one, some only the other.
const maxResult = 10_000

// room is what of the bound is left beside what the protocol adds to a result.
const room = maxResult - 250

// where is what every answer says of the place it comes from.
type where struct {
	Project string   `json:"project,omitempty"` // absent where the folder belongs to none
	Notes   []string `json:"notes,omitempty"`
}

func (c *call) where() where { return where{c.project, c.noted()} }

// text is how an answer's text begins and ends: which project it is about, and
// what else is to be said.
func (w where) text(body string) string {
	var b strings.Builder
	if w.Project != "" {
		b.WriteString("project: " + shown(w.Project) + "\n")
	}
	b.WriteString(body)
	for _, n := range w.Notes {
		b.WriteString("\nnote: " + n)
	}
	return strings.TrimRight(b.String(), "\n")
}

// result makes a tool's result of an answer.
func result(text string, answer any) (*mcp.CallToolResult, error) {
	data, err := encode(answer)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data}, nil
}

// encode is JSON with < and & as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// size is how many bytes a result takes on the wire.
func size(r *mcp.CallToolResult) int {
	data, err := json.Marshal(r)
	if err != nil {
		return room + 1
	}
	return len(data)
}

// fit makes the result with the most items that stays within the bound, but
// with one at least; make gives the result for the first n.
func fit(most int, page func(n int) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	if most == 0 {
		return page(0)
	}
	var failed error
	n := sort.Search(most, func(i int) bool {
		r, err := page(i + 1)
		if err != nil {
			failed = err
			return true
		}
		return size(r) > room
	})
	if failed != nil {
		return nil, failed
	}
	return page(max(1, n))
}

// A cursor says where an answer goes on: at which item, and at which byte of
// its body.
type cursor struct{ item, at int }

func (c cursor) String() string {
	if c.at == 0 {
		return strconv.Itoa(c.item)
	}
	return fmt.Sprintf("%d.%d", c.item, c.at)
}

func parseCursor(s string) (cursor, error) {
	if s == "" {
		return cursor{}, nil
	}
	item, at, inside := strings.Cut(s, ".")
	var c cursor
	var err, err2 error
	c.item, err = strconv.Atoi(item)
	if inside {
		c.at, err2 = strconv.Atoi(at)
	}
	if err != nil || err2 != nil || c.item < 0 || c.at < 0 {
		return c, invalid("take it from the answer before, or leave it out", "%q is no cursor", s)
	}
	return c, nil
}

// A row is an entry in a list.
type row struct {
	ID          string     `json:"id"`
	Scope       string     `json:"scope"`
	Kind        vault.Kind `json:"kind"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Pinned      bool       `json:"pinned,omitempty"`
	Status      string     `json:"status,omitempty"`
	Created     string     `json:"created,omitempty"` // the day
	Review      string     `json:"review,omitempty"`  // of a card: add, edit or forget
	Card        string     `json:"card,omitempty"`
}

func rowOf(e vault.Entry) row {
	r := row{ID: e.ID, Scope: e.Scope, Kind: e.Kind, Title: e.Title, Description: e.Description, Tags: e.Tags,
		Pinned: e.Pinned, Status: e.Status, Review: e.Review, Card: e.Card}
	if r.Description == r.Title {
		r.Description = ""
	}
	if r.Status == vault.StatusOpen {
		r.Status = ""
	}
	if !e.Created.IsZero() {
		r.Created = e.Created.Format("2006-01-02")
	}
	return r
}

// trim leaves out of a row what may take too much room for an answer; get has
// it all.
func (r *row) trim() { r.Tags, r.Description = nil, "" }

// line is a row as text.
func (r row) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- [%s] %s: %s", r.ID, r.Kind, shown(r.Title))
	if r.Description != "" {
		b.WriteString(": " + shown(r.Description))
	}
	var marks []string
	switch {
	case r.Scope == vault.UserScope:
		marks = append(marks, r.Scope)
	case vault.IsShared(r.Scope):
		marks = append(marks, "from "+r.Scope)
	}
	if r.Pinned {
		marks = append(marks, "pinned")
	}
	if r.Status != "" {
		marks = append(marks, r.Status)
	}
	if r.Card != "" {
		marks = append(marks, "waits as card "+r.Card+" to "+r.Review)
	}
	if len(marks) > 0 {
		b.WriteString(" (" + strings.Join(marks, ", ") + ")")
	}
	for _, t := range r.Tags {
		b.WriteString(" #" + shown(t))
	}
	return b.String()
}

// shown is a text as one line that no reader takes for a tag.
func shown(s string) string { return safetext.Tagless(safetext.Line(s)) }

// lines are rows as text, one a line.
func lines(list []row) string {
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.line()
	}
	return strings.Join(out, "\n")
}
