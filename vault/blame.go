package vault

import (
	"context"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// A BlameLine is one line of an entry and the commit it came with.
type BlameLine struct {
	Commit string    `json:"commit"`
	Time   time.Time `json:"time"`
	Author string    `json:"author"`
	Source string    `json:"source,omitempty"`
	Text   string    `json:"text"`
}

// Blame tells for each line of an entry (its title, then its body) which
// change it came with.
func (h *Home) Blame(ctx context.Context, scope, id string) (Entry, []BlameLine, error) {
	s, _, l, err := h.locate(ctx, scope, id)
	if err != nil {
		return Entry{}, nil, err
	}
	if entryfile.IsCard(l.path) {
		return Entry{}, nil, notFound("'vault review' shows it", "%s waits for review and has no history yet", l.ID)
	}
	r, err := s.open()
	if err != nil {
		return Entry{}, nil, err
	}
	head, err := r.Head()
	if err != nil || head.IsZero() {
		return Entry{}, nil, s.fail(err)
	}
	type version struct {
		commit *gitstore.Commit
		text   []string
	}
	var versions []version
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return Entry{}, nil, s.fail(err)
		}
		changes, err := s.commitChanges(ctx, r, c, l.ID)
		if err != nil {
			return Entry{}, nil, s.fail(err)
		}
		for _, ch := range changes {
			if ch.After != nil && ch.Op != merge.Moved {
				versions = append(versions, version{c, entryLines(ch.After.Title, ch.After.Body)})
			}
		}
	}
	var lines []BlameLine
	for i := len(versions) - 1; i >= 0; i-- {
		lines = blameStep(lines, versions[i].text, s.describe(versions[i].commit, nil, false))
	}
	now := entryLines(l.Title, l.Body)
	lines = blameStep(lines, now, Commit{Author: "not committed yet", Time: h.opt.Now().UTC()})
	return present(s.name, l), lines, nil
}

func entryLines(title, body string) []string {
	if body == title {
		return []string{title}
	}
	return append([]string{title, ""}, strings.Split(body, "\n")...)
}

// blameStep carries the origin of unchanged lines over to the next version.
func blameStep(old []BlameLine, next []string, c Commit) []BlameLine {
	before := make([]string, len(old))
	for i, l := range old {
		before[i] = l.Text
	}
	out := make([]BlameLine, 0, len(next))
	m := difflib.NewMatcher(before, next)
	for _, op := range m.GetOpCodes() {
		if op.Tag == 'e' {
			out = append(out, old[op.I1:op.I2]...)
			continue
		}
		for _, text := range next[op.J1:op.J2] {
			out = append(out, BlameLine{Commit: c.Commit, Time: c.Time, Author: c.Author, Source: c.Source, Text: text})
		}
	}
	return out
}
