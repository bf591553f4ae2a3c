package vault

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gitvault/internal/backends"
	"gitvault/internal/entryfile"
	"gitvault/internal/fsys"
	"gitvault/internal/recall"
)

// A Recaller finds entries for a query, best first: the folder's own by their
// ids, whose text it can't change, and what it knows itself. Those of a person's
// config.yaml, and those given in Options, join built-in recall by
// reciprocal-rank fusion; one that fails or is late is left out.
type Recaller interface {
	Recall(ctx context.Context, q RecallQuery) ([]Hit, error)
}

// A NamedRecaller is a recaller that a program brings.
type NamedRecaller struct {
	Name     string
	Recaller Recaller
	Weight   float64       // beside built-in recall, which has 1; 0 is 1
	Timeout  time.Duration // after which it is left out; 0 is two seconds
}

// A BackendStatus is how a recall backend did when it was last asked, or why
// it can't be.
type BackendStatus struct {
	Name  string    `json:"name"`
	Time  time.Time `json:"time,omitzero"` // zero: not asked yet
	Hits  int       `json:"hits"`
	Error string    `json:"error,omitempty"` // why it was left out
}

// lexical is built-in recall, as one of several.
type lexical struct{ indexes []*recall.Index }

// fusedDepth is how far down a ranking is looked when several are joined.
const fusedDepth = 50

func (l lexical) Recall(ctx context.Context, q recall.Query) ([]recall.Hit, error) {
	q.Budget, q.Limit = 0, fusedDepth
	res, err := recall.Search(ctx, q, l.indexes...)
	return res.Hits, err
}

// given is a program's own recaller.
type given struct {
	NamedRecaller
	query   RecallQuery
	offered func(context.Context) ([]recall.Hit, error)
}

// Recall asks the program. Of what it answers an entry of ours counts by its
// place alone; anything else is shown as the program's.
func (g given) Recall(ctx context.Context, q recall.Query) ([]recall.Hit, error) {
	ask := g.query
	ask.Limit = q.Limit
	list, err := g.Recaller.Recall(ctx, ask)
	if err != nil {
		return nil, err
	}
	entries, err := g.offered(ctx)
	if err != nil {
		return nil, err
	}
	ours := make(map[string]recall.Hit, len(entries))
	for _, h := range entries {
		ours[h.Entry.ID] = h
	}
	out := make([]recall.Hit, 0, len(list))
	for _, h := range list {
		own, ok := ours[h.ID]
		switch {
		case ok:
			own.Score = h.Score
			out = append(out, own)
		case !entryfile.ValidID(h.ID): // one is of an entry that is not to be offered
			e := entryfile.Entry{ID: h.ID, Kind: Kind(orDefault(string(h.Kind), string(SessionTrace))), Title: h.Title, Description: h.Description,
				Body: orDefault(h.Body, h.Snippet), Tags: h.Tags, Source: g.Name}
			out = append(out, recall.Hit{Scope: g.Name, Backend: g.Name, Entry: e, Score: h.Score, Snippet: h.Snippet, Why: h.Why, Caution: h.Caution})
		}
	}
	return out, nil
}

// sources are all that take part in an answer beside built-in recall. What they
// may find is read before they are asked, all at once.
func (h *Home) sources(ctx context.Context, trees map[string]*tree, q RecallQuery) ([]recall.Source, error) {
	config, err := h.Config()
	if err != nil {
		return nil, err
	}
	if len(config.Recall.Backends)+len(h.opt.Recallers) == 0 {
		return nil, nil
	}
	list, failed := h.offered(ctx, trees, q)
	entries := func(context.Context) ([]recall.Hit, error) { return list, failed }
	var out []recall.Source
	for _, c := range config.Recall.Backends {
		src, err := backends.New(c, backends.World{
			Entries: entries,
			Getenv:  func(name string) string { v, _ := h.opt.Env(name); return v },
			Environ: h.opt.Environ, Dir: h.opt.Dir, Cache: h.userScope().cacheDir(),
		})
		if err != nil {
			return nil, err
		}
		out = append(out, src)
	}
	for _, r := range h.opt.Recallers {
		if r.Timeout == 0 {
			r.Timeout = backends.DefaultTimeout
		}
		out = append(out, recall.Source{Name: r.Name, Recaller: given{r, q, entries}, Weight: r.Weight, Timeout: r.Timeout})
	}
	return out, nil
}

// offered lists what other recallers may find among our entries.
func (h *Home) offered(ctx context.Context, trees map[string]*tree, q RecallQuery) ([]recall.Hit, error) {
	var out []recall.Hit
	for _, name := range sortedKeys(trees) {
		t := trees[name]
		successors, err := t.successors(ctx)
		if err != nil {
			return nil, err
		}
		list, err := t.entries(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			status := l.Status
			switch {
			case len(successors[l.ID]) > 0:
				status = StatusSuperseded
			case status != StatusResolved && expired(l.Expires, h.opt.Now()):
				status = StatusExpired
			case l.Kind == OpenThread:
				status = orDefault(status, StatusOpen)
			}
			if q.takes(l.Entry, status) && !hasSecret(l.Entry) {
				out = append(out, recall.Hit{Scope: name, File: l.path, Entry: l.Entry, Snippet: l.Entry.Line(),
					SupersededBy: successors[l.ID], Expired: status == StatusExpired})
			}
		}
	}
	return out, nil
}

// takes reports whether an entry of a status passes the query's filters.
func (q RecallQuery) takes(e entryfile.Entry, status string) bool {
	changed := parseStamp(e.Changed())
	current := (status == "" || status == StatusOpen) && e.Conflict == ""
	switch {
	case q.Kind != "" && e.Kind != q.Kind,
		!q.Since.IsZero() && changed.Before(q.Since),
		!q.Until.IsZero() && !changed.Before(q.Until),
		q.Status != "" && status != q.Status,
		q.Status == "" && !q.All && !current:
		return false
	}
	for _, tag := range q.Tags {
		if !slices.ContainsFunc(e.Tags, func(t string) bool { return strings.EqualFold(t, tag) }) {
			return false
		}
	}
	return q.Path == "" || slices.ContainsFunc(e.Paths, func(p string) bool { return recall.IsAbout(p, q.Path) })
}

const backendsFile = "backends.json"

// keepReports remembers how the backends did, for a status.
func (h *Home) keepReports(reports []recall.Report) {
	var list []BackendStatus
	for _, r := range reports {
		s := BackendStatus{Name: r.Name, Time: h.opt.Now().UTC().Truncate(time.Second), Hits: r.Hits}
		if r.Err != nil {
			s.Error = told(r.Err)
		}
		list = append(list, s)
	}
	if data, err := json.Marshal(list); err == nil {
		_ = fsys.WritePlain(filepath.Join(h.userScope().cacheDir(), backendsFile), data, 0o600)
	}
}

// backendStatus is how the configured backends did when they were last asked.
func (h *Home) backendStatus() []BackendStatus {
	config, err := h.Config()
	if err != nil {
		return nil
	}
	var last []BackendStatus
	if data, err := fsys.ReadPlain(filepath.Join(h.userScope().cacheDir(), backendsFile)); err == nil {
		_ = json.Unmarshal(data, &last)
	}
	var out []BackendStatus
	for _, f := range config.Recall.Faults {
		out = append(out, BackendStatus{Name: f.Name, Error: h.configFile() + " " + f.where()})
	}
	for _, c := range config.Recall.Backends {
		s := BackendStatus{Name: c.Name}
		for _, l := range last {
			if l.Name == c.Name {
				s = l
			}
		}
		out = append(out, s)
	}
	return out
}
