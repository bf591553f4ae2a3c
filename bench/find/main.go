// Command find measures context and recall, as whole processes, beside ripgrep
// over the same files.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
)

func main() {
	lab.Main("find: context and recall", func(l *lab.Lab) error {
		if err := find(l, 1_000, 950, 4, 6); err != nil {
			return err
		}
		return find(l, 50_000, 400, 0, 5)
	})
}

// queries are asked in turn; the words are common ones of the generated texts.
var queries = []string{
	"how does the retry backoff share state with the queue",
	"why did we replace the durable cache",
	"lock timeout in the scheduler",
	"writeTemplate",
	"what is measured against the baseline when the replica is stale",
}

// find measures at n entries of about size bytes; a bound of 0 is none.
func find(l *lab.Lab, n, size int, contextBound, recallBound float64) error {
	src, err := l.Text(uint64(n))
	if err != nil {
		return err
	}
	notes := src.Many(n, size)
	home, scope, err := l.Import(fmt.Sprintf("find%d", n), notes)
	if err != nil {
		return err
	}
	files, err := lab.Authored(scope)
	if err != nil {
		return err
	}
	ours := func(args ...string) side.Run {
		return func(int) (side.Sample, error) { return lab.Time(l.InVault(home, args...)) }
	}
	ask := func(round int) (side.Sample, error) { return ours("recall", queries[round%len(queries)])(round) }

	// The first recall builds the index; the one after a remember adds to it.
	cache := filepath.Join(scope, ".git", "vault", "cache")
	if err := os.RemoveAll(cache); err != nil {
		return err
	}
	build, err := ask(0)
	if err != nil {
		return err
	}
	stats, err := side.Interleave(3, lab.Pick(l, 20, 100),
		ours("context"), ask, ours("context", "--query", queries[0]),
		func(int) (side.Sample, error) { return lab.Time(l.Ripgrep(scope, "throughput", files)) })
	if err != nil {
		return err
	}
	var added []side.Sample
	for range 5 {
		note := src.Next(size)
		if _, err := ours("remember", "--kind", "decision", "--title", note.Title, "--", note.Body)(0); err != nil {
			return err
		}
		s, err := ask(1)
		if err != nil {
			return err
		}
		added = append(added, s)
	}

	bytes, err := total(scope, files)
	if err != nil {
		return err
	}
	l.Table.Head("%d entries, %.1f MB in %d files", n, float64(bytes)/1e6, len(files))
	l.Table.Compare("context", stats[0], "rg for a word", stats[3], contextBound)
	l.Table.Compare("context --query", stats[2], "rg for a word", stats[3], 0)
	l.Table.Compare("recall, warm index", stats[1], "rg for a word", stats[3], recallBound)
	l.Table.Compare("recall after one remember", side.Sum(added), "warm", stats[1], 0)
	if n >= 50_000 {
		l.Table.Limit("first recall, builds the index", "s", build.Time.Seconds(), 20)
	} else {
		l.Table.Note("first recall, builds the index", "%s", side.Short(build.Time.Round(time.Microsecond)))
	}
	if build.Memory > 0 {
		l.Table.Limit("  its peak memory", "MB", float64(build.Memory)/1e6, 150)
		l.Table.Limit("peak memory of a recall", "MB", float64(stats[1].Memory)/1e6, 150)
	}
	return nil
}

func total(dir string, files []string) (size int64, err error) {
	for _, f := range files {
		info, err := os.Stat(filepath.Join(dir, f))
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}
