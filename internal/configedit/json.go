package configedit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// A JSON is a JSON document, with or without comments and trailing commas.
type JSON struct {
	data    []byte
	root    *node
	changes []Splice
	made    [][]string
	within  func(data []byte) (*node, error) // finds the root where it is a part of a document
}

// find reads the document anew.
func (j *JSON) find(data []byte) (*node, error) {
	if j.within != nil {
		return j.within(data)
	}
	return parse(data)
}

// ParseJSON reads a document. An empty one is like {}. An error is an *Error.
func ParseJSON(data []byte) (*JSON, error) {
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	if root != nil && root.kind != '{' {
		return nil, errorAt(data, root.start, "the document is no object")
	}
	return &JSON{data: data, root: root}, nil
}

// Bytes is the document as it is now.
func (j *JSON) Bytes() []byte { return j.data }

// Changes are what was done to the document, in order.
func (j *JSON) Changes() []Splice { return j.changes }

// Made are the objects and arrays that Set and Append had to make on the way.
func (j *JSON) Made() [][]string { return j.made }

// IsEmpty reports whether the document holds nothing: no member, no comment.
func (j *JSON) IsEmpty() bool {
	if j.root == nil {
		return len(bytes.TrimSpace(bytes.TrimPrefix(j.data, []byte(bom)))) == 0
	}
	outside := string(j.data[:j.root.start]) + string(j.data[j.root.end:])
	return len(j.root.children) == 0 && !j.root.comments && strings.TrimSpace(strings.TrimPrefix(outside, bom)) == ""
}

// Get is the value at a path of keys, as Plain has it, and the line it starts
// on. Something on the way that is no object, or has a key twice, is an error.
func (j *JSON) Get(path ...string) (value any, line int, found bool, err error) {
	n, rest, err := j.reach(path)
	if err != nil || n == nil || len(rest) > 0 {
		return nil, 0, false, err
	}
	return n.plain(j.data), lineOf(j.data, n.start), true, nil
}

// reach follows a path as far as it goes.
func (j *JSON) reach(path []string) (*node, []string, error) {
	n := j.root
	if n == nil {
		return nil, path, nil
	}
	for i, name := range path {
		if n.kind != '{' {
			return nil, nil, errorAt(j.data, n.start, "%s is no object", strings.Join(path[:i], "."))
		}
		if n.repeats {
			return nil, nil, errorAt(j.data, n.start, "%s has a key twice", orDocument(path[:i]))
		}
		at := n.find(name)
		if at < 0 {
			return n, path[i:], nil
		}
		n = n.children[at].value
	}
	return n, nil, nil
}

func orDocument(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	return strings.Join(path, ".")
}

// Set puts a value at a path. Objects that are missing on the way are made.
func (j *JSON) Set(path []string, value any) error {
	n, rest, err := j.reach(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0 && n != nil && n.kind != '{':
		return errorAt(j.data, n.start, "%s is no object", orDocument(path[:len(path)-len(rest)]))
	case len(rest) == 0 && n != nil:
		if reflect.DeepEqual(n.plain(j.data), Plain(value)) {
			return nil
		}
		return j.change(Splice{n.start, string(j.data[n.start:n.end]), j.print(value, margin(j.data, n.start), false)})
	}
	for i := len(rest) - 1; i > 0; i-- {
		j.made = append(j.made, slices.Clone(path[:len(path)-len(rest)+i]))
		value = Object{{rest[i], value}}
	}
	return j.insert(n, rest[0], value)
}

// Append puts a value at the end of the array at a path, which is made where it
// is missing.
func (j *JSON) Append(path []string, value any) error {
	n, rest, err := j.reach(path)
	if err != nil {
		return err
	}
	if n == nil || len(rest) > 0 {
		j.made = append(j.made, slices.Clone(path))
		return j.Set(path, []any{value})
	}
	if n.kind != '[' {
		return errorAt(j.data, n.start, "%s is no array", orDocument(path))
	}
	return j.insert(n, "", value)
}

// Remove takes out the member at a path. What is not there is no error.
func (j *JSON) Remove(path []string) error {
	last := len(path) - 1
	n, rest, err := j.reach(path[:last])
	if err != nil || n == nil || len(rest) > 0 || n.kind != '{' {
		return err
	}
	if at := n.find(path[last]); at >= 0 {
		return j.cut(n, at)
	}
	return nil
}

// RemoveElement takes an element out of the array at a path.
func (j *JSON) RemoveElement(path []string, element int) error {
	n, rest, err := j.reach(path)
	if err != nil || n == nil || len(rest) > 0 || n.kind != '[' || element >= len(n.children) {
		return err
	}
	return j.cut(n, element)
}

// Inside works on an element of the array at a path as on a document of its own.
func (j *JSON) Inside(path []string, element int, work func(*JSON) error) error {
	n, rest, err := j.reach(path)
	if err != nil || n == nil || len(rest) > 0 || n.kind != '[' || element >= len(n.children) {
		return err
	}
	e := n.children[element].value
	part := &JSON{data: j.data, root: e, within: func(data []byte) (*node, error) {
		root, err := j.find(data)
		if err != nil {
			return nil, err
		}
		n, _, err := (&JSON{data: data, root: root}).reach(path)
		if err != nil {
			return nil, err
		}
		return n.children[element].value, nil
	}}
	if err := work(part); err != nil {
		return err
	}
	j.changes = append(j.changes, part.changes...)
	j.data = part.data
	j.root, err = j.find(j.data)
	return err
}

// Prune takes out the object or array at a path if it is empty of everything,
// comments included.
func (j *JSON) Prune(path []string) error {
	n, rest, err := j.reach(path)
	if err != nil || n == nil || len(rest) > 0 || n.kind != '{' && n.kind != '[' || len(n.children) > 0 || n.comments {
		return err
	}
	return j.Remove(path)
}

