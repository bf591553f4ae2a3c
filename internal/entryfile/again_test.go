package entryfile

import (
	"maps"
	"reflect"
	"testing"
)

// FuzzParseAgain holds ParseAgain to Parse, whatever the old and the new file.
func FuzzParseAgain(f *testing.F) {
	two := "# D\n\n## A\n<!-- vault: {id: gk2m9xqd} -->\n\na\n\n## B\n<!-- vault: {id: hk2m9xqd} -->\n\nb\n"
	for _, s := range []struct {
		old, after string
		at         int
	}{
		{two, "\n## C\n<!-- vault: {id: ik2m9xqd} -->\n\nc\n", len(two)},
		{two, "x", len(two) - 1},
		{two, "", 60},
		{two, "\n```\n", 45},
		{two + "## B\n<!-- vault: {id: hk2m9xqd} -->\n", "## same\n## same\n", len(two)},
		{"## A\n## A\n```\n## B\n<!-- vault: {id: gk2m9xqd} -->\n# E\n## F\n<!-- vault: {id: gk2m9xqd} -->\n", "# G\n> ## H\n", 80},
		{"\ufeff" + two, "c", 70},
		{"## A\n<!-- vault: {id: gk2m9xqd, body: quoted} -->\n> a\n## B\r\n<!-- vault: {id: ik2m9xqd} -->\r\n", "\r\nb", 82},
	} {
		f.Add([]byte(s.old), []byte(s.after), s.at)
	}
	f.Fuzz(func(t *testing.T, old, after []byte, at int) {
		at = max(0, min(at, len(old)))
		data := append(old[:at:at], after...)
		again(t, Parse(Decision, "decisions.md", old), data)
	})
}

func again(t *testing.T, prev *Document, data []byte) {
	t.Helper()
	before := prev.Clone()
	before.ownAll()
	got, want := ParseAgain(prev, Decision, "decisions.md", data), Parse(Decision, "decisions.md", data)
	if !reflect.DeepEqual(got.Sections(), want.Sections()) || !reflect.DeepEqual(got.sections, want.sections) || !maps.Equal(got.byID, want.byID) || got.eol != want.eol {
		t.Errorf("%q again: %+v, want %+v", data, got.Sections(), want.Sections())
	}
	if !reflect.DeepEqual(prev.sections, before.sections) {
		t.Error("ParseAgain changed the document it was given")
	}
}

// A document that was edited says what it means, not what was read.
func TestParseAgainTrustsNoEdits(t *testing.T) {
	d := ledgerOf(5)
	ledger := d.Bytes()
	e := d.Sections()[1].Entry
	e.Body = "another"
	if err := d.Set(e); err != nil {
		t.Fatal(err)
	}
	again(t, d, ledger)
}

func BenchmarkParseAgain(b *testing.B) {
	ledger := ledgerOf(1000).Bytes()
	d := Parse(Decision, "decisions.md", ledger)
	data := append(ledger, "\n## One more\n<!-- vault: {id: zzzzzzz9} -->\n\nMore.\n"...)
	for b.Loop() {
		ParseAgain(d, Decision, "decisions.md", data)
	}
}
