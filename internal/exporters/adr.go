package exporters

import (
	"fmt"
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
)

// Architecture decision records, as MADR writes them. Facts:
// adr.github.io/madr and its template.

func writeADR(items []Item) ([]File, error) {
	numbers := adrNumbers(items)
	names := map[string]string{}
	for i := range items {
		names[items[i].ID] = adrName(numbers[i], &items[i])
	}
	var out []File
	for i := range items {
		it := &items[i]
		var f front
		f.text("status", adrStatus(it, names))
		date, _, _ := strings.Cut(it.Created, "T")
		f.text("date", date)
		if updated, _, _ := strings.Cut(it.Updated, "T"); updated != date {
			f.text("updated", updated)
		}
		f.text("description", it.Description)
		f.list("tags", it.Tags)
		title := it.Title
		if looksNumbered(title) {
			title = fmt.Sprintf("%d. %s", numbers[i], title)
		}
		text := f.String() + "# " + title + "\n"
		if body := it.text(); body != "" {
			text += "\n" + body + "\n"
		}
		out = append(out, File{adrName(numbers[i], it), []byte(text)})
	}
	return out, nil
}

// adrNumbers keeps the numbers that decisions came with, and counts on from
// the highest for the others.
func adrNumbers(items []Item) []int {
	numbers := make([]int, len(items))
	taken := map[int]bool{}
	last := 0
	for i := range items {
		n, err := strconv.Atoi(extra(&items[i], "adr"))
		if err == nil && n > 0 && n < 1_000_000 && !taken[n] {
			numbers[i], taken[n] = n, true
			last = max(last, n)
		}
	}
	for i := range numbers {
		if numbers[i] == 0 {
			last++
			numbers[i] = last
		}
	}
	return numbers
}

func adrName(number int, it *Item) string {
	name := strings.TrimSuffix(strings.TrimSuffix(entryfile.FileName(it.Entry), ".md"), "-"+it.ID)
	return fmt.Sprintf("%04d-%s.md", number, name)
}

// adrStatus is the status as the template has it.
func adrStatus(it *Item, names map[string]string) string {
	var by []string
	for _, id := range it.SupersededBy {
		if name := names[id]; name != "" {
			number, _, _ := strings.Cut(name, "-")
			by = append(by, "[ADR-"+number+"]("+name+")")
		}
	}
	switch {
	case it.Proposal != nil:
		return "proposed"
	case len(by) > 0:
		return "superseded by " + strings.Join(by, ", ")
	case len(it.SupersededBy) > 0:
		return "superseded"
	case it.Expired:
		return "deprecated"
	}
	if was := extra(it, "decision-status"); was != "" && was != "superseded" {
		return was
	}
	return "accepted"
}

// extra is the text of a further key.
func extra(it *Item, key string) string {
	for _, f := range it.Extra {
		if f.Key == key {
			return strings.Trim(f.Value, `"`)
		}
	}
	return ""
}

// looksNumbered reports whether a reader of decisions would take the beginning
// of a title for its number.
func looksNumbered(title string) bool {
	low := strings.ToLower(strings.TrimSpace(title))
	return low != "" && (low[0] >= '0' && low[0] <= '9' || strings.HasPrefix(low, "adr") || strings.HasPrefix(low, "madr"))
}
