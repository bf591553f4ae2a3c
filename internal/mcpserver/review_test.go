package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// A panel is the person at a client: it keeps what was shown, and answers.
type panel struct {
	answer func(n int, message string) (*mcp.ElicitResult, error)

	mu   sync.Mutex
	list []string
	form []string
}

// shown is what has been shown so far; a question may still be open.
func (p *panel) shown() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

// forms are the forms of the questions, as JSON.
func (p *panel) forms() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.form)
}

func (p *panel) show(message string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, message)
	return len(p.list)
}

func (p *panel) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			form, _ := json.Marshal(r.Params.RequestedSchema)
			p.mu.Lock()
			p.form = append(p.form, string(form))
			p.mu.Unlock()
			return p.answer(p.show(r.Params.Message), r.Params.Message)
		},
	}
}

func choose(decision string) func(int, string) (*mcp.ElicitResult, error) {
	return func(int, string) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": decision}}, nil
	}
}

func act(action string) func(int, string) (*mcp.ElicitResult, error) {
	return func(int, string) (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: action}, nil }
}

func TestThePersonKeepsAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, link func(*testing.T, *Server, *mcp.Client) *mcp.ClientSession) {
		l := newLab(t)
		dir := l.project("widget")
		p := &panel{answer: choose(keep)}
		o := p.options()
		o.Capabilities.RootsV2 = &mcp.RootCapabilities{}
		c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o)
		c.AddRoots(rootOf(dir))
		cs := link(t, New(l.options(l.folder("elsewhere"))), c)

		out := ask(t, cs, "remember", map[string]any{"title": "Queue in Postgres", "text": "One system less\nto run.", "kind": "decision", "tags": []string{"storage"}})
		require.Len(t, p.shown(), 1)
		assert.Contains(t, p.shown()[0], "tester wants to remember this decision of example.org/team/widget:")
		assert.Contains(t, p.shown()[0], "> Queue in Postgres\n> One system less\n> to run.\n> tags: storage\n")
		assert.Equal(t, false, out["pending"])
		assert.Contains(t, out["review"], "kept it")
		id := idOf(out)

		h := l.person(dir)
		list, err := h.List(t.Context(), vault.ListQuery{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		log, err := h.Log(t.Context(), vault.LogQuery{})
		require.NoError(t, err)
		assert.Equal(t, "keep", log[0].Op)
		assert.Equal(t, "person", log[0].Source)
		assert.Equal(t, "tester", log[1].Source)

		out = ask(t, cs, "update", map[string]any{"id": id, "text": "One system less\nto watch."})
		assert.Contains(t, p.shown()[1], "[-run-]{+watch+}")
		assert.Contains(t, p.shown()[1], "> Queue in Postgres")
		assert.Equal(t, false, out["pending"])
		out = ask(t, cs, "forget", map[string]any{"id": id, "reason": "we left it"})
		assert.Contains(t, p.shown()[2], "wants to forget decision "+id)
		assert.Contains(t, p.shown()[2], "> to watch.")
		assert.Contains(t, p.shown()[2], "> reason: we left it")
		assert.Contains(t, p.shown()[2], "Keep: the entry is forgotten. Restore: the entry stays.")
		assert.Contains(t, p.forms()[2], `"Keep (forget the entry)","Restore (leave the entry)"`)
		assert.Contains(t, p.forms()[1], `"Keep (make the change)","Restore (leave the entry as it was)"`)
		assert.Equal(t, false, out["pending"])
		list, err = h.List(t.Context(), vault.ListQuery{All: true})
		require.NoError(t, err)
		assert.Empty(t, list)
		pending, err := h.Pending(t.Context(), "")
		require.NoError(t, err)
		assert.Empty(t, pending)
	})
}

func TestThePersonPutsBackAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, link func(*testing.T, *Server, *mcp.Client) *mcp.ClientSession) {
		l := newLab(t)
		dir := l.project("widget")
		p := &panel{answer: choose(restore)}
		cs := link(t, New(l.options(dir)), client(p.options()))
		out := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
		assert.Equal(t, false, out["pending"])
		assert.Contains(t, out["review"], "did not keep it")
		h := l.person(dir)
		pending, err := h.Pending(t.Context(), "")
		require.NoError(t, err)
		assert.Empty(t, pending)
		list, err := h.List(t.Context(), vault.ListQuery{All: true})
		require.NoError(t, err)
		assert.Empty(t, list)
	})
}

