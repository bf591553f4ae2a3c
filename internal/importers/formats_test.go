package importers

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

func TestADR(t *testing.T) {
	dir := tree(t, map[string]string{
		"0001-record-decisions.md": "# 1. Record decisions\r\n\r\nDate: 2016-02-12\r\n\r\n## Status\r\n\r\nAccepted\r\n\r\n## Decision\r\n\r\nWe keep records. All of them.\r\n",
		"0002-redis.md":            "# 2. Redis\n\nDate: 2026-03-02\n\n## Status\n\nSuperseded by [3. Postgres](0003-postgres.md)\n\n## Decision\n\nLists.\n",
		"0003-postgres.md":         "# 3. Postgres\n\n* Status: accepted\n* Deciders: all\n* Date: 2026-06-14\n\n## Decision Outcome\n\nA table.\n",
		"0004-slog.md":             "---\nstatus: \"accepted\"\ndate: 2026-07-08\ndecision-makers: team\ntags: [logs]\n---\n\n# ADR-0004: Use slog\n\n## Decision Outcome\n\nChosen: slog.\n",
		"0005-shards.md":           "---\nstatus: rejected\ndate: someday\n---\n# Shards\n\n## Decision Outcome\n\nNo.\n",
		"0006-kafka.md":            "---\nstatus: superseded by ADR-0007\ndate: 2026-01-01\n---\n# Kafka\n\n## Decision Outcome\n\nYes.\n",
		"0007-nats.md":             "---\nstatus: deprecated\ndate: 2026-02-02\nsupersedes: 0006-kafka.md\n---\n# NATS\n\n## Decision Outcome\n\nYes.\n",
		"0008-lost.md":             "# 8. Lost\n\n## Status\n\nSuperseded by [99. Gone](0099-gone.md)\n",
		"README.md":                "# All decisions\n",
		"adr-template.md":          "# Title\n\n## Status\n",
		"notes.md":                 "# Meeting\n\nHello.\n",
	})
	r := read(t, "adr", in(dir))
	for title, want := range map[string]struct{ created, status, description, ended, expires string }{
		"Record decisions": {"2016-02-12T00:00:00Z", "accepted", "We keep records.", "", ""},
		"Redis":            {"2026-03-02T00:00:00Z", "superseded", "Lists.", "", ""},
		"Postgres":         {"2026-06-14T00:00:00Z", "accepted", "A table.", "", ""},
		"Use slog":         {"2026-07-08T00:00:00Z", "accepted", "Chosen: slog.", "", ""},
		"Shards":           {"", "rejected", "Rejected: No.", "", ""},
		"Kafka":            {"2026-01-01T00:00:00Z", "superseded", "Yes.", "", ""},
		"NATS":             {"2026-02-02T00:00:00Z", "deprecated", "Yes.", "deprecated", "2026-02-02T00:00:00Z"},
		"Lost":             {"", "superseded", "", "superseded", ""},
	} {
		rec := r.byTitle(t, title)
		equal(t, title+" created", rec.Entry.Created, want.created)
		equal(t, title+" description", rec.Entry.Description, want.description)
		equal(t, title+" ended", rec.Ended, want.ended)
		equal(t, title+" expires", rec.Entry.Expires, want.expires)
		equal(t, title+" status", extraOf(rec.Entry, "decision-status"), want.status)
		equal(t, title+" kind", rec.Entry.Kind, entryfile.Decision)
	}
	equal(t, "chain by link", fmt.Sprint(r.byTitle(t, "Postgres").Supersedes), "[adr/0002-redis.md]")
	equal(t, "chain by number", fmt.Sprint(r.byTitle(t, "NATS").Supersedes), "[adr/0006-kafka.md]")
	equal(t, "number", extraOf(r.byTitle(t, "Use slog").Entry, "adr"), `"4"`)
	equal(t, "tags", fmt.Sprint(r.byTitle(t, "Use slog").Entry.Tags), "[logs]")
	equal(t, "unreadable date", len(r.byTitle(t, "Shards").Notes), 1)
	equal(t, "successor that is not there", len(r.byTitle(t, "Lost").Notes), 1)
	equal(t, "records", len(r.records), 8)
	equal(t, "notes", len(r.notes), 1)
	equal(t, "line ends", r.byTitle(t, "Record decisions").Entry.Body, "Date: 2016-02-12\n\n## Status\n\nAccepted\n\n## Decision\n\nWe keep records. All of them.")
	equal(t, "named itself", len(read(t, "adr", in(filepath.Join(dir, "notes.md"))).records), 1)
}

