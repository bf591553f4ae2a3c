package entryfile

import (
	"errors"
	"fmt"
	"strings"
)

// What a card asks a person to decide on.
const (
	OpAdd    = "add"
	OpEdit   = "edit"
	OpForget = "forget"
)

// A Card is an agent's change that no person has decided on yet, as it stands
// in review/<ID>.md.
type Card struct {
	ID      string
	Op      string // OpAdd, OpEdit or OpForget
	EntryID string // the entry that the change is to
	Kind    Kind
	Base    string // Hash of the version that the change was made on
	Source  string // the agent
	Session string
	Created string // RFC 3339, UTC, whole seconds
	Code    string // the workspace's commit and branch at the time
	Reason  string // why, in the agent's words
	Extra   []Field
	Entry   Entry // the whole entry, proposed or previous; without a title there is none
}

// Path is the card's path within its scope.
func (c Card) Path() string { return "review/" + c.ID + ".md" }

// HasEntry reports whether the card holds a version of its entry: one for an
// entry that was added and applied at once has no previous version to hold.
func (c Card) HasEntry() bool { return c.Entry.Title != "" }

var cardFields = []struct {
	key  string
	text func(*Card) *string
}{
	{"id", func(c *Card) *string { return &c.ID }},
	{"op", func(c *Card) *string { return &c.Op }},
	{"entry", func(c *Card) *string { return &c.EntryID }},
	{"kind", func(c *Card) *string { return (*string)(&c.Kind) }},
	{"base", func(c *Card) *string { return &c.Base }},
	{"source", func(c *Card) *string { return &c.Source }},
	{"session", func(c *Card) *string { return &c.Session }},
	{"created", func(c *Card) *string { return &c.Created }},
	{"code", func(c *Card) *string { return &c.Code }},
	{"reason", func(c *Card) *string { return &c.Reason }},
}

// Bytes writes the card: front matter, and the entry as a ledger would hold it,
// whatever its kind. What it returns has been read back and is the same.
func (c Card) Bytes() ([]byte, error) {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range cardFields {
		if text := *f.text(&c); text != "" {
			b.WriteString(f.key + ": ")
			writeScalar(&b, text, inBlock)
			b.WriteByte('\n')
		}
	}
	for _, f := range c.Extra {
		writeScalar(&b, f.Key, inFlow)
		b.WriteString(": " + f.Value + "\n")
	}
	b.WriteString("---\n")
	if c.HasEntry() {
		c.Entry.Kind = c.Kind
		section, err := printSection(c.Entry, "\n")
		if err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		b.Write(section)
	}
	out := []byte(b.String())
	got, err := ParseCard(out)
	if err != nil {
		return nil, fmt.Errorf("the card %s cannot be written: %w", c.ID, err)
	}
	if c.HasEntry() != got.HasEntry() || c.HasEntry() && !sameEntry(got.Entry, normal(c.Entry)) || !sameCard(got, c) {
		return nil, fmt.Errorf("the card %s cannot be written so that it reads back the same", c.ID)
	}
	return out, nil
}

func sameCard(a, b Card) bool {
	for _, f := range cardFields {
		if *f.text(&a) != *f.text(&b) {
			return false
		}
	}
	return len(a.Extra) == len(b.Extra)
}

// ParseCard reads a card. It fails where a card lacks what a decision needs.
func ParseCard(data []byte) (Card, error) {
	var c Card
	_, start := trimBOM(data)
	inner, end, ok := frontMatter(data, start)
	if !ok {
		return c, errors.New("the card has no front matter")
	}
	source := string(data[inner.start:inner.end])
	pairs, ok := readBlockMapping(source)
	if !ok {
		var err error
		if pairs, err = readYAML(source); err != nil {
			return c, fmt.Errorf("the card's front matter cannot be read: %w", err)
		}
	}
	if err := c.readPairs(pairs); err != nil {
		return c, fmt.Errorf("the card's front matter cannot be read: %w", err)
	}
	d := Document{kind: c.Kind, data: data[end:]}
	d.parseLedger()
	if len(d.sections) > 1 {
		return c, errors.New("the card holds more than one entry")
	}
	if len(d.sections) == 1 {
		s := d.sections[0]
		if s.Err != nil {
			return c, fmt.Errorf("in the card, %w", s.Err)
		}
		c.Entry = s.Entry
	}
	if c.Op != OpAdd && !c.HasEntry() {
		return c, errors.New("the card holds no entry")
	}
	return c, nil
}

func (c *Card) readPairs(pairs []pair) error {
	seen := map[string]bool{}
	for _, p := range pairs {
		if seen[p.key] {
			return fmt.Errorf("the key %q is there twice", p.key)
		}
		seen[p.key] = true
		known := false
		for _, f := range cardFields {
			if f.key != p.key {
				continue
			}
			known = true
			if p.value.kind != scalar {
				return fmt.Errorf("%s must be one text", p.key)
			}
			*f.text(c) = p.value.text
		}
		if !known {
			c.Extra = append(c.Extra, Field{p.key, p.value.String()})
		}
	}
	if c.Op != OpAdd && c.Op != OpEdit && c.Op != OpForget {
		return fmt.Errorf("op is %q: it must be %s, %s or %s", c.Op, OpAdd, OpEdit, OpForget)
	}
	if !ValidID(c.ID) {
		return fmt.Errorf("id: %q is not an id", c.ID)
	}
	if !ValidID(c.EntryID) {
		return fmt.Errorf("entry: %q is not an id", c.EntryID)
	}
	for _, k := range Kinds() {
		if c.Kind == k {
			return nil
		}
	}
	return fmt.Errorf("kind: %q is no kind", c.Kind)
}
