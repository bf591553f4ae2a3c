package vault

import (
	"context"
	"fmt"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// A SecretPlace is something in the history that looks like a secret, and that
// no person let in. It never holds the secret.
type SecretPlace struct {
	Rule   string `json:"rule"`
	Commit string `json:"commit"`          // the one that brought it in
	File   string `json:"file,omitempty"`  // "" for the commit's message
	Entry  string `json:"entry,omitempty"` // its id, where it is in one
	Field  string `json:"field"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String names the rule and the place.
func (p SecretPlace) String() string {
	where := "the message"
	switch {
	case p.Entry != "":
		where = "the " + p.Field + " of " + p.Entry
	case p.File != "":
		where = p.File
	}
	return fmt.Sprintf("%s at line %d, column %d of %s in commit %s", p.Rule, p.Line, p.Column, where, p.Commit[:10])
}

// SecretsIn finds the secrets in what the commits brought that are reached from
// to and from none of have: what a push of to would send to who has those.
func (s *Scope) SecretsIn(ctx context.Context, to gitstore.Hash, have ...gitstore.Hash) ([]SecretPlace, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	known, err := reached(ctx, r, have)
	if err != nil {
		return nil, s.fail(err)
	}
	var out []SecretPlace
	for c, err := range r.Log(ctx, to) {
		if err != nil {
			return nil, s.fail(err)
		}
		if known[c.Hash] {
			continue
		}
		found, err := s.secretsOfCommit(ctx, r, c)
		if err != nil {
			return nil, s.fail(err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// reached is the set of all commits that are reached from some.
func reached(ctx context.Context, r *gitstore.Repo, from []gitstore.Hash) (map[gitstore.Hash]bool, error) {
	out := map[gitstore.Hash]bool{}
	for c, err := range r.Log(ctx, from...) {
		if err != nil {
			return nil, err
		}
		out[c.Hash] = true
	}
	return out, nil
}

func (s *Scope) secretsOfCommit(ctx context.Context, r *gitstore.Repo, c *gitstore.Commit) ([]SecretPlace, error) {
	var out []SecretPlace
	add := func(file, entry, field string, f secrets.Finding) {
		out = append(out, SecretPlace{Rule: f.Rule, Commit: c.Hash.String(), File: file, Entry: entry, Field: field, Line: f.Line, Column: f.Column})
	}
	for _, f := range secrets.Scan(c.Message) {
		add("", "", "message", f)
	}
	changes, err := s.commitChanges(ctx, r, c, "")
	if err != nil {
		return nil, err
	}
	for _, ch := range changes {
		if ch.After == nil {
			continue
		}
		for _, p := range secretsOf(*ch.After) {
			add(ch.AfterPath, ch.ID, p.Field, p.Finding)
		}
	}
	others, err := newFiles(r, c)
	if err != nil {
		return nil, err
	}
	for path, data := range others {
		if card, err := entryfile.ParseCard(data); err == nil && entryfile.IsCard(path) {
			for _, p := range secretsOf(card.Entry) {
				add(path, card.EntryID, p.Field, p.Finding)
			}
			continue
		}
		for _, f := range secrets.Scan(string(data)) {
			add(path, "", "text", f)
		}
	}
	return out, nil
}

// newFiles are the files without entries that a commit has and none of its
// parents: cards, and a person's own.
func newFiles(r *gitstore.Repo, c *gitstore.Commit) (map[string][]byte, error) {
	out := map[string][]byte{}
	parents := c.Parents
	if len(parents) == 0 {
		parents = []gitstore.Hash{{}}
	}
	for i, p := range parents {
		paths, err := r.DiffTrees(p, c.Tree)
		if err != nil {
			return nil, err
		}
		differ := map[string]bool{}
		for _, f := range paths {
			differ[f.Path] = true
			if _, authored := entryfile.KindOf(f.Path); i > 0 || authored || f.Path == indexFile || f.New.Hash.IsZero() || f.New.Mode == gitstore.ModeSubmodule {
				continue
			}
			if out[f.Path], err = r.Blob(f.New.Hash); err != nil {
				return nil, err
			}
		}
		for path := range out {
			if !differ[path] {
				delete(out, path)
			}
		}
	}
	return out, nil
}

// CheckOutgoing refuses to send what looks like a secret to a remote, but for
// what the person lets through this once.
func (s *Scope) CheckOutgoing(ctx context.Context, to gitstore.Hash, have ...gitstore.Hash) error {
	found, err := s.SecretsIn(ctx, to, have...)
	if err != nil {
		return err
	}
	for _, p := range found {
		if len(secrets.Without([]secrets.Finding{{Rule: p.Rule}}, s.home.opt.AllowSecrets...)) == 0 {
			continue
		}
		hint := "'vault purge " + p.Entry + "' takes it out of the history; if it is none, --allow-secret " + p.Rule + " lets it through"
		if p.Entry == "" {
			hint = "take it out of the history; if it is none, --allow-secret " + p.Rule + " lets it through"
		}
		return refused(hint, "scope %s would send what looks like a secret: %s", s.name, p)
	}
	return nil
}