// change makes changes, which may not overlap and are given from the last to
// the first place.
func (j *JSON) change(list ...Splice) error {
	data := j.data
	for _, s := range list {
		data = s.Apply(data)
	}
	root, err := j.find(data)
	if err != nil {
		return err
	}
	j.data, j.root = data, root
	j.changes = append(j.changes, list...)
	return nil
}

// insert puts a member, or an element, behind the last one.
func (j *JSON) insert(n *node, name string, value any) error {
	nl := lineEnd(j.data)
	if n == nil { // nothing there yet
		before := ""
		if text := strings.TrimPrefix(string(j.data), bom); text != "" && !strings.HasSuffix(text, "\n") {
			before = nl
		}
		return j.change(Splice{len(j.data), "", before + j.print(Object{{name, value}}, "", false) + nl})
	}
	if len(n.children) == 0 {
		return j.fill(n, name, value)
	}
	last := n.children[len(n.children)-1]
	end := last.value.end
	if !bytes.Contains(j.data[n.start:n.end], []byte("\n")) {
		compact := !bytes.Contains(j.data[n.start:n.end], []byte(": ")) && !bytes.Contains(j.data[n.start:n.end], []byte(", "))
		text := j.member(name, value, "", true)
		if !compact {
			text = " " + text
		}
		if last.comma >= 0 {
			return j.change(Splice{last.comma + 1, "", text + ","})
		}
		return j.change(Splice{end, "", "," + text})
	}
	indent := margin(j.data, n.start) + j.unit()
	if isFirst(j.data, last.start) {
		indent = margin(j.data, last.start)
	}
	text := nl + indent + j.member(name, value, indent, false)
	if last.comma >= 0 {
		return j.change(Splice{j.restOfLine(last.comma + 1), "", text + ","})
	}
	// The comma goes behind the value, the member behind what is said of the value.
	to := j.restOfLine(end)
	said := string(j.data[end:to])
	return j.change(Splice{end, said, "," + said + text})
}

// fill puts the first member into an object, or element into an array.
func (j *JSON) fill(n *node, name string, value any) error {
	nl, outer := lineEnd(j.data), margin(j.data, n.start)
	text := nl + outer + j.unit() + j.member(name, value, outer+j.unit(), false)
	inside := j.data[n.start+1 : n.end-1]
	space := inside[len(bytes.TrimRight(inside, " \t\r\n")):]
	if bytes.Contains(space, []byte("\n")) {
		return j.change(Splice{n.end - 1 - len(space), "", text})
	}
	return j.change(Splice{n.end - 1, "", text + nl + outer})
}

// restOfLine is where the comments end that stand behind a byte on its line.
func (j *JSON) restOfLine(at int) int {
	for end := at; ; at = end {
		rest := bytes.TrimLeft(j.data[at:], " \t")
		start := len(j.data) - len(rest)
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch stop := bytes.Index(line, []byte("*/")); {
		case bytes.HasPrefix(line, []byte("//")):
			return start + len(line)
		case bytes.HasPrefix(line, []byte("/*")) && stop >= 2:
			end = start + stop + len("*/")
		default:
			return end
		}
	}
}

// cut takes a child out, with one comma and the white space that is its own.
func (j *JSON) cut(n *node, i int) error {
	c := n.children[i]
	end := c.value.end
	if c.comma >= 0 {
		end = c.comma + 1
	}
	if i+1 < len(n.children) {
		for end < len(j.data) && (j.data[end] == ' ' || j.data[end] == '\t') {
			end++
		}
		if rest := j.data[end:]; isFirst(j.data, c.start) && (bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))) {
			end += len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		}
		return j.change(Splice{c.start, string(j.data[c.start:end]), ""})
	}
	start := c.gap
	if c.line && end < len(j.data) && j.data[end] != '\n' && j.data[end] != '\r' {
		start = c.start // the comment before it needs its line's end
	}
	list := []Splice{{start, string(j.data[start:end]), ""}}
	if i > 0 && c.comma < 0 {
		list = append(list, Splice{n.children[i-1].comma, ",", ""})
	}
	return j.change(list...)
}

// unit is how deep a level of the document is indented.
func (j *JSON) unit() string {
	if j.root != nil {
		for _, c := range j.root.children {
			if m := margin(j.data, c.start); m != "" && isFirst(j.data, c.start) {
				return m
			}
		}
	}
	return "  "
}

func (j *JSON) member(name string, value any, indent string, oneLine bool) string {
	text := j.print(value, indent, oneLine)
	if name == "" {
		return text
	}
	return quote(name) + ": " + text
}

// print writes a value whose lines after the first start with an indentation.
func (j *JSON) print(value any, indent string, oneLine bool) string {
	var list []string
	open, closing := "[", "]"
	inner := indent + j.unit()
	switch v := value.(type) {
	case Object:
		open, closing = "{", "}"
		for _, f := range v {
			list = append(list, j.member(f.Name, f.Value, inner, oneLine))
		}
	case []any:
		simple := true
		for _, e := range v {
			_, isObject := e.(Object)
			simple = simple && !isObject
			list = append(list, j.print(e, inner, oneLine))
		}
		oneLine = oneLine || simple
	case string:
		return quote(v)
	default:
		data, _ := json.Marshal(v) // an int or a bool
		return string(data)
	}
	if len(list) == 0 {
		return open + closing
	}
	if oneLine {
		return open + strings.Join(list, ", ") + closing
	}
	nl := lineEnd(j.data)
	return open + nl + inner + strings.Join(list, ","+nl+inner) + nl + indent + closing
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always is JSON
	return strings.TrimSuffix(b.String(), "\n")
}
