package importers

import (
	"encoding/json"
	"path"
	"strings"

	"gitvault/internal/entryfile"
)

// The MCP reference memory server keeps a graph as JSON Lines: entities with
// observations, and relations between them. Facts:
// modelcontextprotocol/servers, src/memory/README.md and index.ts.

type graphLine struct {
	Type         text         `json:"type"`
	Name         text         `json:"name"`
	EntityType   text         `json:"entityType"`
	Observations observations `json:"observations"`
	From         text         `json:"from"`
	To           text         `json:"to"`
	RelationType text         `json:"relationType"`
	Entities     []entity     `json:"entities"`
	Relations    []relation   `json:"relations"`
}

type entity struct {
	Name         text         `json:"name"`
	EntityType   text         `json:"entityType"`
	Observations observations `json:"observations"`
	where        string
}

type relation struct {
	From         text `json:"from"`
	To           text `json:"to"`
	RelationType text `json:"relationType"`
}

// observations are a list of strings as they are, commas included.
type observations []string

func (t *observations) UnmarshalJSON(data []byte) error {
	var list []text
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, s := range list {
		*t = append(*t, string(s))
	}
	return nil
}

func readMCPMemory(s *source) error {
	want := func(f file) bool {
		switch strings.ToLower(path.Ext(f.rel)) {
		case ".jsonl", ".json":
			return strings.Contains(strings.ToLower(path.Base(f.rel)), "memory")
		}
		return false
	}
	return s.each(want, func(f file) error {
		if f.size > maxGraph {
			s.refuse(f.show, "%s", tooBig(maxGraph))
			return nil
		}
		var entities []entity
		var relations []relation
		err := s.jsonLines(f, func(n int, line []byte) error {
			var g graphLine
			if err := json.Unmarshal(line, &g); err != nil {
				s.refuse(at(f, n), "it is no line of a graph: %s", plainJSONError(err))
				return nil
			}
			switch {
			case g.Type == "entity" && g.Name != "":
				entities = append(entities, entity{g.Name, g.EntityType, g.Observations, at(f, n)})
			case g.Type == "relation" && g.From != "" && g.To != "":
				relations = append(relations, relation{g.From, g.To, g.RelationType})
			case g.Type == "" && len(g.Entities) > 0:
				for _, e := range g.Entities {
					e.where = at(f, n)
					entities = append(entities, e)
				}
				relations = append(relations, g.Relations...)
			default:
				s.refuse(at(f, n), "it is neither an entity nor a relation")
			}
			return nil
		})
		if err != nil {
			return err
		}
		return s.graph(f, entities, relations)
	})
}

func (s *source) graph(f file, entities []entity, relations []relation) error {
	known := map[text]bool{}
	for _, e := range entities {
		known[e.Name] = true
	}
	from := map[text][]string{}
	for _, r := range relations {
		if !known[r.From] {
			s.note(f.show, "a relation begins at an entity that is not there: %s", entryfile.Shorten(oneLine(string(r.From)), 60))
			continue
		}
		from[r.From] = append(from[r.From], "- "+oneLine(string(r.RelationType))+" [["+oneLine(string(r.To))+"]]")
	}
	for _, x := range entities {
		r := Record{Key: "entity/" + string(x.Name), Where: x.where}
		e := &r.Entry
		e.Title = string(x.Name)
		var lines []string
		for _, o := range x.Observations {
			if o = strings.TrimSpace(plainLines(o)); o != "" {
				lines = append(lines, "- "+strings.ReplaceAll(o, "\n", "\n  "))
			}
		}
		e.Body = joinParagraphs(strings.Join(lines, "\n"), strings.Join(from[x.Name], "\n"))
		if t := oneLine(string(x.EntityType)); t != "" {
			e.Tags = []string{t}
		}
		e.Kind = entryfile.Convention
		if k, err := entryfile.ParseKind(string(x.EntityType)); err == nil {
			e.Kind = k
		} else {
			switch strings.ToLower(string(x.EntityType)) {
			case "user", "person":
				r.Scope, e.Kind = User, entryfile.Preference
			}
		}
		if err := s.emit(r); err != nil {
			return err
		}
	}
	return nil
}
