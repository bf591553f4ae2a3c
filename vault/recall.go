package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitvault/generate"
	"gitvault/internal/entryfile"
	"gitvault/internal/recall"
)

// A RecallQuery is what somebody looks for.
type RecallQuery struct {
	Scope   string
	Text    string
	Kind    Kind
	Tags    []string
	Path    string // a file or folder of the workspace that entries are about
	Status  string // open, resolved, superseded or expired
	Since   time.Time
	Until   time.Time
	All     bool // also what is no longer current, marked
	Body    bool // with bodies
	Limit   int  // hits at most; 10 by default, 200 at most
	Budget  int  // tokens at most, estimated; 2,000 by default
	Explain bool
	Session string // for the receipt

	silent  bool // no receipt: the answer is part of another
	builtin bool // no other searchers: nobody may be kept waiting
	fit     bool // say how well each hit fits
}

// DefaultRecallBudget bounds an answer, in tokens.
const DefaultRecallBudget = 2000

// A Recalled is the answer to a query.
type Recalled struct {
	Hits    []Hit `json:"hits"`
	Omitted int   `json:"omitted"` // hits that passed the limit or the budget
	Tokens  int   `json:"tokens"`  // what the hits cost, estimated

	Notes []string `json:"notes,omitempty"` // what is wrong with the settings, and left out, or with the budget
}

// A Hit is an entry that bears on a query.
type Hit struct {
	Entry
	Score   float64             `json:"score"` // comparable within one answer only
	Snippet string              `json:"snippet"`
	Why     string              `json:"why"`
	Caution string              `json:"caution,omitempty"` // of a failed path that resembles the task: why it failed
	Passage recall.Passage      `json:"passage,omitzero"`  // the part of the body that fits best; a session trace has a hit for each
	Backend string              `json:"backend,omitempty"` // the recall backend whose own hit it is: no entry of the vault
	Explain *recall.Explanation `json:"explain,omitempty"`

	authored entryfile.Entry
	fit      recall.Fit
}

// Said is what a reader is shown of a hit: why it failed, and a passage where
// that says something else.
func (h Hit) Said() (caution, snippet string) {
	bare := strings.Trim(h.Snippet, "… ")
	switch {
	case h.Caution == "":
		return "", h.Snippet
	case strings.Contains(h.Caution, bare):
		return h.Caution, ""
	case strings.Contains(h.Snippet, strings.Trim(h.Caution, "… ")):
		return h.Snippet, ""
	}
	return h.Caution, h.Snippet
}

// Recall finds the entries that bear on a task, among the folder's scopes. It
// answers everybody as it would an agent: nothing that waits for review, and
// nothing that looks like a secret.
func (h *Home) Recall(ctx context.Context, q RecallQuery) (Recalled, error) {
	out := Recalled{Hits: []Hit{}}
	if err := checkStatus(q.Status); err != nil {
		return out, err
	}
	scopes, err := h.serving(q.Scope)
	if err != nil {
		return out, err
	}
	if q.Path, err = h.pathOf(q.Scope, q.Path); err != nil {
		return out, err
	}
	var indexes, shared []*recall.Index
	defer func() {
		for _, ix := range slices.Concat(indexes, shared) {
			_ = ix.Close()
		}
	}()
	byName, trees := map[string]*Scope{}, map[string]*tree{}
	var failed error
	for _, s := range scopes {
		t, err := s.readOffered(ctx)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		ix, err := s.recallIndex(ctx, t)
		if err != nil {
			failed = errors.Join(failed, s.fail(err))
			continue
		}
		if s.shared {
			shared = append(shared, ix)
		} else {
			indexes = append(indexes, ix)
		}
		byName[s.name], trees[s.name] = s, t
	}
	if len(indexes)+len(shared) == 0 && failed != nil {
		return out, failed
	}
	res, err := h.searchAll(ctx, q, trees, indexes, shared)
	if errors.Is(err, recall.ErrNoWords) {
		return out, invalid("", "%s", err)
	}
	if err != nil {
		return out, err
	}
	out.Omitted, out.Tokens = res.Omitted, res.Tokens
	used := map[string][]string{}
	for _, hit := range res.Hits {
		if hasSecret(hit.Entry) {
			continue
		}
		out.Hits = append(out.Hits, presentHit(hit, q.Body))
		if hit.Backend != "" {
			continue
		}
		used[hit.Scope] = append(used[hit.Scope], hit.Entry.ID)
	}
	if !q.silent {
		for name, ids := range used {
			byName[name].receive(Receipt{Op: "recall", Session: q.Session, Query: q.Text, IDs: ids, Tokens: out.Tokens, Omitted: out.Omitted})
		}
	}
	if failed != nil {
		h.notice(oneLine(failed.Error()))
	}
	if line := h.leftOut(); line != "" && !q.builtin {
		out.Notes = append(out.Notes, line)
	}
	if len(res.Hits) == 0 && res.Least > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("the budget has no room for any of %d found: give it at least %d tokens", out.Omitted, res.Least))
	}
	for _, line := range out.Notes {
		h.notice(line)
	}
	return out, nil
}

