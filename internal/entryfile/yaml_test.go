package entryfile

import (
	"fmt"
	"strings"
	"testing"
)

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{
		"{id: gk2m9xqd, created: 2026-11-30T19:27:00Z, tags: [git, storage]}", `{a: "x\ny", b: 'z'}`, "{a: 012, b: yes, c: ~, d: }",
		"{}", "{a: [], b: [[x]]}", "{a: b: c}", "{a: x #y}", "{a: x#y}", "{a: 财务}", "{a: b\u00a0}", `{a: "\u003e", b: "\x00"}`,
		"a: b\nc: [d, e]\n", "a: b, c\n", "a: b\n c\n", "a: b\r\nd: e\r\n", "a: -b", "a: - b", "a: b?", "{a: b?}", "{a: ...}", "...: a", "a: ...",
		"{a: x, }", "{a: [x,]}", "a: \"b\" c", "{a: -}", "{<<: a}", "{a: <<}", "a: =", "a: b: c", "a: http://x:1/y", "{a: http://x:1/y}", "---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if pairs, ok := readFlowMapping(nil, s); ok && !strings.Contains(s, "\n") {
			want, err := readYAML(s)
			if err != nil || fmt.Sprintf("%#v", pairs) != fmt.Sprintf("%#v", want) && len(pairs) > 0 {
				t.Errorf("flow %q\n got %#v\nwant %#v, %v", s, pairs, want, err)
			}
		}
		if pairs, ok := readBlockMapping(s); ok {
			want, err := readYAML(s)
			if err != nil || fmt.Sprintf("%#v", pairs) != fmt.Sprintf("%#v", want) {
				t.Errorf("block %q\n got %#v\nwant %#v, %v", s, pairs, want, err)
			}
		}
		if strings.ToValidUTF8(s, "") != s {
			return
		}
		for _, flow := range []bool{inFlow, inBlock} {
			var b strings.Builder
			writeScalar(&b, s, flow)
			doc := "a: " + b.String()
			if flow {
				doc = "{" + doc + "}"
			}
			if strings.ContainsAny(doc, "\n\r") || closesComment(doc) {
				t.Errorf("%q is written as %q", s, doc)
			}
			read := readBlockMapping
			if flow {
				read = func(s string) ([]pair, bool) { return readFlowMapping(nil, s) }
			}
			got, ok := read(doc)
			if !ok || got[0].value.text != s {
				t.Errorf("%q is read back from %s as %v, %v", s, doc, got, ok)
			}
		}
	})
}
