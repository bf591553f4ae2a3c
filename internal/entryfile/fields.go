package entryfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A field ties a key of the metadata to its place in an Entry.
type field struct {
	key   string
	text  func(*Entry) *string
	texts func(*Entry) *[]string
}

// fields lists the keys in the order in which they are written. Keys that are
// not known follow them, in the order in which they were found.
var fields = []field{
	{key: "id", text: func(e *Entry) *string { return &e.ID }},
	{key: "title", text: func(e *Entry) *string { return &e.Title }},
	{key: "description", text: func(e *Entry) *string { return &e.Description }},
	{key: "created", text: func(e *Entry) *string { return &e.Created }},
	{key: "updated", text: func(e *Entry) *string { return &e.Updated }},
	{key: "tags", texts: func(e *Entry) *[]string { return &e.Tags }},
	{key: "pinned"},
	{key: "status", text: func(e *Entry) *string { return &e.Status }},
	{key: "outcome", text: func(e *Entry) *string { return &e.Outcome }},
	{key: "source", text: func(e *Entry) *string { return &e.Source }},
	{key: "session", text: func(e *Entry) *string { return &e.Session }},
	{key: "evidence", text: func(e *Entry) *string { return &e.Evidence }},
	{key: "paths", texts: func(e *Entry) *[]string { return &e.Paths }},
	{key: "code", text: func(e *Entry) *string { return &e.Code }},
	{key: "supersedes", texts: func(e *Entry) *[]string { return &e.Supersedes }},
	{key: "derived_from", texts: func(e *Entry) *[]string { return &e.DerivedFrom }},
	{key: "conflict", text: func(e *Entry) *string { return &e.Conflict }},
	{key: "expires", text: func(e *Entry) *string { return &e.Expires }},
	{key: "body"},
}

var fieldIndex = func() map[string]int {
	index := map[string]int{}
	for i, f := range fields {
		index[f.key] = i
	}
	return index
}()

// readPairs fills e from pairs.
func readPairs(e *Entry, pairs []pair) (bodyForm, error) {
	form := plain
	var seen [32]bool
	extra := map[string]bool(nil)
	for _, p := range pairs {
		i, known := fieldIndex[p.key]
		if !known {
			if extra == nil {
				extra = map[string]bool{}
			}
			if extra[p.key] {
				return form, fmt.Errorf("the key %q is there twice", p.key)
			}
			extra[p.key] = true
			e.Extra = append(e.Extra, Field{p.key, p.value.String()})
			continue
		}
		if seen[i] {
			return form, fmt.Errorf("the key %q is there twice", p.key)
		}
		seen[i] = true
		if err := readField(e, &form, fields[i], p.value); err != nil {
			return form, fmt.Errorf("%s: %w", p.key, err)
		}
	}
	if e.ID != "" && !ValidID(e.ID) {
		return form, fmt.Errorf("id: %q is not an id; take the key out and a new one is given", e.ID)
	}
	return form, nil
}

func readField(e *Entry, form *bodyForm, f field, v value) error {
	if f.texts != nil {
		texts, err := v.texts()
		*f.texts(e) = texts
		return err
	}
	if v.kind != scalar {
		return errors.New("it must be one text")
	}
	if f.text != nil {
		*f.text(e) = v.text
		return nil
	}
	if f.key == "body" {
		var err error
		*form, err = parseBodyForm(v.text)
		return err
	}
	switch strings.ToLower(v.text) {
	case "true", "yes", "on":
		e.Pinned = true
	case "false", "no", "off", "":
	default:
		return fmt.Errorf("%q is neither true nor false", v.text)
	}
	return nil
}

// texts reads a list of texts; one text stands for a list, split at commas
// where it is not quoted.
func (v value) texts() ([]string, error) {
	switch v.kind {
	case scalar:
		if v.quoted {
			return []string{v.text}, nil
		}
		var texts []string
		for t := range strings.SplitSeq(v.text, ",") {
			if t = strings.TrimSpace(t); t != "" {
				texts = append(texts, t)
			}
		}
		return texts, nil
	case list:
		texts := make([]string, 0, len(v.items))
		for _, item := range v.items {
			if item.kind != scalar {
				return nil, errors.New("it must be a list of texts")
			}
			texts = append(texts, item.text)
		}
		return texts, nil
	}
	return nil, errors.New("it must be a list of texts")
}

