package vault

import (
	"context"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

// slugKey is the further key by which an import keeps what its source calls an
// entry in [[links]].
const slugKey = "slug"

// textLinks checks [[links]] in texts, as far as they look like ours: an id with
// a digit in it, since there are words that could be ids, and in an entry that
// came with a slug, any. All others are the person's own.
func (c *checker) textLinks(ctx context.Context, h *Home) error {
	var slugs map[string]bool
	for _, l := range c.all {
		if !strings.Contains(l.Body, "[[") {
			continue
		}
		if slugs == nil {
			slugs = c.slugs()
		}
		var told []string
		for _, to := range linksIn(l.Body) {
			isID := entryfile.ValidID(to) && strings.ContainsAny(to, "0123456789")
			known := c.byID[to] != nil || slugs[strings.ToLower(to)]
			if known || !isID && slugOf(l.Entry) == "" || slices.Contains(told, to) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if isID {
				if _, _, _, err := h.locate(ctx, "", to); err == nil {
					continue // of another scope, or on a card
				}
			}
			told = append(told, to)
			c.about("link", SeverityWarning, l, "its text links to [[%s]], which is nowhere", shortened(oneLine(to)))
		}
	}
	return nil
}

// slugs are the names by which entries can be linked to, in lower case.
func (c *checker) slugs() map[string]bool {
	out := map[string]bool{}
	for _, l := range c.all {
		out[strings.ToLower(l.Title)] = true
		if s := slugOf(l.Entry); s != "" {
			out[strings.ToLower(s)] = true
		}
	}
	return out
}

func slugOf(e entryfile.Entry) string {
	for _, f := range e.Extra {
		if f.Key == slugKey {
			return strings.Trim(f.Value, `"' `)
		}
	}
	return ""
}

// linksIn lists what [[links]] in a text point to, without what they are called
// and the heading they name. Those in code are none.
func linksIn(text string) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		begin := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(begin, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(begin, "```") || strings.HasPrefix(begin, "~~~") {
			fence = begin[:3]
			continue
		}
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue
			}
			for {
				_, after, ok := strings.Cut(part, "[[")
				if !ok {
					break
				}
				to, rest, ok := strings.Cut(after, "]]")
				if !ok {
					break
				}
				part = rest
				if end := strings.IndexAny(to, "|#"); end >= 0 {
					to = to[:end]
				}
				if to = strings.TrimSpace(to); to != "" {
					out = append(out, to)
				}
			}
		}
	}
	return out
}
