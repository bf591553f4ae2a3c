package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// MemoryRoot is the folder in which Anthropic's memory tool sees a scope.
const MemoryRoot = "/memories"

// A MemoryCommand is one call of Anthropic's memory tool (memory_20250818), as
// the model makes it.
type MemoryCommand struct {
	Command    string `json:"command"` // view, create, str_replace, insert, delete or rename
	Path       string `json:"path"`
	ViewRange  []int  `json:"view_range"` // of view: the first and the last line, -1 for the end
	FileText   string `json:"file_text"`
	OldStr     string `json:"old_str"`
	NewStr     string `json:"new_str"`
	InsertLine int    `json:"insert_line"` // the line after which to insert; 0 is the beginning
	InsertText string `json:"insert_text"`
	OldPath    string `json:"old_path"`
	NewPath    string `json:"new_path"`

	missing string // an argument that the command needs and its JSON does not have
}

// UnmarshalJSON reads a command as the model writes it.
func (c *MemoryCommand) UnmarshalJSON(data []byte) error {
	type fields MemoryCommand
	if err := json.Unmarshal(data, (*fields)(c)); err != nil {
		return err
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	c.missing = ""
	for _, name := range map[string][]string{
		"create": {"file_text"}, "str_replace": {"old_str"}, "insert": {"insert_line", "insert_text"},
	}[c.Command] {
		if v, ok := given[name]; !ok || string(v) == "null" {
			c.missing = name
		}
	}
	return nil
}

// A MemoryAnswer is what the memory tool says to a command.
type MemoryAnswer struct {
	Text    string   `json:"content"`
	IsError bool     `json:"is_error,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Pending bool     `json:"pending,omitempty"` // the change waits for a person; the tool shows it as made
	Cards   []string `json:"cards,omitempty"`   // what it waits on
}

// MemoryTool carries out a command of Anthropic's memory tool on a scope: by
// default the project's, the user's where there is none. Each entry is a file
// below MemoryRoot; see docs/mcp.md for which. A command that changes something
// is one commit, held to the review policy and the safety rules like any other
// change. An agent sees what it has changed in this session (Writer.Session) as
// made, also while it waits for review; another session sees what was kept.
//
// What the model can put right is an answer with IsError, in the tool's own
// words; the error is for what the program has to know, such as a scope that
// can't be written.
func (h *Home) MemoryTool(ctx context.Context, scope string, c MemoryCommand) (MemoryAnswer, error) {
	s, err := h.scopeFor(scope, SessionTrace)
	if err != nil {
		return MemoryAnswer{}, err
	}
	answer, err := s.memoryCommand(ctx, c)
	var e *Error
	switch {
	case err == nil:
		answer.Text = bounded(answer.Text)
		return answer, nil
	case errors.As(err, &e) && (e.Code == Invalid || e.Code == NotFound || e.Code == Refused || e.Code == Conflict):
		text := told(e)
		var model *memoryError
		if errors.As(err, &model) {
			text = secrets.Redact(model.text)
		}
		return MemoryAnswer{Text: bounded(text), IsError: true}, nil
	}
	return MemoryAnswer{}, err
}

// A memoryError is an error in the words the model knows from the tool.
type memoryError struct{ text string }

func (e *memoryError) Error() string { return e.text }

func memoryFault(code Code, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &Error{Code: code, Message: text, Err: &memoryError{text}}
}

func (s *Scope) memoryCommand(ctx context.Context, c MemoryCommand) (MemoryAnswer, error) {
	if c.missing != "" {
		return MemoryAnswer{}, memoryFault(Invalid, "Error: the command %s needs `%s`", c.Command, c.missing)
	}
	var do func(*memoryFolder) (string, string, error)
	switch c.Command {
	case "view":
		return s.memoryView(ctx, c)
	case "create":
		do = func(m *memoryFolder) (string, string, error) { return m.create(c.Path, c.FileText) }
	case "str_replace":
		do = func(m *memoryFolder) (string, string, error) { return m.replace(c.Path, c.OldStr, c.NewStr) }
	case "insert":
		do = func(m *memoryFolder) (string, string, error) { return m.insert(c.Path, c.InsertLine, c.InsertText) }
	case "delete":
		do = func(m *memoryFolder) (string, string, error) { return m.delete(c.Path) }
	case "rename":
		do = func(m *memoryFolder) (string, string, error) { return m.rename(c.OldPath, c.NewPath) }
	default:
		return MemoryAnswer{}, memoryFault(Invalid, "Error: unknown command %q: use view, create, str_replace, insert, delete or rename", c.Command)
	}
	var out MemoryAnswer
	err := s.write(ctx, func(t *txn) error {
		m, err := t.memoryFolder()
		if err != nil {
			return err
		}
		text, op, err := do(m)
		if err != nil {
			return err
		}
		k, err := t.commit(t.message(op, m.subject()), nil)
		if err != nil {
			return err
		}
		out = MemoryAnswer{Text: text}
		if !k.IsZero() {
			out.Commit = k.String()
		}
		for _, o := range m.done {
			out.Pending = out.Pending || o.pending
			if o.card != "" {
				out.Cards = append(out.Cards, o.card)
			}
		}
		return nil
	})
	return out, err
}

// subject says what a command changed.
func (m *memoryFolder) subject() string {
	list := make([]located, len(m.done))
	for i, o := range m.done {
		list[i] = o.at
	}
	return titles(list)
}

// propose asks for one of a command's changes.
func (m *memoryFolder) propose(p proposal) error {
	o, err := m.t.propose(p)
	if err == nil {
		m.done = append(m.done, o)
	}
	return err
}

func (m *memoryFolder) create(path, text string) (string, string, error) {
	name, err := memoryPath(path)
	if err != nil {
		return "", "", err
	}
	switch {
	case name == "" || m.files[name] != nil || m.isDir(name):
		return "", "", memoryFault(Invalid, "Error: File %s already exists", path)
	case m.blocked(name):
		return "", "", memoryFault(Invalid, "Error: a file stands where %s needs a folder", path)
	}
	e, err := m.t.scope.draft(Draft{Kind: memoryKind(name), Title: memoryTitle(name, text), Text: text})
	if err != nil {
		return "", "", err
	}
	e.Session = "" // a session has one trace, and this is none
	setMemoryFile(&e, name)
	if err := m.propose(proposal{op: entryfile.OpAdd, after: e}); err != nil {
		return "", "", err
	}
	return "File created successfully at: " + path, "remember", nil
}

// edit gives a file another text.
func (m *memoryFolder) edit(f *memoryFile, text string) error {
	e, err := m.t.applied(f.shown, f.changed(text))
	if err != nil {
		return err
	}
	if entryfile.Hash(e) == entryfile.Hash(f.shown) {
		return nil
	}
	e.Updated = later(m.t.now, f.at.Entry)
	return m.propose(proposal{op: entryfile.OpEdit, before: &f.at, after: e})
}

func (m *memoryFolder) replace(path, old, text string) (string, string, error) {
	f, err := m.file(path, "Error: The path %s does not exist. Please provide a valid path.")
	if err != nil {
		return "", "", err
	}
	body := f.text()
	switch n := strings.Count(body, old); {
	case old == "" || n == 0:
		return "", "", memoryFault(Invalid, "No replacement was performed, old_str `%s` did not appear verbatim in %s.", old, path)
	case n > 1:
		return "", "", memoryFault(Invalid, "No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", old, linesOf(body, old))
	}
	at := strings.Index(body, old)
	body = body[:at] + text + body[at+len(old):]
	if err := m.edit(f, body); err != nil {
		return "", "", err
	}
	first := strings.Count(body[:at], "\n")
	return "The memory file has been edited.\n" + numbered(body, first-3, first+strings.Count(text, "\n")+5), "edit", nil
}

func (m *memoryFolder) insert(path string, line int, text string) (string, string, error) {
	f, err := m.file(path, "Error: The path %s does not exist")
	if err != nil {
		return "", "", err
	}
	var all []string
	if body := f.text(); body != "" {
		all = strings.Split(body, "\n")
	}
	if line < 0 || line > len(all) {
		return "", "", memoryFault(Invalid, "Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, len(all))
	}
	all = slices.Insert(all, line, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	if err := m.edit(f, strings.Join(all, "\n")); err != nil {
		return "", "", err
	}
	return fmt.Sprintf("The file %s has been edited.", path), "edit", nil
}

func (m *memoryFolder) delete(path string) (string, string, error) {
	name, err := memoryPath(path)
	if err != nil {
		return "", "", err
	}
	below := m.below(name)
	switch {
	case name == "":
		return "", "", memoryFault(Refused, "Error: The %s directory itself can't be deleted", MemoryRoot)
	case len(below) == 0:
		return "", "", memoryFault(NotFound, "Error: The path %s does not exist", path)
	}
	for _, f := range below {
		if err := m.propose(proposal{op: entryfile.OpForget, before: &f.at, after: f.at.Entry}); err != nil {
			return "", "", err
		}
	}
	return "Successfully deleted " + path, "forget", nil
}

func (m *memoryFolder) rename(from, to string) (string, string, error) {
	old, err := memoryPath(from)
	if err != nil {
		return "", "", err
	}
	name, err := memoryPath(to)
	if err != nil {
		return "", "", err
	}
	below := m.below(old)
	switch {
	case old == "":
		return "", "", memoryFault(Refused, "Error: The %s directory itself can't be renamed", MemoryRoot)
	case len(below) == 0:
		return "", "", memoryFault(NotFound, "Error: The path %s does not exist", from)
	case name == "" || m.files[name] != nil || m.isDir(name):
		return "", "", memoryFault(Invalid, "Error: The destination %s already exists", to)
	case m.blocked(name) || strings.HasPrefix(name, old+"/"):
		return "", "", memoryFault(Invalid, "Error: %s can't be moved to %s: a file stands in the way", from, to)
	}
	for _, f := range below {
		if !f.own {
			return "", "", memoryFault(Refused, "Error: %s/%s is named by its title and id and can't be renamed: change its heading instead", MemoryRoot, f.name)
		}
		if err := m.move(f, name+strings.TrimPrefix(f.name, old)); err != nil {
			return "", "", err
		}
	}
	return fmt.Sprintf("Successfully renamed %s to %s", from, to), "edit", nil
}

// move gives a file another name. In the folder of another kind it becomes an
// entry of that kind.
func (m *memoryFolder) move(f *memoryFile, name string) error {
	e := f.shown.Clone()
	setMemoryFile(&e, name)
	if f.own && f.text() == "" {
		e.Title = memoryTitle(name, "")
		e.Body = e.Title
	}
	if kind, ok := kindFolder(name); ok && kind != e.Kind {
		e.ID, e.Kind, e.Created, e.Updated, e.Status, e.Outcome, e.DerivedFrom = "", kind, m.t.now, "", "", "", []string{f.at.ID}
		if kind == OpenThread {
			e.Status = StatusOpen
		}
		if err := m.propose(proposal{op: entryfile.OpAdd, after: e}); err != nil {
			return err
		}
		return m.propose(proposal{op: entryfile.OpForget, before: &f.at, after: f.at.Entry})
	}
	e.Updated = later(m.t.now, f.at.Entry)
	return m.propose(proposal{op: entryfile.OpEdit, before: &f.at, after: e})
}

// linesOf lists the lines on which a text begins in another, the first 20.
func linesOf(body, text string) string {
	var out []string
	line := 1
	for {
		i := strings.Index(body, text)
		if i < 0 {
			return strings.Join(out, ", ")
		}
		if len(out) == 20 {
			return strings.Join(out, ", ") + ", …"
		}
		line += strings.Count(body[:i], "\n")
		out = append(out, fmt.Sprint(line))
		line += strings.Count(text, "\n")
		body = body[i+len(text):]
	}
}

// bounded is an answer of a length that a client can take.
func bounded(text string) string {
	if len(text) <= maxMemoryAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxMemoryAnswer], "") + "\n(the rest is not shown)"
}

// numbered is the lines from to (counted from 0, to excluded) of a text, with
// their numbers.
func numbered(body string, from, to int) string {
	all := strings.Split(body, "\n")
	var b strings.Builder
	for i := max(0, from); i < min(to, len(all)); i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, all[i])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
