package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/merge"
	"gitvault/internal/safetext"
	"gitvault/vault"
)

// reviewQuestion names the question to the person about a card.
const reviewQuestion = "review"

// maxQuestion is how long a question may be, in bytes. A longer card is not
// asked about: nobody is to keep what they have not seen whole.
const maxQuestion = 8_000

// The person's choices.
const (
	keep    = "Keep"
	restore = "Restore"
)

// A question is a change that the person is being asked about.
type question struct {
	Tool    string       `json:"tool"`
	Dir     string       `json:"dir"`
	Agent   string       `json:"agent"`
	Done    string       `json:"done"`
	Args    string       `json:"args"`    // a sum of the call's arguments
	Version string       `json:"version"` // of the card as it was shown
	Answer  changeAnswer `json:"answer"`
}

// canAsk reports whether the client can put a question to the person.
func (c *call) canAsk() bool {
	caps := c.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// person is the vault as the person at the client, who answers its questions.
func (c *call) person() (*vault.Home, error) { return c.opt.Open(Opening{Dir: c.dir}) }

// review shows the person the card of a change and asks whether it is to be
// kept. Without an answer it stays as the answer so far says.
func (c *call) review(ctx context.Context, r *mcp.CallToolRequest, done string, out changeAnswer) (*mcp.CallToolResult, error) {
	if !c.canAsk() {
		return c.changed(done, out)
	}
	h, err := c.person()
	if err != nil {
		return nil, err
	}
	view, err := h.Card(ctx, out.Card)
	if err != nil {
		return nil, err
	}
	params := &mcp.ElicitParams{Message: c.cardText(view), RequestedSchema: c.choices(view.Op)}
	if len(params.Message) > maxQuestion {
		c.add(c.word("unasked.long"))
		return c.changed(done, out)
	}
	q := question{r.Params.Name, c.dir, c.writer.Agent, done, sumOf(r.Params.Arguments), view.Version, out}
	if c.ProtocolVersion() >= rounds {
		state, err := c.seal(q)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{reviewQuestion: params}, RequestState: state}, nil
	}
	answer, err := c.ask(ctx, r.Session, params)
	if err != nil {
		return nil, err
	}
	return c.decide(ctx, q, answer)
}

