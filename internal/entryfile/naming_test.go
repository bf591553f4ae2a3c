package entryfile

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKindOf(t *testing.T) {
	for path, want := range map[string]Kind{
		"decisions.md": Decision, "conventions.md": Convention, "failed_paths.md": FailedPath, "open_threads.md": OpenThread,
		"decisions/0001.md": Decision, "open_threads/12345.md": OpenThread,
		"preferences/x.md": Preference, "preferences/no-id.md": Preference, "session_trace/x.md": SessionTrace, "session_trace/0001/x.md": SessionTrace,
		"": "", "INDEX.md": "", "vault.yaml": "", "README.md": "", "decision.md": "", "Decisions.md": "", "./decisions.md": "", "x/decisions.md": "",
		"decisions/1.md": "", "decisions/notes.md": "", "decisions/0001/x.md": "", "decisions/": "",
		"preferences.md": "", "preferences/x": "", "preferences/x.txt": "", "preferences/.x.md": "", "preferences/.md": "", "preferences/a/x.md": "",
		"session_trace/x/y.md": "", "session_trace/0001/x/y.md": "", "session_trace/0001/": "", "review/gk2m9xqd.md": "",
	} {
		if got, ok := KindOf(path); got != want || ok != (want != "") {
			t.Errorf("KindOf(%q) = %q, %v; want %q", path, got, ok, want)
		}
	}
	for path, want := range map[string]bool{
		"review/gk2m9xqd.md": true, "review/x.md": false, "review/gk2m9xqd": false, "gk2m9xqd.md": false, "review/gk2m9xqd/gk2m9xqd.md": false, "review/../gk2m9xqd.md": false,
	} {
		if IsCard(path) != want {
			t.Errorf("IsCard(%q) = %v", path, !want)
		}
	}
}

func TestFileName(t *testing.T) {
	for title, want := range map[string]string{
		"Prefer tabs":                      "prefer-tabs",
		"  Über-cool: Größe!  ":            "uber-cool-grosse",
		"Don't do C++":                     "dont-do-c",
		"做好财务护城河":                          "preference",
		"用Redis做队列":                        "redis",
		"🎉🎉":                               "preference",
		"CON":                              "con",
		"../../etc/passwd":                 "etc-passwd",
		"a.b. . .":                         "a-b",
		"Łódź, Ærø & ﬁn ①":                 "lodz-aero-fin-1",
		strings.Repeat("verylongword", 9):  strings.Repeat("verylongword", 5),
		strings.Repeat("twelve chars ", 9): "twelve-chars-twelve-chars-twelve-chars-twelve-chars-twelve",
		"x " + strings.Repeat("long", 30):  "x-" + strings.Repeat("long", 14) + "lo",
		"İstanbul ısı":                     "istanbul-isi",
		"\xff\x00":                         "preference",
	} {
		e := Entry{ID: "gk2m9xqd", Kind: Preference, Title: title}
		if got := FileName(e); got != want+"-gk2m9xqd.md" {
			t.Errorf("FileName(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestFileNamesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Entry{ID: "gk2m9xqd", Kind: SessionTrace, Title: rapid.String().Draw(t, "title")}
		name := FileName(e)
		if len(name) > MaxSlug+len("-gk2m9xqd.md") || strings.Trim(strings.TrimSuffix(name, ".md"), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Fatalf("%q gives %q", e.Title, name)
		}
		if strings.HasPrefix(name, "-") || strings.Contains(name, "--") {
			t.Fatalf("%q gives %q", e.Title, name)
		}
		if kind, ok := KindOf("session_trace/" + name); !ok || kind != SessionTrace {
			t.Fatalf("%q is no entry file", name)
		}
	})
}

func TestIDs(t *testing.T) {
	id, err := NewID(bytes.NewReader([]byte{1, 2, 3, 4, 5, 6, 7, 8}))
	if err != nil || !ValidID(id) {
		t.Errorf("NewID: %q, %v", id, err)
	}
	if _, err := NewID(bytes.NewReader([]byte{1, 2})); err == nil {
		t.Error("NewID without random bytes")
	}
	rapid.Check(t, func(t *rapid.T) {
		if id, err := NewID(bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "random"))); err != nil || !ValidID(id) {
			t.Fatalf("%q, %v", id, err)
		}
	})
	// Derived ids are the same in every clone, whatever version it runs.
	if got := DerivedID(Decision, "A\na", 0); got != "g7w4fbd8" {
		t.Errorf("DerivedID = %q", got)
	}
	seen := map[string]bool{}
	for _, id := range []string{DerivedID(Decision, "A\na", 0), DerivedID(Decision, "A\na", 1), DerivedID(Convention, "A\na", 0), DerivedID(Decision, "A\nb", 0)} {
		if !ValidID(id) || seen[id] {
			t.Errorf("%q is no id, or there twice", id)
		}
		seen[id] = true
	}
	for _, id := range []string{"", "gk2m9xq", "gk2m9xqdd", "ak2m9xqd", "1k2m9xqd", "GK2m9xqd", "gk2m9xqi", "gk2m9xql", "gk2m9xqo", "gk2m9xqu", "gk2m9x-d", "gk2m9x\xffd"} {
		if ValidID(id) {
			t.Errorf("%q is an id", id)
		}
	}
}

func TestHash(t *testing.T) {
	e := Entry{ID: "gk2m9xqd", Kind: Decision, Title: "T", Body: "b\n", Tags: []string{"a", "b"}}
	same := e.Clone()
	same.Body = "\nb"
	if Hash(e) != Hash(same) {
		t.Error("blank lines at the ends of the body matter")
	}
	if got := Hash(e); len(got) != 32 || got != "73d13ecbebe595de3f83f26e67df592d" {
		t.Errorf("Hash = %q", got)
	}
	for name, change := range map[string]func(*Entry){
		"id": func(e *Entry) { e.ID = "hhhhhhhh" }, "kind": func(e *Entry) { e.Kind = Convention }, "title": func(e *Entry) { e.Title = "U" },
		"body": func(e *Entry) { e.Body = "c" }, "tags": func(e *Entry) { e.Tags = []string{"a,b"} }, "pin": func(e *Entry) { e.Pinned = true },
		"extra": func(e *Entry) { e.Extra = []Field{{"x", "1"}} },
	} {
		other := e.Clone()
		change(&other)
		if Hash(e) == Hash(other) {
			t.Errorf("the %s does not matter", name)
		}
	}
}

func TestParseKind(t *testing.T) {
	for s, want := range map[string]Kind{"decision": Decision, "Failed-Paths": FailedPath, " open thread ": OpenThread, "SESSION_TRACE": SessionTrace, "preferences": Preference} {
		if got, err := ParseKind(s); got != want || err != nil {
			t.Errorf("ParseKind(%q) = %q, %v", s, got, err)
		}
	}
	if _, err := ParseKind("joke"); err == nil || !strings.Contains(err.Error(), `"joke"`) {
		t.Errorf("got %v", err)
	}
}

func TestSkeletons(t *testing.T) {
	for _, k := range Kinds() {
		s := Skeleton(k)
		if (s != "") != k.IsLedger() {
			t.Errorf("%s: %q", k, s)
		}
		if d := Parse(k, k.Ledger(), []byte(s)); k.IsLedger() && (d.Len() != 0 || !strings.HasPrefix(s, "# ") || !strings.HasSuffix(s, "\n")) {
			t.Errorf("%s: %q", k, s)
		}
	}
}
