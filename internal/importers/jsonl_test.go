package importers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

func TestJSONLDocuments(t *testing.T) {
	dir := tree(t, map[string]string{"docs.jsonl": strings.Join([]string{
		`{"title":"Use slog","body":"# Use slog\n\nOne library is enough.","date":"2026-07-08","status":"accepted","source_repo":"acme/widget","path":"adr/0004-use-slog.md","licence":"MIT"}`,
		`{"title":"Queue in Redis","body":"Lists.","date":"2026-03-02","status":"superseded by [ADR-0003](0003-queue-in-postgres.md)","source_repo":"acme/widget","path":"adr/0002-queue-in-redis.md"}`,
		`{"title":"Queue in Postgres","body":"A table.","date":"14 June 2026","status":"{ accepted }","source_repo":"acme/widget","path":"adr/0003-queue-in-postgres.md"}`,
		`{"title":"Shard it","body":"Ten databases.\n\nToo many.","date":"last week","status":"Rejected","path":"adr/0005-shard.md"}`,
		`{"text":"Prefer short answers. Always.","kind":"preferences","scope":"user","tags":["style","style"],"id":7}`,
		`{"name":"Which port?","content":"8099 or 8100","type":"open_thread","pinned":true}`,
		`{"title":"Old","body":"b","status":"Superseded","date":"2020-01-02","path":"x.md"}`,
		``,
		`{"title":`,
		`[1,2]`,
		`{"other":1}`,
		`{"title":"Too long","body":"` + strings.Repeat("x", entryfile.MaxBody+1) + `"}`,
	}, "\r\n")})
	r := read(t, "jsonl", in(filepath.Join(dir, "docs.jsonl")))

	slog := r.byTitle(t, "Use slog").Entry
	equal(t, "kind", slog.Kind, entryfile.Decision)
	equal(t, "created", slog.Created, "2026-07-08T00:00:00Z")
	equal(t, "evidence", slog.Evidence, "docs.jsonl:1; acme/widget adr/0004-use-slog.md (MIT)")
	equal(t, "body", slog.Body, "# Use slog\n\nOne library is enough.")

	redis, postgres := r.byTitle(t, "Queue in Redis"), r.byTitle(t, "Queue in Postgres")
	equal(t, "created", postgres.Entry.Created, "2026-06-14T00:00:00Z")
	equal(t, "chain", fmt.Sprint(postgres.Supersedes), fmt.Sprint([]string{redis.Key}))
	equal(t, "superseded by another, so not ended", redis.Ended, "")

	shard := r.byTitle(t, "Shard it")
	equal(t, "created", shard.Entry.Created, "")
	equal(t, "notes", len(shard.Notes), 1)
	equal(t, "tags", fmt.Sprint(shard.Entry.Tags), "[rejected]")
	equal(t, "description", shard.Entry.Description, "Rejected: Ten databases.")
	equal(t, "ended", shard.Ended, "")

	short := r.byTitle(t, "Prefer short answers.")
	equal(t, "scope", short.Scope, User)
	equal(t, "kind", short.Entry.Kind, entryfile.Preference)
	equal(t, "key", short.Key, "7")
	equal(t, "tags", fmt.Sprint(short.Entry.Tags), "[style]")

	port := r.byTitle(t, "Which port?").Entry
	equal(t, "status", port.Status, entryfile.StatusOpen)
	equal(t, "pinned", port.Pinned, true)

	old := r.byTitle(t, "Old")
	equal(t, "ended", old.Ended, "superseded")
	equal(t, "expires", old.Entry.Expires, "2020-01-02T00:00:00Z")

	equal(t, "records", len(r.records), 7)
	for i, want := range []string{"docs.jsonl:9: it is no JSON object", "docs.jsonl:10: it is no JSON object", "docs.jsonl:11: it has neither", `docs.jsonl:12: "Too long": body is`} {
		if i >= len(r.refused) || !strings.HasPrefix(r.refused[i], want) {
			t.Errorf("refused %q, want %s…", r.refused, want)
		}
	}
	equal(t, "refused", len(r.refused), 4)
}

// Lines say what they supersede by the other line's id or title.
func TestJSONLChains(t *testing.T) {
	dir := tree(t, map[string]string{"notes.jsonl": strings.Join([]string{
		`{"id":"n3","title":"Queue in NATS","body":"Fast.","supersedes":["n2"]}`,
		`{"id":"n2","title":"Queue in Postgres","body":"A table.","supersedes":"Queue in Redis, for now"}`,
		`{"title":"Queue in Redis, for now","body":"Lists."}`,
		`{"title":"Twin","body":"One."}`,
		`{"title":"Twin","body":"Two."}`,
		`{"title":"Lost","body":"b","supersedes":["Twin","Nowhere"]}`,
	}, "\n")})
	r := read(t, "jsonl", in(filepath.Join(dir, "notes.jsonl")))
	nats, postgres, redis := r.byTitle(t, "Queue in NATS"), r.byTitle(t, "Queue in Postgres"), r.byTitle(t, "Queue in Redis, for now")
	equal(t, "by id", fmt.Sprint(nats.Supersedes), fmt.Sprint([]string{postgres.Key}))
	equal(t, "by title", fmt.Sprint(postgres.Supersedes), fmt.Sprint([]string{redis.Key}))
	lost := r.byTitle(t, "Lost")
	equal(t, "nothing that is meant for sure", len(lost.Supersedes), 0)
	equal(t, "notes", len(lost.Notes), 2)
}