func extraOf(e entryfile.Entry, key string) string {
	for _, f := range e.Extra {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

func TestClaudeCode(t *testing.T) {
	dir := tree(t, map[string]string{
		".claude/projects/-home-user-widget/memory/MEMORY.md":  "# Memory\n\n- [Testing](testing.md): how the suite is run\n- [Gone](gone.md) — not there\n- Build needs Go 1.26 or newer\n",
		".claude/projects/-home-user-widget/memory/testing.md": "# Testing\n\nRun `make test`.\n\n## Flaky\n\n- TestUpload\n",
		".claude/projects/-home-user-widget/memory/style.md":   "---\nname: short-answers\ndescription: how to answer\nmetadata:\n  type: feedback\n---\n\nAnswer in one line.\n",
		".claude/projects/-home-user-other/memory/MEMORY.md":   "- somebody else's\n",
		".claude/projects/-home-user-widget/abc.jsonl":         "{}",
		".claude/CLAUDE.md":         "# Mine\n\nBe brief.\n\n## Git\n\nSign commits.\n",
		".claude/rules/go.md":       "---\npaths: [\"**/*.go\"]\n---\n# Go\n\nUse gofmt.\n",
		"widget/CLAUDE.md":          "# Widget\n\n## Commands\n\n```sh\n## not a heading\nmake\n```\n\n## Style\n\nTabs.\n\n### More\n\nx\n\n## Empty\n",
		"widget/.claude/CLAUDE.md":  "Only a paragraph. And more.\n",
		"widget/CLAUDE.local.md":    "- sandbox on port 8099\n",
		"widget/src/README.md":      "not ours",
		"widget/.claude/rules/a.md": "# A\n\nrule\n",
	})
	r := read(t, "claude-code", Input{Paths: []string{filepath.Join(dir, ".claude"), filepath.Join(dir, "widget")}, Project: "/home/user/widget"})
	for title, want := range map[string]struct {
		kind        entryfile.Kind
		scope       string
		description string
		body        string
	}{
		"Testing":                      {entryfile.Convention, Project, "how the suite is run", "Run `make test`.\n\n## Flaky\n\n- TestUpload"},
		"Short answers":                {entryfile.Preference, User, "how to answer", "Answer in one line."},
		"Build needs Go 1.26 or newer": {entryfile.Convention, Project, "", "Build needs Go 1.26 or newer"},
		"Mine":                         {entryfile.Preference, User, "", "Be brief."},
		"Git":                          {entryfile.Preference, User, "", "Sign commits."},
		"Go":                           {entryfile.Preference, User, "", "Use gofmt.\n\nApplies to: **/*.go"},
		"Commands":                     {entryfile.Convention, Project, "", "```sh\n## not a heading\nmake\n```"},
		"Style":                        {entryfile.Convention, Project, "", "Tabs.\n\n### More\n\nx"},
		"Only a paragraph.":            {entryfile.Convention, Project, "", "Only a paragraph. And more."},
		"sandbox on port 8099":         {entryfile.Convention, Project, "", "- sandbox on port 8099"},
		"A":                            {entryfile.Convention, Project, "", "rule"},
	} {
		rec := r.byTitle(t, title)
		equal(t, title+" kind", rec.Entry.Kind, want.kind)
		equal(t, title+" scope", rec.Scope, want.scope)
		equal(t, title+" description", rec.Entry.Description, want.description)
		equal(t, title+" body", rec.Entry.Body, want.body)
	}
	equal(t, "records", len(r.records), 11)
	equal(t, "refused", len(r.refused), 0)
	equal(t, "notes", len(r.notes), 2)
}

// A copy of one project's memory is taken for this project's; in a person's
// own .claude only the project that is asked from is.
func TestClaudeCodeFoldersOfProjects(t *testing.T) {
	files := map[string]string{"projects/-home-user-widget/memory/MEMORY.md": "- a note\n"}
	dir := tree(t, files)
	equal(t, "a copy", len(read(t, "claude-code", in(dir)).records), 1)
	dir = tree(t, map[string]string{".claude/projects/-home-user-widget/memory/MEMORY.md": "- a note\n"})
	home := filepath.Join(dir, ".claude")
	equal(t, "another project's", len(read(t, "claude-code", Input{Paths: []string{home}, Project: "/home/user/other"}).records), 0)
	equal(t, "named", len(read(t, "claude-code", in(filepath.Join(home, "projects", "-home-user-widget"))).records), 1)
}

func TestAgentsMD(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md":                     "# AGENTS\n\nRead this.\n\n## Build\n\nmake\n\n## Test\n\nmake test\n",
		"api/AGENTS.md":                 "## Errors\n\nWrap them.\n",
		"node_modules/x/AGENTS.md":      "no",
		".codex/AGENTS.md":              "Be kind.\n",
		"api/README.md":                 "no",
		"setext/AGENTS.md":              "Rules\n=====\n\nAll of them.\n",
		"headings-of-level-1/AGENTS.md": "# One\n\na\n\n# Two\n\nb\n",
	})
	r := read(t, "agents-md", in(dir))
	equal(t, "build", r.byTitle(t, "Build").Entry.Body, "make")
	equal(t, "preface", r.byTitle(t, "AGENTS").Entry.Body, "Read this.")
	equal(t, "paths", fmt.Sprint(r.byTitle(t, "Errors").Entry.Paths), "[api]")
	equal(t, "own", r.byTitle(t, "Be kind.").Scope, User)
	equal(t, "setext", r.byTitle(t, "Rules").Entry.Body, "All of them.")
	equal(t, "level 1", r.byTitle(t, "Two").Entry.Body, "b")
	equal(t, "records", len(r.records), 8)
}

