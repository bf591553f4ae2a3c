package vault_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gitvault/vault"
)

// benchHome is a home whose user scope has a ledger of about so many bytes.
func benchHome(b *testing.B, size int) *vault.Home {
	b.Helper()
	dir := b.TempDir()
	h, err := vault.Open(vault.Options{Home: dir, Dir: dir, Account: "ada", Host: "example.org"})
	if err != nil {
		b.Fatal(err)
	}
	body := strings.Repeat("A queue in the database is one system less to run, and its jobs commit with the data.\n", 12)
	for i := 0; i*1100 < size; i++ {
		remember(b, h, fmt.Sprintf("Decision %d", i), fmt.Sprintf("%s\nNumber %d.", body, i))
	}
	return h
}

func remember(b *testing.B, h *vault.Home, title, text string) {
	b.Helper()
	if _, err := h.Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Title: title, Text: text}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRemember is one durable remember into a ledger of 200 KB.
func BenchmarkRemember(b *testing.B) {
	h := benchHome(b, 190<<10)
	for i := 0; b.Loop(); i++ {
		remember(b, h, fmt.Sprintf("Short %d", i), fmt.Sprintf("Note number %d.", i))
	}
}

// BenchmarkList is a list of a thousand entries, 1 MB.
func BenchmarkList(b *testing.B) {
	h := benchHome(b, 1<<20)
	for b.Loop() {
		if _, err := h.List(context.Background(), vault.ListQuery{}); err != nil {
			b.Fatal(err)
		}
	}
}
