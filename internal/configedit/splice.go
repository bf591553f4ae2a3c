// Package configedit changes other programs' configuration files so that only
// the bytes of what is changed differ: comments, order, formatting, unknown
// keys, line ends, a byte order mark, trailing commas and a missing last line
// end stay as they were. It works on bytes and knows no files.
package configedit

import (
	"bytes"
	"fmt"
	"strings"
)

// A Splice is one change of a document: the text Was at byte At became Is.
type Splice struct {
	At  int    `json:"at"`
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// Apply returns the document with the change made.
func (s Splice) Apply(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(s.Is)-len(s.Was))
	out = append(out, data[:s.At]...)
	out = append(out, s.Is...)
	return append(out, data[s.At+len(s.Was):]...)
}

// Undo takes changes back, the last one first, from the document that they
// made. It reports false where the document is another one.
func Undo(data []byte, changes []Splice) ([]byte, bool) {
	for i := len(changes) - 1; i >= 0; i-- {
		s := changes[i]
		if s.At < 0 || s.At > len(data) || !bytes.HasPrefix(data[s.At:], []byte(s.Is)) {
			return nil, false
		}
		data = Splice{At: s.At, Was: s.Is, Is: s.Was}.Apply(data)
	}
	return data, true
}

// UndoAnywhere takes changes back from a document that was changed since: each
// where its text stands now. It reports false where one is not there exactly
// once.
func UndoAnywhere(data []byte, changes []Splice) ([]byte, bool) {
	for i := len(changes) - 1; i >= 0; i-- {
		s := changes[i]
		at := bytes.Index(data, []byte(s.Is))
		if s.Is == "" || at < 0 || bytes.Contains(data[at+1:], []byte(s.Is)) {
			return nil, false
		}
		data = Splice{At: at, Was: s.Is, Is: s.Was}.Apply(data)
	}
	return data, true
}

// An Error is what is wrong with a document, by line.
type Error struct {
	Line    int
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

func errorAt(data []byte, at int, format string, args ...any) *Error {
	return &Error{Line: lineOf(data, at), Problem: fmt.Sprintf(format, args...)}
}

func lineOf(data []byte, at int) int { return 1 + bytes.Count(data[:min(at, len(data))], []byte("\n")) }

// An Object is a value with named fields in an order. Values are strings, ints,
// bools, Objects and []any of these.
type Object []Field

// A Field is one of an Object.
type Field struct {
	Name  string
	Value any
}

// Plain is a value as a parsed document has it, for comparing: maps, slices,
// strings, bools, nil, and numbers as their text.
func Plain(v any) any {
	switch v := v.(type) {
	case Object:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.Name] = Plain(f.Value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = Plain(e)
		}
		return list
	case int:
		return number(fmt.Sprint(v))
	}
	return v
}

// A number is a number by its text, which no other value equals.
type number string

const bom = "\ufeff"

// lineEnd is how the document ends its lines.
func lineEnd(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// margin is the white space that the line of a byte starts with.
func margin(data []byte, at int) string {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	line := data[start:at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// isFirst reports whether nothing but white space stands before a byte on its line.
func isFirst(data []byte, at int) bool {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	return strings.TrimLeft(string(data[start:at]), " \t") == ""
}
