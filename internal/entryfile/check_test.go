package entryfile

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	good := Entry{
		ID: "gk2m9xqd", Kind: Decision, Title: "T\tab", Body: "Line\n\tline\r\n\x1b[1m", Description: "d", Created: stamp, Updated: stamp, Tags: []string{"a b", "财务"},
		Paths: []string{"a/b.go"}, Supersedes: []string{"hhhhhhhh"}, Status: StatusOpen, Expires: "2027-01-01",
	}
	if err := Check(good); err != nil {
		t.Error(err)
	}
	if err := Check(Entry{Kind: SessionTrace, Title: strings.Repeat("财", MaxTitle), Body: strings.Repeat("x", MaxTrace)}); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Entry){
		"title is 214 characters; the limit is 200: shorten it or put the rest in the body":                    func(e *Entry) { e.Title = strings.Repeat("é", 214) },
		"the title is empty: say in a few words what this is about":                                            func(e *Entry) { e.Title = " \t" },
		"title has more than one line: put it on one":                                                          func(e *Entry) { e.Title = "a\nb" },
		"title holds the control character U+001B: take it out":                                                func(e *Entry) { e.Title = "a\x1b[1m" },
		"title holds a NUL byte: it is binary, not text":                                                       func(e *Entry) { e.Title = "a\x00" },
		"title is not valid UTF-8: it is binary, or text in another encoding":                                  func(e *Entry) { e.Title = "a\xff" },
		"body is 81 KiB; the limit is 64 KiB: shorten it, or keep the text in a file and name its path":        func(e *Entry) { e.Body = strings.Repeat("x", 81<<10) },
		"body is 65537 bytes; the limit is 64 KiB: shorten it, or keep the text in a file and name its path":   func(e *Entry) { e.Body = strings.Repeat("x", MaxBody+1) },
		"body is 2.5 MiB; the limit is 1 MiB: shorten it, or keep the text in a file and name its path":        func(e *Entry) { e.Kind, e.Body = SessionTrace, strings.Repeat("x", 5<<19) },
		"body holds a NUL byte: it is binary, not text":                                                        func(e *Entry) { e.Body = "a\x00" },
		"body is not valid UTF-8: it is binary, or text in another encoding":                                   func(e *Entry) { e.Body = "\xfe\xff" },
		"description is 301 characters; the limit is 300: shorten it":                                          func(e *Entry) { e.Description = strings.Repeat("x", 301) },
		"description has more than one line: put it on one":                                                    func(e *Entry) { e.Description = "a\u2028b" },
		"there are 17 tags; the limit is 16: leave some out":                                                   func(e *Entry) { e.Tags = strings.Split("abcdefghijklmnopq", "") },
		"tag is 65 characters; the limit is 64: shorten it":                                                    func(e *Entry) { e.Tags = []string{strings.Repeat("x", 65)} },
		`the tag "" is empty or has spaces at its ends`:                                                        func(e *Entry) { e.Tags = []string{""} },
		`the tag " a" is empty or has spaces at its ends`:                                                      func(e *Entry) { e.Tags = []string{" a"} },
		`the tag "a,b" holds a comma or tab: make it two tags`:                                                 func(e *Entry) { e.Tags = []string{"a,b"} },
		`the tag "a" is there twice`:                                                                           func(e *Entry) { e.Tags = []string{"a", "a"} },
		"a path is empty: name a file of the workspace":                                                        func(e *Entry) { e.Paths = []string{""} },
		"path has more than one line: put it on one":                                                           func(e *Entry) { e.Paths = []string{"a\nb"} },
		`"abc" is not an id: ids are 8 characters of lower-case base32 that begin with g to z`:                 func(e *Entry) { e.ID = "abc" },
		`supersedes names "abc", which is not an id`:                                                           func(e *Entry) { e.Supersedes = []string{"abc"} },
		`derived_from names "abc", which is not an id`:                                                         func(e *Entry) { e.DerivedFrom = []string{"abc"} },
		`conflict names "abc", which is not an id`:                                                             func(e *Entry) { e.Conflict = "abc" },
		`status is "done": it must be open or resolved`:                                                        func(e *Entry) { e.Status = "done" },
		`created is "yesterday": write it as 2026-11-30T19:27:00Z`:                                             func(e *Entry) { e.Created = "yesterday" },
		`updated is "2026-11-30T19:27:00+01:00": write it as 2026-11-30T19:27:00Z`:                             func(e *Entry) { e.Updated = "2026-11-30T19:27:00+01:00" },
		`expires is "soon": write a date as 2026-11-30`:                                                        func(e *Entry) { e.Expires = "soon" },
		`expires is "2026-02-30": write a date as 2026-11-30`:                                                  func(e *Entry) { e.Expires = "2026-02-30" },
		"evidence is not valid UTF-8: it is binary, or text in another encoding":                               func(e *Entry) { e.Evidence = "\xff" },
		"outcome is 65 KiB; the limit is 64 KiB: shorten it":                                                   func(e *Entry) { e.Outcome = strings.Repeat("x", 65<<10) },
		`unknown kind "joke": use decision, convention, failed_path, open_thread, preference or session_trace`: func(e *Entry) { e.Kind = "joke" },
	} {
		e := good.Clone()
		change(&e)
		if err := Check(e); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestWhatIsCheckedCanBePrinted(t *testing.T) {
	for _, kind := range Kinds() {
		e := Entry{ID: "gk2m9xqd", Kind: kind, Title: "\t# T #", Body: "\x1b\u0085\u2028\ufeff\n## x", Evidence: "a\nb\x7f", Tags: []string{"\u00a0x"}}
		if err := Check(e); err != nil {
			t.Error(err)
		}
		if _, err := Print(e); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckFurtherKeys(t *testing.T) {
	for _, f := range []Field{{"title", "x"}, {"x", `"a\u0026"`}, {"x", "a: b"}, {"x", "a, y: b"}, {"x", "--> b"}, {"x", "[a,b]"}, {"x", ""}} {
		if err := Check(Entry{Kind: Decision, Title: "T", Body: "T", Extra: []Field{f}}); err == nil {
			t.Errorf("%q is taken", f)
		}
	}
	for _, text := range []string{"a b", "", "yes", "012", "&x", "[[link]]", "a: b", "--> b", "é\u2028\x07", `"`, "2026-01-02", "~", "a, b", "# c"} {
		f := TextField("x", text)
		if err := Check(Entry{Kind: Decision, Title: "T", Body: "T", Extra: []Field{f}}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := Check(Entry{Kind: Decision, Title: "T", Body: "T", Extra: []Field{{"x", "a"}, {"x", "b"}}}); err == nil {
		t.Error("a key is taken twice")
	}
}