func TestCursorRules(t *testing.T) {
	dir := tree(t, map[string]string{
		".cursor/rules/go-style.mdc": "---\ndescription: How Go is written\nglobs: **/*.go, go.mod\nalwaysApply: true\n---\n- Use gofmt.\n",
		".cursor/rules/api/http.mdc": "---\ndescription:\nglobs: [\"api/**\"]\nalwaysApply: false\n---\n# HTTP\n\nJSON only.\n",
		".cursorrules":               "Be terse.\n",
	})
	r := read(t, "cursor-rules", in(dir))
	style := r.byTitle(t, "Go style").Entry
	equal(t, "description", style.Description, "How Go is written")
	equal(t, "body", style.Body, "- Use gofmt.\n\nApplies to: **/*.go, go.mod")
	equal(t, "tags", fmt.Sprint(style.Tags), "[always-apply]")
	http := r.byTitle(t, "HTTP").Entry
	equal(t, "body", http.Body, "JSON only.\n\nApplies to: api/**")
	equal(t, "tags", len(http.Tags), 0)
	equal(t, "legacy", r.byTitle(t, "Be terse.").Entry.Kind, entryfile.Convention)
}

func TestClineMemoryBank(t *testing.T) {
	dir := tree(t, map[string]string{
		"memory-bank/projectbrief.md":   "# Project Brief\n\nA widget.\n\n## Goals\n\nSell it.\n",
		"memory-bank/activeContext.md":  "# Active Context\n\n## Current Work Focus\n\nThe scanner.\n\n## Next Steps\n\n- ship\n",
		"memory-bank/systemPatterns.md": "# Patterns\n\n## Key Technical Decisions\n\nRedux.\n",
		"memory-bank/progress.md":       "# Progress\n\n## What Works\n\nLogin.\n\n## Known Issues\n\nSlow.\n",
		"memory-bank/decisionLog.md":    "# Decision Log\n\n## [2026-01-02 10:00:00] - Use NATS\n\nBecause.\n",
	})
	r := read(t, "cline-memory-bank", in(dir))
	for title, kind := range map[string]entryfile.Kind{
		"Project Brief": entryfile.Convention, "Goals": entryfile.Convention, "Current Work Focus": entryfile.OpenThread, "Next Steps": entryfile.OpenThread,
		"Key Technical Decisions": entryfile.Decision, "What Works": entryfile.Convention, "Known Issues": entryfile.OpenThread,
	} {
		equal(t, title, r.byTitle(t, title).Entry.Kind, kind)
	}
	nats := r.byTitle(t, "Use NATS").Entry
	equal(t, "decision log", nats.Kind, entryfile.Decision)
	equal(t, "its date", nats.Created, "2026-01-02T10:00:00Z")
}

