package recall

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitvault/internal/entryfile"
)

type recallFunc func(ctx context.Context, q Query) ([]Hit, error)

func (f recallFunc) Recall(ctx context.Context, q Query) ([]Hit, error) { return f(ctx, q) }

func ranked(ids ...string) Recaller {
	return recallFunc(func(context.Context, Query) ([]Hit, error) {
		var hits []Hit
		for _, id := range ids {
			hits = append(hits, Hit{Scope: "user", Entry: entryfile.Entry{ID: id}})
		}
		return hits, nil
	})
}

func order(hits []Hit) []string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Entry.ID)
	}
	return ids
}

func TestFuse(t *testing.T) {
	hits, reports := Fuse(context.Background(), Query{}, []Source{
		{Name: "words", Recaller: ranked("a", "b", "c", "b")},
		{Name: "vectors", Recaller: ranked("c", "d", "b")},
	})
	require.Equal(t, []string{"c", "b", "a", "d"}, order(hits))
	require.Equal(t, []Report{{"words", 4, nil}, {"vectors", 3, nil}}, reports)
	require.Equal(t, "words #3, vectors #1", hits[0].Why)

	hits, _ = Fuse(context.Background(), Query{Limit: 2}, []Source{
		{Name: "words", Recaller: ranked("a", "b"), Weight: 0.1},
		{Name: "vectors", Recaller: ranked("x", "y")},
	})
	require.Equal(t, []string{"x", "y"}, order(hits))
}

func TestFuseFailsOpen(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	hits, reports := Fuse(context.Background(), Query{}, []Source{
		{Name: "down", Recaller: recallFunc(func(context.Context, Query) ([]Hit, error) { return nil, errors.New("connection refused") })},
		{Name: "stuck", Timeout: time.Millisecond, Recaller: recallFunc(func(context.Context, Query) ([]Hit, error) {
			<-stuck // whatever its deadline
			return nil, nil
		})},
		{Name: "broken", Recaller: recallFunc(func(context.Context, Query) ([]Hit, error) { panic("out of range") })},
		{Name: "words", Recaller: ranked("a")},
	})
	require.Equal(t, []string{"a"}, order(hits))
	require.ErrorContains(t, reports[0].Err, "connection refused")
	require.EqualError(t, reports[1].Err, "no answer within 1ms")
	require.ErrorContains(t, reports[2].Err, "broken: out of range")
	require.NoError(t, reports[3].Err)
}

func TestFuseTraces(t *testing.T) {
	trace := entryfile.Entry{ID: "t", Kind: entryfile.SessionTrace, Body: "one\n\ntwo"}
	passages := recallFunc(func(context.Context, Query) ([]Hit, error) {
		return []Hit{{Entry: entryfile.Entry{ID: "a"}}, {Entry: trace, Passage: Passage{5, 8, 3}}, {Entry: trace, Passage: Passage{0, 3, 1}}}, nil
	})
	whole := recallFunc(func(context.Context, Query) ([]Hit, error) { return []Hit{{Entry: trace}}, nil })
	hits, _ := Fuse(context.Background(), Query{}, []Source{{Name: "other", Recaller: whole}, {Name: "words", Recaller: passages}})
	require.Len(t, hits, 3)
	require.Equal(t, Passage{5, 8, 3}, hits[0].Passage, "a vote for the trace goes to its best passage")
	require.Equal(t, "a", hits[1].Entry.ID)
}

func TestFuseKeepsFailedPathsFirst(t *testing.T) {
	words := recallFunc(func(context.Context, Query) ([]Hit, error) {
		return []Hit{{Entry: entryfile.Entry{ID: "f"}, Caution: "it broke"}, {Entry: entryfile.Entry{ID: "a"}}}, nil
	})
	hits, _ := Fuse(context.Background(), Query{}, []Source{{Name: "words", Recaller: words}, {Name: "vectors", Recaller: ranked("b")}})
	require.Equal(t, "f", hits[0].Entry.ID)
}
