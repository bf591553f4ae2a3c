package importers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// document is a line that is no export of ours: a title and a text, under the
// names that such collections use.
type document struct {
	Title       text   `json:"title"`
	Name        text   `json:"name"`
	Body        text   `json:"body"`
	Text        text   `json:"text"`
	Content     text   `json:"content"`
	Description text   `json:"description"`
	Kind        text   `json:"kind"`
	Type        text   `json:"type"`
	Scope       text   `json:"scope"`
	Status      text   `json:"status"`
	Date        text   `json:"date"`
	Created     text   `json:"created"`
	CreatedAt   text   `json:"created_at"`
	Updated     text   `json:"updated"`
	UpdatedAt   text   `json:"updated_at"`
	Expires     text   `json:"expires"`
	Tags        texts  `json:"tags"`
	Supersedes  names  `json:"supersedes"`
	Path        text   `json:"path"`
	SourceRepo  text   `json:"source_repo"`
	Licence     text   `json:"licence"`
	License     text   `json:"license"`
	URL         text   `json:"url"`
	ID          text   `json:"id"`
	Pinned      truthy `json:"pinned"`
	Source      text   `json:"source"`
	Author      text   `json:"author"`
}

func readJSONL(s *source) error {
	isLines := func(f file) bool {
		switch strings.ToLower(path.Ext(f.rel)) {
		case ".jsonl", ".ndjson":
			return true
		}
		return false
	}
	return s.each(isLines, func(f file) error {
		decisions, err := s.standings(f)
		if err != nil {
			return err
		}
		named, err := s.superseded(f)
		if err != nil {
			return err
		}
		return s.jsonLines(f, func(n int, line []byte) error {
			var mark struct {
				Format text `json:"format"`
			}
			if err := json.Unmarshal(line, &mark); err != nil {
				s.refuse(at(f, n), "it is no JSON object: %s", plainJSONError(err))
				return nil
			}
			if mark.Format == LineFormat {
				return s.ownLine(f, n, line)
			}
			if strings.HasPrefix(string(mark.Format), "vault.entry.") {
				s.refuse(at(f, n), "its format is %s, which a newer version of vault reads", entryfile.Shorten(oneLine(string(mark.Format)), 40))
				return nil
			}
			return s.documentLine(f, n, line, decisions, named)
		})
	})
}

// standings reads the statuses and places of a file's documents, and nothing
// more of them, so that a large file is never held whole.
func (s *source) standings(f file) (*chains, error) {
	var c chains
	quiet := &source{ctx: s.ctx}
	err := quiet.jsonLines(f, func(_ int, line []byte) error {
		var d struct {
			ID         text `json:"id"`
			Status     text `json:"status"`
			Path       text `json:"path"`
			SourceRepo text `json:"source_repo"`
		}
		if json.Unmarshal(line, &d) == nil && d.Path != "" {
			where := place(d.SourceRepo, d.Path)
			c.add(first(d.ID, text(where)), where, readStatus(string(d.Status)))
		}
		return nil
	})
	c.resolve()
	return &c, err
}

// superseded finds the lines that others of the file say they supersede, by
// their id or their title; the keys of the lines are "" for a title that
// several have.
func (s *source) superseded(f file) (map[string]string, error) {
	named := map[string]string{}
	quiet := &source{ctx: s.ctx}
	err := quiet.jsonLines(f, func(_ int, line []byte) error {
		var d struct {
			Format     text  `json:"format"`
			Supersedes names `json:"supersedes"`
		}
		if bytes.Contains(line, []byte(`"supersedes"`)) && json.Unmarshal(line, &d) == nil && d.Format != LineFormat {
			for _, name := range d.Supersedes {
				named[name] = ""
			}
		}
		return nil
	})
	if err != nil || len(named) == 0 {
		return nil, err
	}
	titles := map[string]int{}
	err = quiet.jsonLines(f, func(_ int, line []byte) error {
		var d document
		if json.Unmarshal(line, &d) != nil {
			return nil
		}
		if _, ok := named[string(d.ID)]; ok && d.ID != "" {
			named[string(d.ID)] = d.key()
			titles[string(d.ID)] = -1
		}
		title := first(d.Title, d.Name)
		if _, ok := named[title]; !ok || titles[title] < 0 {
			return nil
		}
		if titles[title]++; titles[title] == 1 {
			named[title] = d.key()
		} else {
			named[title] = ""
		}
		return nil
	})
	return named, err
}

func (d *document) body() string { return plainLines(first(d.Body, d.Text, d.Content)) }

func (d *document) kind() entryfile.Kind {
	for _, k := range []text{d.Kind, d.Type} {
		if kind, err := entryfile.ParseKind(string(k)); err == nil {
			return kind
		}
	}
	return entryfile.Decision
}

// key is the line's identity: its id, its path, or what it says.
func (d *document) key() string {
	where := text("")
	if d.Path != "" {
		where = text(place(d.SourceRepo, d.Path))
	}
	if key := first(d.ID, where); key != "" {
		return key
	}
	return entryfile.DerivedID(d.kind(), first(d.Title, d.Name)+"\n"+d.body(), 0)
}

func place(repo, name text) string { return path.Join(string(repo), string(name)) }

