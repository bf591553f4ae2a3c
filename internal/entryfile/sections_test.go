package entryfile

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatIsAnEntry(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // titles, each with its body in brackets where it has one
	}{
		"nothing":                            {"", ""},
		"text that is the person's own":      {"# Decisions\n\nWords.\n\nSetext\n---\n", ""},
		"a section":                          {"## A\n\nb\n", "A [b]"},
		"without a body":                     {"## A\n", "A"},
		"without a final newline":            {"## A\nb", "A [b]"},
		"of CRLF lines":                      {"## A\r\n\r\nb\r\nc\r\n", "A [b\r\nc]"},
		"after a byte order mark":            {"\ufeff## A\n", "A"},
		"two":                                {"## A\na\n## B\nb\n", "A [a], B [b]"},
		"a level 1 heading ends it":          {"## A\na\n\n# Mine\n\nmore\n\n## B\n", "A [a], B"},
		"other headings do not":              {"## A\n### C\nS\n===\nT\n---\n", "A [### C\nS\n===\nT\n---]"},
		"closed by marks":                    {"## A ##\n", "A"},
		"with an escaped mark":               {"## A \\#\n", "A #"},
		"indented a little":                  {"   ## A\n", "A"},
		"no heading without a space":         {"##A\n", ""},
		"no heading when indented as code":   {"    ## A\n", ""},
		"nor in a fence":                     {"```\n## A\n```\n", ""},
		"nor in a list":                      {"- a\n\n  ## A\n", ""},
		"nor in a quote":                     {"> ## A\n", ""},
		"nor in HTML":                        {"<div>\n## A\n</div>\n", ""},
		"nor in a comment":                   {"<!--\n## A\n-->\n", ""},
		"a fence hides sections":             {"## A\n~~~\n## B\n", "A [~~~\n## B]"},
		"but not those with a vault comment": {"## A\n~~~\n## B\n<!-- vault: {} -->\n", "A [~~~], B"},
		"without a title, its body's":        {"##\n\nFirst. Second.\n", "First. [First. Second.]"},
		"without anything, the file's name":  {"## \n", "decisions"},
		"a title that the heading lost":      {"## A\n<!-- vault: {title: \" A\"} -->\n", " A"},
		"a title that somebody changed":      {"## B\n<!-- vault: {title: \" A\"} -->\n", "B"},
		"metadata further down":              {"## A\n\n\n<!--  vault:{tags: [x]} -->\nb\n", "A [b]"},
		"a body moved down":                  {"## A\n<!-- vault: {body: shift 2} -->\n### B\n```\n### c\n```\n", "A [# B\n```\n### c\n```]"},
		"a body in quotes":                   {"## A\n<!-- vault: {body: quoted} -->\n\n> ```\n>\n> ## b\n>c\nlazy\n", "A [```\n\n## b\nc\nlazy]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range parsed(t, Decision, "decisions.md", []byte(c.text)).Sections() {
				if s.Err != nil {
					t.Error(s.Err)
				}
				if s.Body == s.Title {
					got = append(got, s.Title)
				} else {
					got = append(got, s.Title+" ["+s.Body+"]")
				}
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	for comment, want := range map[string]string{
		"{}":                                   "{}",
		"{id: gk2m9xqd}":                       "{id: gk2m9xqd}",
		"{tags: [a, 'b c', \"d\"]}":            "{tags: [a, b c, d]}",
		"{tags: a, pinned: yes}":               "{tags: [a], pinned: true}",
		"{tags: [], pinned: false, expires: }": "{}",
		"{created: 2026-11-30, expires: 012}":  "{created: 2026-11-30, expires: 012}",
		"{x: !!str 1}":                         "error: uses the YAML tag",
		"{evidence: 'it''s, so'}":              "{evidence: \"it's, so\"}",
		"{evidence: a\u00a0}":                  "{evidence: a\u00a0}",
		"{b: {c: [1, ~]}, a: 'x', c: yes}":     "{b: {c: [1, ~]}, a: \"x\", c: yes}",
		"{id: abc}":                            `error: "abc" is not an id`,
		"{id: [a]}":                            "error: id: it must be one text",
		"{tags: {a: b}}":                       "error: tags: it must be a list of texts",
		"{tags: [[a]]}":                        "error: tags: it must be a list of texts",
		"{pinned: maybe}":                      "error: neither true nor false",
		"{body: gzip}":                         "error: a newer vault may know it",
		"{x: &a 1, y: *a}":                     "error: anchors",
		"{id: gk2m9xqd, id: gk2m9xqd}":         `error: "id" is there twice`,
		"{x: 1, x: 2}":                         `error: "x" is there twice`,
		"{id: gk2m9xqd":                        "error: cannot be read",
		"{a: b}} ":                             "error: cannot be read",
		"id: gk2m9xqd":                         "error: no list of keys",
		"[a]":                                  "error: no list of keys",
		"":                                     "error: no list of keys",
		"{} --> more <!--":                     "error: ends before the end of its line",
		"{id: \xff}":                           "error: cannot be read",
	} {
		text := "## T\n<!-- vault: " + comment + " -->\n"
		s := parsed(t, Decision, "decisions.md", []byte(text)).Sections()[0]
		s.Entry.ID = ""
		if strings.Contains(want, "gk2m9xqd") {
			s.Entry.ID = "gk2m9xqd"
		}
		got := strings.TrimSuffix(strings.TrimPrefix(writeComment(&s.Entry, plain), "<!-- vault: "), " -->")
		if e, isError := strings.CutPrefix(want, "error: "); isError {
			if s.Err == nil || !strings.Contains(s.Err.Error(), e) || strings.Contains(s.Err.Error(), "\n") {
				t.Errorf("%s\n got %v\nwant an error with %q", comment, s.Err, e)
			}
		} else if s.Err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", comment, got, s.Err, want)
		}
	}
	s := parsed(t, Decision, "decisions.md", []byte("## T\n<!-- vault: {\nid: gk2m9xqd} -->\n")).Sections()[0]
	if s.Err == nil || !strings.Contains(s.Err.Error(), "does not end with -->") {
		t.Errorf("a comment of two lines: %v", s.Err)
	}
}

func TestEntryFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"as vault writes it":                {"---\nid: gk2m9xqd\ntitle: T\ntags: [a]\n---\n\nbody\n", "T tags=[a] [body]"},
		"without a body":                    {"---\ntitle: T\n---\n", "T"},
		"of CRLF lines":                     {"---\r\ntitle: T\r\n---\r\n\r\nbody\r\n", "T [body]"},
		"after a byte order mark":           {"\ufeff---\ntitle: T\n---\nbody", "T [body]"},
		"closed by dots":                    {"---\ntitle: T\n...\nbody", "T [body]"},
		"with spaces after the dashes":      {"--- \ntitle: T\n---\t\nbody", "T [body]"},
		"a title over several lines":        {"---\ntitle: >\n  A\n  B\n---\nbody", "A B [body]"},
		"a list with dashes":                {"---\ntitle: T\ntags:\n- a\n- b\n---\nbody", "T tags=[a b] [body]"},
		"a comment in YAML":                 {"---\n# mine\ntitle: T # yours\n---\nbody", "T [body]"},
		"nothing in it":                     {"---\n---\n# T\nbody", "T [# T\nbody]"},
		"none at all":                       {"Some text.\n\n## T\n", "T [Some text.\n\n## T]"},
		"nor a heading":                     {"Some text.\n", "my rule [Some text.]"},
		"a rule is none":                    {"---\n\nSome text.\n\n---\nmore\n", "my rule [---\n\nSome text.\n\n---\nmore]"},
		"a rule alone is none":              {"---\n", "my rule [---]"},
		"a rule and a colon is none":        {"---\nSee this: that\n---\n", "my rule [---\nSee this: that\n---]"},
		"a lone dash is none":               {"-\ntitle: T\n-\n", "my rule [-\ntitle: T\n-]"},
		"two dashes are none":               {"--\ntitle: T\n--\n", "my rule [--\ntitle: T\n--]"},
		"one that does not begin the file":  {"\n---\ntitle: T\n---\n", "my rule [---\ntitle: T\n---]"},
		"one that is not closed":            {"---\ntitle: T\nbody\n", "error: not closed"},
		"one that is broken":                {"---\ntitle: [T\n---\nbody", "error: cannot be read: it is not YAML"},
		"one with an id that is none":       {"---\nid: 7\n---\nbody", "error: \"7\" is not an id"},
		"one with a key twice":              {"---\ntitle: a\ntitle: b\n---\nbody", "error: \"title\" is there twice"},
		"one that is a list":                {"---\n- a: b\n---\nbody", "my rule [---\n- a: b\n---\nbody]"},
		"blank":                             {" \n\n", ""},
		"a body of one more piece of front": {"---\ntitle: T\n---\n---\na: b\n---\n", "T [---\na: b\n---]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, s := range parsed(t, Preference, "preferences/my-rule.md", []byte(c.text)).Sections() {
				got = s.Title
				if s.Tags != nil {
					got += fmt.Sprintf(" tags=%v", s.Tags)
				}
				if s.Body != s.Title {
					got += " [" + s.Body + "]"
				}
				if s.Err != nil {
					got = "error: " + s.Err.Error()
				}
			}
			if want, isError := strings.CutPrefix(c.want, "error: "); isError && strings.HasPrefix(got, "error: ") {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want an error with %q", got, want)
				}
			} else if got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

func TestSectionsSayWhereTheyStand(t *testing.T) {
	text := "# D\n\n## A\n<!-- vault: {id: gk2m9xqd} -->\n\na\n\n\n## B\n\n# Mine\n"
	d := Parse(Decision, "decisions.md", []byte(text))
	var got []string
	for _, s := range d.Sections() {
		got = append(got, fmt.Sprintf("line %d written %v %q", s.Line, s.Written, d.Source(s)))
	}
	want := []string{
		`line 3 written true "## A\n<!-- vault: {id: gk2m9xqd} -->\n\na\n"`,
		`line 9 written false "## B\n"`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