func (h *Home) recallQuery(q RecallQuery) recall.Query {
	out := recall.Query{
		Text: q.Text, Tags: q.Tags, Path: q.Path, Status: q.Status, Since: q.Since, Until: q.Until, Now: h.opt.Now(),
		All: q.All, Limit: q.Limit, Budget: q.Budget, Explain: q.Explain, Fit: q.fit,
	}
	if q.Kind != "" {
		out.Kinds = []entryfile.Kind{q.Kind}
	}
	if out.Budget == 0 {
		out.Budget = DefaultRecallBudget
	}
	out.Tokens = func(hit *recall.Hit) int {
		text := hit.Entry.Title + strings.Join(hit.Entry.Tags, " #") + "\n" + hit.Snippet + "\n" + hit.Caution
		if hit.Backend != "" {
			text += hit.Backend + hit.Entry.ID
		}
		if q.Body {
			text += "\n" + hit.Entry.Body
		}
		if q.Explain {
			text += "\n" + hit.Why + explained(hit.Explain)
		}
		return generate.EstimateTokens(text) + idTokens
	}
	return out
}

// explained is an explanation as JSON, which is longer than as text.
func explained(x *recall.Explanation) string {
	data, err := json.Marshal(x)
	if err != nil {
		return "" // it holds only words and finite numbers
	}
	return string(data)
}

// sharedPart is how much of an answer what is shared may take: one of so many.
const sharedPart = 3

// searchAll finds what is the person's own first, and keeps a part of the
// answer for what is shared with them.
func (h *Home) searchAll(ctx context.Context, q RecallQuery, trees map[string]*tree, own, shared []*recall.Index) (recall.Result, error) {
	if len(shared) == 0 {
		return h.search(ctx, q, trees, own)
	}
	ask := h.recallQuery(q)
	limit, budget := ask.Limit, ask.Budget
	if limit <= 0 {
		limit = recall.DefaultLimit
	}
	ask.Limit, ask.Budget = limit, budget
	if len(own) > 0 {
		ask.Limit, ask.Budget = max(1, limit/sharedPart), budget/sharedPart
	}
	theirs, err := recall.Search(ctx, ask, shared...)
	if err != nil || len(own) == 0 {
		return theirs, err
	}
	theirs.Least *= sharedPart // of the budget that they have a part of
	q.Limit, q.Budget = max(1, limit-len(theirs.Hits)), max(1, budget-theirs.Tokens)
	res, err := h.search(ctx, q, trees, own)
	if err != nil {
		return res, err
	}
	if room := max(0, limit-len(res.Hits)); len(theirs.Hits) > room {
		theirs.Omitted += len(theirs.Hits) - room
		theirs.Hits = theirs.Hits[:room]
	}
	res.Hits = append(res.Hits, theirs.Hits...)
	res.Omitted += theirs.Omitted
	res.Tokens += theirs.Tokens
	if theirs.Least > 0 {
		res.Pass(theirs.Least)
	}
	return res, nil
}

// search asks built-in recall, and joins what others have to say where there
// are others.
func (h *Home) search(ctx context.Context, q RecallQuery, trees map[string]*tree, indexes []*recall.Index) (recall.Result, error) {
	ask := h.recallQuery(q)
	var others []recall.Source
	if !q.builtin {
		var err error
		if others, err = h.sources(ctx, trees, q); err != nil {
			return recall.Result{}, err
		}
	}
	if len(others) == 0 {
		return recall.Search(ctx, ask, indexes...)
	}
	deep := ask
	deep.Limit = fusedDepth
	hits, reports := recall.Fuse(ctx, deep, append([]recall.Source{{Name: "lexical", Recaller: lexical{indexes}}}, others...))
	if err := reports[0].Err; err != nil {
		return recall.Result{}, err
	}
	h.keepReports(reports[1:])
	return pack(hits, ask), nil
}

// pack takes the best hits that fit: one that is too large for what is left is
// passed over for the next.
func pack(hits []recall.Hit, q recall.Query) recall.Result {
	limit := q.Limit
	if limit <= 0 {
		limit = recall.DefaultLimit
	}
	limit = min(limit, recall.MaxLimit)
	var out recall.Result
	for i := range hits {
		if len(out.Hits) == limit {
			out.Omitted++
			continue
		}
		cost := q.Tokens(&hits[i])
		if out.Tokens+cost > q.Budget {
			out.Omitted++
			out.Pass(cost)
			continue
		}
		out.Hits = append(out.Hits, hits[i])
		out.Tokens += cost
	}
	return out
}

// idTokens is what the frame of a hit costs: its id, kind and brackets.
const idTokens = 12

func presentHit(hit recall.Hit, body bool) Hit {
	e := present(hit.Scope, located{entryfile.Section{Entry: hit.Entry}, hit.File})
	e.SupersededBy = hit.SupersededBy
	switch {
	case len(e.SupersededBy) > 0:
		e.Status = StatusSuperseded
	case hit.Expired && e.Status != StatusResolved:
		e.Status = StatusExpired
	}
	if !body {
		e.Body = ""
	}
	return Hit{Entry: e, Score: hit.Score, Snippet: hit.Snippet, Why: hit.Why, Caution: hit.Caution, Passage: hit.Passage, Backend: hit.Backend, Explain: hit.Explain, authored: hit.Entry, fit: hit.Fit}
}

// recallIndex opens the scope's search index, brought up to date with its
// files as they are now.
func (s *Scope) recallIndex(ctx context.Context, t *tree) (*recall.Index, error) {
	var files []recall.FileRef
	for _, p := range t.paths(Kinds()...) {
		f := t.files[p]
		hash, err := f.contentHash()
		if err != nil {
			return nil, err
		}
		files = append(files, recall.FileRef{Path: p, Hash: hash, Load: f.entries})
	}
	return recall.Open(ctx, s.name, files, recall.Options{
		Dir:      filepath.Join(s.cacheDir(), "recall"),
		Progress: func(done, total int) { s.home.opt.Progress("indexing", done, total) },
	})
}
