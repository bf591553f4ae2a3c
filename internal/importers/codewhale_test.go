package importers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

const remote = "git@github.com:acme/widget.git"

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func codewhaleTree(t *testing.T) string {
	ws := hashOf(remote)
	return tree(t, map[string]string{
		".codewhale/memory.md":                                                "- (2026-05-02 09:14 UTC) Show the diff first.\n- [2026-06-11 07:03 UTC] 回答请用中文。\n- no date here\n",
		".codewhale/memory/global/MEMORY.md":                                  "\n- Show the diff first.\n\n- Two lines:\n  the second.\n",
		".codewhale/memory/workspace/" + ws + "/MEMORY.md":                    "- We decided to keep the queue in Postgres.\n\n- Retrying with a fresh token does not help.\n",
		".codewhale/memory/workspace/" + hashOf("https://x/y") + "/MEMORY.md": "- somebody else's\n",
		".codewhale/memory/JOURNAL.md": "- **revise** `1784900000` memory/workspace/" + ws + "/MEMORY.md\n" +
			"  - before: The queue lives in Redis.\n  - after: We decided to keep the queue in Postgres.\n  - evidence: docs/queue.md\n" +
			"- **retire** `1784986400` memory/global/MEMORY.md\n  - before: Use tabs.\n  - evidence: gofmt decides\n" +
			"- **revise** `1784986401` memory/workspace/" + hashOf("https://x/y") + "/MEMORY.md\n  - before: a\n  - after: b\n",
		".codewhale/log.jsonl": `{"schema":"something.else"}`,
	})
}

func TestCodewhaleNotes(t *testing.T) {
	dir := filepath.Join(codewhaleTree(t), ".codewhale")
	r := read(t, "codewhale", Input{Paths: []string{dir}, Remotes: []string{remote}})

	diff := r.byTitle(t, "Show the diff first.")
	equal(t, "scope", diff.Scope, User)
	equal(t, "kind", diff.Entry.Kind, entryfile.Preference)
	equal(t, "date, from the older file", diff.Entry.Created, "2026-05-02T09:14:00Z")
	equal(t, "chinese", r.byTitle(t, "回答请用中文。").Entry.Created, "2026-06-11T07:03:00Z")
	equal(t, "no date", r.byTitle(t, "no date here").Entry.Created, "")
	equal(t, "lines", r.byTitle(t, "Two lines:").Entry.Body, "Two lines:\nthe second.")

	now, before := r.byTitle(t, "We decided to keep the queue in Postgres."), r.byTitle(t, "The queue lives in Redis.")
	equal(t, "scope", now.Scope, Project)
	equal(t, "kind", now.Entry.Kind, entryfile.Decision)
	equal(t, "kind of what was before", before.Entry.Kind, entryfile.Decision)
	equal(t, "supersedes", fmt.Sprint(now.Supersedes), fmt.Sprint([]string{before.Key}))
	equal(t, "revised", now.Entry.Created, "2026-07-24T13:33:20Z")
	equal(t, "evidence", strings.HasSuffix(now.Entry.Evidence, "/MEMORY.md:1; docs/queue.md"), true)
	equal(t, "failed", r.byTitle(t, "Retrying with a fresh token does not help.").Entry.Kind, entryfile.FailedPath)

	tabs := r.byTitle(t, "Use tabs.")
	equal(t, "ended", tabs.Ended, "retired")
	equal(t, "expires", tabs.Entry.Expires, "2026-07-25T13:33:20Z")

	equal(t, "records", len(r.records), 8)
	equal(t, "refused", len(r.refused), 0)
	if len(r.notes) != 1 || !strings.Contains(r.notes[0], "another project") {
		t.Errorf("notes %q", r.notes)
	}
}

func TestCodewhaleWithoutItsProject(t *testing.T) {
	dir := codewhaleTree(t)
	r := read(t, "codewhale", in(dir))
	for _, rec := range r.records {
		if rec.Scope == Project {
			t.Errorf("%q belongs to another project", rec.Entry.Title)
		}
	}
	named := filepath.Join(dir, ".codewhale", "memory", "workspace", hashOf(remote), "MEMORY.md")
	equal(t, "named itself", len(read(t, "codewhale", in(named)).records), 2)
}