// ask puts a question to the person, one at a time. A nil answer is none.
func (c *call) ask(ctx context.Context, ss *mcp.ServerSession, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	select {
	case c.session.asking <- struct{}{}:
		defer func() { <-c.session.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.session.mu.Lock()
	muted := c.session.muted
	c.session.mu.Unlock()
	if muted {
		c.add(c.word("unasked.silent"))
		return nil, nil
	}
	limited, cancel := c.session.while(ctx, c.opt.AskTimeout)
	defer cancel()
	answer, err := ss.Elicit(limited, params)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		c.session.mu.Lock()
		c.session.muted = true // whoever is not there is not asked again and again
		c.session.mu.Unlock()
		c.add(c.word("unasked.silent"))
	default:
		c.add(c.word("unasked.failed"))
	}
	return nil, nil
}

// decided goes on with a change that the client carried the question of.
func (c *call) decided(ctx context.Context, r *mcp.CallToolRequest, q question) (*mcp.CallToolResult, error) {
	answer, ok := r.Params.InputResponses[reviewQuestion].(*mcp.ElicitResult)
	if !ok {
		c.add(c.word("unasked.failed"))
	}
	return c.decide(ctx, q, answer)
}

// decide does what the person answered, as their act. They, or somebody else, may
// have decided the card elsewhere meanwhile: the answer says what came of it.
func (c *call) decide(ctx context.Context, q question, answer *mcp.ElicitResult) (*mcp.CallToolResult, error) {
	h, err := c.person()
	if err != nil {
		return nil, err
	}
	out := q.Answer
	fate, commit, err := h.CardFate(ctx, "", out.Card)
	if err != nil {
		return nil, err
	}
	choice := ""
	if answer != nil && answer.Action == "accept" {
		choice, _ = answer.Content["decision"].(string)
	}
	if fate == vault.CardOpen && (choice == keep || choice == restore) {
		var list []vault.Change
		err := c.write(ctx, func() (err error) {
			o := vault.DecideOptions{Version: q.Version}
			if choice == keep {
				list, err = h.Keep(ctx, []string{out.Card}, o)
			} else {
				list, err = h.Discard(ctx, []string{out.Card}, o)
			}
			return err
		})
		switch {
		case err == nil && choice == keep:
			fate, commit = vault.CardKept, first(list).Commit
		case err == nil:
			fate, commit = vault.CardRestored, first(list).Commit
		default:
			var lookErr error
			if fate, commit, lookErr = h.CardFate(ctx, "", out.Card); lookErr != nil {
				return nil, lookErr
			}
			c.note(ctx, "the person chose "+choice+", which was not possible: "+message(err))
		}
		c.wake()
	} else if fate == vault.CardOpen && answer != nil {
		c.add(c.word("unasked.declined"))
	}
	done := q.Done
	switch fate {
	case vault.CardOpen:
		return c.changed(done, out)
	case vault.CardKept:
		out.Review = c.word("kept")
	case vault.CardRestored:
		out.Review = c.word("restored")
		done = "not " + done
	case vault.CardGone:
		out.Review = c.word("decided")
		done = "waits no more:"
	}
	out.Pending, out.Card, out.Commit = false, "", commit
	return c.changed(done, out)
}

// choices is the form of the question about a card to add, edit or forget.
func (c *call) choices(op string) json.RawMessage {
	data, _ := encode(map[string]any{
		"type": "object", "required": []string{"decision"},
		"properties": map[string]any{"decision": map[string]any{
			"type": "string", "title": c.word("card.choice." + op), "description": c.word("card.ask." + op),
			"enum": []string{keep, restore}, "enumNames": []string{c.word("card.keep." + op), c.word("card.restore." + op)},
		}},
	})
	return data
}

// cardText is a card as the person is shown it: the exact text, or for an edit
// what goes and what comes. What an entry says stands behind > marks and can't
// pass for the question.
func (c *call) cardText(v vault.CardView) string {
	e := v.After
	if e == nil {
		e = v.Before
	}
	if e == nil {
		e = &vault.Entry{ID: v.Card, Scope: v.Scope}
	}
	place := c.word("card.user")
	if v.Scope != vault.UserScope {
		place = c.word("card.project", safetext.Line(v.Scope))
	}
	agent, kind := safetext.Line(v.Source), strings.ReplaceAll(string(e.Kind), "_", " ")
	var b strings.Builder
	quoted := func(s string) {
		for _, line := range strings.Split(safetext.Text(s), "\n") {
			b.WriteString("> " + line + "\n")
		}
	}
	part := func(s string) { b.WriteString(s + "\n") }
	if v.Before != nil && v.After != nil {
		part(c.word("card.edit", agent, kind, place, e.ID))
		before := fieldsOf(*v.Before)
		for i, f := range fieldsOf(*v.After) {
			switch was := before[i].text; {
			case was != f.text:
				quoted(f.name + ": " + words(was, f.text))
			case f.name == "title":
				quoted(f.text)
			}
		}
		if v.Before.Body != v.After.Body {
			quoted(words(v.Before.Body, v.After.Body))
		}
	} else {
		if v.After != nil {
			part(c.word("card.add", agent, kind, place))
		} else {
			part(c.word("card.forget", agent, kind, place, e.ID))
		}
		quoted(e.Title)
		if e.Body != e.Title {
			quoted(e.Body)
		}
		for _, f := range fieldsOf(*e) {
			if f.text != "" && f.name != "title" && f.name != "pinned" {
				quoted(f.name + ": " + f.text)
			}
		}
	}
	if v.Reason != "" {
		quoted("reason: " + v.Reason)
	}
	if v.After != nil && v.After.Pinned {
		part(c.word("card.pinned"))
	}
	if v.Moved {
		part(c.word("card.moved"))
	}
	for _, near := range v.Alike {
		part(c.word("card.alike", near.ID, safetext.Line(near.Title)))
	}
	if c.reason != "" && v.Op == "forget" {
		quoted(c.word("card.reason", c.reason))
	}
	part(c.word("card.ask." + v.Op))
	return b.String()
}

// A field is one of an entry's fields, as text.
type field struct{ name, text string }

// derived reports whether an entry's description is only its body's beginning.
func derived(e vault.Entry) bool {
	return e.Description == e.Title || strings.HasPrefix(oneLine(e.Body), strings.TrimSuffix(e.Description, "…"))
}

// fieldsOf lists the fields but the body that a change may be about.
func fieldsOf(e vault.Entry) []field {
	pinned := ""
	if e.Pinned {
		pinned = "yes"
	}
	description := e.Description
	if derived(e) {
		description = ""
	}
	return []field{
		{"title", e.Title}, {"description", description}, {"tags", strings.Join(e.Tags, ", ")}, {"pinned", pinned},
		{"status", e.Status}, {"outcome", e.Outcome}, {"expires", e.Expires}, {"evidence", e.Evidence},
		{"paths", strings.Join(e.Paths, ", ")}, {"supersedes", strings.Join(e.Supersedes, ", ")},
	}
}

// words shows an edit in words as git does: [-gone-] and {+new+}.
func words(before, after string) string {
	var b strings.Builder
	for _, s := range merge.WordDiff(before, after) {
		switch s.Op {
		case merge.Removed:
			b.WriteString("[-" + s.Text + "-]")
		case merge.Added:
			b.WriteString("{+" + s.Text + "+}")
		default:
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// seal packs a question so that a client can carry it and nobody can alter it.
func (s *Server) seal(q question) (string, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(s.sign(data), data...)), nil
}

// unseal reads what this server sealed; nil where it did not.
func (s *Server) unseal(state string) *question {
	data, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(data) < sha256.Size || !hmac.Equal(data[:sha256.Size], s.sign(data[sha256.Size:])) {
		return nil
	}
	var q question
	if json.Unmarshal(data[sha256.Size:], &q) != nil {
		return nil
	}
	return &q
}

// isOf reports whether a question was asked about this very call.
func (q *question) isOf(tool, agent string, args json.RawMessage) bool {
	return q.Tool == tool && q.Agent == agent && q.Args == sumOf(args)
}

// sumOf is a sum of a call's arguments that does not depend on how they are
// written.
func sumOf(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		v = string(args)
	}
	data, _ := json.Marshal(v) // with the keys in order
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (s *Server) sign(data []byte) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write(data)
	return m.Sum(nil)
}