// Whatever is no clear answer leaves the change held, and says how to review
// it.
func TestWhatIsNotAnsweredIsHeld(t *testing.T) {
	for name, answer := range map[string]func(int, string) (*mcp.ElicitResult, error){
		"declined": act("decline"), "cancelled": act("cancel"), "accepted without a choice": act("accept"),
		"another choice": choose("keep"), "failed": func(int, string) (*mcp.ElicitResult, error) { return nil, assert.AnError },
	} {
		for _, version := range versions {
			if name == "failed" && version >= rounds {
				continue // the client ends the call itself
			}
			if (name == "another choice" || name == "accepted without a choice") && version >= rounds {
				continue // the SDK's client refuses such an answer itself
			}
			t.Run(name+" "+version, func(t *testing.T) {
				l := newLab(t)
				dir := l.project("widget")
				p := &panel{answer: answer}
				cs := connect(t, New(l.options(dir)), client(p.options()), version)
				out := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
				assert.Equal(t, true, out["pending"])
				assert.Contains(t, out["review"], "vault review")
				assert.NotEmpty(t, out["notes"])
				again := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
				assert.Equal(t, true, again["unchanged"])
				assert.Len(t, p.shown(), 1, "nobody is asked twice for one change")
				pending, err := l.person(dir).Pending(t.Context(), "")
				require.NoError(t, err)
				assert.Len(t, pending, 1)
			})
		}
	}
}

func TestWhoIsNotThereIsNotAskedAgain(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	forever := make(chan struct{})
	p := &panel{answer: func(int, string) (*mcp.ElicitResult, error) { <-forever; return nil, assert.AnError }}
	defer close(forever)
	o := l.options(dir)
	o.AskTimeout = 50 * time.Millisecond
	cs := connect(t, New(o), client(p.options()), "2025-11-25")
	for i, text := range []string{"Tabs.", "Spaces.", "Neither."} {
		out := ask(t, cs, "remember", map[string]any{"text": text, "kind": "convention"})
		assert.Equal(t, true, out["pending"], i)
		assert.Contains(t, out["notes"].([]any)[0], "nobody answered")
	}
	assert.LessOrEqual(t, len(p.shown()), 1)
}

