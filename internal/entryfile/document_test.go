package entryfile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parsed checks what holds of every document, and lists its sections in short.
func parsed(t interface{ Errorf(string, ...any) }, kind Kind, path string, data []byte) *Document {
	d := Parse(kind, path, data)
	if !bytes.Equal(d.Bytes(), data) {
		t.Errorf("not lossless: %q became %q", data, d.Bytes())
	}
	checkDocument(t, d)
	return d
}

func checkDocument(t interface{ Errorf(string, ...any) }, d *Document) {
	at := 0
	ids := map[string]bool{}
	for _, s := range d.Sections() {
		if s.Start < at || s.End < s.Start || s.End > len(d.Bytes()) {
			t.Errorf("section %q at %d to %d after %d of %d", s.Title, s.Start, s.End, at, len(d.Bytes()))
			return
		}
		at = s.End
		if s.Err != nil {
			continue
		}
		if !ValidID(s.ID) || ids[s.ID] {
			t.Errorf("id %q of %q is invalid or there twice", s.ID, s.Title)
		}
		ids[s.ID] = true
		if s.Title == "" || s.Body == "" {
			t.Errorf("no title or body: %+v", s)
		}
		if got, ok := d.Get(s.ID); !ok || !sameEntry(got.Entry, s.Entry) || got.Line != s.Line {
			t.Errorf("Get(%q) = %+v, %v", s.ID, got, ok)
		}
	}
}

// agrees checks that an edited document is what its bytes say.
func agrees(t interface{ Errorf(string, ...any) }, d *Document) {
	checkDocument(t, d)
	fresh := Parse(d.Kind(), d.Path(), d.Bytes())
	if len(fresh.sections) != len(d.sections) {
		t.Errorf("%q has %d sections, the document says %d", d.Bytes(), len(fresh.sections), len(d.sections))
		return
	}
	for i := range d.sections {
		a, b := *d.sections[i], *fresh.sections[i]
		if !a.Written && !b.Written {
			a.ID, b.ID = "", ""
		}
		if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
			t.Errorf("in %q\n     section %+v\nreads again as %+v", d.Bytes(), a, b)
		}
	}
}

func anyEntry(kind Kind) *rapid.Generator[Entry] {
	return rapid.Custom(func(t *rapid.T) Entry {
		e := Entry{
			Kind:        kind,
			ID:          DerivedID(kind, "", rapid.IntRange(0, 1<<30).Draw(t, "id")),
			Title:       title().Draw(t, "title"),
			Description: rapid.SampledFrom([]string{"", "", "a: b", "it's --> \"x\"", "- x", "012", "yes", "a\nb\x00\u0085\u2028", "#x", " x ", "财务", "{a}", "?"}).Draw(t, "description"),
			Tags:        rapid.SliceOfN(rapid.SampledFrom([]string{"git", "C++", "a b", "yes", "1.5", "x,y", "[", "财务", "-", "null", "~"}), 0, 3).Draw(t, "tags"),
			Pinned:      rapid.Bool().Draw(t, "pinned"),
			Created:     "2026-11-30T19:27:00Z",
			Body:        markdown().Draw(t, "body"),
		}
		if rapid.Bool().Draw(t, "extra") {
			e.Extra = []Field{{"x-new", "{a: [b, \"true\"], c: null}"}, {"z", "-1"}}
		}
		return e
	})
}

func title() *rapid.Generator[string] {
	word := rapid.SampledFrom([]string{"a", "Use C#", "#", " #", "##", `\`, `\#`, " ", "\t", "*", "<!--", "-->", "`", "财务", "-", "---", "=", "&#32;", "\r", ":", "{#id}", "1.", "[x]: y"})
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "words"), rapid.SampledFrom([]string{"", " "}).Draw(t, "space"))
		if strings.Trim(s, " \t\r\n") == "" {
			s += "x"
		}
		return s
	})
}

