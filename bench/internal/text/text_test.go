package text

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGeneratedIsDeterministic(t *testing.T) {
	a, b := Generated(7).Many(50, 600), Generated(7).Many(50, 600)
	if !slices.Equal(a, b) {
		t.Error("equal seeds gave other notes")
	}
	seen := map[string]bool{}
	for _, n := range a {
		if seen[n.Title] || len(n.Title) > 200 || strings.Contains(n.Title, "\n") {
			t.Errorf("title %q", n.Title)
		}
		seen[n.Title] = true
		if len(n.Body) < 500 || len(n.Body) > 1200 {
			t.Errorf("%d bytes, want about 600", len(n.Body))
		}
	}
}

func TestFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.jsonl")
	long := strings.Repeat("A line of text with größe.\n", 400)
	if err := os.WriteFile(path, []byte(`{"title":"A","body":"short"}`+"\n"+`{"title":"B","body":"`+strings.ReplaceAll(long, "\n", `\n`)+`"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.Many(20, 300) {
		if strings.TrimSpace(n.Body) == "" || len(n.Body) > 300 {
			t.Errorf("%q", n.Body)
		}
	}
}