func TestSerena(t *testing.T) {
	dir := tree(t, map[string]string{
		".serena/memories/suggested_commands.md": "Run make.\n",
		".serena/memories/modules/frontend.md":   "# Frontend\n\nReact.\n",
		".serena/memories/global/style.md":       "Short names.\n",
		".serena/project.yml":                    "x: 1",
		"README.md":                              "no",
	})
	r := read(t, "serena", in(dir))
	equal(t, "title", r.byTitle(t, "Suggested commands").Entry.Body, "Run make.")
	equal(t, "topic", fmt.Sprint(r.byTitle(t, "Frontend").Entry.Tags), "[modules]")
	equal(t, "global", r.byTitle(t, "Style").Scope, User)
	equal(t, "records", len(r.records), 3)
	equal(t, "the folder itself", len(read(t, "serena", in(filepath.Join(dir, ".serena", "memories"))).records), 3)
}

func TestBasicMemory(t *testing.T) {
	dir := tree(t, map[string]string{
		"auth.md":  "---\ntitle: Authentication\ntype: note\ntags: [auth, security]\npermalink: design/auth\ncreated: 2026-01-02\n---\n\n# Authentication\n\n## Observations\n- [decision] JWT #stateless (for now)\n- [decision] Cookies\n- [constraint] 15 minutes\n\n## Relations\n- implements [[Rules]]\n- depends_on [[Nowhere]]\n",
		"rules.md": "---\ntitle: Rules\ntype: preference\n---\n- [x] not an observation\n",
		"bugs.md":  "# Bugs\n\n- [gotcha] clock is off\n",
	})
	r := read(t, "basic-memory", in(dir))
	auth := r.byTitle(t, "Authentication")
	equal(t, "kind", auth.Entry.Kind, entryfile.Decision)
	equal(t, "tags", fmt.Sprint(auth.Entry.Tags), "[auth security stateless]")
	equal(t, "key", auth.Key, "note/design/auth")
	equal(t, "created", auth.Entry.Created, "2026-01-02T00:00:00Z")
	equal(t, "missing", fmt.Sprint(auth.Notes), "[it links to a note that is not there: Nowhere]")
	equal(t, "by type", r.byTitle(t, "Rules").Entry.Kind, entryfile.Preference)
	equal(t, "by observation", r.byTitle(t, "Bugs").Entry.Kind, entryfile.FailedPath)
}

func TestMCPMemory(t *testing.T) {
	dir := tree(t, map[string]string{"memory.jsonl": strings.Join([]string{
		`{"type":"entity","name":"upload","entityType":"service","observations":["written in Go","retries, then parks"]}`,
		`{"type":"entity","name":"Ann","entityType":"person","observations":["prefers short answers"]}`,
		`{"type":"entity","name":"Use Postgres","entityType":"decision","observations":[]}`,
		`{"type":"relation","from":"upload","to":"Ann","relationType":"owned by"}`,
		`{"type":"relation","from":"nobody","to":"Ann","relationType":"knows"}`,
		`{"type":"other"}`, `nonsense`,
	}, "\n")})
	r := read(t, "mcp-memory", in(dir))
	equal(t, "body", r.byTitle(t, "upload").Entry.Body, "- written in Go\n- retries, then parks\n\n- owned by [[Ann]]")
	equal(t, "tags", fmt.Sprint(r.byTitle(t, "upload").Entry.Tags), "[service]")
	equal(t, "person", r.byTitle(t, "Ann").Scope, User)
	equal(t, "decision", r.byTitle(t, "Use Postgres").Entry.Kind, entryfile.Decision)
	equal(t, "refused", len(r.refused), 2)
	equal(t, "notes", len(r.notes), 1)

	whole := tree(t, map[string]string{"memory.json": `{"entities":[{"name":"a","entityType":"t","observations":["b"]}],"relations":[{"from":"a","to":"a","relationType":"is"}]}`})
	equal(t, "as one object", read(t, "mcp-memory", in(whole)).byTitle(t, "a").Entry.Body, "b\n\n- is [[a]]")
}

