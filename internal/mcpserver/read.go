package mcpserver

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

type listArgs struct {
	Kind   string `json:"kind"`
	Tag    string `json:"tag"`
	Status string `json:"status"`
	Cursor string `json:"cursor"`
}

type listAnswer struct {
	where
	Entries []row  `json:"entries"`
	Total   int    `json:"total"`
	Cursor  string `json:"cursor,omitempty"` // for the next page
}

// list answers with one page of the index. Its cursor names the last entry
// given, so that what comes in meanwhile shifts nothing.
func (c *call) list(ctx context.Context, _ *mcp.CallToolRequest, a listArgs) (*mcp.CallToolResult, error) {
	kind, err := kindOf(a.Kind)
	if err != nil {
		return nil, err
	}
	after, err := parsePlace(a.Cursor)
	if err != nil {
		return nil, err
	}
	all, err := c.home.List(ctx, vault.ListQuery{Kind: kind, Tag: a.Tag, Status: a.Status})
	if err != nil && len(all) == 0 {
		return nil, err
	} else if err != nil {
		c.note(ctx, message(err))
	}
	rest := after.rest(all)
	const most = 100 // no page holds more
	var rows []row
	for _, e := range rest[:min(most, len(rest))] {
		rows = append(rows, rowOf(e))
	}
	return fit(len(rows), func(n int) (*mcp.CallToolResult, error) {
		out := listAnswer{where: c.where(), Entries: append([]row{}, rows[:n]...), Total: len(all)}
		if n < len(rest) && n > 0 {
			out.Cursor = placeOf(rest[n-1])
		}
		r, err := result(out.text(), out)
		if err == nil && n == 1 && size(r) > room {
			out.Entries[0].trim()
			return result(out.text(), out)
		}
		return r, err
	})
}

// text is the answer as text.
func (a listAnswer) text() string {
	text := fmt.Sprintf("%d of %d entries\n%s\n", len(a.Entries), a.Total, lines(a.Entries))
	if a.Cursor != "" {
		text += "more: call again with cursor " + a.Cursor
	}
	return a.where.text(text)
}

// A place is where in a list, newest first, a page ended: after which entry,
// made when.
type place struct {
	created int64
	id      string
}

func placeOf(e vault.Entry) string { return strconv.FormatInt(e.Created.Unix(), 36) + "." + e.ID }

func parsePlace(s string) (*place, error) {
	if s == "" {
		return nil, nil
	}
	at, id, ok := strings.Cut(s, ".")
	created, err := strconv.ParseInt(at, 36, 64)
	if !ok || err != nil {
		return nil, invalid("take it from the answer before, or leave it out", "%q is no cursor", s)
	}
	return &place{created, id}, nil
}

// rest is what of a list comes after the place. Where its entry is gone, the
// others of the same second come again rather than not at all.
func (p *place) rest(all []vault.Entry) []vault.Entry {
	if p == nil {
		return all
	}
	older := sort.Search(len(all), func(i int) bool { return all[i].Created.Unix() <= p.created })
	for i, e := range all[older:] {
		if e.Created.Unix() != p.created {
			break
		}
		if e.ID == p.id {
			return all[older+i+1:]
		}
	}
	return all[older:]
}

