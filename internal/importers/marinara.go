package importers

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"gitvault/internal/entryfile"
)

// Marinara's Professor Mari keeps memories (name, description, content, enabled
// or not, persistent or not) and skills (SKILL.md with name and description);
// both can be uploaded as Markdown. Facts: Pasta-Devs/Marinara-Engine,
// docs/home/professor-mari.md.

type marinaraMemory struct {
	ID          text   `json:"id"`
	Name        text   `json:"name"`
	Title       text   `json:"title"`
	Description text   `json:"description"`
	Content     text   `json:"content"`
	Body        text   `json:"body"`
	Enabled     *bool  `json:"enabled"`
	Persistent  truthy `json:"persistent"`
	Tags        texts  `json:"tags"`
	CreatedAt   text   `json:"createdAt"`
	UpdatedAt   text   `json:"updatedAt"`
}

func readMarinara(s *source) error {
	want := func(f file) bool {
		switch strings.ToLower(path.Ext(f.rel)) {
		case ".md", ".markdown", ".json", ".jsonl":
			return true
		case ".txt":
			return f.named()
		}
		return false
	}
	return s.each(want, func(f file) error {
		switch strings.ToLower(path.Ext(f.rel)) {
		case ".jsonl":
			return s.jsonLines(f, func(n int, line []byte) error { return s.marinaraJSON(f, n, line) })
		case ".json":
			text, ok := s.text(f)
			if !ok {
				return nil
			}
			return s.marinaraJSON(f, 1, []byte(text))
		}
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		return s.marinaraFile(f, text)
	})
}

// marinaraJSON reads a memory, a list of them, or an object that holds a list.
func (s *source) marinaraJSON(f file, n int, data []byte) error {
	var list []json.RawMessage
	var holder struct {
		Memories []json.RawMessage `json:"memories"`
		Skills   []json.RawMessage `json:"skills"`
	}
	switch {
	case json.Unmarshal(data, &list) == nil:
	case json.Unmarshal(data, &holder) == nil && len(holder.Memories)+len(holder.Skills) > 0:
		list = append(holder.Memories, holder.Skills...)
	default:
		list = []json.RawMessage{data}
	}
	for i, raw := range list {
		where := at(f, n)
		if len(list) > 1 {
			where = at(f, n) + "#" + strconv.Itoa(i+1)
		}
		var m marinaraMemory
		if err := json.Unmarshal(raw, &m); err != nil || first(m.Content, m.Body) == "" {
			if f.named() || len(list) > 1 {
				s.refuse(where, "it is no memory: it has no name and content")
			}
			continue
		}
		r := Record{Scope: User, Where: where, Key: "memory/" + first(m.ID, m.Name, m.Title, text(textHash(string(raw))))}
		e := &r.Entry
		e.Kind = entryfile.Preference
		e.Title, e.Description, e.Body = first(m.Name, m.Title), string(m.Description), plainLines(first(m.Content, m.Body))
		e.Tags = m.Tags
		e.Pinned = bool(m.Persistent)
		r.dated(&e.Created, "its date", string(m.CreatedAt))
		r.dated(&e.Updated, "the date of its change", string(m.UpdatedAt))
		if m.Enabled != nil && !*m.Enabled {
			// Off until a person turns it on.
			r.Proposal = &Proposal{Op: "add"}
		}
		if err := s.emit(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) marinaraFile(f file, text string) error {
	front, rest, bad := takeFront(text)
	title, body, line := takeTitle(rest, front.end+1)
	name := f.stem()
	if strings.EqualFold(name, "skill") {
		name = path.Base(f.dir())
	}
	r := Record{Scope: User, Key: "file/" + name, Where: at(f, max(1, line-1))}
	if front.text("name") != "" && title != "" {
		body, r.Where = rest, at(f, front.end+1)
	}
	if bad {
		r.Notes = append(r.Notes, "its front matter could not all be read")
	}
	e := &r.Entry
	e.Kind = entryfile.Preference
	e.Title = firstOf(front.text("name", "title"), title, words(name))
	e.Description = front.text("description")
	e.Body = body
	e.Tags = front.list("tags")
	if strings.EqualFold(f.stem(), "skill") {
		e.Tags = append(e.Tags, "skill")
	}
	e.Pinned = front.isTrue("persistent")
	return s.emit(r)
}