func TestObsidian(t *testing.T) {
	dir := tree(t, map[string]string{
		"Daily note.md":          "---\ntags:\n  - daily\naliases: [today]\ncreated: 2026-05-01T10:00:00+02:00\n---\n\nSaw [[Projects/Widget|the widget]] and [[Missing]] and ![[image.png]]. #idea\n\n```\n#not-a-tag\n```\n",
		"Projects/Widget.md":     "# The widget\n\nIt spins.\n",
		"decisions/Use slog.md":  "Chosen.\n",
		".obsidian/workspace.md": "no",
		"bom.md":                 "\ufeff# With a mark\r\n\r\ntext\r\n",
		"utf16.md":               "\xff\xfeh\x00i\x00",
		"latin1.md":              "caf\xe9\n",
		"binary.md":              "a\x00b",
		"large.md":               strings.Repeat("x", maxFile+1),
		"empty.md":               "\n\n",
		"broken front matter.md": "---\na: [\n  - b\n---\nbody\n",
		"open front matter.md":   "---\na: b\n\nbody\n",
		"notes.txt":              "no",
	})
	r := read(t, "obsidian", in(dir))
	daily := r.byTitle(t, "Daily note")
	equal(t, "tags", fmt.Sprint(daily.Entry.Tags), "[daily idea]")
	equal(t, "created", daily.Entry.Created, "2026-05-01T08:00:00Z")
	equal(t, "missing", fmt.Sprint(daily.Notes), "[it links to a note that is not there: Missing]")
	equal(t, "title", r.byTitle(t, "The widget").Entry.Body, "It spins.")
	equal(t, "kind by folder", r.byTitle(t, "Use slog").Entry.Kind, entryfile.Decision)
	equal(t, "mark and line ends", r.byTitle(t, "With a mark").Entry.Body, "text")
	equal(t, "utf-16", r.byTitle(t, "Utf16").Entry.Body, "hi")
	equal(t, "latin 1", r.byTitle(t, "Latin1").Entry.Body, "caf\uFFFD")
	equal(t, "broken", r.byTitle(t, "Broken front matter").Entry.Body, "body")
	equal(t, "broken notes", len(r.byTitle(t, "Broken front matter").Notes), 1)
	for _, want := range []string{"binary.md: it is binary", "large.md: it is larger than 4 MiB"} {
		if !strings.Contains(strings.Join(r.refused, "\n"), want) {
			t.Errorf("refused %q, want %q", r.refused, want)
		}
	}
	equal(t, "records", len(r.records), 8)
	equal(t, "notes", fmt.Sprint(r.notes), "[source/empty.md: it is empty source/latin1.md: bytes that are no UTF-8 became \uFFFD]")
}

