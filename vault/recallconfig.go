package vault

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"gitvault/internal/backends"
)

// RecallConfig names what joins built-in recall. A backend that is not written
// as it should be is left out, and is no reason for anything else to fail.
type RecallConfig struct {
	Backends []backends.Config
	Faults   []RecallFault // what is left out

	unknown []string // settings that are not known, and change nothing
}

// A RecallFault is a recall backend that can't be used as it is written.
type RecallFault struct {
	Name string // of the backend; "" where what names them is wrong itself
	Line int    // of the settings
	Text string // what is wrong, and what to write
}

// builtinRecall is the name of built-in recall among its backends.
const builtinRecall = "lexical"

// UnmarshalYAML takes anything.
func (r *RecallConfig) UnmarshalYAML(n *yaml.Node) error {
	n = resolved(n)
	if n.Kind != yaml.MappingNode {
		r.fault("", n, "recall is "+shape(n)+": write backends: under it")
		return nil
	}
	for key, value := range pairs(n) {
		switch {
		case key.Value != "backends":
			r.unknown = append(r.unknown, fmt.Sprintf("line %d: field recall.%s is unknown", key.Line, key.Value))
		case value.Kind == yaml.SequenceNode:
			for i, item := range value.Content {
				r.add(i+1, resolved(item))
			}
		case value.Tag != "!!null":
			r.fault("", value, "recall.backends is "+shape(value)+": write a list, with a dash before each backend")
		}
	}
	return nil
}

func (r *RecallConfig) fault(name string, n *yaml.Node, text string) {
	r.Faults = append(r.Faults, RecallFault{name, n.Line, text})
}

// add takes one backend into the settings, or what is wrong with it.
func (r *RecallConfig) add(number int, n *yaml.Node) {
	var c backends.Config
	name, wrong := fmt.Sprintf("number %d", number), ""
	if n.Kind != yaml.MappingNode {
		r.fault(name, n, "it is "+shape(n)+": write name:, kind: and what belongs to that")
		return
	}
	fields := backends.Fields()
	for key, value := range pairs(n) {
		if !slices.Contains(fields, key.Value) && key.Tag != "!!merge" {
			r.unknown = append(r.unknown, fmt.Sprintf("line %d: field %s of a recall backend is unknown", key.Line, key.Value))
			continue
		}
		one := yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}}
		if err := one.Decode(&c); err != nil && wrong == "" {
			wrong = fmt.Sprintf("%s is %s: write %s", key.Value, shape(value), backends.Example(key.Value))
		}
	}
	if c.Name != "" {
		name = c.Name
	}
	if err := c.Check(); wrong == "" && err != nil {
		wrong = err.Error()
	}
	if wrong == "" && c.Name == builtinRecall {
		wrong = "that is what built-in recall is called: give it another name"
	}
	if wrong == "" && slices.ContainsFunc(r.Backends, func(b backends.Config) bool { return b.Name == c.Name }) {
		wrong = "another one is called that too: give it another name"
	}
	if wrong != "" {
		r.fault(name, n, wrong)
		return
	}
	r.Backends = append(r.Backends, c)
}

// pairs goes over the keys of a mapping, and what they have.
func pairs(n *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], resolved(n.Content[i+1])) {
				return
			}
		}
	}
}

// resolved is what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// shape says what stands somewhere, for a person who meant something else.
func shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Value == "" {
		return "empty"
	}
	return fmt.Sprintf("%q", shortened(n.Value))
}

// where says where in the settings a fault is, and what is wrong.
func (f RecallFault) where() string { return fmt.Sprintf("line %d: %s", f.Line, f.Text) }

// what says what a fault leaves out.
func (f RecallFault) what() string {
	if f.Name == "" {
		return "recall backends are left out"
	}
	return "recall backend " + f.Name + " is left out"
}

func (h *Home) recallFaults() []RecallFault {
	config, err := h.Config()
	if err != nil {
		return nil
	}
	return config.Recall.Faults
}

// leftOut is one line about all that mistakes leave out of recall; "" for
// nothing.
func (h *Home) leftOut() string {
	faults := h.recallFaults()
	if len(faults) == 0 {
		return ""
	}
	line := faults[0].what() + ": " + h.configFile() + " " + faults[0].where()
	if more := len(faults) - 1; more > 0 {
		line += fmt.Sprintf("; and %d more, which 'vault status' lists", more)
	}
	return line
}
