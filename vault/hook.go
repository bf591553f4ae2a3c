package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"gitvault/generate"
	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
	"gitvault/templates"
)

// A HookEvent is a moment in an agent's session at which its client asks.
type HookEvent string

// The events.
const (
	HookSessionStart HookEvent = "session-start"
	HookPrompt       HookEvent = "prompt"      // the person has written something
	HookTool         HookEvent = "tool"        // a tool was used
	HookCompact      HookEvent = "compact"     // the session is about to be compacted
	HookStop         HookEvent = "stop"        // the agent is done with a turn
	HookSessionEnd   HookEvent = "session-end" // nobody reads the answer any more
)

// HookEvents lists the events, in the order in which they happen.
func HookEvents() []HookEvent {
	return []HookEvent{HookSessionStart, HookPrompt, HookTool, HookCompact, HookStop, HookSessionEnd}
}

// A HookCall is what a client says of an event.
type HookCall struct {
	Event   HookEvent
	Session string // the client's id of it; without one nothing is known of what was given before
	Source  string // why a session starts: startup, resume, clear, compact or fork
	Prompt  string
	Command string // of a tool: the shell command it ran
	Again   bool   // of a stop: the turn goes on only because it was asked for

	// Restarts says that the client starts its sessions anew, or gives the
	// block again, after a compaction.
	Restarts bool
}

// A HookAnswer is what a client is told. An empty one is nothing to say.
type HookAnswer struct {
	Context string // for the model, at most MaxHookContext bytes
	Ask     string // of a stop: what the agent is asked to do before it ends
	Keep    string // of a compaction: what the summary is to keep
	Person  string // a line for the person
}

// Bounds of what hooks say.
const (
	MaxHookContext = 9_900 // bytes; clients cut or hide what is longer than 10,000
	maxBroughtUp   = 3     // entries at a prompt
	maxShownWhole  = 600   // bytes of a body that is shown whole at a prompt
	maxBroughtText = 3_000 // bytes of all that is brought up at a prompt
	maxPromptEnd   = 1_500 // bytes at each end of a prompt that are looked at: what is pasted in is not the question
	minWork        = 3     // prompts after which an agent that ends is asked to record its session
)

// Hook answers an agent client's hook. It changes no scope. An answer that
// comes with an error is good all the same: what could not be done is to note
// that it was given.
func (h *Home) Hook(ctx context.Context, in HookCall) (HookAnswer, error) {
	words := templates.Default().File(templates.Hooks)
	k, err := h.hookSession(in.Session)
	if err != nil {
		return HookAnswer{}, err
	}
	before := k.data.clone()
	var out HookAnswer
	switch in.Event {
	case HookSessionStart:
		if k.startsTwice(h.opt.Writer.Agent, in.Source) {
			return HookAnswer{}, nil
		}
		out.Context, err = h.hookStart(ctx, in, words, k)
	case HookPrompt:
		out.Context, err = h.hookPrompt(ctx, in, words, k)
	case HookTool:
		k.data.Commits = k.data.Commits || strings.Contains(in.Command, "git") && strings.Contains(in.Command, "commit")
	case HookCompact:
		out.Keep, out.Person = words.Part("compact.keep").Text(), words.Part("compact.person").Text()
		k.forget()
		k.data.Compacted = true
	case HookStop:
		out.Ask, err = h.hookStop(ctx, in, words, k)
	case HookSessionEnd:
	default:
		return HookAnswer{}, invalid("use session-start, prompt, tool, compact, stop or session-end", "no hook event %q", shortened(string(in.Event)))
	}
	if err != nil {
		return HookAnswer{}, err
	}
	if err := k.save(before); err != nil {
		out.Ask = "" // or it would be asked at every turn
		return out, err
	}
	return out, nil
}

// hookStart is the context block, and after a compaction the offer to record
// what the summary names. A resumed session still has the block it was given.
func (h *Home) hookStart(ctx context.Context, in HookCall, words templates.File, k *hookSession) (string, error) {
	offer := ""
	if in.Source == "compact" || k.data.Compacted && !in.Restarts {
		offer = k.afterCompaction(in, words)
	}
	block, err := h.hookBlock(ctx, in, k, MaxHookContext-len(offer))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(block))
	print := hex.EncodeToString(sum[:8])
	if in.Source == "resume" && k.data.Block == print && offer == "" {
		return "", nil
	}
	k.data.Block = print
	return block + offer, nil
}

// afterCompaction is the offer to record what the summary names.
func (k *hookSession) afterCompaction(in HookCall, words templates.File) string {
	k.data.Compacted = false
	return words.Part("offer.compacted").Text(sessionName(in.Session)) + "\n"
}

// hookBlock is the context block; nothing where there is nothing to show.
func (h *Home) hookBlock(ctx context.Context, in HookCall, k *hookSession, most int) (string, error) {
	config, err := h.Config()
	if err != nil {
		return "", err
	}
	bytes := config.Context.Bytes
	if bytes == 0 {
		bytes = generate.DefaultContextBytes
	}
	res, err := h.block(ctx, ContextQuery{Bytes: min(bytes, most), Session: in.Session}, generate.XML)
	if err != nil {
		return "", err
	}
	if in.Source != "resume" {
		k.forget()
	}
	for _, s := range res.Scopes {
		for _, id := range s.Whole {
			k.data.give(s.Name, id)
		}
	}
	return res.Text, nil
}

