package exporters

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

const remote = "git@github.com:acme/widget.git"

// sample are entries with all that an entry can have, in two scopes.
func sample() []Item {
	user := Item{Scope: "user", Dir: "user"}
	project := Item{Scope: "github.com/acme/widget", Dir: "github.com+acme+widget", Remote: remote}
	with := func(it Item, e entryfile.Entry) Item { it.Entry = e; return it }
	old := with(project, entryfile.Entry{ID: "gk2m9xqd", Kind: entryfile.Decision, Title: "Queue in Redis", Body: "Redis is there already.\n\n# Lists\n\nFor now.", Created: "2026-01-02T00:00:00Z", Source: "person"})
	old.SupersededBy = []string{"h7tqwxyz"}
	odd := entryfile.Entry{
		ID: "h7tqwxyz", Kind: entryfile.Decision, Title: "2 queues: \"one\" in Postgres", Body: "```sh\n## no heading\n```\n\nOne database & less <to> run.", Description: "Postgres # holds the queue",
		Tags: []string{"storage", "queue: all"}, Pinned: true, Created: "2026-02-03T00:00:00Z", Updated: "2026-03-04T00:00:00Z", Source: "claude-code", Session: "s1", Evidence: "a talk: 'yes'",
		Paths: []string{"queue.go@0123456789ab"}, Code: "3f9c2d1 (main)", Supersedes: []string{"gk2m9xqd"}, Extra: []entryfile.Field{entryfile.TextField("ticket", "yes")},
	}
	gone := with(project, entryfile.Entry{ID: "j7tqwxyz", Kind: entryfile.Convention, Title: "Use tabs.", Body: "Use tabs.", Created: "2026-01-05T00:00:00Z", Expires: "2026-02-01", Source: "person"})
	gone.Expired = true
	held := with(project, entryfile.Entry{ID: "p7tqwxyz", Kind: entryfile.Decision, Title: "Shard it", Body: "Ten databases.", Created: "2026-04-05T00:00:00Z", Source: "codex"})
	held.Proposal = &importers.Proposal{ID: "p7tqwxyz", Op: "add"}
	change := with(project, odd)
	change.Body, change.Proposal = "Other.", &importers.Proposal{ID: "q7tqwxyz", Op: "edit", Base: "abc"}
	items := []Item{
		with(user, entryfile.Entry{ID: "k7tqwxyz", Kind: entryfile.Preference, Title: "Answer in short sentences.", Body: "Answer in short sentences.", Created: "2026-01-01T00:00:00Z", Source: "person"}),
		with(user, entryfile.Entry{ID: "v7tqwxyz", Kind: entryfile.Preference, Title: "做好财务护城河", Body: "# 做好财务护城河\n\n多行\n文字。", Created: "2026-01-01T01:00:00Z", Source: "person"}),
		old, with(project, odd), gone, held, change,
		with(project, entryfile.Entry{ID: "m7tqwxyz", Kind: entryfile.OpenThread, Title: "Why is it slow?", Body: "Ten seconds.", Status: "resolved", Outcome: "The pool.", Created: "2026-01-06T00:00:00Z", Source: "person"}),
		with(project, entryfile.Entry{ID: "n7tqwxyz", Kind: entryfile.OpenThread, Title: "Which port?", Body: "8099 or 8100", Status: "open", Created: "2026-01-07T00:00:00Z", Source: "person"}),
		with(project, entryfile.Entry{ID: "r7tqwxyz", Kind: entryfile.FailedPath, Title: "Retrying with a fresh token", Body: "It does not help.", Created: "2026-01-08T00:00:00Z", DerivedFrom: []string{"m7tqwxyz"}, Source: "person"}),
		with(project, entryfile.Entry{ID: "s7tqwxyz", Kind: entryfile.SessionTrace, Title: "Session: the pool", Body: "- looked\n\n- raised it", Session: "2026-01-09-a1", Created: "2026-01-09T00:00:00Z", Source: "codex"}),
		with(project, entryfile.Entry{ID: "t7tqwxyz", Kind: entryfile.Convention, Title: "Queue in Postgres", Body: "Another text.", Conflict: "h7tqwxyz", Created: "2026-01-10T00:00:00Z", Source: "person"}),
	}
	Order(items)
	return items
}

