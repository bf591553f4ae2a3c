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

// text is one observation as it is, and several as a list.
func (t observations) text() string {
	if len(t) == 1 {
		return t[0]
	}
	var lines []string
	for _, o := range t {
		lines = append(lines, "- "+strings.ReplaceAll(o, "\n", "\n  "))
	}
	return strings.Join(lines, "\n")
}

// fact takes an observation that, in our own export, says something about the
// entity before it. It reports whether it was one.
func (r *Record) fact(observation string, superseded bool) bool {
	name, value, ok := strings.Cut(observation, ": ")
	if !ok || strings.Contains(value, "\n") {
		return false
	}
	e := &r.Entry
	switch name {
	case "Description":
		e.Description = value
	case "Tags":
		e.Tags = strings.Split(value, ", ")
	case "Outcome":
		e.Outcome = value
	case "Created":
		e.Created = date(value)
		return e.Created != ""
	case "Status":
		switch value {
		case entryfile.StatusResolved:
			e.Status = value
		case "superseded":
			if !superseded {
				r.end(value, e.Changed())
			}
		case "expired":
			r.end(value, e.Changed())
		default:
			return false
		}
	default:
		return false
	}
	return true
}

func entityKey(name text) string { return "entity/" + string(name) }

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
	supersedes, superseded := map[text][]string{}, map[text]bool{}
	for _, r := range relations {
		if !known[r.From] {
			s.note(f.show, "a relation begins at an entity that is not there: %s", entryfile.Shorten(oneLine(string(r.From)), 60))
			continue
		}
		if r.RelationType == "supersedes" && known[r.To] {
			supersedes[r.From] = append(supersedes[r.From], entityKey(r.To))
			superseded[r.To] = true
			continue
		}
		from[r.From] = append(from[r.From], "- "+oneLine(string(r.RelationType))+" [["+oneLine(string(r.To))+"]]")
	}
	for _, x := range entities {
		r := Record{Key: entityKey(x.Name), Where: x.where, Supersedes: supersedes[x.Name]}
		e := &r.Entry
		e.Title = string(x.Name)
		kind, err := entryfile.ParseKind(string(x.EntityType))
		told := observations(nil)
		for _, o := range x.Observations {
			if o = strings.TrimSpace(plainLines(o)); o != "" && !(err == nil && len(told) > 0 && r.fact(o, superseded[x.Name])) {
				told = append(told, o)
			}
		}
		e.Body = joinParagraphs(told.text(), strings.Join(from[x.Name], "\n"))
		e.Kind = kind
		if err != nil {
			e.Kind = entryfile.Convention
			if t := oneLine(string(x.EntityType)); t != "" {
				e.Tags = []string{t}
			}
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
