package backends

import (
	"context"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/recall"
)

// found is what a backend says of one thing it found: an entry of ours by its
// id, or something of its own.
type found struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Text  string  `json:"text"`
	Score float64 `json:"score"`
}

// Bounds of a foreign hit.
const (
	maxText = 4 << 10 // of its text, in bytes
	maxID   = 200     // of its id, in characters
)

// hits turns what was found into hits, in order. Of our own entries only those
// that may be offered count.
func (w World) hits(ctx context.Context, backend string, list []found, q recall.Query) ([]recall.Hit, error) {
	entries, err := w.Entries(ctx)
	if err != nil {
		return nil, err
	}
	ours := make(map[string]recall.Hit, len(entries))
	for _, h := range entries {
		ours[h.Entry.ID] = h
	}
	foreign := len(q.Kinds) == 0 && len(q.Tags) == 0 && q.Path == "" && q.Status == "" && q.Since.IsZero() && q.Until.IsZero()
	var out []recall.Hit
	for _, f := range list {
		if h, ok := ours[f.ID]; ok {
			h.Score = f.Score // and nothing else: what an entry says is its own
			out = append(out, h)
			continue
		}
		if !foreign || f.Title == "" && f.Text == "" || entryfile.ValidID(f.ID) {
			continue // a filter asks for what only entries have; or an entry that is not to be offered
		}
		text := strings.ToValidUTF8(f.Text[:min(len(f.Text), maxText)], "")
		title := f.Title
		if title == "" {
			title = entryfile.DefaultTitle(text)
		}
		out = append(out, recall.Hit{
			Scope: backend, Backend: backend, Score: f.Score, Snippet: entryfile.Shorten(text, maxSnippet),
			Entry: entryfile.Entry{ID: entryfile.Shorten(f.ID, maxID), Kind: entryfile.SessionTrace, Title: entryfile.Shorten(title, entryfile.MaxTitle), Body: text, Source: backend},
		})
	}
	return out, nil
}

// maxSnippet is the length of a snippet, in characters.
const maxSnippet = 300

func limitOf(q recall.Query) int {
	if q.Limit <= 0 {
		return recall.DefaultLimit
	}
	return min(q.Limit, recall.MaxLimit)
}
