package configedit

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxDepth is how deeply a document may be nested.
const maxDepth = 500

// A node is a value of a JSON document with comments and trailing commas, by
// its place in the bytes.
type node struct {
	kind       byte // '{', '[', '"', or 0 for a number or a word
	start, end int
	children   []child
	comments   bool // between its brackets
	repeats    bool // has a key twice
}

// A child is a member of an object, or an element of an array.
type child struct {
	name  string
	start int // of its key, or value
	gap   int // where the white space before it starts
	line  bool
	value *node
	comma int // behind it, -1 for none
}

func (n *node) find(name string) int {
	for i, c := range n.children {
		if c.name == name {
			return i
		}
	}
	return -1
}

type parser struct {
	data []byte
	at   int
	// Of the white space and comments that were skipped last:
	gap     int  // where its last run of white space starts
	line    bool // whether a line comment stands before that
	comment bool // whether there was any comment
}

// parse reads a document; its root is nil where it holds no value.
func parse(data []byte) (root *node, err error) {
	p := &parser{data: data}
	if bytes.HasPrefix(data, []byte(bom)) {
		p.at = len(bom)
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if p.at == len(data) {
		return nil, nil
	}
	root, err = p.value(0)
	if err == nil {
		err = p.skip()
	}
	if err != nil {
		return nil, err
	}
	if p.at < len(data) {
		return nil, errorAt(data, p.at, "something stands behind the end of the document")
	}
	return root, nil
}

// skip passes over white space and comments.
func (p *parser) skip() error {
	p.gap, p.line, p.comment = p.at, false, false
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == ' ', c == '\t', c == '\n', c == '\r':
			p.at++
			continue
		case bytes.HasPrefix(p.data[p.at:], []byte("//")):
			end := bytes.IndexByte(p.data[p.at:], '\n')
			if end < 0 {
				end = len(p.data) - p.at
			}
			if end > 0 && p.data[p.at+end-1] == '\r' {
				end--
			}
			p.at += end
			p.line = true
		case bytes.HasPrefix(p.data[p.at:], []byte("/*")):
			end := bytes.Index(p.data[p.at+2:], []byte("*/"))
			if end < 0 {
				return errorAt(p.data, p.at, "a comment has no end")
			}
			p.at += end + 4
			p.line = false
		default:
			return nil
		}
		p.comment, p.gap = true, p.at
	}
	return nil
}

func (p *parser) value(depth int) (*node, error) {
	if p.at >= len(p.data) {
		return nil, errorAt(p.data, p.at, "the document ends too early")
	}
	switch c := p.data[p.at]; c {
	case '{', '[':
		if depth >= maxDepth {
			return nil, errorAt(p.data, p.at, "it is nested too deeply")
		}
		return p.container(c, depth)
	case '"':
		_, n, err := p.text()
		return n, err
	}
	start := p.at
	for p.at < len(p.data) && !strings.ContainsRune(" \t\r\n,:{}[]\"/", rune(p.data[p.at])) {
		p.at++
	}
	if word := p.data[start:p.at]; !json.Valid(word) {
		if len(word) == 0 {
			return nil, errorAt(p.data, start, "a value is missing before %q", p.data[start])
		}
		return nil, errorAt(p.data, start, "%.40q is no value", word)
	}
	return &node{start: start, end: p.at}, nil
}

func (p *parser) text() (string, *node, error) {
	start := p.at
	for p.at++; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case '\\':
			p.at++
		case '\n':
			return "", nil, errorAt(p.data, start, "a text has no closing quote")
		case '"':
			p.at++
			var s string
			if json.Unmarshal(p.data[start:p.at], &s) != nil {
				return "", nil, errorAt(p.data, start, "a text is not written as JSON wants it")
			}
			return s, &node{kind: '"', start: start, end: p.at}, nil
		}
	}
	return "", nil, errorAt(p.data, start, "a text has no closing quote")
}

func (p *parser) container(open byte, depth int) (*node, error) {
	n := &node{kind: open, start: p.at}
	closing := byte('}')
	if open == '[' {
		closing = ']'
	}
	seen := map[string]bool{}
	p.at++
	for {
		if err := p.skip(); err != nil {
			return nil, err
		}
		n.comments = n.comments || p.comment
		if p.at >= len(p.data) {
			return nil, errorAt(p.data, n.start, "%q is never closed", open)
		}
		if p.data[p.at] == closing {
			p.at++
			n.end = p.at
			return n, nil
		}
		if len(n.children) > 0 && n.children[len(n.children)-1].comma < 0 {
			return nil, errorAt(p.data, p.at, "a comma is missing before %q", p.data[p.at])
		}
		c := child{start: p.at, gap: p.gap, line: p.line, comma: -1}
		if open == '{' {
			if err := p.key(&c); err != nil {
				return nil, err
			}
			n.repeats = n.repeats || seen[c.name]
			seen[c.name] = true
		}
		var err error
		if c.value, err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if err := p.skip(); err != nil {
			return nil, err
		}
		n.comments = n.comments || p.comment
		if p.at < len(p.data) && p.data[p.at] == ',' {
			c.comma = p.at
			p.at++
		}
		n.children = append(n.children, c)
	}
}

func (p *parser) key(c *child) error {
	if p.data[p.at] != '"' {
		return errorAt(p.data, p.at, "a key has to stand here, in double quotes")
	}
	var err error
	if c.name, _, err = p.text(); err != nil {
		return err
	}
	if err := p.skip(); err != nil {
		return err
	}
	if p.at >= len(p.data) || p.data[p.at] != ':' {
		return errorAt(p.data, p.at, "a colon is missing after the key %q", c.name)
	}
	p.at++
	return p.skip()
}

// plain is a node as Plain has values.
func (n *node) plain(data []byte) any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.children))
		for _, c := range n.children {
			m[c.name] = c.value.plain(data)
		}
		return m
	case '[':
		list := make([]any, len(n.children))
		for i, c := range n.children {
			list[i] = c.value.plain(data)
		}
		return list
	case '"':
		var s string
		_ = json.Unmarshal(data[n.start:n.end], &s) // it was read before
		return s
	}
	switch word := string(data[n.start:n.end]); word {
	case "true", "false":
		return word == "true"
	case "null":
		return nil
	default:
		return number(word)
	}
}
