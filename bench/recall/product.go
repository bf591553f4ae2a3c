package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitvault/vault"
)

// product is a vault that holds a corpus.
type product struct {
	home  *vault.Home
	kept  []item            // what fits a vault's limits
	ids   map[string]string // item by entry id
	turns map[string][]turn // of a trace, by entry id
}

// A turn is where in its trace's body an item begins.
type turn struct {
	start int
	id    string
}

// remember puts a corpus into a vault of its own, as a person would.
func remember(ctx context.Context, dir string, c *corpus) (*product, error) {
	dir, err := os.MkdirTemp(dir, "home-")
	if err != nil {
		return nil, err
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	home, err := vault.Open(vault.Options{
		Home: filepath.Join(dir, "vault"), Dir: dir, UserHome: dir,
		Account: "bench", Host: "example.org",
		Now: func() time.Time { return now },
	})
	if err != nil {
		return nil, err
	}
	p := &product{home: home, ids: map[string]string{}, turns: map[string][]turn{}}
	skipped := 0
	for i := 0; i < len(c.items); {
		it := c.items[i]
		now = date(it.date, now)
		if it.session != "" {
			n := i
			for n < len(c.items) && c.items[n].session == it.session {
				n++
			}
			if err := p.addSession(ctx, c.items[i:n]); err != nil {
				return nil, err
			}
			p.kept = append(p.kept, c.items[i:n]...)
			i = n
			continue
		}
		i++
		made, err := home.Remember(ctx, vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Title: it.title, Text: it.text, Created: now})
		if err != nil {
			fmt.Fprintf(os.Stderr, "left out %s: %v\n", it.id, err)
			skipped++
			continue
		}
		p.ids[made.Entry.ID] = it.id
		p.kept = append(p.kept, it)
	}
	fmt.Fprintf(os.Stderr, "%s: %d entries remembered, %d left out\n", orAll(c.scope), len(p.ids)+len(p.turns), skipped)
	return p, nil
}

func orAll(scope string) string {
	if scope == "" {
		return "corpus"
	}
	return scope
}

func (p *product) addSession(ctx context.Context, items []item) error {
	var body strings.Builder
	var turns []turn
	for i, it := range items {
		if i > 0 {
			body.WriteString("\n\n")
		}
		turns = append(turns, turn{body.Len(), it.id})
		body.WriteString(it.text)
	}
	session := items[0].session
	made, err := p.home.Trace(ctx, vault.TraceNote{Scope: vault.UserScope, Session: session, Title: "Session " + session, Text: body.String()})
	if err != nil {
		return fmt.Errorf("session %s: %w", session, err)
	}
	p.turns[made.Entry.ID] = turns
	return nil
}

// date reads the ways in which dates are written in corpora.
func date(s string, otherwise time.Time) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime, "3:04 pm on 2 January, 2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return otherwise
}

func (p *product) ask(ctx context.Context, query string) ([]string, error) {
	res, err := p.home.Recall(ctx, vault.RecallQuery{Text: query, Limit: 10, Budget: 1 << 30})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, h := range res.Hits {
		id := p.ids[h.ID]
		for _, t := range p.turns[h.ID] {
			if t.start <= h.Passage.Start {
				id = t.id
			}
		}
		found = append(found, id)
	}
	return found, nil
}