func TestStarter(t *testing.T) {
	dir := tree(t, map[string]string{
		"concepts/small-changes.md": "---\ntype: concept\ntitle: Small changes\nslug: small-changes\nvisibility: public\ncreated: 2026-05-27\nstatus: archived\ndescription: >\n  Read in\n  ten minutes\n---\n\nText.\n",
		"playbooks/review.md":       "---\ntype: playbook\ntitle: Review\nslug: review\nvisibility: private\ncreated: 2026-05-26\nupdated: 2026-06-02\nstatus: active\nrelated:\n  - \"[[small-changes]]\"\n  - [[gone]]\ntags: [review]\n---\n\n# Review\n\nSee [[small-changes]] and [[missing]].\n",
		"tracelets/2026-06-01-a.md": "---\ntype: tracelet\ntitle: Cache by path\nslug: 2026-06-01-a\nvisibility: private\ncodified-as: \"[[review]]\"\n---\n## Action\n\nx\n\n## Outcome\n\nDropped.\n",
		"tracelets/2026-06-02-b.md": "---\ntype: tracelet\ntitle: Kept it\nslug: wrong\nvisibility: private\ncreated: 2026-06-02\n---\n## Outcome\n\nIt holds.\n",
		"projects/widget.md":        "---\ntype: project\ntitle: Widget\nslug: widget\nvisibility: private\nstatus: active\n---\nGoing.\n",
		"projects/done.md":          "---\ntype: project\ntitle: Done\nslug: done\nvisibility: private\nstatus: archived\n---\nGone.\n",
		"ai-agents/claude.md":       "---\ntype: ai-agent\ntitle: Claude\nslug: claude\nvisibility: private\n---\nFor code.\n",
		"people/README.md":          "# people/\n",
		"README.md":                 "# Vault\n",
		"INDEX.md":                  "# Index\n",
	})
	r := read(t, "starter", in(dir))
	small := r.byTitle(t, "Small changes")
	equal(t, "description", small.Entry.Description, "Read in ten minutes")
	equal(t, "ended", small.Ended, "archived")
	equal(t, "expires", small.Entry.Expires, "2026-05-27T00:00:00Z")
	equal(t, "visibility", extraOf(small.Entry, "visibility"), "public")
	review := r.byTitle(t, "Review")
	equal(t, "scope", review.Scope, User)
	equal(t, "updated", review.Entry.Updated, "2026-06-02T00:00:00Z")
	equal(t, "related", extraOf(review.Entry, "related"), `"[[small-changes]] [[gone]]"`)
	equal(t, "links", fmt.Sprint(review.Notes), "[it links to a note that is not there: missing it links to a note that is not there: gone]")
	equal(t, "tags", fmt.Sprint(review.Entry.Tags), "[review playbook]")
	equal(t, "failed", r.byTitle(t, "Cache by path").Entry.Kind, entryfile.FailedPath)
	equal(t, "dated by its slug", r.byTitle(t, "Cache by path").Entry.Created, "2026-06-01T00:00:00Z")
	equal(t, "decision", r.byTitle(t, "Kept it").Entry.Kind, entryfile.Decision)
	equal(t, "slug", len(r.byTitle(t, "Kept it").Notes), 1)
	equal(t, "open", r.byTitle(t, "Widget").Entry.Status, entryfile.StatusOpen)
	equal(t, "resolved", r.byTitle(t, "Done").Entry.Status, entryfile.StatusResolved)
	equal(t, "agent", r.byTitle(t, "Claude").Entry.Kind, entryfile.Preference)
	equal(t, "records", len(r.records), 7)
}

func TestMarinara(t *testing.T) {
	dir := tree(t, map[string]string{
		"skills/lorebook-style/SKILL.md": "---\nname: \"Lorebook style\"\ndescription: \"How entries are keyed\"\n---\n\nKey on the name.\n",
		"memories.json":                  `[{"id":"m1","name":"Naming","description":"d","content":"Use both names.","enabled":true,"persistent":true,"createdAt":"2026-09-26T10:00:00.000Z"},{"name":"Off","content":"x","enabled":false},{"other":1}]`,
		"one.json":                       `{"name":"Single","description":"","content":"y"}`,
		"upload.md":                      "# Tone\n\nWarm.\n",
		"package.json":                   `{"name":"not a memory"}`,
	})
	r := read(t, "marinara", in(dir))
	skill := r.byTitle(t, "Lorebook style").Entry
	equal(t, "description", skill.Description, "How entries are keyed")
	equal(t, "body", skill.Body, "Key on the name.")
	naming := r.byTitle(t, "Naming")
	equal(t, "pinned", naming.Entry.Pinned, true)
	equal(t, "created", naming.Entry.Created, "2026-09-26T10:00:00Z")
	equal(t, "key", naming.Key, "memory/m1")
	equal(t, "off", r.byTitle(t, "Off").Proposal != nil, true)
	equal(t, "single", r.byTitle(t, "Single").Entry.Body, "y")
	equal(t, "upload", r.byTitle(t, "Tone").Entry.Body, "Warm.")
	equal(t, "records", len(r.records), 5)
	equal(t, "refused", fmt.Sprint(r.refused), "[source/memories.json:1#3: it is no memory: it has no name and content]")
}

