package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gitvault/generate"
	"gitvault/vault"
)

// What an explanation says counts as well: the budget bounds the answer.
func TestAnExplanationIsWithinTheBudget(t *testing.T) {
	p := newPlace(t)
	for i := range 20 {
		p.add("", vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Tags: []string{"storage", "workers"},
			Title: fmt.Sprintf("Queue %d in Postgres", i), Text: "Jobs wait in a table: one system less to run, and workers take what is theirs."})
	}
	for _, budget := range []int{250, 600, 2000} {
		q := vault.RecallQuery{Text: "which queue do workers take jobs from", Budget: budget, Limit: 20}
		plain, err := p.by("").Recall(context.Background(), q)
		p.must(err)
		q.Explain = true
		got, err := p.by("").Recall(context.Background(), q)
		p.must(err)
		require.NotEmpty(t, got.Hits, budget)
		require.Less(t, len(got.Hits), len(plain.Hits))
		said := 0
		for _, h := range got.Hits {
			x, err := json.Marshal(h.Explain)
			p.must(err)
			said += generate.EstimateTokens(h.Title + h.Snippet + h.Why + string(x))
		}
		require.LessOrEqual(t, said, budget)
		require.LessOrEqual(t, got.Tokens, budget)
		require.Equal(t, 20, len(got.Hits)+got.Omitted)
	}
}
