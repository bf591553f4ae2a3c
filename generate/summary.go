package generate

import (
	"strings"

	"gitvault/internal/entryfile"
)

// maxSummary is the length in characters to which a summary made from a body
// is shortened. A description stands as it was written.
const maxSummary = 160

// Summary is the line an index shows beside the title: the description, or
// without one the first sentence of the body that says more than the title; of
// a sentence that was shortened to make the title, the rest. It is raw text,
// to be made harmless where it is shown.
func Summary(e entryfile.Entry) string {
	line := e.Line()
	if e.Description != "" {
		return line
	}
	if title, cut := strings.CutSuffix(e.Title, "…"); cut && title != "" {
		if rest, ok := strings.CutPrefix(line, title); ok {
			line = "…" + strings.TrimSpace(rest)
		}
	}
	return entryfile.Shorten(plainText(line), maxSummary)
}