// Text too long for a field moves into the body, and none of it is lost.
func TestLongFields(t *testing.T) {
	title, description := strings.Repeat("long ", 60), strings.Repeat("more ", 80)
	tags := make([]string, 20)
	for i := range tags {
		tags[i] = fmt.Sprintf("tag%d", i)
	}
	dir := tree(t, map[string]string{"a.jsonl": lines(t, obj{"title": title, "description": description, "body": "text", "tags": tags})})
	r := read(t, "jsonl", in(dir))
	e := r.records[0].Entry
	for _, want := range []string{strings.TrimSpace(title), strings.TrimSpace(description), "text", "tag19"} {
		if !strings.Contains(e.Body, want) {
			t.Errorf("the body has lost %.20q", want)
		}
	}
	equal(t, "tags", len(e.Tags), entryfile.MaxTags)
}

func TestReadingTwiceGivesTheSameKeys(t *testing.T) {
	dir := codewhaleTree(t)
	a := read(t, "codewhale", Input{Paths: []string{dir}, Remotes: []string{remote}})
	b := read(t, "codewhale", Input{Paths: []string{dir}, Remotes: []string{remote}})
	for i := range a.records {
		equal(t, "key", b.records[i].Key, a.records[i].Key)
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-05-02 09:14 UTC": "2026-05-02T09:14:00Z", "2026-05-02": "2026-05-02T00:00:00Z", "2026-05-01T10:00:00+02:00": "2026-05-01T08:00:00Z",
		"2026-05-01T10:00:00.123Z": "2026-05-01T10:00:00Z", "(2026/05/01)": "2026-05-01T00:00:00Z", "1 May 2026": "2026-05-01T00:00:00Z", "May 1, 2026": "2026-05-01T00:00:00Z",
		"13-Jul-2000": "2000-07-13T00:00:00Z", "2026-05-02 09:14:00 +0530": "2026-05-02T03:44:00Z",
		"2026-05-02 09:14 EST": "", "2026-13-01": "", "yesterday": "", "": "", "12345678901234567890": "", "0001-01-01": "", "01/02/2026": "",
	} {
		equal(t, text, date(text), want)
	}
}

func FuzzMarkdownFormats(f *testing.F) {
	f.Add("---\nstatus: accepted\ndate: 2026-01-02\n---\n# T\n\n## Decision\n\nx [[y]] #t\n")
	f.Add("- (2026-05-02 09:14 UTC) a\n  - before: b\n- **revise** `1` memory/global/MEMORY.md\n  - before: a\n  - after: c\n")
	f.Add("```\n# x\n~~~\n## y\n=====\n")
	f.Add("---\nglobs: **/*.go\n- a\n---\n\xff\x00")
	names := map[string]string{
		"codewhale": "memory/JOURNAL.md", "adr": "0001-a.md", "claude-code": "memory/MEMORY.md", "agents-md": "AGENTS.md", "cursor-rules": "a.mdc",
		"cline-memory-bank": "progress.md", "serena": "a.md", "basic-memory": "a.md", "obsidian": "a.md", "starter": "tracelets/a.md", "marinara": "SKILL.md",
	}
	f.Fuzz(func(t *testing.T, text string) {
		for format, name := range names {
			fuzzFile(t, format, name, text)
		}
	})
}

func FuzzJSONFormats(f *testing.F) {
	f.Add(`{"title":"a","body":"b","status":"superseded by [x](y.md)","path":"z.md"}`)
	f.Add(`{"format":"vault.entry.v1","id":"g0000000","scope":"user","kind":"decision","title":"t","body":"b"}`)
	f.Add(`{"type":"entity","name":"a","observations":["b"]}` + "\n" + `{"type":"relation","from":"a","to":"b"}`)
	f.Add(`{"schema":"codewhale.memory.export.v1","memory":{"id":"a","status":"superseded","draft":{"kind":"x","title":"t","body":"b"}}}`)
	f.Add(`[{"name":"a","content":"b"}]`)
	f.Add("{\"title\":\"a\",\"bo\xff)\":\"b\",\"status\":\"&0000000000000000000000\",\"0000\":\"0000\"}")
	f.Add(`{"format":"vault.entry.v1","id":"g0000000","kind":"decision","title":"t","body":"b","extra":[{"key":"title","value":"a\\nb"},{"key":"--> ","value":"[a,b]"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []string{"jsonl", "codewhale", "mcp-memory"} {
			fuzzFile(t, format, "memory.jsonl", text)
		}
		fuzzFile(t, "marinara", "memory.json", text)
	})
}
