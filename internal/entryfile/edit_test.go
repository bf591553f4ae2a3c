package entryfile

import (
	"strings"
	"testing"
)

const stamp = "2026-11-30T19:27:00Z"

func TestEditsByHandStay(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit func(*Document) error
		want string
	}{
		"a new ledger gets its first lines": {
			"", appendEntry("gk2m9xqd", "T", "b"),
			"# Decisions\n\nChoices that should outlive a session, each with its why.\n\n## T\n<!-- vault: {id: gk2m9xqd} -->\n\nb\n",
		},
		"an entry goes after a blank line": {
			"# D\n## A\na\n", appendEntry("gk2m9xqd", "T", "T"),
			"# D\n## A\na\n\n## T\n<!-- vault: {id: gk2m9xqd} -->\n",
		},
		"which may be there": {
			"# D\n\n\n", appendEntry("gk2m9xqd", "T", "T"),
			"# D\n\n\n## T\n<!-- vault: {id: gk2m9xqd} -->\n",
		},
		"a line that is not ended is ended": {
			"## A\na", appendEntry("gk2m9xqd", "T", "T"),
			"## A\na\n\n## T\n<!-- vault: {id: gk2m9xqd} -->\n",
		},
		"what we write has the file's line ends, the body its own": {
			"# D\r\n\r\nx\r\n", appendEntry("gk2m9xqd", "T", "a\nb"),
			"# D\r\n\r\nx\r\n\r\n## T\r\n<!-- vault: {id: gk2m9xqd} -->\r\n\r\na\nb\r\n",
		},
		"an open fence does not swallow it": {
			"```\ncode\n", appendEntry("gk2m9xqd", "T", "T"),
			"```\ncode\n\n## T\n<!-- vault: {id: gk2m9xqd} -->\n",
		},
		"only the comment changes": {
			"##   A  ##\n\n<!--vault:{ id: gk2m9xqd,zebra: 1,  tags: [b] }-->\n   a\n\n\n## B\n",
			set("gk2m9xqd", func(e *Entry) { e.Tags = nil }),
			"##   A  ##\n\n<!-- vault: {id: gk2m9xqd, zebra: 1} -->\n   a\n\n\n## B\n",
		},
		"only the heading changes": {
			"##   A  ##\n\n<!--vault:{ id: gk2m9xqd,zebra: 1,  tags: [b] }-->\n   a\n\n\n## B\n",
			set("gk2m9xqd", func(e *Entry) { e.Title = "C" }),
			"## C\n\n<!--vault:{ id: gk2m9xqd,zebra: 1,  tags: [b] }-->\n   a\n\n\n## B\n",
		},
		"only the body changes": {
			"##   A  ##\n\n<!--vault:{ id: gk2m9xqd,zebra: 1,  tags: [b] }-->\n   a\n\n\n## B\n",
			set("gk2m9xqd", func(e *Entry) { e.Body = "# c" }),
			"##   A  ##\n\n<!-- vault: {id: gk2m9xqd, tags: [b], body: shift 2, zebra: 1} -->\n\n### c\n\n\n## B\n",
		},
		"nothing changes": {
			"##   A  ##\n\n<!--vault:{ id: gk2m9xqd, pinned: yes}-->\n   a\n\n\n## B\n",
			set("gk2m9xqd", func(*Entry) {}),
			"##   A  ##\n\n<!--vault:{ id: gk2m9xqd, pinned: yes}-->\n   a\n\n\n## B\n",
		},
		"a body that is quoted stays so": {
			"## A\n<!-- vault: {id: gk2m9xqd, body: quoted} -->\n>plain\nlazy\n",
			set("gk2m9xqd", func(e *Entry) { e.Pinned = true }),
			"## A\n<!-- vault: {id: gk2m9xqd, pinned: true, body: quoted} -->\n>plain\nlazy\n",
		},
		"the first is taken out": {
			"# D\n\n## A\n<!-- vault: {id: gk2m9xqd} -->\na\n\n\n## B\n\n", remove("gk2m9xqd"),
			"# D\n\n## B\n\n",
		},
		"the last is taken out": {
			"# D\n\n## B\n\n\n## A\n<!-- vault: {id: gk2m9xqd} -->\na\n\n", remove("gk2m9xqd"),
			"# D\n\n## B\n\n",
		},
		"one before the person's own text": {
			"## A\n<!-- vault: {id: gk2m9xqd} -->\n\n# Mine\n", remove("gk2m9xqd"),
			"# Mine\n",
		},
		"all": {
			"## A\n<!-- vault: {id: gk2m9xqd} -->\n", remove("gk2m9xqd"),
			"",
		},
		"ids are written down": {
			"## A\na\n\n## B\n<!-- vault: {tags: [x], created: 2026-01-01} -->\n\n## C\n<!-- vault: {broken -->\n\n## D\n<!-- vault: {id: gk2m9xqd} -->\n## \n\nfive", adopt,
			"## A\n<!-- vault: {id: g7w4fbd8, created: 2026-11-30T19:27:00Z, source: person} -->\na\n\n" +
				"## B\n<!-- vault: {id: v412nbct, created: 2026-01-01, tags: [x], source: person} -->\n\n## C\n<!-- vault: {broken -->\n\n" +
				"## D\n<!-- vault: {id: gk2m9xqd} -->\n## \n<!-- vault: {id: jp9nnf2z, created: 2026-11-30T19:27:00Z, source: person} -->\n\nfive\n",
		},
		"the second of two with one id gets its own": {
			"## A\n<!-- vault: {id: gk2m9xqd} -->\n\n## A\n<!-- vault: {id: gk2m9xqd} -->\n", adopt,
			"## A\n<!-- vault: {id: gk2m9xqd} -->\n\n## A\n<!-- vault: {id: zcxzd85m, created: 2026-11-30T19:27:00Z, source: person} -->\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := Parse(Decision, "decisions.md", []byte(c.text))
			if err := c.edit(d); err != nil {
				t.Fatal(err)
			}
			if string(d.Bytes()) != c.want {
				t.Errorf("got\n%s\nwant\n%s", d.Bytes(), c.want)
			}
			agrees(t, d)
		})
	}
}

func TestEditsOfEntryFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit func(*Document) error
		want string
	}{
		"a new file": {
			"", appendEntry("gk2m9xqd", "T", "b"),
			"---\nid: gk2m9xqd\ntitle: T\n---\n\nb\n",
		},
		"one that is blank": {
			"\n\n", appendEntry("gk2m9xqd", "T", "T"),
			"---\nid: gk2m9xqd\ntitle: T\n---\n",
		},
		"text gets front matter": {
			"# My rule\n\nwords", adopt,
			"---\nid: whv6519t\ntitle: My rule\ncreated: 2026-11-30T19:27:00Z\nsource: person\n---\n\n# My rule\n\nwords",
		},
		"with its line ends": {
			"\ufeff\r\nwords\r\n\r\n", adopt,
			"\ufeff---\r\nid: j1t1wcns\r\ntitle: my rule\r\ncreated: 2026-11-30T19:27:00Z\r\nsource: person\r\n---\r\n\r\n\r\nwords\r\n\r\n",
		},
		"the person's keys stay as they are": {
			"---   \n# about\nauthor:   Jo # me\naliases:\n  - x\n\n  - y\ntitle: 'T'\ntags: a, b\n\n# end\n---\nbody\n\n",
			func(d *Document) error {
				e := d.Sections()[0].Entry
				e.Pinned = true
				return d.Set(e)
			},
			"---   \nid: s86evhw3\n# about\nauthor:   Jo # me\naliases:\n  - x\n\n  - y\ntitle: 'T'\ntags: a, b\npinned: true\n\n# end\n---\nbody\n\n",
		},
		"but those that change": {
			"---\nid: gk2m9xqd\ntitle: 'T'\ntags:\n- a\n- b\nz: 1\n---\nbody\n\n",
			set("gk2m9xqd", func(e *Entry) { e.Tags, e.Title, e.Updated = []string{"c"}, "U: v", stamp }),
			"---\nid: gk2m9xqd\ntitle: \"U: v\"\nupdated: 2026-11-30T19:27:00Z\ntags: [c]\nz: 1\n---\nbody\n\n",
		},
		"and those that go": {
			"---\nid: gk2m9xqd\ntitle: T\ntags: [a]\nexpires:\npinned: false\n---\nbody",
			set("gk2m9xqd", func(e *Entry) { e.Tags, e.Body = nil, "" }),
			"---\nid: gk2m9xqd\ntitle: T\nexpires:\npinned: false\n---\n",
		},
		"a mapping in braces is written anew": {
			"---\n{id: gk2m9xqd, title: T}\n---\nbody",
			set("gk2m9xqd", func(e *Entry) { e.Pinned = true }),
			"---\nid: gk2m9xqd\ntitle: T\npinned: true\n---\nbody",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := Parse(Preference, "preferences/my-rule.md", []byte(c.text))
			if err := c.edit(d); err != nil {
				t.Fatal(err)
			}
			if string(d.Bytes()) != c.want {
				t.Errorf("got\n%s\nwant\n%s", d.Bytes(), c.want)
			}
			agrees(t, d)
		})
	}
}

