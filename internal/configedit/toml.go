package configedit

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A TOML is a TOML document.
type TOML struct {
	data    []byte
	value   map[string]any
	changes []Splice
}

// ParseTOML reads a document. An error is an *Error.
func ParseTOML(data []byte) (*TOML, error) {
	value, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	return &TOML{data: data, value: value}, nil
}

func parseTOML(data []byte) (map[string]any, error) {
	value := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(data, []byte(bom)), &value)
	if err == nil {
		return value, nil
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, _ := at.Position()
		return nil, &Error{max(1, line), strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return nil, &Error{1, strings.TrimPrefix(err.Error(), "toml: ")}
}

// Bytes is the document as it is now.
func (t *TOML) Bytes() []byte { return t.data }

// Changes are what was done to the document, in order.
func (t *TOML) Changes() []Splice { return t.changes }

// IsEmpty reports whether the document holds nothing, not even a comment.
func (t *TOML) IsEmpty() bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(t.data, []byte(bom)))) == 0
}

// Get is the value at a path of keys: maps, slices, strings and what else TOML
// has.
func (t *TOML) Get(path ...string) (any, bool) {
	var v any = t.value
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[name]; !ok {
			return nil, false
		}
	}
	return v, true
}

// Line is the line of the first table or key at or below a path, 1 where
// there is none.
func (t *TOML) Line(path ...string) int {
	for _, e := range t.expressions() {
		if len(e.path) >= len(path) && slices.Equal(e.path[:len(path)], path) {
			return lineOf(t.data, e.start)
		}
	}
	return 1
}

// AddTable puts a table that is not there yet at the end of the document. A
// document in which it can't stand, say since a key on the way is a text, is an
// error.
func (t *TOML) AddTable(path []string, fields Object) error {
	nl := lineEnd(t.data)
	before := ""
	if text := strings.TrimPrefix(string(t.data), bom); text != "" {
		before = nl
		if !strings.HasSuffix(text, "\n") {
			before = nl + nl
		}
	}
	lines := []string{"[" + tomlKey(path) + "]"}
	for _, f := range fields {
		lines = append(lines, tomlKey([]string{f.Name})+" = "+printTOML(f.Value))
	}
	want := clone(t.value)
	if !put(want, path, tomlPlain(fields)) {
		return t.inTheWay(path)
	}
	return t.change(Splice{len(t.data), "", before + strings.Join(lines, nl) + nl}, want, path)
}

func (t *TOML) inTheWay(path []string) error {
	return &Error{t.Line(path[0]), fmt.Sprintf("%s is written in a way that [%s] can't be added to", path[0], tomlKey(path))}
}

// change makes a change that has to give the document the wanted value.
func (t *TOML) change(s Splice, want map[string]any, path []string) error {
	data := s.Apply(t.data)
	got, err := parseTOML(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		return t.inTheWay(path)
	}
	t.data, t.value = data, got
	t.changes = append(t.changes, s)
	return nil
}

// SetText changes a text in a table; it reports false where the table does not
// hold that key as a line of its own.
func (t *TOML) SetText(path []string, text string) (bool, error) {
	for _, e := range t.expressions() {
		if e.kind != unstable.KeyValue || !slices.Equal(e.path, path) || e.value == "" {
			continue
		}
		want := clone(t.value)
		put(want, path, text)
		return true, t.change(Splice{e.end - len(e.value), e.value, printTOML(text)}, want, path)
	}
	return false, nil
}

// RemoveTable takes out a table and all tables below it. Comments before the
// next table stay.
func (t *TOML) RemoveTable(path []string) error {
	for {
		start, end := t.table(path)
		if start < 0 {
			return nil
		}
		want := clone(t.value)
		s := Splice{start, string(t.data[start:end]), ""}
		data := s.Apply(t.data)
		got, err := parseTOML(data)
		if err != nil {
			return t.inTheWay(path)
		}
		remove(want, path)
		left := clone(got)
		remove(left, path)
		if !reflect.DeepEqual(tidy(left), tidy(want)) {
			return t.inTheWay(path)
		}
		t.data, t.value = data, got
		t.changes = append(t.changes, s)
	}
}