// hookPrompt is what bears on a prompt and was not given before. After a
// compaction that nothing was said about yet, that comes first.
func (h *Home) hookPrompt(ctx context.Context, in HookCall, words templates.File, k *hookSession) (string, error) {
	k.data.Prompts++
	block := ""
	if k.data.Compacted && in.Restarts {
		block = k.afterCompaction(in, words)
	} else if k.data.Compacted {
		var err error
		if block, err = h.hookStart(ctx, in, words, k); err != nil {
			return "", err
		}
	}
	found, err := h.bearsOn(ctx, in.Prompt)
	if err != nil || len(found) == 0 {
		return block, err
	}
	var b strings.Builder
	b.WriteString(words.Part("recalled.open").Text() + "\n")
	closing := words.Part("recalled.close").Text() + "\n"
	most := min(maxBroughtText, MaxHookContext-len(block)) - len(closing)
	scopes, err := h.Scopes()
	if err != nil {
		return "", err
	}
	for _, s := range scopes {
		if in.Session != "" {
			k.recalled(s, in.Session)
		}
	}
	given := map[string][]string{}
	for _, hit := range found {
		text := broughtUp(hit, words)
		if k.data.has(hit.Scope, hit.ID) || len(given) > 0 && b.Len()+len(text) > most {
			continue
		}
		b.WriteString(text)
		k.data.give(hit.Scope, hit.ID)
		given[hit.Scope] = append(given[hit.Scope], hit.ID)
	}
	if len(given) == 0 {
		return block, nil
	}
	text := b.String() + closing
	for _, s := range scopes {
		if ids := given[s.name]; len(ids) > 0 {
			s.receive(Receipt{Op: "recall", Session: in.Session, Query: in.Prompt, IDs: ids, Tokens: generate.EstimateTokens(text), Bytes: len(text)})
		}
	}
	return block + text, nil
}

// bearsOn finds the few entries that are worth bringing up at a prompt.
func (h *Home) bearsOn(ctx context.Context, prompt string) ([]Hit, error) {
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || strings.HasPrefix(prompt, "/") && !strings.ContainsAny(prompt, " \n") {
		return nil, nil // a command of the client's
	}
	found, err := h.Recall(ctx, RecallQuery{Text: bothEnds(prompt), Limit: 2 * maxBroughtUp, Budget: 1 << 30, silent: true, builtin: true, fit: true})
	if CodeOf(err) == Invalid && err != nil {
		return nil, nil // it has no words
	}
	if err != nil {
		return nil, err
	}
	var out []Hit
	for _, hit := range found.Hits {
		twice := slices.ContainsFunc(out, func(o Hit) bool { return o.Scope == hit.Scope && o.ID == hit.ID }) // a trace has several
		if hit.fit.Good() && !twice && len(out) < maxBroughtUp {
			out = append(out, hit)
		}
	}
	return out, nil
}

// bothEnds is a text without the middle of it, if it is long.
func bothEnds(s string) string {
	if len(s) <= 2*maxPromptEnd {
		return s
	}
	return strings.ToValidUTF8(s[:maxPromptEnd], "") + "\n" + strings.ToValidUTF8(s[len(s)-maxPromptEnd:], "")
}

// broughtUp is an entry as a prompt's hook shows it: whole where it is short,
// else the part that bears on the prompt. What it says can't end the block.
func broughtUp(hit Hit, words templates.File) string {
	shown := func(s string) string { return safetext.Tagless(safetext.Line(s)) }
	text := words.Part("recalled.entry").Text(hit.ID, string(hit.Kind), shown(hit.Title)+sharedBy(hit.Scope)) + "\n"
	body := entryfile.TrimBody(hit.authored.Body)
	caution, snippet := hit.Said()
	if caution != "" && (len(body) > maxShownWhole || !strings.Contains(body, hit.Caution)) {
		text += words.Part("recalled.failed").Text(shown(caution)) + "\n"
	}
	switch {
	case body == hit.Title:
	case len(body) <= maxShownWhole:
		for _, line := range strings.Split(safetext.Tagless(safetext.Text(body)), "\n") {
			text += strings.TrimRight("  "+line, " ") + "\n"
		}
	case snippet != "":
		text += "  " + shown(snippet) + words.Part("recalled.goes-on").Text() + "\n"
	}
	return text
}

// sharedBy says whose an entry is that is not the person's own.
func sharedBy(scope string) string {
	if !IsShared(scope) {
		return ""
	}
	return " (from " + scope + ")"
}

// hookStop asks an agent that has done something, and recorded nothing of it,
// to record its session: once, and never twice in a turn.
func (h *Home) hookStop(ctx context.Context, in HookCall, words templates.File, k *hookSession) (string, error) {
	counted := k.data.Prompts > 0
	if in.Again || in.Session == "" || k.data.Offered || counted && k.data.Prompts < minWork && !k.data.Commits {
		return "", nil
	}
	k.data.Offered = true
	recorded, err := h.hasTrace(ctx, in.Session)
	if err != nil || recorded {
		return "", err
	}
	return words.Part("offer.stop").Text(sessionName(in.Session)), nil
}

// hasTrace reports whether there are notes of a session, held ones included.
func (h *Home) hasTrace(ctx context.Context, session string) (bool, error) {
	waiting, err := h.Pending(ctx, "")
	if err != nil {
		return false, err
	}
	for _, e := range waiting {
		if e.Kind == SessionTrace && e.Session == session {
			return true, nil
		}
	}
	_, err = h.ShowTrace(ctx, "", session)
	if CodeOf(err) == NotFound && err != nil {
		return false, nil
	}
	return err == nil, err
}

// sessionName is a session's id as it stands in a sentence.
func sessionName(s string) string { return safetext.Tagless(safetext.Line(s)) }
