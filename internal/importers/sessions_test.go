package importers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

// lines writes values as JSON Lines.
func lines(t *testing.T, values ...any) string {
	t.Helper()
	var b strings.Builder
	for _, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	return b.String()
}

type obj = map[string]any

// token is made at run time, so that no scanner finds it here.
var token = "ghp_" + strings.Repeat("a1B2c3", 6)

func claudeSession(t *testing.T) string {
	line := func(kind, at string, message any, more obj) obj {
		o := obj{"type": kind, "timestamp": at, "sessionId": "5f0c-1", "cwd": "/home/user/widget", "gitBranch": "main", "message": message}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	use := func(id, name string, input obj) obj {
		return obj{"type": "tool_use", "id": id, "name": name, "input": input}
	}
	result := func(id, text string, failed bool) obj {
		return obj{"role": "user", "content": []any{obj{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": text}}}
	}
	return lines(t,
		obj{"type": "summary", "summary": "Fix the upload", "leafUuid": "x"},
		line("user", "2026-11-30T19:00:00.123Z", obj{"role": "user", "content": "Fix the upload. The token is " + token}, nil),
		line("user", "2026-11-30T19:00:01Z", obj{"role": "user", "content": "not a person's"}, obj{"isMeta": true}),
		line("assistant", "2026-11-30T19:00:02Z", obj{"role": "assistant", "content": []any{
			obj{"type": "thinking", "thinking": "secret thoughts"}, obj{"type": "text", "text": "I look."},
			use("1", "Read", obj{"file_path": "/home/user/widget/upload.go"}), use("2", "Bash", obj{"command": "go test ./... # " + token})}}, nil),
		line("user", "2026-11-30T19:00:03Z", result("2", "FAIL upload_test.go:12\nexit status 1", true), nil),
		line("assistant", "2026-11-30T19:00:04Z", obj{"role": "assistant", "content": []any{
			use("3", "Edit", obj{"file_path": "/home/user/widget/upload.go"}), use("4", "Edit", obj{"file_path": "/home/user/widget/upload.go"}),
			use("5", "Write", obj{"file_path": "/home/user/widget/upload_test.go", "content": "x"})}}, nil),
		line("user", "2026-11-30T19:10:00Z", obj{"role": "user", "content": []any{obj{"type": "text", "text": "<system-reminder>be nice</system-reminder>Now commit."}}}, nil),
		line("assistant", "2026-11-30T19:10:05Z", obj{"role": "assistant", "content": []any{obj{"type": "text", "text": "## Done\n\nThe upload works."}}}, nil),
		obj{"type": "unheard-of", "sessionId": "5f0c-1"},
	) + "{broken\n"
}

func codexSession(t *testing.T) string {
	item := func(payload obj) obj {
		return obj{"timestamp": "2026-11-30T20:00:00Z", "type": "response_item", "payload": payload}
	}
	return lines(t,
		obj{"timestamp": "2026-11-30T19:59:00Z", "type": "session_meta", "payload": obj{"id": "01a2-c", "cwd": "/home/user/widget", "git": obj{"branch": "fix"}}},
		item(obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": "<environment_context>\n<cwd>/home/user/widget</cwd>\n</environment_context>"}}}),
		item(obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": "Rename the flag"}}}),
		obj{"timestamp": "2026-11-30T20:00:00Z", "type": "event_msg", "payload": obj{"type": "user_message", "message": "Rename the flag"}},
		item(obj{"type": "reasoning", "summary": []any{}}),
		item(obj{"type": "function_call", "name": "shell", "call_id": "a", "arguments": `{"command":["bash","-lc","go build ./..."]}`}),
		item(obj{"type": "function_call_output", "call_id": "a", "output": `{"output":"undefined: flag","metadata":{"exit_code":1}}`}),
		item(obj{"type": "custom_tool_call", "name": "apply_patch", "call_id": "b", "input": "*** Begin Patch\n*** Update File: main.go\n@@\n-a\n+b\n*** Add File: flag.go\n+x\n*** End Patch"}),
		item(obj{"type": "custom_tool_call_output", "call_id": "b", "output": "ok"}),
		item(obj{"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": `{"cmd":"go vet ./..."}`}),
		item(obj{"type": "function_call_output", "call_id": "c", "output": "Exit code: 2\nWall time: 1\nOutput:\nvet: bad"}),
		item(obj{"type": "brand_new"}),
		item(obj{"type": "message", "role": "assistant", "content": []any{obj{"type": "output_text", "text": "Renamed."}}}),
		obj{"timestamp": "2026-11-30T20:05:00Z", "type": "event_msg", "payload": obj{"type": "turn_aborted", "reason": "interrupted"}},
	)
}

func TestSessions(t *testing.T) {
	dir := tree(t, map[string]string{
		"projects/-home-user-widget/5f0c-1.jsonl": claudeSession(t),
		"sessions/2026/11/30/rollout-x.jsonl":     codexSession(t),
		"history.jsonl":                           `{"display":"x"}`,
		"other.jsonl":                             strings.Repeat("{\"a\":1}\n", 30),
		"empty.jsonl":                             `{"type":"summary","summary":"x"}`,
	})
	r := read(t, "sessions", in(dir))
	equal(t, "records", len(r.records), 2)

	claude := r.records[0]
	equal(t, "key", claude.Key, "session/5f0c-1")
	equal(t, "session", claude.Entry.Session, "5f0c-1")
	equal(t, "created", claude.Entry.Created, "2026-11-30T19:00:00Z")
	equal(t, "kind", claude.Entry.Kind, entryfile.SessionTrace)
	equal(t, "title", claude.Entry.Title, "Fix the upload.")
	equal(t, "body", claude.Entry.Body, strings.TrimSpace(`
A session of Claude Code, 2026-11-30T19:00:00Z to 2026-11-30T19:10:05Z, in widget on branch main.

## Requests

- Fix the upload. The token is [secret: github-pat]
- Now commit.

## Files

- read `+"`upload.go`"+`
- edited `+"`upload.go`"+` (2 times)
- wrote `+"`upload_test.go`"+`

## Commands

- `+"`go test ./... # [secret: github-pat]`"+`

## Errors

- `+"`go test ./... # [secret: github-pat]`"+`: FAIL upload_test.go:12
  exit status 1

## How it ended

**Done**

The upload works.`))
	equal(t, "notes", fmt.Sprint(claude.Notes), "[1 lines could not be read 1 lines are of kinds that are not known: unheard-of]")

	codex := r.records[1]
	equal(t, "key", codex.Key, "session/01a2-c")
	equal(t, "body", codex.Entry.Body, strings.TrimSpace(`
A session of Codex, 2026-11-30T19:59:00Z to 2026-11-30T20:05:00Z, in widget on branch fix.

## Requests

- Rename the flag

## Files

- edited `+"`main.go`"+`
- wrote `+"`flag.go`"+`

## Commands

- `+"`go build ./...`"+`
- `+"`go vet ./...`"+`

## Errors

- `+"`go build ./...`"+`: undefined: flag
- `+"`go vet ./...`"+`: Exit code: 2
  Wall time: 1
  Output:
  vet: bad

## How it ended

Renamed.

It was interrupted.`))
	equal(t, "notes", fmt.Sprint(codex.Notes), "[1 lines are of kinds that are not known: brand_new]")
	for _, rec := range r.records {
		if strings.Contains(fmt.Sprintf("%+v", rec), token[8:]) {
			t.Error("a secret came through")
		}
	}
}

func TestSessionsStayBounded(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		b.WriteString(lines(t,
			obj{"type": "user", "sessionId": "s", "timestamp": "2026-11-30T19:00:00Z", "message": obj{"content": fmt.Sprintf("request %d %s", i, strings.Repeat("word ", 1000))}},
			obj{"type": "assistant", "sessionId": "s", "message": obj{"content": []any{
				obj{"type": "tool_use", "id": fmt.Sprint(i), "name": "Bash", "input": obj{"command": fmt.Sprintf("run %d %s", i, strings.Repeat("x", 5000))}}}}},
			obj{"type": "user", "sessionId": "s", "message": obj{"content": []any{
				obj{"type": "tool_result", "tool_use_id": fmt.Sprint(i), "is_error": true, "content": strings.Repeat("line\n", 3000)}}}},
		))
	}
	dir := tree(t, map[string]string{"s.jsonl": b.String()})
	r := read(t, "sessions", in(dir))
	if n := len(r.records[0].Entry.Body); n > entryfile.MaxTrace/2 {
		t.Errorf("the trace has %d bytes", n)
	}
	if !strings.Contains(r.records[0].Entry.Body, "Left out: ") {
		t.Error("what was left out is not said")
	}
}

func TestSessionFileThatIsNone(t *testing.T) {
	dir := tree(t, map[string]string{"x.jsonl": strings.Repeat("{\"a\":1}\n", 30)})
	r := read(t, "sessions", in(filepath.Join(dir, "x.jsonl")))
	equal(t, "refused", fmt.Sprint(r.refused), "[x.jsonl: it is no session of Claude Code or Codex]")
}

// A program's own folder holds the sessions of all projects: those of others
// do not come here.
func TestSessionsOfOtherProjects(t *testing.T) {
	dir := tree(t, map[string]string{".claude/projects/-home-user-widget/5f0c-1.jsonl": claudeSession(t), ".codex/sessions/2026/x.jsonl": codexSession(t)})
	both := []string{filepath.Join(dir, ".claude"), filepath.Join(dir, ".codex")}
	equal(t, "here", len(read(t, "sessions", Input{Paths: both, Project: "/home/user/widget"}).records), 2)
	r := read(t, "sessions", Input{Paths: both, Project: "/home/user/other"})
	equal(t, "elsewhere", len(r.records), 0)
	equal(t, "said", len(r.notes), 1)
	equal(t, "named", len(read(t, "sessions", Input{Paths: []string{filepath.Join(dir, ".claude", "projects", "-home-user-widget")}, Project: "/home/user/other"}).records), 1)
}

func TestOlderCodexSession(t *testing.T) {
	dir := tree(t, map[string]string{"rollout.jsonl": lines(t,
		obj{"id": "old-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": nil, "git": obj{"branch": "main"}},
		obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": "Say hello"}}},
		obj{"type": "message", "role": "assistant", "content": []any{obj{"type": "output_text", "text": "Hello."}}},
	)})
	r := read(t, "sessions", in(dir))
	equal(t, "session", r.records[0].Entry.Session, "old-1")
	equal(t, "created", r.records[0].Entry.Created, "2025-06-01T10:00:00Z")
	if !strings.HasSuffix(r.records[0].Entry.Body, "Hello.") {
		t.Errorf("body %q", r.records[0].Entry.Body)
	}
}

func FuzzSessions(f *testing.F) {
	f.Add(`{"type":"user","sessionId":"s","message":{"content":"hi"}}`)
	f.Add(`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"command\":[\"x\"]}"}}`)
	f.Add(`{"type":"response_item","payload":{"type":"function_call_output","output":"Exit code: 1"}}`)
	f.Fuzz(func(t *testing.T, text string) { fuzzFile(t, "sessions", "s.jsonl", text) })
}

// fuzzFile reads a file of any content: no panic, and every record one that
// can be written.
func fuzzFile(t *testing.T, format, name, text string) {
	p := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := tryRead(format, in(p))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range r.records {
		checkRecord(t, format, rec)
	}
	after, err := os.ReadFile(p)
	if err != nil || string(after) != text {
		t.Fatal("the source was changed")
	}
}

// A folder may hold everybody's sessions, wherever it lies.
func TestSessionsOfOtherProjectsArePassedOver(t *testing.T) {
	line := func(session, dir string) string {
		return `{"type":"user","sessionId":"` + session + `","cwd":"` + dir + `","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"Fix ` + session + `"}}` + "\n"
	}
	dir := tree(t, map[string]string{"a.jsonl": line("a", "/home/user/widget/sub"), "b.jsonl": line("b", "/home/user/other")})
	r := read(t, "sessions", Input{Paths: []string{dir}, Project: "/home/user/widget"})
	equal(t, "sessions", r.titles(), `session_trace "Fix a"`)
	equal(t, "what is passed over is told", len(r.notes), 1)
	r = read(t, "sessions", Input{Paths: []string{dir + "/b.jsonl"}, Project: "/home/user/widget"})
	equal(t, "a file that was named", r.titles(), `session_trace "Fix b"`)
}