// table finds the first table at or below a path, with a blank line before it.
func (t *TOML) table(path []string) (start, end int) {
	start = -1
	for _, e := range t.expressions() {
		isTable := e.kind == unstable.Table || e.kind == unstable.ArrayTable
		switch {
		case start < 0 && isTable && len(e.path) >= len(path) && slices.Equal(e.path[:len(path)], path):
			start, end = e.start, e.end
		case start >= 0 && e.kind == unstable.KeyValue:
			end = e.end
		case start >= 0 && isTable:
			return t.blank(start), t.lineAfter(end)
		}
	}
	if start < 0 {
		return -1, -1
	}
	return t.blank(start), t.lineAfter(end)
}

// lineAfter is where the line after a byte starts.
func (t *TOML) lineAfter(at int) int {
	if i := bytes.IndexByte(t.data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(t.data)
}

// blank is the start of the blank line before a line, or of the line itself.
func (t *TOML) blank(start int) int {
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasSuffix(t.data[:start], []byte("\n"+end)) {
			return start - len(end)
		}
	}
	return start
}

// An expression is a table's head, or a key with its value.
type expression struct {
	kind       unstable.Kind
	path       []string // whole, from the document on
	start, end int      // a head from the start of its line
	value      string   // of a key: its text as it stands, where it is a string
}

func (t *TOML) expressions() []expression {
	data := t.data
	skip := 0
	if bytes.HasPrefix(data, []byte(bom)) {
		skip = len(bom)
	}
	var p unstable.Parser
	p.Reset(data[skip:])
	var out []expression
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind != unstable.Table && n.Kind != unstable.ArrayTable && n.Kind != unstable.KeyValue {
			continue
		}
		e := expression{kind: n.Kind}
		at := 0
		for it := n.Key(); it.Next(); {
			k := it.Node()
			if len(e.path) == 0 {
				e.start = skip + int(k.Raw.Offset)
			}
			at = skip + int(k.Raw.Offset+k.Raw.Length)
			e.path = append(e.path, string(k.Data))
		}
		if n.Kind == unstable.KeyValue {
			e.path = append(slices.Clone(table), e.path...)
			e.end = skip + int(n.Raw.Offset+n.Raw.Length)
			if v := n.Value(); v.Kind == unstable.String && int(v.Raw.Length) > 0 {
				e.value = string(data[skip+int(v.Raw.Offset) : skip+int(v.Raw.Offset+v.Raw.Length)])
				e.end = skip + int(v.Raw.Offset+v.Raw.Length)
			}
		} else {
			table = e.path
			e.start = bytes.LastIndexByte(data[:e.start], '\n') + 1
			e.end = at
			if e.start == 0 {
				e.start = skip
			}
		}
		out = append(out, e)
	}
	return out
}

func tomlKey(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			parts[i] = quoteTOML(p)
		}
	}
	return strings.Join(parts, ".")
}

func printTOML(v any) string {
	switch v := v.(type) {
	case string:
		return quoteTOML(v)
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			list[i] = printTOML(e)
		}
		return "[" + strings.Join(list, ", ") + "]"
	case Object:
		list := make([]string, len(v))
		for i, f := range v {
			list[i] = tomlKey([]string{f.Name}) + " = " + printTOML(f.Value)
		}
		return "{ " + strings.Join(list, ", ") + " }"
	}
	return fmt.Sprint(v) // an int or a bool
}

func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// tomlPlain is a value as the parser has it.
func tomlPlain(v any) any {
	switch v := v.(type) {
	case Object:
		m := map[string]any{}
		for _, f := range v {
			m[f.Name] = tomlPlain(f.Value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = tomlPlain(e)
		}
		return list
	case int:
		return int64(v)
	}
	return v
}

func clone(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if sub, ok := v.(map[string]any); ok {
			v = clone(sub)
		}
		out[k] = v
	}
	return out
}

func put(m map[string]any, path []string, v any) bool {
	for _, name := range path[:len(path)-1] {
		sub, ok := m[name].(map[string]any)
		if !ok {
			if m[name] != nil {
				return false
			}
			sub = map[string]any{}
			m[name] = sub
		}
		m = sub
	}
	m[path[len(path)-1]] = v
	return true
}

func remove(m map[string]any, path []string) {
	for _, name := range path[:len(path)-1] {
		sub, ok := m[name].(map[string]any)
		if !ok {
			return
		}
		m = sub
	}
	delete(m, path[len(path)-1])
}

// tidy drops empty tables, which a document may or may not mention.
func tidy(m map[string]any) map[string]any {
	for k, v := range m {
		if sub, ok := v.(map[string]any); ok && len(tidy(sub)) == 0 {
			delete(m, k)
		}
	}
	return m
}
