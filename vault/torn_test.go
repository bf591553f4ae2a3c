package vault

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestATornFileIsNoHandEdit breaks files as a failing disk does: nothing counts
// as forgotten, readers go on, and a write to the file says what to do.
func TestATornFileIsNoHandEdit(t *testing.T) {
	for name, tear := range map[string]func([]byte) []byte{
		"truncated to nothing": func([]byte) []byte { return nil },
		"filled with NUL":      func(b []byte) []byte { return make([]byte, len(b)) },
		"its second half NUL":  func(b []byte) []byte { clear(b[len(b)/2:]); return b },
		"NUL behind its end":   func(b []byte) []byte { return append(b, make([]byte, 4096)...) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			someEntries(t, l)
			prefs, err := filepath.Glob(filepath.Join(l.user(), "preferences", "*.md"))
			if err != nil || len(prefs) != 1 {
				t.Fatal(prefs, err)
			}
			for _, path := range []string{filepath.Join(l.project(), "decisions.md"), prefs[0]} {
				data, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(path, tear(bytes.Clone(data)), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			h := l.open(t)
			if id, err := idOf(h, "Static pages"); err != nil || id == "" {
				t.Fatalf("the entry is gone: %v", err)
			}
			if _, err := h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."}); CodeOf(err) != Conflict {
				t.Fatalf("a write to the torn file: %v", err)
			}
			l.seed++
			l.remember(t, Convention, "", "Others are written to all the same.")
			l.remember(t, Preference, "", "Be brief.")
			if n := l.ops(t, ProjectScope)["adopt"] + l.ops(t, UserScope)["adopt"]; n > 0 {
				t.Fatalf("%d torn files were taken for hand edits", n)
			}
			list, err := l.open(t).List(ctx, ListQuery{All: true})
			if err != nil || len(list) != 5 {
				t.Fatalf("%d entries: %v", len(list), err)
			}
		})
	}
}
