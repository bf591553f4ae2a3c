package merge

import (
	"bytes"
	"slices"
	"sort"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// mergeSettings merges versions of vault.yaml by key: lists as sets, the
// stricter policy, the higher number of a format, the lower of anything else.
// What merging by lines made of it stays where it says the same. It reports
// false where there is nothing to merge, and for what is no mapping.
func mergeSettings(base, ours, theirs, byLines []byte) ([]byte, bool) {
	if ours == nil || theirs == nil || equalFile(ours, theirs) || equalFile(ours, base) || equalFile(theirs, base) {
		return nil, false
	}
	b, okB := parseSettings(base)
	o, okO := parseSettings(ours)
	t, okT := parseSettings(theirs)
	if !okB || !okO || !okT {
		return nil, false
	}
	if blobHash(theirs) > blobHash(ours) { // whose order and comments stay
		o, t = t, o
	}
	m := mergeNode("", b, o, t)
	if m == nil {
		return nil, false
	}
	if l, ok := parseSettings(byLines); ok && equalNode(l, m) {
		return byLines, true
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if enc.Encode(m) != nil || enc.Close() != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// parseSettings reads a document whose top is a mapping; an empty one is nil.
func parseSettings(data []byte) (*yaml.Node, bool) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, true
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if dec.Decode(&doc) != nil || len(doc.Content) != 1 || !plain(doc.Content[0], 0) {
		return nil, false
	}
	if dec.Decode(new(yaml.Node)) == nil {
		return nil, false // a second document
	}
	top := doc.Content[0]
	top.HeadComment, top.FootComment = join(doc.HeadComment, top.HeadComment), join(top.FootComment, doc.FootComment)
	return top, top.Kind == yaml.MappingNode
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// plain reports whether a node is free of what merging by key cannot follow:
// aliases, keys that are no scalars, keys that stand twice, endless depth.
func plain(n *yaml.Node, depth int) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || depth > 20 {
		return false
	}
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if c.Kind != yaml.ScalarNode || seen[c.Value] || c.Value == "<<" {
				return false
			}
			seen[c.Value] = true
		}
		if !plain(c, depth+1) {
			return false
		}
	}
	return true
}

// mergeNode merges values of one key; nil is no value. Of two that cannot both
// be, the choice depends on the values alone, not on the side they are on;
// where the order of keys is free it is that of first.
func mergeNode(key string, base, first, second *yaml.Node) *yaml.Node {
	switch {
	case equalNode(first, second), equalNode(second, base):
		return first
	case equalNode(first, base), first == nil:
		return second
	case second == nil:
		return first
	case first.Kind == yaml.MappingNode && second.Kind == yaml.MappingNode:
		return mergeMapping(base, first, second)
	case first.Kind == yaml.SequenceNode && second.Kind == yaml.SequenceNode:
		return mergeList(base, first, second)
	}
	if stands(key, second, first) {
		return second
	}
	return first
}

func mergeMapping(base, first, second *yaml.Node) *yaml.Node {
	out := *first
	out.Content = nil
	var rest []string
	for i := 0; i < len(second.Content); i += 2 {
		if k := second.Content[i].Value; value(first, k) == nil {
			rest = append(rest, k)
		}
	}
	sort.Strings(rest)
	add := func(k string) {
		name, v := keyNode(first, k), mergeNode(k, value(base, k), value(first, k), value(second, k))
		if name == nil {
			name = keyNode(second, k)
		}
		if v != nil {
			out.Content = append(out.Content, name, v)
		}
	}
	for i := 0; i < len(first.Content); i += 2 {
		add(first.Content[i].Value)
	}
	for _, k := range rest {
		add(k)
	}
	return &out
}

func mergeList(base, first, second *yaml.Node) *yaml.Node {
	out := *first
	out.Content = nil
	var old []*yaml.Node
	if base != nil && base.Kind == yaml.SequenceNode {
		old = base.Content
	}
	in := func(list []*yaml.Node, n *yaml.Node) bool {
		return slices.ContainsFunc(list, func(c *yaml.Node) bool { return equalNode(c, n) })
	}
	for _, n := range old {
		if in(first.Content, n) && in(second.Content, n) {
			out.Content = append(out.Content, n)
		}
	}
	var added []*yaml.Node
	for _, n := range slices.Concat(first.Content, second.Content) {
		if !in(old, n) && !in(added, n) {
			added = append(added, n)
		}
	}
	sort.SliceStable(added, func(i, j int) bool { return nodeText(added[i]) < nodeText(added[j]) })
	out.Content = append(out.Content, added...)
	return &out
}

// stands reports whether a is the value that stays of two different ones.
func stands(key string, a, b *yaml.Node) bool {
	if strict := []string{"off", "apply", "hold"}; a.Kind == yaml.ScalarNode && b.Kind == yaml.ScalarNode {
		if i, j := slices.Index(strict, a.Value), slices.Index(strict, b.Value); i >= 0 && j >= 0 {
			return i > j
		}
		x, errX := strconv.ParseInt(a.Value, 10, 64)
		y, errY := strconv.ParseInt(b.Value, 10, 64)
		if errX == nil && errY == nil && x != y {
			return (x > y) == (key == "format")
		}
	}
	return nodeText(a) > nodeText(b)
}

func equalNode(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !equalNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func nodeText(n *yaml.Node) string {
	data, err := yaml.Marshal(n)
	if err != nil {
		return n.Value
	}
	return string(data)
}

func keyNode(m *yaml.Node, key string) *yaml.Node {
	if i := keyIndex(m, key); i >= 0 {
		return m.Content[i]
	}
	return nil
}

func value(m *yaml.Node, key string) *yaml.Node {
	if i := keyIndex(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return nil
}

func keyIndex(m *yaml.Node, key string) int {
	if m == nil || m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}
