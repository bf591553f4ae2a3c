package exporters

import (
	"strings"

	"gitvault/internal/entryfile"
)

// front is front matter in the making.
type front struct{ b strings.Builder }

func (f *front) text(key, value string) {
	if value != "" {
		f.b.WriteString(key + ": " + entryfile.TextField(key, value).Value + "\n")
	}
}

func (f *front) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	f.b.WriteString(key + ":\n")
	for _, v := range values {
		f.b.WriteString("  - " + entryfile.TextField(key, v).Value + "\n")
	}
}

func (f *front) String() string { return "---\n" + f.b.String() + "---\n\n" }

// firstTitle is the heading of level 1 that a text begins with, "" without one.
func firstTitle(body string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(body, "\n"), "\n")
	if title, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "# "); ok {
		return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(title), "#"))
	}
	return ""
}
