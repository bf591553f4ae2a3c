package vault_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"gitvault/vault"
)

// An entry shows all of its chain, and its log the life of all of that.
func TestChain(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	var ids []string
	for i := range 4 {
		d := vault.Draft{Kind: vault.Decision, Title: fmt.Sprintf("Queue %d", i), Text: fmt.Sprintf("In place %d.", i)}
		if i > 0 {
			d.Supersedes = ids[i-1:]
		}
		ids = append(ids, p.add("", d).Entry.ID)
	}
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Something else."})
	p.forget("", ids[0])
	for _, id := range ids[1:] {
		list, err := p.by("codex").Get(ctx, "", []string{id})
		p.must(err)
		if got := fmt.Sprint(list[0].Chain); got != fmt.Sprintf("[{%s Queue 1 [%s]} {%s Queue 2 [%s]} {%s Queue 3 [%s]}]", ids[1], ids[0], ids[2], ids[1], ids[3], ids[2]) {
			t.Errorf("the chain of %s is %s", id, got)
		}
		log, err := p.by("").Log(ctx, vault.LogQuery{ID: id})
		p.must(err)
		if len(log) != 5 {
			t.Errorf("the life of %s has %d commits: %+v", id, len(log), log)
		}
	}
}

// Entries of one second come in the order in which they supersede each other,
// whichever of them is asked for, and a branch can be told from a line.
func TestChainOfOneSecond(t *testing.T) {
	p := newPlace(t)
	at := func(id, supersedes string) string {
		return fmt.Sprintf("\n## %s\n<!-- vault: {id: %s, created: 2026-01-02T00:00:00Z, supersedes: [%s]} -->\n\n%s.\n", id, id, supersedes, id)
	}
	p.add("", vault.Draft{Kind: vault.Decision, Text: "Something else."})
	order := []string{"zzzzzzz1", "gggggggg", "yyyyyyyy", "hhhhhhhh", "xxxxxxxx"}
	branch := []string{"mmmmmmm1", "kkkkkkkk", "nnnnnnnn"}
	text := at(order[0], "") + at(branch[0], "") + at(branch[1], branch[0]) + at(branch[2], branch[0])
	for i, id := range order[1:] {
		text = at(id, order[i]) + text
	}
	p.must(os.WriteFile(p.user("conventions.md"), []byte("# Conventions\n"+text), 0o644))
	for _, want := range [][]string{order, branch} {
		for _, id := range want {
			list, err := p.by("").Get(context.Background(), "", []string{id})
			p.must(err)
			var got []string
			for _, l := range list[0].Chain {
				got = append(got, l.ID)
			}
			if !slices.Equal(got, want) || vault.IsLine(list[0].Chain) != (len(want) == len(order)) {
				t.Errorf("the chain of %s is %v", id, list[0].Chain)
			}
		}
	}
}
