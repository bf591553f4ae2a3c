package exporters

import (
	"strings"

	"gitvault/internal/entryfile"
)

// AGENTS.md is plain Markdown for agents. Facts: agents.md.

func writeAgentsMD(items []Item) ([]File, error) {
	var b strings.Builder
	b.WriteString("# What to go by here\n")
	for i := range items {
		it := &items[i]
		b.WriteString("\n## " + agentsTitle(it) + "\n")
		text := it.text()
		if text == "" && !endsSentence(it.Title) {
			text = it.Title
		}
		if text != "" {
			b.WriteString("\n" + below(text, 2) + "\n")
		}
	}
	return []File{{Data: []byte(b.String())}}, nil
}

// agentsTitle says of what is no rule what it is.
func agentsTitle(it *Item) string {
	switch it.Kind {
	case entryfile.FailedPath:
		return "Don't: " + it.Title
	case entryfile.OpenThread:
		return "Open: " + it.Title
	}
	return it.Title
}

// endsSentence reports whether a title is a sentence, which needs no text.
func endsSentence(title string) bool {
	return strings.ContainsAny(title[max(0, len(title)-1):], ".!?") || strings.HasSuffix(title, "。") || strings.HasSuffix(title, "！") || strings.HasSuffix(title, "？")
}

// below moves a text's headings down so that they are below a level, and ends a
// fence that it leaves open.
func below(text string, level int) string {
	lines := strings.Split(text, "\n")
	least := 7
	fence := ""
	heads := make([]int, len(lines))
	for i, l := range lines {
		if inside := fenceAfter(&fence, l); inside {
			continue
		}
		heads[i] = headingLevel(l)
		if heads[i] > 0 {
			least = min(least, heads[i])
		}
	}
	down := level + 1 - least
	for i := range lines {
		if heads[i] > 0 && down > 0 {
			at := strings.IndexByte(lines[i], '#')
			lines[i] = lines[i][:at] + strings.Repeat("#", min(down, 6-heads[i])) + lines[i][at:]
		}
	}
	if fence != "" {
		lines = append(lines, fence)
	}
	return strings.Join(lines, "\n")
}

// fenceAfter follows fenced blocks line by line, and reports whether the line
// belongs to one.
func fenceAfter(open *string, line string) bool {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 {
		return *open != ""
	}
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(t, mark) {
			continue
		}
		run := t[:len(t)-len(strings.TrimLeft(t, mark[:1]))]
		switch {
		case *open == "":
			*open = run
		case run[0] == (*open)[0] && len(run) >= len(*open) && strings.TrimSpace(t[len(run):]) == "":
			*open = ""
		}
		return true
	}
	return *open != ""
}

func headingLevel(line string) int {
	t := strings.TrimLeft(line, " ")
	n := len(t) - len(strings.TrimLeft(t, "#"))
	if len(line)-len(t) > 3 || n == 0 || n > 6 || len(t) > n && t[n] != ' ' && t[n] != '\t' {
		return 0
	}
	return n
}
