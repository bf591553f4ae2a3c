package entryfile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDefaultTitle(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for text, want := range map[string]string{
		"Red \x1b[31malert\x7f here.":               "Red [31malert here.",
		"Use tabs.":                                 "Use tabs.",
		"Use tabs. They are better.":                "Use tabs.",
		"Use tabs\nThey are better.":                "Use tabs",
		"\n\n  Use tabs  \n":                        "Use tabs",
		"Why? Because.":                             "Why?",
		"Really?! Yes.":                             "Really?!",
		"(So it is.) And more.":                     "(So it is.)",
		`He said "no." Then he left.`:               `He said "no."`,
		"# Use tabs\n\nBecause.":                    "Use tabs",
		"### C# ###\n":                              "C#",
		"Use tabs\n========\n\nmore":                "Use tabs",
		"---\n\nUse tabs":                           "Use tabs",
		"- use tabs\n- not spaces":                  "use tabs",
		"- [ ] ask Jo\n":                            "ask Jo",
		"3. third":                                  "third",
		"> quoted words":                            "quoted words",
		"#hashtag is no heading":                    "#hashtag is no heading",
		"Use e.g. tabs. Not spaces.":                "Use e.g. tabs.",
		"Dr. No is back. Run.":                      "Dr. No is back.",
		"J. Doe wrote it. So.":                      "J. Doe wrote it.",
		"Version 1.2 of v0.3. Now.":                 "Version 1.2 of v0.3.",
		"Edit .env. Then go.":                       "Edit .env.",
		"Run `a. B` first. Then go.":                "Run `a. B` first.",
		"Call ``a ` . B`` now. Go.":                 "Call ``a ` . B`` now.",
		"An ` alone. Go.":                           "An ` alone.",
		"See https://x.org/a.b. Done.":              "See https://x.org/a.b.",
		"Wait... what is this. Yes.":                "Wait... what is this.",
		"我们用 Git 存储。因为它可靠。":                         "我们用 Git 存储。",
		"本当？はい。":                                    "本当？",
		"第一行\n第二行":                                  "第一行",
		"```go\nfunc f() {}\n```\nRun it.":          "Run it.",
		"```go\nfunc f() {}\n```":                   "func f() {}",
		"Author: Jo\nDate: 2026-01-01\n\nUse tabs.": "Use tabs.",
		"https://example.org/page":                  "https://example.org/page",
		"| a | b |\n|---|---|\n":                    "| a | b |",
		"We keep one repository for each scope, so that\nundo is cheap. More.":           "We keep one repository for each scope, so that undo is cheap.",
		"We keep one repository for each scope, so that \\\nundo is cheap. More.":        "We keep one repository for each scope, so that \\",
		"We keep one repository for each scope, so that\n- undo is cheap\n- so is blame": "We keep one repository for each scope, so that",
		"🎉":                                  "🎉",
		"***":                                "***",
		"...":                                "...",
		" \n\t\n":                            "",
		"":                                   "",
		"\x01\n\x7f":                         "",
		strings.Repeat(" ", 900) + "\x01***": "***",
		"a\tb\r\nc":                          "a b",
		long:                                 long[:99] + "…",
		strings.Repeat("财", 150):             strings.Repeat("财", 99) + "…",
	} {
		if got := DefaultTitle(text); got != want {
			t.Errorf("DefaultTitle(%q)\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ title, description, body, want string }{
		{"T", "said so", "Body.", "said so"},
		{"T", "in two\nlines", "Body.", "in two lines"},
		{"T", "", "T", ""},
		{"T", "", "First. Second.", "First."},
		{"First.", "", "First. Second.", "Second."},
		{"First.", "", "First.\n\nSecond.", "Second."},
		{"T", "", "# Context\n\nWe had two.", "We had two."},
		{"T", "", "Context\n-------\n\nWe had two.", "We had two."},
		{"T", "", "Status: accepted\n\nWe had two.", "We had two."},
		{"T", "", "<!-- x -->\n\n| a |\n\nWe had two.", "We had two."},
		{"T", "", "```\ncode\n```", "code"},
		{"T", "", "# Only a heading", "Only a heading"},
		{"T", "", "***", ""},
	} {
		e := Entry{Title: c.title, Description: c.description, Body: c.body}
		if got := e.Line(); got != c.want {
			t.Errorf("%+v\n got %q\nwant %q", c, got, c.want)
		}
	}
}

func FuzzDefaultTitle(f *testing.F) {
	f.Add("Use tabs. They are better.")
	f.Add("``` `a\xff。")
	f.Add("\x01")
	f.Add(strings.Repeat(" ", 900) + "***")
	f.Fuzz(func(t *testing.T, text string) {
		title := DefaultTitle(text)
		line := Entry{Title: "T", Body: text}.Line()
		for _, s := range []string{title, line} {
			if strings.ContainsAny(s, "\n\r\t") || strings.TrimSpace(s) != s || utf8.RuneCountInString(s) > MaxDescription {
				t.Errorf("%q gives %q", text, s)
			}
		}
		if utf8.RuneCountInString(title) > DefaultTitleLength {
			t.Errorf("%q gives a title of %d characters", text, utf8.RuneCountInString(title))
		}
		if utf8.ValidString(text) && (title == "") != (strings.TrimFunc(text, showsNothing) == "") {
			t.Errorf("%q gives the title %q", text, title)
		}
	})
}
