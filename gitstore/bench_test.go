package gitstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

func prose(size int, seed uint64) string {
	words := strings.Fields("the decision was to keep one repository per scope because a commit gives undo blame and sync for nothing while storing bytes in a database would need tools of its own")
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[rnd.IntN(len(words))])
		if rnd.IntN(12) == 0 {
			fmt.Fprintf(&b, " %x\n", rnd.Uint64())
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func benchmarkCommit(b *testing.B, o Options) {
	ledger, list := prose(200_000, 1), prose(20_000, 2)
	r := makeRepo(b, filepath.Join(b.TempDir(), "scope"), o, map[string]string{"decisions.md": ledger, "INDEX.md": list, "conventions.md": "c\n", "preferences/a.md": "a\n"})
	i := 0
	for b.Loop() {
		i++
		tx, err := r.Begin(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		line := fmt.Sprintf("\n## Entry %d\n", i)
		_, err = tx.Commit(change("remember", map[string]string{"decisions.md": ledger + line, "INDEX.md": line + list}))
		if err != nil {
			b.Fatal(err)
		}
		tx.Close()
	}
}

func BenchmarkCommitDurable(b *testing.B) { benchmarkCommit(b, Options{}) }
func BenchmarkCommitFast(b *testing.B)    { benchmarkCommit(b, fast) }

func BenchmarkView(b *testing.B) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("f%d.md", i)] = prose(20_000, uint64(i))
	}
	r := testRepo(b, files)
	for b.Loop() {
		if _, err := r.View(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
