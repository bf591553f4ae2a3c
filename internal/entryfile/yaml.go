package entryfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAML bounds what is given to the YAML library, in bytes.
const maxYAML = 1 << 20

// readYAML reads a mapping with the YAML library.
func readYAML(s string) (pairs []pair, err error) {
	if len(s) > maxYAML {
		return nil, fmt.Errorf("it is longer than %d KiB", maxYAML>>10)
	}
	defer func() {
		if r := recover(); r != nil {
			pairs, err = nil, fmt.Errorf("it is not YAML: %v", r)
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(s))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("it is not YAML: %s", oneLine(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after its end")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errNoMapping
	}
	v, err := fromNode(doc.Content[0])
	if err != nil {
		return nil, err
	}
	for i, key := range v.keys {
		pairs = append(pairs, pair{key, v.items[i]})
	}
	return pairs, nil
}

var errNoMapping = errors.New("it is no list of keys and values")

func fromNode(n *yaml.Node) (value, error) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return value{}, errors.New("it uses YAML anchors; write the value out")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return value{}, fmt.Errorf("it uses the YAML tag %q; leave it out", n.Tag)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return value{text: n.Value, quoted: n.Style != 0}, nil
	case yaml.SequenceNode:
		v := value{kind: list}
		for _, c := range n.Content {
			item, err := fromNode(c)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
		return v, nil
	case yaml.MappingNode:
		v := value{kind: mapping}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := fromNode(n.Content[i])
			if err != nil {
				return v, err
			}
			if key.kind != scalar {
				return v, errors.New("it has a key that is no text")
			}
			item, err := fromNode(n.Content[i+1])
			if err != nil {
				return v, err
			}
			v.keys = append(v.keys, key.text)
			v.items = append(v.items, item)
		}
		return v, nil
	}
	return value{}, errNoMapping
}

// oneLine puts text on one line.
func oneLine(text string) string {
	if isOneLine(text) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// isOneLine reports whether oneLine has nothing to do; most texts are such.
func isOneLine(text string) bool {
	space := true
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && !space:
			space = true
		case c <= ' ' || c >= 0x7f:
			return false
		default:
			space = false
		}
	}
	return !space || text == ""
}

var bom = []byte("\ufeff")

// trimBOM returns data without a byte order mark, and the length of that.
func trimBOM(data []byte) ([]byte, int) {
	if bytes.HasPrefix(data, bom) {
		return data[len(bom):], len(bom)
	}
	return data, 0
}