func TestCodewhaleExport(t *testing.T) {
	row := func(id, status, kind, workspace string, more obj) obj {
		draft := obj{"scope": obj{"tenant": "local", "user": "owner"}, "kind": kind, "title": id + " title", "body": id + " body.", "evidence": []any{obj{"kind": "user", "uri": "codewhale:operator", "locator": "said", "observed_at": 0}}}
		if workspace != "" {
			draft["scope"].(obj)["workspace"] = workspace
		}
		for k, v := range more {
			draft[k] = v
		}
		return obj{"schema": "codewhale.memory.export.v1", "memory": obj{"id": id, "revision": 1, "status": status, "created_at": 1784900000, "updated_at": 1784986400, "content_hash": "x", "draft": draft}}
	}
	ws := hashOf(remote)
	text := lines(t,
		row("a", "superseded", "decision", ws, obj{"key": "queue"}),
		row("b", "active", "decision", ws, obj{"key": "queue", "repository_revision": "3f9c2d1", "dependencies": obj{"queue.go": "sha"}, "tags": []string{"queue"}}),
		row("c", "rejected", "fact", "", nil),
		row("d", "active", "preference", "", obj{"expires_at": 1800000000}),
		row("e", "superseded", "lesson", "", nil),
		row("f", "candidate", "commitment", "", nil),
		row("g", "stale", "procedure", "", nil),
		row("h", "active", "episode", "", nil),
		row("i", "active", "fact", "someone-elses", nil),
		obj{"schema": "codewhale.memory.export.v2"},
		row("j", "expired", "decision", "", nil),
		row("k", "archived", "decision", "", obj{"expires_at": 1784900001}),
		row("l", "sleeping", "decision", "", nil),
	)
	p := filepath.Join(tree(t, map[string]string{"export.jsonl": text}), "export.jsonl")
	r := read(t, "codewhale", Input{Paths: []string{p}, Remotes: []string{remote}})

	b := r.byTitle(t, "b title")
	equal(t, "supersedes", fmt.Sprint(b.Supersedes), "[memory/a]")
	equal(t, "scope", b.Scope, Project)
	equal(t, "paths", fmt.Sprint(b.Entry.Paths), "[queue.go]")
	equal(t, "code", b.Entry.Code, "3f9c2d1")
	equal(t, "created", b.Entry.Created, "2026-07-24T13:33:20Z")
	equal(t, "evidence", b.Entry.Evidence, "export.jsonl:2; codewhale:operator said")
	equal(t, "superseded by b", r.byTitle(t, "a title").Ended, "")
	equal(t, "rejected", r.byTitle(t, "c title").Ended, "rejected")
	equal(t, "rejected expires", r.byTitle(t, "c title").Entry.Expires, "2026-07-25T13:33:20Z")
	equal(t, "expires", r.byTitle(t, "d title").Entry.Expires, "2027-01-15T08:00:00Z")
	equal(t, "superseded by nobody", r.byTitle(t, "e title").Ended, "superseded")
	equal(t, "lesson", r.byTitle(t, "e title").Entry.Kind, entryfile.FailedPath)
	if p := r.byTitle(t, "f title").Proposal; p == nil || p.Op != "add" {
		t.Error("a candidate is not proposed")
	}
	equal(t, "stale", fmt.Sprint(r.byTitle(t, "g title").Entry.Tags), "[stale]")
	equal(t, "episode", r.byTitle(t, "h title").Entry.Kind, entryfile.SessionTrace)
	equal(t, "expired", r.byTitle(t, "j title").Entry.Expires, "2026-07-25T13:33:20Z")
	equal(t, "archived", r.byTitle(t, "k title").Entry.Expires, "2026-07-24T13:33:21Z")
	equal(t, "unknown", fmt.Sprint(r.byTitle(t, "l title").Notes), "[its status is taken as current: sleeping]")
	equal(t, "records", len(r.records), 11)
	equal(t, "refused", fmt.Sprint(r.refused), "[export.jsonl:10: it is no row of a codewhale.memory.export.v1]")
}
