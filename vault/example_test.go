package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"gitvault/vault"
)

// A program remembers a decision for a person, changes it, looks at the
// history, and takes the change back.
func Example() {
	home, err := os.MkdirTemp("", "vault-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)

	clock := time.Date(2026, 11, 30, 19, 27, 0, 0, time.UTC)
	h, err := vault.Open(vault.Options{
		Home:    home,
		Dir:     home,
		Now:     func() time.Time { clock = clock.Add(time.Minute); return clock },
		Random:  bytes.NewReader(bytes.Repeat([]byte{7, 42, 99, 3, 250}, 20)),
		Account: "ada", Host: "example.org",
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()

	made, err := h.Remember(ctx, vault.Draft{
		Scope: vault.UserScope,
		Kind:  vault.Decision,
		Title: "Queue in Postgres",
		Text:  "One system less to run.",
	})
	if err != nil {
		panic(err)
	}

	text := "One system less to run, and transactions for nothing."
	if _, err := h.Edit(ctx, made.Entry.ID, vault.Edit{Text: &text}); err != nil {
		panic(err)
	}
	log, err := h.Log(ctx, vault.LogQuery{})
	if err != nil {
		panic(err)
	}
	for _, c := range log {
		fmt.Println(c.Time.Format(time.RFC3339), c.Subject)
	}

	if _, err := h.Undo(ctx, vault.RestoreOptions{}); err != nil {
		panic(err)
	}
	found, err := h.Get(ctx, "", []string{made.Entry.ID})
	if err != nil {
		panic(err)
	}
	fmt.Println(found[0].Body)
	// Output:
	// 2026-11-30T19:32:00Z edit: Queue in Postgres
	// 2026-11-30T19:30:00Z remember: Queue in Postgres
	// One system less to run.
}