// markdown draws text with all that could confuse a reader of headings.
func markdown() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{
		"", "", "text", "## Heading", "# Top", "### Third", "###### Sixth", "  ## Indented", "    ## code", "##", "```", "```go", "~~~", "````", "> quote", "> ## in quote", ">",
		"- item", "  ## in item", "1. one", "2. two", "-", "* * *", "---", "===", "Setext\n---", "<div>", "</div>", "<!--", "-->", "<!-- vault: {id: gk2m9xqd} -->", "<!-- vault: {", "<pre>", "</pre>", "<b>", "<?", "?>",
		"[a]: b", "\ttab", "-\ttab", " ", "\t", "a\r", "\r", "\x00", "\xff", "| a | b |\n|---|---|", "\ufeff", "财务。", "x ## y", `\## x`, "<![CDATA[", "]]>", "---\nid: x\n---",
	})
	return rapid.Custom(func(t *rapid.T) string {
		eol := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n"}).Draw(t, "eol")
		return strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), eol)
	})
}

func TestEveryDocumentIsLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(markdown().Draw(t, "document"))
		parsed(t, Decision, "decisions.md", data)
		parsed(t, Preference, "preferences/x.md", data)
	})
}

func TestEditsTouchOnlyTheirEntry(t *testing.T) {
	for _, kind := range []Kind{Decision, Preference} {
		rapid.Check(t, func(t *rapid.T) {
			data := []byte(markdown().Draw(t, "document"))
			d := Parse(kind, kind.Dir()+"/0001.md", data)
			for range rapid.IntRange(1, 6).Draw(t, "edits") {
				edit(t, d)
			}
		})
	}
}

// edit makes one edit and checks that all else stayed.
func edit(t *rapid.T, d *Document) {
	before := append([]byte(nil), d.Bytes()...)
	was := d.Sections()
	e := anyEntry(d.Kind()).Draw(t, "entry")
	op := rapid.IntRange(0, 3).Draw(t, "op")
	if op == 0 {
		if err := d.Append(e); err != nil {
			_, taken := d.Get(e.ID)
			if !taken && (d.Kind().IsLedger() || len(was) == 0) {
				t.Fatalf("Append: %v", err)
			}
			return
		}
		if d.Kind().IsLedger() && !bytes.HasPrefix(d.Bytes(), before) {
			t.Fatalf("Append changed %q to %q", before, d.Bytes())
		}
		got, ok := d.Get(e.ID)
		if !ok || !sameEntry(got.Entry, normal(e)) {
			t.Fatalf("appended %+v\ngot %+v", e, got)
		}
		agrees(t, d)
		others(t, d, was, e.ID)
		return
	}
	var ids []string
	for _, s := range was {
		if s.Err == nil {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	id := rapid.SampledFrom(ids).Draw(t, "of")
	s, _ := d.Get(id)
	switch op {
	case 1:
		e.ID = id
		if rapid.Bool().Draw(t, "same body") {
			e.Body = s.Body
		}
		if rapid.Bool().Draw(t, "same title") {
			e.Title = s.Title
		}
		if err := d.Set(e); err != nil {
			t.Fatalf("Set: %v in %q", err, before)
		}
		got, ok := d.Get(id)
		if !ok || !sameEntry(got.Entry, normal(e)) {
			t.Fatalf("set %+v\ngot %+v", e, got)
		}
		if !bytes.HasPrefix(d.Bytes(), before[:s.Start]) || !bytes.HasSuffix(d.Bytes(), before[s.End:]) {
			t.Fatalf("Set changed more than %q: %q to %q", before[s.Start:s.End], before, d.Bytes())
		}
		agrees(t, d)
		others(t, d, was, id)
	case 2:
		if err := d.Remove(id); err != nil {
			if !strings.Contains(err.Error(), "swallow") {
				t.Fatalf("Remove: %v", err)
			}
			return
		}
		agrees(t, d)
		others(t, d, was, id)
	case 3:
		if _, err := d.Adopt(Entry{Created: "2026-11-30T19:27:00Z", Source: "person"}); err != nil {
			t.Fatalf("Adopt: %v in %q", err, before)
		}
		agrees(t, d)
		for _, s := range d.Sections() {
			if !s.Written && s.Err == nil {
				t.Fatalf("%q was not adopted", s.Title)
			}
		}
	}
}

func others(t *rapid.T, d *Document, was []Section, but string) {
	for _, s := range was {
		if s.ID == but || s.Err != nil {
			continue
		}
		got, ok := d.Get(s.ID)
		if !ok || !sameEntry(got.Entry, s.Entry) {
			t.Fatalf("%+v\nbecame %+v, %v", s, got, ok)
		}
	}
}
