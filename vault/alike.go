package vault

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gitvault/internal/entryfile"
	"gitvault/internal/recall"
)

// What is named beside a card as saying the same, or the opposite.
const (
	mostAlike  = 3
	leastAlike = 0.25  // of what two texts say that both say
	alikeText  = 2_048 // bytes of a text that are looked at
)

// neighbours finds the entries of a scope that a person wants to see beside
// another: a duplicate or a contradiction shares most of its words with it.
type neighbours struct {
	list     []neighbour
	shared   map[string][]int // where in the list a word occurs
	inTitles map[string][]int
}

type neighbour struct {
	entry Entry
	size  float64 // weight of all its words
	title float64 // weight of those of its title
}

// neighbours reads all entries of a scope, and what its cards propose.
func (s *Scope) neighbours(ctx context.Context, t *tree, cards []card) (*neighbours, error) {
	list, err := t.entries(ctx)
	if err != nil {
		return nil, err
	}
	n := &neighbours{shared: map[string][]int{}, inTitles: map[string][]int{}}
	for _, l := range list {
		n.add(present(s.name, l))
	}
	for _, c := range cards {
		if !c.isApplied() && c.HasEntry() {
			n.add(s.presentCard(c, nil))
		}
	}
	n.weigh()
	return n, nil
}

func (n *neighbours) add(e Entry) {
	i := len(n.list)
	for _, w := range recall.Words(e.Title) {
		n.inTitles[w] = append(n.inTitles[w], i)
	}
	for _, w := range wordsOf(e) {
		n.shared[w] = append(n.shared[w], i)
	}
	e.Body = ""
	n.list = append(n.list, neighbour{entry: e})
}

func wordsOf(e Entry) []string {
	return recall.Words(e.Title + "\n" + e.Body[:min(alikeText, len(e.Body))])
}

func (n *neighbours) weigh() {
	for w, places := range n.shared {
		for _, i := range places {
			n.list[i].size += n.weight(w)
		}
	}
	for w, places := range n.inTitles {
		for _, i := range places {
			n.list[i].title += n.weight(w)
		}
	}
}

// weight is how much a word tells: one that many entries have tells little. A
// small scope is taken for part of a larger one, where no word is that common.
func (n *neighbours) weight(word string) float64 {
	const larger = 50
	return math.Log(float64(len(n.list)+larger) / float64(max(1, len(n.shared[word]))+1))
}

// of lists the entries most like what a card proposes.
func (n *neighbours) of(v CardView) []Entry {
	if v.After == nil || v.Op == entryfile.OpForget {
		return nil
	}
	e := *v.After
	score := make([]float64, len(n.list))
	n.overlap(score, recall.Words(e.Title), n.inTitles, func(b neighbour) float64 { return b.title })
	n.overlap(score, wordsOf(e), n.shared, func(b neighbour) float64 { return b.size })
	var near []int
	for i, b := range n.list {
		if score[i] >= leastAlike && b.entry.ID != e.ID && b.entry.Card != v.Card {
			near = append(near, i)
		}
	}
	slices.SortFunc(near, func(i, j int) int {
		return cmp.Or(cmp.Compare(score[j], score[i]), cmp.Compare(n.list[i].entry.ID, n.list[j].entry.ID))
	})
	var out []Entry
	for _, i := range near[:min(mostAlike, len(near))] {
		out = append(out, n.list[i].entry)
	}
	return out
}

// overlap raises scores to the share that words have with each text: what both
// say, of what either says.
func (n *neighbours) overlap(score []float64, words []string, in map[string][]int, size func(neighbour) float64) {
	common := make([]float64, len(n.list))
	total := 0.0
	for _, w := range words {
		weight := n.weight(w)
		total += weight
		for _, i := range in[w] {
			common[i] += weight
		}
	}
	for i, both := range common {
		if both > 0 {
			score[i] = max(score[i], both/(total+size(n.list[i])-both))
		}
	}
}
