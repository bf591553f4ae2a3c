package recall

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

func BenchmarkTokenize(b *testing.B) {
	for name, text := range map[string]string{
		"english":  "The worker takes jobs from the queue, retries five times (with backoff) and parks what fails. See internal/queue/retry.go and `maxAttempts`.\n",
		"russian":  "Рабочий процесс берёт задания из очереди, повторяет пять раз с задержкой и откладывает то, что не удалось.\n",
		"chinese":  "工作进程从队列中取出任务，失败时以退避方式重试五次，仍然失败的任务会被搁置。参见队列目录。\n",
		"japanese": "ワーカーはキューからジョブを取り出し、失敗したら間隔を空けて五回やり直し、それでも駄目なら脇に置く。\n",
	} {
		text = strings.Repeat(text, 100)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				tokenize(text, func(token) {})
			}
		})
	}
}

// generated is a scope of n entries of about 700 bytes with words as frequent
// as in a natural language.
func generated(n int) []FileRef {
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.1, 8, 40_000)
	var refs []FileRef
	for at := 0; at < n; at += 250 {
		var es []entryfile.Entry
		for i := at; i < min(at+250, n); i++ {
			var body strings.Builder
			for range 100 {
				fmt.Fprintf(&body, "w%dx ", zipf.Uint64())
			}
			es = append(es, entryfile.Entry{ID: fmt.Sprintf("g%07d", i), Kind: entryfile.Decision, Title: fmt.Sprintf("w%dx w%dx", zipf.Uint64(), zipf.Uint64()), Body: body.String()})
		}
		refs = append(refs, FileRef{fmt.Sprintf("decisions/%05d.md", at), "1", func() ([]entryfile.Entry, error) { return es, nil }})
	}
	return refs
}

func BenchmarkBuild(b *testing.B) {
	refs := generated(5000)
	for range b.N {
		ix, err := Open(context.Background(), "project", refs, Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		ix.Close()
	}
}

// BenchmarkRecall opens a warm index and asks, as one process does.
func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{1000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			refs, dir := generated(n), b.TempDir()
			for i := range b.N + 1 {
				if i == 1 {
					b.ResetTimer()
				}
				ix, err := Open(context.Background(), "project", refs, Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				q := fmt.Sprintf("w%dx w%dx w%dx w%dx w%dx", i%5, i%50, i%500, i%5000, i)
				if _, err := Search(context.Background(), Query{Text: q}, ix); err != nil {
					b.Fatal(err)
				}
				ix.Close()
			}
		})
	}
}
