package vault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitvault/internal/entryfile"
)

// editorHelp heads the text that an editor opens on.
const editorHelp = `# Change what you like, save and leave. An empty file changes nothing.
# The body is all that follows the second line of dashes.
`

// editable is an entry's fields as an editor shows them, in this order.
type editable struct {
	Title       string   `yaml:"title"`
	Description string   `yaml:"description"`
	Tags        []string `yaml:"tags,flow"`
	Pinned      bool     `yaml:"pinned"`
	Paths       []string `yaml:"paths,flow"`
	Evidence    string   `yaml:"evidence"`
	Supersedes  []string `yaml:"supersedes,flow"`
	Expires     string   `yaml:"expires"`
}

// EditorText is an entry laid out for an editor; ParseEditorText reads it back.
func (h *Home) EditorText(ctx context.Context, scope, id string) (Entry, string, error) {
	s, _, l, err := h.locate(ctx, scope, id)
	if err != nil {
		return Entry{}, "", err
	}
	e := present(s.name, l)
	fields, err := yaml.Marshal(editable{
		Title: e.Title, Description: l.Description, Tags: e.Tags, Pinned: e.Pinned, Paths: e.Paths,
		Evidence: e.Evidence, Supersedes: e.Supersedes, Expires: e.Expires,
	})
	if err != nil {
		return e, "", &Error{Code: Failed, Message: told(err), Err: err}
	}
	body := e.Body
	if body == e.Title {
		body = ""
	}
	return e, "---\n" + editorHelp + string(fields) + "---\n\n" + body + "\n", nil
}

// ParseEditorText reads what an editor has made of EditorText. The second
// result is false where the file is empty: nothing is to be changed.
func ParseEditorText(text string) (Edit, bool, error) {
	if strings.TrimSpace(text) == "" {
		return Edit{}, false, nil
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "\ufeff"), "---\n")
	if !ok {
		return Edit{}, false, &EditorProblem{1, "the first line is not ---"}
	}
	head, body, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return Edit{}, false, fmt.Errorf("the line --- that ends the fields is missing")
	}
	var f editable
	if err := f.read(head); err != nil {
		line, err := firstProblem(head, err)
		return Edit{}, false, &EditorProblem{1 + line, fieldProblem(err)}
	}
	body = entryfile.TrimBody(body)
	if body == "" {
		body = f.Title
	}
	return Edit{
		Title: &f.Title, Description: &f.Description, Text: &body, Tags: &f.Tags, Pin: &f.Pinned, Paths: &f.Paths,
		Evidence: &f.Evidence, Supersedes: &f.Supersedes, Expires: &f.Expires,
	}, true, nil
}

// An EditorProblem says what of a text can't be read, and in which line.
type EditorProblem struct {
	Line    int
	Message string
}

func (p *EditorProblem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

func (f *editable) read(text string) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(f); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// firstProblem finds the first field that can't be read by itself, its line,
// and what is wrong with it: the parser's own lines are those where it gave up,
// where it tells them at all. Where each can be read, it is the last that can't
// be with those before it.
func firstProblem(head string, whole error) (int, error) {
	lines := strings.SplitAfter(head, "\n")
	var starts []int
	for i, line := range lines {
		if line != "" && !strings.ContainsAny(line[:1], " \t#-\r\n") {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(lines))
	for _, alone := range []bool{true, false} {
		for n, from := range starts[:len(starts)-1] {
			begin := 0
			if alone {
				begin = from
			}
			if err := new(editable).read(strings.Join(lines[begin:starts[n+1]], "")); err != nil {
				return from + 1, err
			}
		}
	}
	return 1, whole
}

// fieldProblem says in words of the text what is wrong with its fields.
func fieldProblem(err error) string {
	text := yamlProblem(err)
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if _, said, ok := strings.Cut(rest, ": "); ok {
			text = said
		}
	}
	if name, _, ok := strings.Cut(strings.TrimPrefix(text, "field "), " not found in type "); ok {
		return fmt.Sprintf("there is no field %q: use title, description, tags, pinned, paths, evidence, supersedes and expires", name)
	}
	if value, kind, ok := strings.Cut(strings.TrimPrefix(text, "cannot unmarshal "), " into "); ok {
		want := map[string]string{"bool": "true or false", "string": "a text", "[]string": "a list such as [one, two]", "vault.editable": "a field such as title: TEXT"}[kind]
		if want != "" {
			_, value, _ = strings.Cut(value, " ")
			return fmt.Sprintf("%s stands where %s belongs", strings.ReplaceAll(value, "`", "\""), want)
		}
	}
	return text
}
