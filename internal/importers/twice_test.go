package importers

import (
	"strings"
	"testing"
)

// What a source says under one name in two ways is two memories, not one twice.
func TestTwoTextsOfOneNameBothComeIn(t *testing.T) {
	dir := tree(t, map[string]string{
		"x.jsonl": `{"id":"1","title":"A","body":"one"}
{"id":"1","title":"B","body":"two"}
{"id":"1","title":"A","body":"one"}
{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"C","body":"c"}
{"format":"vault.entry.v1","id":"gk2m9xqd","scope":"user","kind":"decision","title":"D","body":"d"}
`,
		"memory.jsonl": `{"type":"entity","name":"N","entityType":"thing","observations":["one"]}
{"type":"entity","name":"N","entityType":"thing","observations":["two"]}
`})
	equal(t, "lines", len(read(t, "jsonl", in(dir+"/x.jsonl")).records), 4)
	equal(t, "entities", len(read(t, "mcp-memory", in(dir+"/memory.jsonl")).records), 2)
}

func TestLinesLoseNothingSilently(t *testing.T) {
	dir := tree(t, map[string]string{"x.jsonl": `{"title":"A","body":["one","two"],"scope":"github.com/other/y","kind":"rumour","source":"slack","author":"jo"}
{"format":"vault.entry.v2","id":"gk2m9xqd","title":"New","body":"x"}
`})
	r := read(t, "jsonl", in(dir))
	a := r.byTitle(t, "A")
	equal(t, "body", a.Entry.Body, "one\ntwo")
	equal(t, "scope", a.Scope, "github.com/other/y")
	equal(t, "further keys", len(a.Entry.Extra), 3)
	if len(r.records) != 1 || len(r.refused) != 1 || !strings.Contains(r.refused[0], "vault.entry.v2") {
		t.Errorf("%s; refused %q", r.titles(), r.refused)
	}
}

func TestCodewhaleStatusesThatEnd(t *testing.T) {
	row := func(id, status string) string {
		return `{"schema":"codewhale.memory.export.v1","memory":{"id":"` + id + `","status":"` + status + `","created_at":1784900000,"draft":{"scope":{},"kind":"fact","title":"` + id + `","body":"b"}}}` + "\n"
	}
	r := read(t, "codewhale", in(tree(t, map[string]string{"x.jsonl": row("a", "expired") + row("b", "retired") + row("c", "archived") + row("d", "odd") + row("e", "active")})))
	for _, rec := range r.records {
		if ended := rec.Ended != "" && rec.Entry.Expires != ""; ended != strings.Contains("abc", rec.Entry.Title) {
			t.Errorf("%s: ended %q", rec.Entry.Title, rec.Ended)
		}
		equal(t, "notes of "+rec.Entry.Title, len(rec.Notes) > 0, rec.Entry.Title == "d")
	}
}
