package entryfile

import (
	"bytes"
	"testing"
)

// FuzzParse holds any bytes to what must be true of every file: nothing is
// lost, a change that changes nothing changes no byte, and what an entry says
// can be printed elsewhere.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "# D\n\n## A\n<!-- vault: {id: gk2m9xqd, tags: [a], x: {y: z}} -->\n\na\n\n## B\r\nb", "## A\n```\n## B\n<!-- vault: {body: quoted} -->\n> q\n",
		"---\nid: gk2m9xqd\ntitle: T\n# c\nx:\n- y\n---\nbody", "\ufeff---\r\ntitle: >\r\n a\r\n---\r\n", "---\n---\n", "## A\n<!-- vault: {\n", "##\n\n## \\#\n", "\x00\xff\r",
		"---\n0: \n---", "# 0\xce0", "## \n<!--vault:{body: quoted}-->\n>\n0", "##\n<!--vault:{id: x0000000}-->\n#",
		"---\nid: x0000000\n---",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, path := range []string{"decisions.md", "preferences/a-b.md"} {
			kind, _ := KindOf(path)
			original := bytes.Clone(data)
			d := parsed(t, kind, path, data)
			for _, s := range d.Sections() {
				if s.Err != nil {
					continue
				}
				if s.Written {
					if err := d.Set(s.Entry); err != nil {
						t.Errorf("%q: Set: %v", data, err)
					}
				}
				if err := checkExtra(s.Extra); err != nil {
					t.Errorf("%q: %v", data, err)
				}
				out, err := Print(s.Entry)
				if err != nil {
					t.Errorf("%q: Print: %v", data, err)
					continue
				}
				moved := Parse(kind, path, out).Sections()
				if len(moved) != 1 || !sameEntry(moved[0].Entry, s.Entry) {
					t.Errorf("%q: %+v is printed as %q", data, s.Entry, out)
				}
			}
			if !bytes.Equal(bytes.TrimRight(d.Bytes(), "\r\n"), bytes.TrimRight(original, "\r\n")) {
				t.Errorf("nothing was changed in %q, which became %q", original, d.Bytes())
			}
			if _, err := d.Adopt(Entry{Created: stamp}); err != nil {
				t.Errorf("%q: Adopt: %v", data, err)
			}
			agrees(t, d)
			if !bytes.Equal(data, original) {
				t.Error("Parse changed its input")
			}
		}
	})
}

// FuzzRemembered remembers an entry between any neighbours: it must come back
// as it was given, and they must stay as they are.
func FuzzRemembered(f *testing.F) {
	f.Add("T", "# One\n\n## Two\n", "tag", "evidence", []byte("## A\n\na\n"), []byte("## B\n"))
	f.Add(" C #", "```\n## x\n<!-- vault: {} -->", "a: b", "-->", []byte("<!--\n"), []byte("# Mine\n\n-->\n"))
	f.Fuzz(func(t *testing.T, title, body, tag, evidence string, above, below []byte) {
		e := Entry{ID: "gk2m9xqd", Kind: Decision, Title: title, Body: body, Tags: []string{tag}, Evidence: evidence, Created: stamp}
		if Check(e) != nil {
			t.Skip()
		}
		d := Parse(Decision, "decisions.md", above)
		if _, taken := d.Get(e.ID); taken {
			t.Skip()
		}
		was := d.Sections()
		if err := d.Append(e); err != nil {
			t.Fatal(err)
		}
		agrees(t, d)
		// What a person or a merge puts below it must not change it either.
		both := Parse(Decision, "decisions.md", append(bytes.Clone(d.Bytes()), append([]byte("\n## below\n\n"), below...)...))
		for _, d := range []*Document{d, both} {
			got := d.Sections()
			if len(got) <= len(was) {
				t.Fatalf("%q has %d sections after %d", d.Bytes(), len(got), len(was))
			}
			for i, s := range was {
				if s.Err == nil && !sameEntry(got[i].Entry, s.Entry) {
					t.Fatalf("%+v\nbecame %+v", s.Entry, got[i].Entry)
				}
			}
			if s := got[len(was)]; !sameEntry(s.Entry, normal(e)) || !s.Written {
				t.Fatalf("remembered %+v\ncame back %+v, written %v", e, s.Entry, s.Written)
			}
		}
		if both.Len() < len(was)+2 || both.Sections()[len(was)+1].Title != "below" {
			t.Fatalf("%q swallows what follows", both.Bytes())
		}
		e.Kind = Preference
		out, err := Print(e)
		if err != nil {
			t.Fatal(err)
		}
		if s := Parse(Preference, "preferences/x.md", out).Sections(); len(s) != 1 || !sameEntry(s[0].Entry, normal(e)) {
			t.Fatalf("remembered %+v\nas a file %+v", e, s)
		}
	})
}