func TestJSONLOwnLinesComeBackAsTheyWere(t *testing.T) {
	entries := []entryfile.Entry{
		{
			ID: "gk2m9xqd", Kind: entryfile.Decision, Title: "One repository <per> scope", Body: "A commit & more.\n\n    code  \n", Description: "d",
			Tags: []string{"git", "storage"}, Pinned: true, Created: "2026-11-30T19:27:00Z", Updated: "2026-12-01T00:00:00Z", Source: "claude-code",
			Evidence: "said so", Paths: []string{"a.go@0123"}, Code: "3f9c2d1 (main)", Session: "s1", Supersedes: []string{"h0000000"}, Expires: "2027-01-01",
			DerivedFrom: []string{"j0000000"}, Extra: []entryfile.Field{{Key: "adr", Value: `{a: [1, "x"]}`}},
		},
		{ID: "k0000000", Kind: entryfile.OpenThread, Title: "做好财务护城河", Body: "做好财务护城河", Status: "resolved", Outcome: "done", Source: "person"},
		{ID: "m0000000", Kind: entryfile.Preference, Title: "Spaces ", Body: " leading", Conflict: "gk2m9xqd", Source: "person"},
	}
	var want bytes.Buffer
	for i, e := range entries {
		scope, proposal := Project, (*Proposal)(nil)
		if i == 2 {
			scope, proposal = User, &Proposal{ID: "n0000000", Op: "edit", Base: "abc"}
		}
		want.Write(NewLine(scope, e, proposal).Bytes())
	}
	p := filepath.Join(tree(t, map[string]string{"out.jsonl": want.String()}), "out.jsonl")
	r, err := tryRead("jsonl", in(p))
	if err != nil || len(r.refused) > 0 {
		t.Fatal(err, r.refused)
	}
	var got bytes.Buffer
	for _, rec := range r.records {
		got.Write(NewLine(rec.Scope, rec.Entry, rec.Proposal).Bytes())
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want.Bytes())
	}
}

func TestKindChosenByThePerson(t *testing.T) {
	dir := tree(t, map[string]string{"a.jsonl": `{"title":"Which port?","body":"b","kind":"open_thread"}`})
	r := read(t, "jsonl", Input{Paths: []string{dir}, Kind: entryfile.FailedPath})
	equal(t, "kind", r.records[0].Entry.Kind, entryfile.FailedPath)
	equal(t, "status", r.records[0].Entry.Status, "")
}

func TestLinesTooLongArePassedOver(t *testing.T) {
	dir := tree(t, map[string]string{"a.jsonl": `{"title":"` + strings.Repeat("x", maxLine) + "\"}\n" + `{"title":"after","body":"b"}`})
	r := read(t, "jsonl", in(dir))
	equal(t, "refused", fmt.Sprint(r.refused), "[source/a.jsonl:1: the line is longer than 8 MiB]")
	equal(t, "records", r.titles(), `decision "after"`)
}

func TestTheSinkCanEndTheReading(t *testing.T) {
	dir := tree(t, map[string]string{"a.jsonl": "{\"title\":\"a\"}\n{\"title\":\"b\"}"})
	stop := errors.New("stop")
	n := 0
	err := Read(context.Background(), "jsonl", in(dir), Sink{Record: func(Record) error { n++; return stop }})
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Read(ctx, "jsonl", in(dir), Sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := Read(context.Background(), "nonsense", Input{}, Sink{}); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("got %v", err)
	}
}

func TestFilesThatAreNotRead(t *testing.T) {
	dir := tree(t, map[string]string{"a.jsonl": `{"title":"a"}`, "notes.txt": "x", "b/c.jsonl": `{"title":"c"}`, ".git/d.jsonl": `{"title":"d"}`})
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	if err := os.WriteFile(outside, []byte(`{"title":"outside"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip("no symlinks here")
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "linked")); err != nil {
		t.Skip("no symlinks here")
	}
	r := read(t, "jsonl", in(dir, filepath.Join(dir, "missing.jsonl"), tree(t, map[string]string{"x.md": "x"})))
	equal(t, "records", r.titles(), `decision "a", decision "c"`)
	equal(t, "refused", len(r.refused), 3)
	for i, want := range []string{"source/link.jsonl: it is a symlink", filepath.Join(dir, "missing.jsonl") + ": there is no such file", "it holds nothing that jsonl reads"} {
		if !strings.Contains(r.refused[i], want) {
			t.Errorf("refused %q, want %q", r.refused[i], want)
		}
	}
}

func BenchmarkJSONL(b *testing.B) {
	dir := b.TempDir()
	p := filepath.Join(dir, "a.jsonl")
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"title":"Decision %d","body":"%s","date":"2026-01-02","status":"accepted","path":"adr/%04d.md"}`+"\n", i, strings.Repeat("word ", 100), i)
	}
	if err := os.WriteFile(p, text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if err := Read(context.Background(), "jsonl", in(p), Sink{Record: func(Record) error { return nil }}); err != nil {
			b.Fatal(err)
		}
	}
}