func (s *source) ownLine(f file, n int, line []byte) error {
	var l Line
	if err := json.Unmarshal(line, &l); err != nil {
		s.refuse(at(f, n), "it is no line of an export: %s", plainJSONError(err))
		return nil
	}
	if !entryfile.ValidID(l.ID) {
		s.refuse(at(f, n), "%q is not an id", entryfile.Shorten(oneLine(l.ID), 40))
		return nil
	}
	key := l.Scope + "/" + l.ID
	if l.Proposal != nil {
		key += "/" + l.Proposal.ID
	}
	return s.emit(Record{Entry: l.Entry(), Scope: l.Scope, Key: key, Proposal: l.Proposal, Where: at(f, n)})
}

func (s *source) documentLine(f file, n int, line []byte, decisions *chains, named map[string]string) error {
	var d document
	if err := json.Unmarshal(line, &d); err != nil {
		s.refuse(at(f, n), "it is no JSON object: %s", plainJSONError(err))
		return nil
	}
	r := Record{Where: at(f, n)}
	e := &r.Entry
	e.Title = first(d.Title, d.Name)
	e.Body = d.body()
	if e.Body == "" && e.Title == "" {
		s.refuse(r.Where, "it has neither a title nor a body")
		return nil
	}
	e.Description = string(d.Description)
	e.Tags = d.Tags
	e.Pinned = bool(d.Pinned)
	e.Kind = d.kind()
	r.Scope = string(d.Scope)
	for _, kind := range []text{d.Kind, d.Type} {
		if _, err := entryfile.ParseKind(string(kind)); err != nil && kind != "" {
			keep(e, "original-kind", string(kind))
			break
		}
	}
	keep(e, "original-source", string(d.Source))
	keep(e, "author", string(d.Author))
	r.dated(&e.Created, "the date", first(d.Date, d.Created, d.CreatedAt))
	r.dated(&e.Updated, "the date of the change", first(d.Updated, d.UpdatedAt))
	if _, err := time.Parse(time.DateOnly, string(d.Expires)); err == nil {
		e.Expires = string(d.Expires) // the day counts to its end
	} else {
		r.dated(&e.Expires, "the date of expiry", string(d.Expires))
	}
	e.Evidence = oneLine(strings.Join(nonEmpty(string(d.SourceRepo), string(d.Path), string(d.URL), parenthesised(first(d.Licence, d.License))), " "))
	where := ""
	if d.Path != "" {
		where = place(d.SourceRepo, d.Path)
	}
	r.Key = d.key()
	for _, name := range d.Supersedes {
		if key := named[name]; key != "" {
			r.Supersedes = append(r.Supersedes, key)
		} else {
			r.Notes = append(r.Notes, "what it supersedes is not there, or there twice: "+entryfile.Shorten(oneLine(name), 80))
		}
	}
	switch e.Kind {
	case entryfile.OpenThread:
		if strings.EqualFold(string(d.Status), entryfile.StatusResolved) {
			e.Status = entryfile.StatusResolved
		}
	case entryfile.Decision:
		decisions.apply(&r, where, readStatus(string(d.Status)))
	}
	return s.emit(r)
}

// A text is a JSON string; a number, true or false is taken as it is written, a
// list as the lines of a text, and anything else as nothing.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > 0 && data[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		lines := make([]string, 0, len(list))
		for _, raw := range list {
			var line text
			if raw[0] == '[' {
				continue
			}
			if err := line.UnmarshalJSON(raw); err != nil {
				return err
			}
			lines = append(lines, string(line))
		}
		*t = text(strings.Join(lines, "\n"))
	case len(data) == 0 || data[0] == '{' || string(data) == "null":
		*t = ""
	case data[0] == '"':
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*t = text(s)
	default:
		*t = text(data)
	}
	return nil
}

// texts is a list of strings, or one string cut at its commas.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var list []text
	if json.Unmarshal(data, &list) != nil {
		var one text
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		for part := range strings.SplitSeq(string(one), ",") {
			list = append(list, text(part))
		}
	}
	for _, s := range list {
		if s := strings.TrimSpace(string(s)); s != "" {
			*t = append(*t, s)
		}
	}
	return nil
}

// names is a list of strings, or one string as it is.
type names []string

func (t *names) UnmarshalJSON(data []byte) error {
	var list []text
	if json.Unmarshal(data, &list) != nil {
		list = make([]text, 1)
		if err := json.Unmarshal(data, &list[0]); err != nil {
			return err
		}
	}
	for _, s := range list {
		if s := strings.TrimSpace(string(s)); s != "" {
			*t = append(*t, s)
		}
	}
	return nil
}

// truthy is true where JSON says true, and false for anything else.
type truthy bool

func (t *truthy) UnmarshalJSON(data []byte) error {
	*t = string(data) == "true"
	return nil
}

// first is the first text that says anything.
func first(all ...text) string {
	for _, t := range all {
		if strings.TrimSpace(string(t)) != "" {
			return string(t)
		}
	}
	return ""
}

// firstOf is the first string that says anything.
func firstOf(all ...string) string {
	for _, s := range all {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func nonEmpty(all ...string) []string {
	var out []string
	for _, s := range all {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// plainJSONError says what is wrong with a line without repeating it.
func plainJSONError(err error) string {
	switch e := err.(type) {
	case *json.SyntaxError:
		return fmt.Sprintf("syntax error at byte %d", e.Offset)
	case *json.UnmarshalTypeError:
		return fmt.Sprintf("%s where another kind of value belongs", e.Value)
	}
	return err.Error()
}
