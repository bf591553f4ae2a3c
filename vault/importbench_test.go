package vault_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

// manyLines is a file of JSON Lines with so many decisions.
func manyLines(tb testing.TB, n int) string {
	tb.Helper()
	words := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"title":"Decision %d","body":"Text %d holds for all of it.\n\n`, i, i)
		for range 80 {
			fmt.Fprintf(&b, "word%d ", words.IntN(5000))
		}
		fmt.Fprintf(&b, `.","date":"2026-01-02","status":"accepted","path":"adr/%d.md"}`+"\n", i)
	}
	file := filepath.Join(tb.TempDir(), "many.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

func BenchmarkImport(b *testing.B) {
	file := manyLines(b, 10_000)
	for b.Loop() {
		h, err := vault.Open(vault.Options{Home: filepath.Join(b.TempDir(), "home"), Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		done, err := h.Import(context.Background(), vault.Import{Format: "jsonl", Paths: []string{file}, Scope: vault.UserScope})
		if err != nil || len(done.Added) != 10_000 {
			b.Fatal(len(done.Added), err)
		}
	}
}