type recallArgs struct {
	Query  string `json:"query"`
	Kind   string `json:"kind"`
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

type hitRow struct {
	row
	Snippet string  `json:"snippet,omitempty"`
	Caution string  `json:"caution,omitempty"`
	Why     string  `json:"why,omitempty"`
	Score   float64 `json:"score"`
	Backend string  `json:"backend,omitempty"` // whose own hit it is: no entry of the vault
}

type recallAnswer struct {
	where
	Hits    []hitRow `json:"hits"`
	Omitted int      `json:"omitted"`
	Cursor  string   `json:"cursor,omitempty"`
}

// mostHits is as many hits as paging reaches.
const mostHits = 200

func (c *call) recall(ctx context.Context, _ *mcp.CallToolRequest, a recallArgs) (*mcp.CallToolResult, error) {
	kind, err := kindOf(a.Kind)
	if err != nil {
		return nil, err
	}
	if a.Limit < 0 || a.Limit > maxLimit {
		return nil, invalid(fmt.Sprintf("use 1 to %d", maxLimit), "limit is %d", a.Limit)
	}
	if a.Limit == 0 {
		a.Limit = 10
	}
	from, err := parseCursor(a.Cursor)
	if err != nil {
		return nil, err
	}
	if err := tooLong("the query", a.Query, maxQuery); err != nil {
		return nil, err
	}
	if c.opt.Off {
		c.add(c.word("off"))
		out := recallAnswer{where: c.where(), Hits: []hitRow{}}
		return result(out.text(), out)
	}
	found, err := c.find(ctx, vault.RecallQuery{Text: a.Query, Kind: kind, Limit: min(mostHits, from.item+a.Limit)})
	if err != nil {
		return nil, err
	}
	total := len(found.Hits) + found.Omitted
	hits := found.Hits[min(from.item, len(found.Hits)):]
	return fit(len(hits), func(n int) (*mcp.CallToolResult, error) {
		out := recallAnswer{where: c.where(), Hits: []hitRow{}, Omitted: max(0, total-from.item-n)}
		for _, h := range hits[:n] {
			out.Hits = append(out.Hits, hitOf(h))
		}
		if next := from.item + n; n > 0 && out.Omitted > 0 && next < mostHits {
			out.Cursor = cursor{item: next}.String()
		}
		r, err := result(out.text(), out)
		if err == nil && n == 1 && size(r) > room {
			out.Hits[0].trim()
			return result(out.text(), out)
		}
		return r, err
	})
}

// text is the answer as text.
func (a recallAnswer) text() string {
	var b strings.Builder
	if len(a.Hits) == 0 {
		b.WriteString("nothing found")
	}
	for _, h := range a.Hits {
		b.WriteString(h.text() + "\n")
	}
	if a.Cursor != "" {
		fmt.Fprintf(&b, "%d more: call again with cursor %s", a.Omitted, a.Cursor)
	}
	return a.where.text(b.String())
}

// find recalls without a budget of tokens: what bounds the answer is its size.
func (c *call) find(ctx context.Context, q vault.RecallQuery) (vault.Recalled, error) {
	q.Budget, q.Session = math.MaxInt32, c.writer.Session
	return c.home.Recall(ctx, q)
}

func hitOf(h vault.Hit) hitRow {
	caution, snippet := h.Said()
	r := hitRow{row: rowOf(h.Entry), Snippet: snippet, Caution: caution, Why: h.Why, Score: math.Round(h.Score*1000) / 1000, Backend: h.Backend}
	if snippet != "" || caution != "" {
		r.Description = ""
	}
	if r.Snippet == r.Title {
		r.Snippet = ""
	}
	r.Pinned = false
	return r
}

func (r hitRow) text() string {
	out := r.line()
	if r.Backend != "" {
		out = "- [" + shown(r.ID) + "] " + shown(r.Title) + " (from " + shown(r.Backend) + ", no entry of the vault: get does not know it)"
	}
	if r.Caution != "" {
		out += "\n  failed: " + shown(r.Caution)
	}
	if r.Snippet != "" {
		out += "\n  " + shown(r.Snippet)
	}
	return out
}

type contextArgs struct {
	Query string `json:"query"`
}

type contextAnswer struct {
	where
	Context string `json:"context"`
	Shown   int    `json:"shown"`
	Total   int    `json:"total"`
	Omitted int    `json:"omitted"`
}

// contextBytes bounds the block where a result holds it twice.
const contextBytes = 4_750

func (c *call) context(ctx context.Context, _ *mcp.CallToolRequest, a contextArgs) (*mcp.CallToolResult, error) {
	if err := tooLong("the query", a.Query, maxQuery); err != nil {
		return nil, err
	}
	if c.opt.Off {
		c.add(c.word("off"))
		out := contextAnswer{where: c.where()}
		return result(out.where.text(""), out)
	}
	config, err := c.home.Config()
	if err != nil {
		return nil, err
	}
	bytes := contextBytes
	if own := config.Context.Bytes; own > 0 {
		bytes = min(bytes, own)
	}
	for {
		block, err := c.home.Context(ctx, vault.ContextQuery{Query: a.Query, Bytes: bytes, Session: c.writer.Session})
		if err != nil {
			return nil, err
		}
		out := contextAnswer{where: c.where(), Context: block.Text}
		for _, s := range block.Scopes {
			out.Shown += s.Shown
			out.Total += s.Total
			out.Omitted += s.Omitted
		}
		r, err := result(out.where.text(block.Text), out)
		if over := size(r) - room; err == nil && over > 0 && bytes > over {
			bytes -= over/2 + 50
			continue
		}
		return r, err
	}
}

type statusArgs struct{}

type statusAnswer struct {
	where
	Dir     string              `json:"dir"`
	FoundBy string              `json:"found_by,omitempty"`
	Scopes  []scopeAnswer       `json:"scopes"`
	Context vault.ContextStatus `json:"context"`
	Waiting []row               `json:"waiting,omitempty"` // the caller's own changes that wait for review
	More    int                 `json:"waiting_more,omitempty"`
}

type scopeAnswer struct {
	Name      string             `json:"name"`
	Entries   map[vault.Kind]int `json:"entries"`
	Pending   int                `json:"pending"`
	Conflicts int                `json:"conflicts"`
	Error     string             `json:"error,omitempty"`
}

func (c *call) status(ctx context.Context, _ *mcp.CallToolRequest, _ statusArgs) (*mcp.CallToolResult, error) {
	st, err := c.home.Status(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := c.home.Pending(ctx, "")
	if err != nil {
		return nil, err
	}
	out := statusAnswer{Dir: c.dir, FoundBy: st.Workspace.FoundBy, Scopes: []scopeAnswer{}, Context: st.Context}
	var b strings.Builder
	if st.Workspace.Key != "" {
		fmt.Fprintf(&b, "found by %s from %s\n", st.Workspace.FoundBy, c.dir)
	}
	for _, s := range st.Scopes {
		out.Scopes = append(out.Scopes, scopeAnswer{s.Name, s.Entries, s.Pending, s.Conflicts, s.Error})
		n := 0
		for _, count := range s.Entries {
			n += count
		}
		fmt.Fprintf(&b, "%s: %d entries, %d waiting for review", shown(s.Name), n, s.Pending)
		if s.Conflicts > 0 {
			fmt.Fprintf(&b, ", %d conflicts for the person to settle", s.Conflicts)
		}
		if s.Error != "" {
			b.WriteString(", can't be read: " + shown(s.Error))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "a context holds %d entries and leaves out %d\n", st.Context.Shown, st.Context.Omitted)
	out.where = c.where()
	var rows []row
	for _, e := range waiting {
		rows = append(rows, rowOf(e))
	}
	return fit(len(rows), func(n int) (*mcp.CallToolResult, error) {
		o := out
		o.Waiting, o.More = rows[:n], len(rows)-n
		text := b.String()
		if n > 0 {
			text += "waiting, of your own:\n" + lines(rows[:n]) + "\n"
		}
		if o.More > 0 {
			text += fmt.Sprintf("and %d more\n", o.More)
		}
		return result(o.where.text(text), o)
	})
}

// stamp is a time as answers give it.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
