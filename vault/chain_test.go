package vault_test

import (
	"context"
	"fmt"
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
		if got := fmt.Sprint(list[0].Chain); got != fmt.Sprintf("[{%s Queue 1} {%s Queue 2} {%s Queue 3}]", ids[1], ids[2], ids[3]) {
			t.Errorf("the chain of %s is %s", id, got)
		}
		log, err := p.by("").Log(ctx, vault.LogQuery{ID: id})
		p.must(err)
		if len(log) != 5 {
			t.Errorf("the life of %s has %d commits: %+v", id, len(log), log)
		}
	}
}
