package vault

import (
	"context"
)

// A CardFate is what has become of a card.
type CardFate string

// The fates of a card.
const (
	CardOpen     CardFate = "open"     // it waits for a person, or was never there
	CardKept     CardFate = "kept"     // its change counts
	CardRestored CardFate = "restored" // its change does not count
	CardGone     CardFate = "gone"     // it went another way: taken back, replaced, or merged away
)

// maxFateCommits is how far back the end of a card is looked for, in commits.
const maxFateCommits = 2000

// CardFate says what has become of a card, named by its whole id, and in which
// commit.
func (h *Home) CardFate(ctx context.Context, scope, id string) (CardFate, string, error) {
	scopes, err := h.selected(scope)
	if err != nil {
		return CardOpen, "", err
	}
	for _, s := range scopes {
		fate, commit, err := s.cardFate(ctx, id)
		if err != nil || fate != CardOpen {
			return fate, commit, err
		}
	}
	return CardOpen, "", nil
}

func (s *Scope) cardFate(ctx context.Context, id string) (CardFate, string, error) {
	t, err := s.read(ctx)
	if err != nil {
		return CardOpen, "", err
	}
	path := "review/" + id + ".md"
	if t.files[path] != nil || t.head.IsZero() {
		return CardOpen, "", nil
	}
	r, err := s.open()
	if err != nil {
		return CardOpen, "", err
	}
	n := 0
	for c, err := range r.Log(ctx, t.head) {
		if n++; err != nil || n > maxFateCommits {
			return CardOpen, "", s.fail(err)
		}
		parent, err := parentTree(r, c)
		if err != nil {
			return CardOpen, "", s.fail(err)
		}
		paths, err := r.DiffTrees(parent, c.Tree)
		if err != nil {
			return CardOpen, "", s.fail(err)
		}
		for _, p := range paths {
			if p.Path != path || !p.New.Hash.IsZero() {
				continue
			}
			switch parseMessage(c.Message).op {
			case "keep":
				return CardKept, c.Hash.String(), nil
			case "restore", "undo":
				return CardRestored, c.Hash.String(), nil
			}
			return CardGone, c.Hash.String(), nil
		}
	}
	return CardOpen, "", nil
}