// back exports items and reads what came out again.
func back(t *testing.T, format string, items []Item) (map[string]importers.Record, Result) {
	t.Helper()
	made, err := Write(format, items)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	for _, f := range formats {
		if f.Name != format {
			continue
		}
		if f.File == "" {
			err = SaveFolder(dir, format, made.Files, false)
		} else {
			err = os.Mkdir(dir, 0o755)
			if err == nil {
				err = SaveFile(filepath.Join(dir, f.File), made.Files[0].Data, false)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]importers.Record{}
	err = importers.Read(context.Background(), format, importers.Input{Paths: []string{dir}, Remotes: []string{remote}}, importers.Sink{
		Record: func(r importers.Record) error {
			out[r.Entry.Title] = r
			return nil
		},
		Refuse: func(where, why string) { t.Errorf("refused %s: %s", where, why) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, made
}

// same holds records to what the format can hold of the items.
func same(t *testing.T, items []Item, got map[string]importers.Record, fields ...string) {
	t.Helper()
	for _, it := range items {
		r, ok := got[it.Title]
		if !ok {
			t.Errorf("%q did not come back", it.Title)
			continue
		}
		e := r.Entry
		for _, f := range fields {
			var a, b any
			switch f {
			case "kind":
				a, b = it.Kind, e.Kind
			case "body":
				a, b = it.Body, e.Body
			case "description":
				a, b = it.Description, e.Description
			case "tags":
				a, b = it.Tags, e.Tags
			case "pinned":
				a, b = it.Pinned, e.Pinned
			case "created":
				a, b = it.Created, e.Created
			case "updated":
				a, b = it.Updated, e.Updated
			case "status":
				a, b = it.Status, e.Status
			case "outcome":
				a, b = it.Outcome, e.Outcome
			case "expires":
				a, b = it.Expires, e.Expires
			case "scope":
				a, b = it.Scope == "user", r.Scope == importers.User
			case "session":
				a, b = it.Session, e.Session
			case "code":
				a, b = it.Code, e.Code
			case "ended":
				a, b = it.Expired, r.Ended != ""
			case "review":
				a, b = it.Proposal != nil, r.Proposal != nil
			case "evidence":
				a, b = true, strings.HasSuffix(e.Evidence, it.Evidence)
			case "supersedes":
				var titles []string
				for _, o := range got {
					if slices.Contains(r.Supersedes, o.Key) {
						titles = append(titles, o.Entry.Title)
					}
				}
				var want []string
				for _, id := range it.Supersedes {
					for _, o := range items {
						if o.ID == id {
							want = append(want, o.Title)
						}
					}
				}
				a, b = want, titles
			default:
				t.Fatal(f)
			}
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%q: %s was %q, came back as %q", it.Title, f, a, b)
			}
		}
	}
	if len(got) != len(items) {
		t.Errorf("%d came back of %d", len(got), len(items))
	}
}

func only(items []Item, keep func(*Item) bool) []Item {
	var out []Item
	for _, it := range items {
		if keep(&it) {
			out = append(out, it)
		}
	}
	return out
}

func TestJSONLComesBackWhole(t *testing.T) {
	items := sample()
	made, err := Write("jsonl", items)
	if err != nil || len(made.Lost) > 0 || len(made.Left) > 0 {
		t.Fatal(made, err)
	}
	file := filepath.Join(t.TempDir(), "a.jsonl")
	if err := SaveFile(file, made.Files[0].Data, false); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	err = importers.Read(context.Background(), "jsonl", importers.Input{Paths: []string{file}}, importers.Sink{Record: func(r importers.Record) error {
		again.Write(importers.NewLine(r.Scope, r.Entry, r.Proposal).Bytes())
		return nil
	}})
	if err != nil || !bytes.Equal(again.Bytes(), made.Files[0].Data) {
		t.Errorf("%v: got\n%s\nwant\n%s", err, again.Bytes(), made.Files[0].Data)
	}
}

func TestCodewhaleComesBack(t *testing.T) {
	items := sample()
	got, made := back(t, "codewhale", items)
	same(t, only(items, func(it *Item) bool { return takesAdditions(it) == "" }), got, "kind", "body", "tags", "created", "updated", "scope", "session", "code", "supersedes", "review")
	for _, it := range items {
		if r := got[it.Title]; it.Expired && r.Entry.Expires != it.Expires+"T00:00:00Z" {
			t.Errorf("%q expires %q", it.Title, r.Entry.Expires)
		}
	}
	lost := fmt.Sprint(made.Lost)
	for _, want := range []string{"{pinned 1}", "{description 1}", "{status 1}", "{outcome 1}", "{derived_from 1}"} {
		if !strings.Contains(lost, want) {
			t.Errorf("%s is not in what is lost: %s", want, lost)
		}
	}
}

// Another version of an entry, which a person has yet to settle, would come back
// as a current one from where it can't be marked.
func TestUnsettledVersionsStayOut(t *testing.T) {
	for _, format := range []string{"codewhale", "adr", "agents-md", "obsidian", "mcp-memory"} {
		made, err := Write(format, sample())
		if err != nil || len(made.Left) == 0 {
			t.Errorf("%s leaves out %v (%v)", format, made.Left, err)
		}
		for _, f := range made.Files {
			if strings.Contains(string(f.Data), "Another text") {
				t.Errorf("%s has it in %s", format, f.Path)
			}
		}
	}
}

func TestADRComesBack(t *testing.T) {
	items := sample()
	got, made := back(t, "adr", items)
	decisions := only(items, func(it *Item) bool { return takesDecisions(it) == "" })
	same(t, only(decisions, func(it *Item) bool { return it.Proposal == nil }), without(got, "Shard it"), "kind", "body", "description", "tags", "created", "updated", "supersedes", "ended")
	if r := got["Shard it"]; !slices.Contains(r.Entry.Tags, "proposed") {
		t.Errorf("%+v", r)
	}
	if want := "{entries of other kinds than decisions 8}"; !strings.Contains(fmt.Sprint(made.Left), want) {
		t.Errorf("left %v", made.Left)
	}
	if !strings.Contains(string(made.Files[0].Data), "status: superseded by") && !strings.Contains(string(made.Files[0].Data), `"superseded by [ADR-0002](0002-2-queues-one-in-postgres.md)"`) {
		t.Errorf("%s", made.Files[0].Data)
	}
}

func without(got map[string]importers.Record, title string) map[string]importers.Record {
	out := map[string]importers.Record{}
	for k, r := range got {
		if k != title {
			out[k] = r
		}
	}
	return out
}

func TestObsidianComesBack(t *testing.T) {
	items := sample()
	got, made := back(t, "obsidian", items)
	same(t, only(items, func(it *Item) bool { return takesAdditions(it) == "" }), got, "kind", "body", "description", "tags", "pinned", "created", "updated", "status", "outcome", "expires", "scope", "session", "code",
		"evidence", "supersedes", "review")
	if len(made.Lost) != 0 {
		t.Errorf("lost %v", made.Lost)
	}
}

func TestMCPMemoryComesBack(t *testing.T) {
	items := only(sample(), func(it *Item) bool { return it.Kind != entryfile.FailedPath })
	got, _ := back(t, "mcp-memory", items)
	same(t, only(items, func(it *Item) bool { return takesReviewed(it) == "" }), got, "kind", "body", "description", "tags", "created", "status", "outcome", "supersedes", "ended")
}

func TestAgentsMDComesBack(t *testing.T) {
	items := sample()
	made, err := Write("agents-md", items)
	if err != nil {
		t.Fatal(err)
	}
	text := string(made.Files[0].Data)
	for _, no := range []string{"Shard it", "Redis", "looked", "Use tabs", "Another text"} {
		if strings.Contains(text, no) {
			t.Errorf("it says %q:\n%s", no, text)
		}
	}
	plain := only(items, func(it *Item) bool {
		return takesCurrent(it) == "" && it.Kind != entryfile.FailedPath && it.Kind != entryfile.OpenThread && !strings.Contains(it.Body, "# 做")
	})
	got, _ := back(t, "agents-md", plain)
	same(t, plain, got, "body")
	if n := strings.Count(text, "\n## "); n != 6 { // one of them within a fence
		t.Errorf("%d sections:\n%s", n, text)
	}
}
