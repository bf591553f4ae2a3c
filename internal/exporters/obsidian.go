package exporters

import (
	"strings"

	"gitvault/internal/entryfile"
)

// Obsidian: a note for each entry, what is known of it as properties, what it
// refers to as links. Facts: help.obsidian.md, Properties and Internal links.

func writeObsidian(items []Item) ([]File, error) {
	titles := map[string]*Item{}
	for i := range items {
		titles[items[i].Scope+"/"+items[i].ID] = &items[i]
	}
	links := func(it *Item, ids []string) []string {
		var out []string
		for _, id := range ids {
			link := id
			if to := titles[it.Scope+"/"+id]; to != nil {
				link = "[[" + noteName(to) + "|" + linkText(to.Title) + "]]"
			}
			out = append(out, link)
		}
		return out
	}
	var out []File
	for i := range items {
		it := &items[i]
		var f front
		f.text("title", it.Title)
		f.text("id", it.ID)
		f.text("scope", scopeWord(it))
		f.text("kind", string(it.Kind))
		f.text("description", it.Description)
		f.list("tags", it.Tags)
		f.text("status", it.standing())
		f.text("outcome", it.Outcome)
		if it.Pinned {
			f.b.WriteString("pinned: true\n")
		}
		f.text("created", it.Created)
		f.text("updated", it.Updated)
		f.text("expires", it.Expires)
		if it.Proposal != nil {
			f.text("review", it.Proposal.Op)
		}
		f.text("source", it.Source)
		f.text("session", it.Session)
		f.text("evidence", it.Evidence)
		f.list("paths", it.Paths)
		f.text("code", it.Code)
		f.list("supersedes", links(it, it.Supersedes))
		f.list("superseded_by", links(it, it.SupersededBy))
		f.list("derived_from", links(it, it.DerivedFrom))
		f.list("conflict", links(it, nonEmpty(it.Conflict)))
		for _, x := range it.Extra {
			f.b.WriteString(entryfile.TextField("", x.Key).Value + ": " + x.Value + "\n")
		}
		text := f.String()
		if it.Title == firstTitle(it.text()) {
			// Its reader takes a heading that is the title for no part of the text.
			text += "# " + it.Title + "\n\n"
		}
		if body := it.text(); body != "" {
			text += body + "\n"
		}
		out = append(out, File{it.Dir + "/" + it.Kind.Dir() + "/" + noteName(it) + ".md", []byte(text)})
	}
	return out, nil
}

func noteName(it *Item) string { return strings.TrimSuffix(entryfile.FileName(it.Entry), ".md") }

// linkText is a title as the text of a link, which ends at a bracket.
func linkText(title string) string {
	return strings.NewReplacer("[", "(", "]", ")", "|", "-").Replace(title)
}

// scopeWord names the scope as imports do.
func scopeWord(it *Item) string {
	if it.Scope == "user" {
		return it.Scope
	}
	return "project"
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
