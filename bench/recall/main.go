// Command recall measures how well vault finds: it remembers a corpus in a
// fresh vault, asks it queries whose answers are known, and prints how much of
// them came back, with plain BM25 over the same texts beside it.
//
//	go run ./bench/recall [-misses] CORPUS QUERIES
//
// Both are JSON Lines. A line of the corpus is {"scope","id","text","date"},
// or a document {"title","body","path","date"}. An id like "D3:7" is the
// seventh turn of the session D3: a session becomes a trace, a turn a passage
// of it. A line of the queries is {"scope","query","category","relevant"}, with
// the ids or paths that answer it; it is asked of the corpus of its scope only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	misses := flag.Bool("misses", false, "also print the queries whose answers are not all among the first ten")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/recall [-misses] CORPUS QUERIES")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), flag.Arg(1), *misses); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, corpusFile, queryFile string, misses bool) error {
	corpora, err := readCorpora(corpusFile)
	if err != nil {
		return err
	}
	queries, err := readQueries(queryFile)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vault-recall-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	var ours, plain, stemmed scores
	byScope := map[string][]asker{}
	for _, q := range queries {
		c := corpora.of(q.Scope)
		if c == nil {
			return fmt.Errorf("query %q: no corpus of scope %q", q.Text, q.Scope)
		}
		askers := byScope[c.scope]
		if askers == nil {
			v, err := remember(ctx, dir, c)
			if err != nil {
				return err
			}
			askers = []asker{v, newBM25(v.kept, false), newBM25(v.kept, true)}
			byScope[c.scope] = askers
		}
		for i, to := range []*scores{&ours, &plain, &stemmed} {
			found, err := askers[i].ask(ctx, q.Text)
			if err != nil {
				return fmt.Errorf("%q: %w", q.Text, err)
			}
			r := measure(found, q.Relevant)
			to.add(q.Category, r)
			if i == 0 && misses && r.recall10 < 1 {
				fmt.Printf("%.2f  %s\n      wants %v, got %v\n", r.recall10, q.Text, q.Relevant, found)
			}
		}
	}
	show("vault recall", &ours)
	show("plain BM25", &plain)
	show("plain BM25, stemmed, stop words out", &stemmed)
	return nil
}

// An asker ranks ids for a query, at most ten.
type asker interface {
	ask(ctx context.Context, query string) ([]string, error)
}
