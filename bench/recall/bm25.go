package main

import (
	"context"
	"math"
	"sort"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// bm25 is the textbook ranking of whole texts by their words.
type bm25 struct {
	items   []item
	stemmed bool
	words   []map[string]int
	lengths []float64
	mean    float64
	having  map[string]int
}

func newBM25(items []item, stemmed bool) *bm25 {
	b := &bm25{items: items, stemmed: stemmed, having: map[string]int{}}
	for _, it := range items {
		count := map[string]int{}
		n := 0
		for _, w := range b.split(it.title + "\n" + it.text) {
			count[w]++
			n++
		}
		for w := range count {
			b.having[w]++
		}
		b.words = append(b.words, count)
		b.lengths = append(b.lengths, float64(n))
		b.mean += float64(n) / float64(len(items))
	}
	return b
}

func (b *bm25) split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if !b.stemmed {
		return words
	}
	kept := words[:0]
	for _, w := range words {
		if !english.IsStopWord(w) {
			kept = append(kept, english.Stem(w, false))
		}
	}
	return kept
}

func (b *bm25) ask(_ context.Context, query string) ([]string, error) {
	const k1, norm = 1.2, 0.75
	n := float64(len(b.items))
	type ranked struct {
		id    string
		score float64
	}
	var list []ranked
	words := b.split(query)
	for i, it := range b.items {
		score := 0.0
		for _, w := range words {
			tf := float64(b.words[i][w])
			if tf == 0 {
				continue
			}
			have := float64(b.having[w])
			score += math.Log(1+(n-have+0.5)/(have+0.5)) * tf * (k1 + 1) / (tf + k1*(1-norm+norm*b.lengths[i]/b.mean))
		}
		if score > 0 {
			list = append(list, ranked{it.id, score})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	var found []string
	for _, r := range list[:min(len(list), 10)] {
		found = append(found, r.id)
	}
	return found, nil
}
