package entryfile

import "strings"

// A value is one YAML value, its scalars as the text that stands in the source.
type value struct {
	kind   valueKind
	text   string // of a scalar, without quotes and escapes
	quoted bool   // a scalar that was quoted: text, whatever it looks like
	items  []value
	keys   []string // of a mapping, one for each item
}

type valueKind uint8

const (
	scalar valueKind = iota
	list
	mapping
)

// A pair is a key of the metadata with its value.
type pair struct {
	key   string
	value value
}

// flow writes the value on one line, in flow style, so that it reads back.
func (v value) flow(b *strings.Builder) {
	switch v.kind {
	case scalar:
		switch {
		case v.quoted:
			writeQuoted(b, v.text)
		case v.text == "":
			b.WriteString("null")
		default:
			writeScalar(b, v.text, inFlow)
		}
	case list:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.flow(b)
		}
		b.WriteByte(']')
	case mapping:
		b.WriteByte('{')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeScalar(b, v.keys[i], inFlow)
			b.WriteString(": ")
			item.flow(b)
		}
		b.WriteByte('}')
	}
}

func (v value) String() string {
	var b strings.Builder
	v.flow(&b)
	return b.String()
}