func appendEntry(id, title, body string) func(*Document) error {
	return func(d *Document) error { return d.Append(Entry{ID: id, Title: title, Body: body}) }
}

func set(id string, change func(*Entry)) func(*Document) error {
	return func(d *Document) error {
		s, _ := d.Get(id)
		e := s.Entry.Clone()
		change(&e)
		return d.Set(e)
	}
}

func remove(id string) func(*Document) error {
	return func(d *Document) error { return d.Remove(id) }
}

func adopt(d *Document) error {
	_, err := d.Adopt(Entry{Created: stamp, Source: "person"})
	return err
}

func TestEditsRefuse(t *testing.T) {
	text := "## A\n<!-- vault: {id: gk2m9xqd} -->\n\n```\n\n## B\n<!-- vault: {id: hk2m9xqd} -->\n\n## C\n"
	d := Parse(Decision, "decisions.md", []byte(text))
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"an id that is there":      {d.Append(Entry{ID: "gk2m9xqd", Title: "T"}), "gk2m9xqd is in decisions.md already"},
		"an id that is none":       {d.Append(Entry{ID: "x", Title: "T"}), `"x" is not an id`},
		"another's id":             {d.Replace("gk2m9xqd", Entry{ID: "hk2m9xqd", Title: "T"}), "hk2m9xqd is in decisions.md already"},
		"no id at all":             {d.Replace("gk2m9xqd", Entry{Title: "T"}), `"" is not an id`},
		"a change of no entry":     {d.Set(Entry{ID: "jk2m9xqd", Title: "T"}), "jk2m9xqd is not in decisions.md"},
		"a removal of no entry":    {d.Remove("jk2m9xqd"), "jk2m9xqd is not in decisions.md"},
		"a title of two lines":     {d.Set(Entry{ID: "gk2m9xqd", Title: "a\nb"}), "more than one line"},
		"what would hide a person": {d.Remove("hk2m9xqd"), "would swallow what follows"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, c.err, c.want)
		}
	}
	if string(d.Bytes()) != text {
		t.Errorf("changed to %q", d.Bytes())
	}
}

func TestAppendAndRemoveUndoEachOther(t *testing.T) {
	for _, text := range []string{"# D\n\nwords\n", "## A\na\n", "## A\r\na\r\n"} {
		d := Parse(Decision, "decisions.md", []byte(text))
		if err := d.Append(Entry{ID: "gk2m9xqd", Title: "T", Body: "b"}); err != nil {
			t.Fatal(err)
		}
		if err := d.Remove("gk2m9xqd"); err != nil {
			t.Fatal(err)
		}
		if string(d.Bytes()) != text {
			t.Errorf("%q became %q", text, d.Bytes())
		}
	}
}
