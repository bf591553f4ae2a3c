package main

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasure(t *testing.T) {
	r := measure([]string{"x", "a", "a", "b"}, []string{"a", "b"})
	require.Equal(t, 0.0, r.recall1)
	require.Equal(t, 1.0, r.recall5)
	require.Equal(t, 1.0, r.recall10)
	require.Equal(t, 1.0, r.hit10)
	require.Equal(t, 0.5, r.mrr)
	ideal := 1 + 1/math.Log2(3)
	require.InDelta(t, (1/math.Log2(3)+1/math.Log2(5))/ideal, r.ndcg10, 1e-9)
	require.Equal(t, result{}, measure(nil, []string{"a"}))
}

func TestBM25(t *testing.T) {
	items := []item{{id: "a", text: "the cat sat on the mat"}, {id: "b", text: "dogs bark"}, {id: "c", text: "a cat and a dog barking"}}
	for _, c := range []struct {
		stemmed bool
		query   string
		want    []string
	}{
		{false, "cat", []string{"a", "c"}},
		{false, "barking dog", []string{"c"}},
		{true, "barking dog", []string{"b", "c"}},
		{true, "the zebra", nil},
	} {
		got, err := newBM25(items, c.stemmed).ask(context.Background(), c.query)
		require.NoError(t, err)
		require.ElementsMatch(t, c.want, got, c.query)
	}
}