// What the person is shown is what they decide about: a card that has changed
// since is not kept.
func TestACardThatChangesUnderTheQuestionIsNotKept(t *testing.T) {
	for _, version := range []string{"2025-11-25", rounds} {
		l := newLab(t)
		dir := l.project("widget")
		s := New(l.options(dir))
		var cs *mcp.ClientSession
		p := &panel{}
		p.answer = func(n int, message string) (*mcp.ElicitResult, error) {
			if n == 1 {
				pending, err := l.person(dir).Pending(context.Background(), "")
				require.NoError(t, err)
				h, err := l.open(Opening{Dir: dir, Writer: vault.Writer{Agent: "tester"}})
				require.NoError(t, err)
				_, err = h.Edit(context.Background(), pending[0].ID, vault.Edit{Text: ptr("Something else.")})
				require.NoError(t, err)
			}
			return choose(keep)(n, message)
		}
		cs = connect(t, s, client(p.options()), version)
		out := ask(t, cs, "remember", map[string]any{"title": "Indent", "text": "Tabs.", "kind": "convention"})
		assert.Equal(t, true, out["pending"])
		assert.Contains(t, out["notes"].([]any)[0], "has changed since it was shown")
		list, err := l.person(dir).List(t.Context(), vault.ListQuery{})
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}

func TestWhatIsTooLongToShowIsNotAsked(t *testing.T) {
	l := newLab(t)
	p := &panel{answer: choose(keep)}
	cs := connect(t, New(l.options(l.project("widget"))), client(p.options()))
	out := ask(t, cs, "remember", map[string]any{"text": strings.Repeat("long text ", 1000), "kind": "decision"})
	assert.Equal(t, true, out["pending"])
	assert.Contains(t, out["notes"].([]any)[0], "too long")
	assert.Empty(t, p.shown())
}

// A question can't be made to look like something else by what an entry says.
func TestACardIsFenced(t *testing.T) {
	l := newLab(t)
	p := &panel{answer: act("decline")}
	cs := connect(t, New(l.options(l.project("widget"))), client(p.options()))
	ask(t, cs, "remember", map[string]any{"title": "Harmless", "text": "Harmless.\n\nKeep makes it count; nothing else happens.\x1b[8m\nhidden", "kind": "decision"})
	for i, line := range strings.Split(strings.TrimSpace(p.shown()[0]), "\n") {
		if strings.Contains(line, "nothing else") || strings.Contains(line, "hidden") || strings.Contains(line, "Harmless") {
			assert.True(t, strings.HasPrefix(line, "> "), "line %d: %s", i, line)
		}
	}
	assert.NotContains(t, p.shown()[0], "\x1b")
}

// The state a client carries between two rounds is sealed: no client makes up a
// decision about a card that was not shown.
func TestAnAnswerToNoQuestionDecidesNothing(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	s := New(l.options(dir))
	q := question{Tool: "remember", Dir: dir, Agent: "tester", Args: sumOf([]byte(`{"a": 1, "b": 2}`)), Answer: changeAnswer{Card: "gggggggg"}}
	state, err := s.seal(q)
	require.NoError(t, err)
	got := s.unseal(state)
	assert.Equal(t, &q, got)
	assert.True(t, got.isOf("remember", "tester", []byte(`{"b":2,"a":1}`)))
	assert.False(t, got.isOf("forget", "tester", []byte(`{"b":2,"a":1}`)))
	assert.False(t, got.isOf("remember", "other", []byte(`{"b":2,"a":1}`)))
	assert.False(t, got.isOf("remember", "tester", []byte(`{"b":2,"a":3}`)))
	assert.Nil(t, New(l.options(dir)).unseal(state), "of another server")
	assert.Nil(t, s.unseal("x"+state[1:]))
	assert.Nil(t, s.unseal(""))
}

// Whatever is pressed in the client: what was decided elsewhere while the
// question was open is what the answer says.
func TestACardThatIsDecidedElsewhereMeanwhile(t *testing.T) {
	for _, version := range []string{"2025-11-25", rounds} {
		for _, elsewhere := range []string{keep, restore} {
			for name, answer := range map[string]func(int, string) (*mcp.ElicitResult, error){
				"Keep": choose(keep), "Restore": choose(restore), "decline": act("decline"),
			} {
				t.Run(version+" "+elsewhere+" then "+name, func(t *testing.T) {
					l := newLab(t)
					dir := l.project("widget")
					p := &panel{}
					p.answer = func(n int, message string) (*mcp.ElicitResult, error) {
						h := l.person(dir)
						decide := h.Keep
						if elsewhere == restore {
							decide = h.Discard
						}
						pending, err := h.Pending(context.Background(), "")
						require.NoError(t, err)
						_, err = decide(context.Background(), []string{pending[0].Card}, vault.DecideOptions{})
						require.NoError(t, err)
						return answer(n, message)
					}
					cs := connect(t, New(l.options(dir)), client(p.options()), version)
					out := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
					require.Len(t, p.shown(), 1)
					assert.Equal(t, false, out["pending"])
					assert.NotContains(t, out, "card")
					list, err := l.person(dir).List(t.Context(), vault.ListQuery{})
					require.NoError(t, err)
					if elsewhere == keep {
						assert.Contains(t, out["review"], "it counts now")
						assert.Len(t, list, 1)
					} else {
						assert.Contains(t, out["review"], "did not keep it")
						assert.Empty(t, list)
					}
				})
			}
		}
	}
}

// A call that is sent again after its answer is answered as things stand, and
// what belongs to one call answers no other.
func TestARequestStateIsGoodForItsOwnCall(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	o := (&panel{answer: choose(keep)}).options()
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	cs := connect(t, New(l.options(dir)), client(o), rounds)
	args := map[string]any{"text": "Tabs.", "kind": "convention"}
	asked, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: args})
	require.NoError(t, err)
	require.NotEmpty(t, asked.RequestState)
	answer := func(args map[string]any, decision string) *mcp.CallToolResult {
		r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: args, RequestState: asked.RequestState,
			InputResponses: mcp.InputResponseMap{reviewQuestion: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": decision}}}})
		require.NoError(t, err)
		return r
	}
	other := answer(map[string]any{"text": "Spaces.", "kind": "convention"}, keep)
	assert.True(t, other.IsError)
	assert.Contains(t, textOf(other), "requestState belongs to a call with another tool or other arguments")
	pending, err := l.person(dir).Pending(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, pending, 1, "nothing was decided")
	assert.Contains(t, structured(t, answer(args, keep))["review"], "it counts now")
	again := structured(t, answer(args, restore))
	assert.Equal(t, false, again["pending"])
	assert.Contains(t, again["review"], "it counts now")
}

// With the policy "apply" a change counts at once, and the person may still put
// it back at once.
func TestAnAppliedChangeIsAskedAboutToo(t *testing.T) {
	l := newLab(t)
	l.settings("review: apply\n")
	dir := l.project("widget")
	p := &panel{answer: choose(restore)}
	cs := connect(t, New(l.options(dir)), client(p.options()))
	out := ask(t, cs, "remember", map[string]any{"text": "Tabs.", "kind": "convention"})
	assert.Contains(t, out["review"], "did not keep it")
	assert.Empty(t, ask(t, cs, "list", nil)["entries"])
}
