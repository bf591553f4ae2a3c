package entryfile

import (
	"errors"
	"fmt"
	"strings"
)

// Print writes an entry: for a ledger kind its section, else its whole file.
// What it returns has been read back and says the same as e; where that cannot
// be (a title of several lines, text that is not UTF-8 in the metadata), it
// returns an error.
func Print(e Entry) ([]byte, error) {
	if e.Kind.IsLedger() {
		return printSection(e, "\n")
	}
	return printFile(e, "\n")
}

// normal is e as it is read back: with its body trimmed, and the title for a
// body that is empty.
func normal(e Entry) Entry {
	if e.Body != e.Title {
		e.Body = TrimBody(e.Body)
	}
	if e.Body == "" {
		e.Body = e.Title
	}
	return e
}

// printSection writes e under a heading, as ledgers and cards hold it.
func printSection(e Entry, eol string) ([]byte, error) {
	e = normal(e)
	if err := printable(e); err != nil {
		return nil, err
	}
	raw, form := "", plain
	if e.Body != e.Title {
		raw, form = encodeBody(e.Body)
	}
	var b strings.Builder
	b.Grow(len(raw) + 256)
	b.WriteString(writeHeading(e.Title))
	b.WriteString(eol)
	b.WriteString(writeComment(&e, form))
	b.WriteString(eol)
	if raw != "" {
		b.WriteString(eol)
		b.WriteString(raw)
		b.WriteString(eol)
	}
	out := []byte(b.String())
	got := Document{kind: e.Kind, data: out}
	got.parseLedger()
	return out, readBack(&got, e)
}

func writeHeading(title string) string {
	text, _ := writeTitle(title)
	return "## " + text
}

// printable refuses what no form of writing can hold.
func printable(e Entry) error {
	if strings.ContainsRune(e.Title, '\n') {
		return fmt.Errorf("the title %q has more than one line: put it on one", Shorten(e.Title, 60))
	}
	if strings.Trim(e.Title, " \t\r\n") == "" {
		return errors.New("the title is empty: say in a few words what this is about")
	}
	return nil
}

// readBack compares what was written with what was meant.
func readBack(got *Document, want Entry) error {
	if len(got.sections) != 1 || got.sections[0].End != len(got.data) {
		return fmt.Errorf("the entry %q cannot be written so that it reads back as one entry", Shorten(want.Title, 60))
	}
	s := got.sections[0]
	if s.Err != nil {
		return fmt.Errorf("the entry %q cannot be written: %w", Shorten(want.Title, 60), s.Err)
	}
	if !sameEntry(s.Entry, want) {
		return fmt.Errorf("the entry %q cannot be written so that it reads back the same: %s", Shorten(want.Title, 60), difference(s.Entry, want))
	}
	return nil
}

// difference names the first thing in which two entries differ.
func difference(a, b Entry) string {
	if a.Body != b.Body {
		return "the body differs"
	}
	for _, f := range fields {
		x, y := a, b
		for _, e := range []*Entry{&x, &y} {
			if f.text != nil {
				*f.text(e) = ""
			}
			if f.texts != nil {
				*f.texts(e) = nil
			}
		}
		if sameEntry(x, y) {
			return f.key + " differs"
		}
	}
	return "the metadata differs"
}

// printFile writes e as a file of its own.
func printFile(e Entry, eol string) ([]byte, error) {
	e = normal(e)
	if err := printable(e); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Grow(len(e.Body) + 256)
	b.WriteString("---" + eol)
	writePairs(&e, true, plain, inBlock, func(key, value string) {
		b.WriteString(key + ": " + value + eol)
	})
	b.WriteString("---" + eol)
	if e.Body != e.Title {
		b.WriteString(eol + e.Body + eol)
	}
	out := []byte(b.String())
	got := Document{kind: e.Kind, data: out}
	got.parseFile()
	return out, readBack(&got, e)
}
