package exporters

import (
	"bytes"
	"encoding/json"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
)

// The MCP reference memory server keeps a graph as JSON Lines. Facts:
// modelcontextprotocol/servers, src/memory/README.md and index.ts.

type graphEntity struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type graphRelation struct {
	Type         string `json:"type"`
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

func writeMCPMemory(items []Item) ([]File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	names, taken := map[string]string{}, map[string]bool{}
	for i := range items {
		it := &items[i]
		name := it.Title
		if taken[name] {
			name += " (" + it.ID + ")"
		}
		taken[name] = true
		names[it.Scope+"/"+it.ID] = name
		if err := enc.Encode(graphEntity{"entity", name, string(it.Kind), observations(it)}); err != nil {
			return nil, err
		}
	}
	for i := range items {
		it := &items[i]
		for _, r := range []struct {
			word string
			ids  []string
		}{{"supersedes", it.Supersedes}, {"derived from", it.DerivedFrom}} {
			for _, id := range r.ids {
				to := names[it.Scope+"/"+id]
				if to == "" {
					continue
				}
				if err := enc.Encode(graphRelation{"relation", names[it.Scope+"/"+it.ID], to, r.word}); err != nil {
					return nil, err
				}
			}
		}
	}
	return []File{{Data: safetext.JSON(b.Bytes())}}, nil
}

// observations are the entry's text, and then what is known of it in words that
// its reader, who sees nothing else, understands.
func observations(it *Item) []string {
	out := []string{it.Body}
	add := func(name, value string) {
		if value != "" {
			out = append(out, name+": "+value)
		}
	}
	add("Description", it.Description)
	add("Tags", strings.Join(it.Tags, ", "))
	add("Created", it.Created)
	if s := it.standing(); s != entryfile.StatusOpen {
		add("Status", s)
	}
	add("Outcome", it.Outcome)
	return out
}
