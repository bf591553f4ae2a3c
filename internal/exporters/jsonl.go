package exporters

import (
	"bytes"

	"gitvault/internal/importers"
)

// writeJSONL writes all there is of each entry, so that importing the lines
// into an empty vault and exporting that gives the same bytes.
func writeJSONL(items []Item) ([]File, error) {
	var b bytes.Buffer
	for _, it := range items {
		b.Write(importers.NewLine(it.Scope, it.Entry, it.Proposal).Bytes())
	}
	return []File{{Data: b.Bytes()}}, nil
}
