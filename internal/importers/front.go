package importers

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// A front is a file's front matter.
type front struct {
	keys   []string // in order, as written
	values map[string]*yaml.Node
	end    int // lines it takes, its fences included
}

// maxFront bounds what is read as YAML.
const maxFront = 64 << 10

// takeFront splits front matter off a text. Where it is no YAML, as the globs
// that Cursor writes are not, its lines are read as "key: value". bad says
// that even so not all could be read.
func takeFront(text string) (f front, rest string, bad bool) {
	f.values = map[string]*yaml.Node{}
	first, after, more := strings.Cut(text, "\n")
	if !more || strings.TrimRight(first, " \t") != "---" {
		return f, text, false
	}
	at := 0
	for line := range strings.Lines(after) {
		f.end++
		if t := strings.TrimRight(line, " \t\n"); t == "---" || t == "..." {
			f.end++
			block := after[:at]
			rest = after[at+len(line):]
			bad = f.parse(block)
			return f, rest, bad
		}
		at += len(line)
		if at > maxFront {
			break
		}
	}
	f.end = 0
	return f, text, false
}

func (f *front) parse(block string) (bad bool) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(block), &doc); err == nil {
		if len(doc.Content) == 0 {
			return false
		}
		if m := doc.Content[0]; m.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(m.Content); i += 2 {
				f.set(m.Content[i].Value, m.Content[i+1])
			}
			return false
		}
	}
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, " \t\n")
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t#-") {
			bad = bad || strings.TrimSpace(line) != ""
			continue
		}
		f.set(key, &yaml.Node{Kind: yaml.ScalarNode, Value: strings.Trim(strings.TrimSpace(value), `"'`)})
	}
	return bad
}

func (f *front) set(key string, n *yaml.Node) {
	if _, again := f.values[key]; !again {
		f.keys = append(f.keys, key)
	}
	f.values[key] = n
}

// text is a scalar as it is written, "" where the key is missing or no scalar.
// The first of the keys that has one counts.
func (f *front) text(keys ...string) string {
	for _, k := range keys {
		if n := f.values[k]; n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			if v := strings.TrimSpace(n.Value); v != "" {
				return v
			}
		}
	}
	return ""
}

// list is a sequence's scalars, or a scalar cut at its commas.
func (f *front) list(keys ...string) []string {
	for _, k := range keys {
		n := f.values[k]
		if n == nil {
			continue
		}
		var out []string
		switch n.Kind {
		case yaml.SequenceNode:
			for _, c := range n.Content {
				out = append(out, flat(c)...)
			}
		case yaml.ScalarNode:
			if n.Tag == "!!null" {
				continue
			}
			for part := range strings.SplitSeq(n.Value, ",") {
				if part = strings.TrimSpace(part); part != "" {
					out = append(out, part)
				}
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// flat is a scalar's text; of a list, as an unquoted [[link]] is, its items'.
func flat(n *yaml.Node) []string {
	switch n.Kind {
	case yaml.ScalarNode:
		if v := strings.TrimSpace(n.Value); v != "" {
			return []string{v}
		}
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode {
				out = append(out, c.Value)
			} else if c.Kind == yaml.SequenceNode && len(c.Content) == 1 {
				out = append(out, c.Content[0].Value)
			}
		}
		return out
	}
	return nil
}

// isTrue reports whether a key says yes.
func (f *front) isTrue(key string) bool {
	switch strings.ToLower(f.text(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// nested is the scalar of a key, or of that key within a mapping.
func (f *front) nested(mapping, key string) string {
	if v := f.text(key); v != "" {
		return v
	}
	if m := f.values[mapping]; m != nil && m.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if m.Content[i].Value == key && m.Content[i+1].Kind == yaml.ScalarNode {
				return strings.TrimSpace(m.Content[i+1].Value)
			}
		}
	}
	return ""
}