// writePairs calls write for each key of e that has a value, with the value as
// YAML on one line.
func writePairs(e *Entry, title bool, form bodyForm, flow bool, write func(key, value string)) {
	for _, f := range fields {
		var b strings.Builder
		switch {
		case f.key == "title" && !title:
		case f.texts != nil:
			if texts := *f.texts(e); len(texts) > 0 {
				v := value{kind: list}
				for _, t := range texts {
					v.items = append(v.items, value{text: t, quoted: t == ""})
				}
				v.flow(&b)
			}
		case f.text != nil:
			if text := *f.text(e); text != "" {
				writeScalar(&b, text, flow)
			}
		case f.key == "pinned":
			if e.Pinned {
				b.WriteString("true")
			}
		case f.key == "body":
			b.WriteString(form.String())
		}
		if b.Len() > 0 {
			write(f.key, b.String())
		}
	}
	for _, f := range e.Extra {
		var key strings.Builder
		writeScalar(&key, f.Key, inFlow)
		write(key.String(), f.Value)
	}
}

// TextField is a further key with a text as its value.
func TextField(key, text string) Field {
	v := value{text: text, quoted: text == "" || looksTyped(text)}
	return Field{key, v.String()}
}

// looksTyped reports whether YAML would read a plain text as something else.
func looksTyped(text string) bool {
	var n yaml.Node
	return yaml.Unmarshal([]byte(text), &n) != nil || len(n.Content) != 1 || n.Content[0].ShortTag() != "!!str"
}

// readsBack reports whether the field, written down, is read as it is.
func (f Field) readsBack() bool {
	for _, flow := range []bool{inFlow, inBlock} {
		var b strings.Builder
		writeScalar(&b, f.Key, inFlow)
		text := b.String() + ": " + f.Value
		pairs, ok := []pair(nil), false
		if flow {
			text = "{" + text + "}"
			pairs, ok = readFlowMapping(nil, text)
		} else {
			pairs, ok = readBlockMapping(text)
		}
		if !ok {
			var err error
			if pairs, err = readYAML(text); err != nil {
				return false
			}
		}
		if len(pairs) != 1 || pairs[0].key != f.Key || pairs[0].value.String() != f.Value {
			return false
		}
	}
	return !closesComment(f.Value)
}

// sameEntry reports whether a and b say the same. No list and an empty one are
// the same.
func sameEntry(a, b Entry) bool {
	if a.Kind != b.Kind || a.Body != b.Body || a.Pinned != b.Pinned || !slices.Equal(a.Extra, b.Extra) {
		return false
	}
	for _, f := range fields {
		if f.text != nil && *f.text(&a) != *f.text(&b) || f.texts != nil && !slices.Equal(*f.texts(&a), *f.texts(&b)) {
			return false
		}
	}
	return true
}

// bodyForm is how a body is written in a ledger file.
type bodyForm int

const (
	plain  bodyForm = 0
	quoted bodyForm = -1
	// n > 0: its headings are moved down by n levels
)

func (f bodyForm) String() string {
	switch {
	case f == quoted:
		return "quoted"
	case f > 0:
		return "shift " + strconv.Itoa(int(f))
	}
	return ""
}

func parseBodyForm(s string) (bodyForm, error) {
	if s == "" || s == "plain" {
		return plain, nil
	}
	if s == "quoted" {
		return quoted, nil
	}
	if n, ok := strings.CutPrefix(s, "shift "); ok && len(n) == 1 && n[0] >= '1' && n[0] <= '5' {
		return bodyForm(n[0] - '0'), nil
	}
	return plain, fmt.Errorf("%q is no way to write a body that is known here; a newer vault may know it", s)
}
