package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// A result is how well one query was answered.
type result struct {
	recall1, recall5, recall10 float64
	hit10                      float64 // whether any answer is among the first ten
	ndcg10                     float64
	mrr                        float64 // one over the place of the first answer
}

// measure compares what was found with what answers. An answer counts once.
func measure(found, relevant []string) result {
	wanted := map[string]bool{}
	for _, id := range relevant {
		wanted[id] = true
	}
	all := float64(len(wanted))
	var r result
	for i, id := range found[:min(len(found), 10)] {
		if !wanted[id] || slices.Contains(found[:i], id) {
			continue
		}
		if i < 1 {
			r.recall1 += 1 / all
		}
		if i < 5 {
			r.recall5 += 1 / all
		}
		r.recall10 += 1 / all
		r.hit10 = 1
		r.ndcg10 += 1 / math.Log2(float64(i+2))
		if r.mrr == 0 {
			r.mrr = 1 / float64(i+1)
		}
	}
	ideal := 0.0
	for i := range min(len(wanted), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	r.ndcg10 /= ideal
	return r
}

// scores are the results of many queries, by category.
type scores struct {
	sum   map[string]result
	count map[string]float64
}

func (s *scores) add(category string, r result) {
	if s.sum == nil {
		s.sum, s.count = map[string]result{}, map[string]float64{}
	}
	for _, c := range []string{category, "all"} {
		t := s.sum[c]
		s.sum[c] = result{t.recall1 + r.recall1, t.recall5 + r.recall5, t.recall10 + r.recall10, t.hit10 + r.hit10, t.ndcg10 + r.ndcg10, t.mrr + r.mrr}
		s.count[c]++
	}
}

func show(name string, s *scores) {
	fmt.Printf("\n%s\n  %-16s %7s %9s %9s %9s %9s %9s %9s\n", name, "category", "queries", "recall@1", "recall@5", "recall@10", "hit@10", "nDCG@10", "MRR")
	var categories []string
	for c := range s.sum {
		if c != "all" {
			categories = append(categories, c)
		}
	}
	sort.Strings(categories)
	for _, c := range append(categories, "all") {
		r, n := s.sum[c], s.count[c]
		fmt.Printf("  %-16s %7.0f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", c, n,
			r.recall1/n, r.recall5/n, r.recall10/n, r.hit10/n, r.ndcg10/n, r.mrr/n)
	}
}
