package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

// outputs validates documents by the schema in the docs.
type outputs struct {
	t    *testing.T
	root jsonschema.Schema
	home string
	seen map[string]bool
}

func newOutputs(t *testing.T) *outputs {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema.json"))
	require.NoError(t, err)
	o := &outputs{t: t, home: t.TempDir(), seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(data, &o.root))
	return o
}

// run runs a command with --json and holds what it prints to the schema of the
// named document. It returns the document.
func (o *outputs) run(document string, args ...string) map[string]any {
	o.t.Helper()
	var out, errs bytes.Buffer
	w := world{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, dir: o.home,
		lookup: func(name string) (string, bool) { return "", false }}
	run(context.Background(), append([]string{"--json", "--home", filepath.Join(o.home, "vault")}, args...), w)
	text := out.Bytes()
	if document == "error" {
		text = errs.Bytes()
	}
	var v map[string]any
	require.NoErrorf(o.t, json.Unmarshal(text, &v), "%v printed %s%s", args, out.String(), errs.String())
	o.validate(document, v)
	return v
}

func (o *outputs) validate(document string, v any) {
	o.t.Helper()
	name := "output of " + document
	require.Contains(o.t, o.root.Defs, name)
	s := o.root
	s.Ref = "#/$defs/" + strings.ReplaceAll(name, " ", "%20")
	resolved, err := s.Resolve(nil)
	require.NoError(o.t, err)
	require.NoErrorf(o.t, resolved.Validate(v), "the output of %s", document)
	o.seen[document] = true
}

func id(v map[string]any) string {
	return v["entry"].(map[string]any)["id"].(string)
}

// Everything that --json prints is as docs/schema.json says, and the schema
// describes nothing that is never printed.
func TestJSONIsAsDocumented(t *testing.T) {
	o := newOutputs(t)
	user := func(args ...string) []string { return append(args, "--scope", "user") }

	o.run("init", user("init")...)
	first := o.run("remember", user("remember", "--kind", "decision", "--tag", "storage", "--title", "Queue in Redis", "Redis is there already.")...)
	o.run("remember", user("remember", "--kind", "decision", "--supersedes", id(first), "--expires", "2099-01-31", "--evidence", "a talk", "Queue in Postgres.")...)
	o.run("edit", "edit", id(first), "--body", "Redis was there already.")
	o.run("edit", "edit", id(first), "--title", "Queue in Redis")
	o.run("get", "get", id(first))
	o.run("list", "list", "--all", "--body")
	o.run("recall", "recall", "--all", "--explain", "redis queue")
	settings := filepath.Join(o.home, "vault", "config.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("recall: {backends: [{name: vectors, kind: vector}]}"), 0o600))
	require.Contains(t, o.run("recall", "recall", "redis queue")["notes"].([]any)[0], settings+" line 1: unknown kind")
	o.run("status", "status")
	require.NoError(t, os.Remove(settings))
	o.run("context", "context")
	o.run("log", "log")
	o.run("show COMMIT", "show", "HEAD")
	o.run("show ID", "show", id(first))
	o.run("diff", "diff", "HEAD~2..HEAD")
	o.run("blame", "blame", id(first))

	held := o.run("remember", user("remember", "--agent", "codex", "Prefer table tests.")...)
	o.run("edit", "edit", "--agent", "codex", id(first), "--body", "Redis is gone.")
	o.run("list", "list", "--pending")
	o.run("review", "review")
	o.run("keep", "keep", id(held))
	o.run("restore", "restore", "--all")
	o.run("forget", "forget", id(held))
	o.run("undo", "undo")

	thread := o.run("remember", user("remember", "--kind", "open-thread", "Why is checkout slow?")...)
	o.run("resolve", "resolve", id(thread), "--as", "decision", "--outcome", "The pool was too small.")
	o.run("promote", "promote", id(thread), "--to", "failed-path")
	o.run("trace add", user("trace", "add", "--session", "s1", "Looked at the pool.")...)
	o.run("trace append", user("trace", "append", "--session", "s1", "Raised it.")...)
	o.run("trace compact", user("trace", "compact", "--session", "s1", "Raised the pool.")...)
	o.run("trace list", "trace", "list")
	o.run("trace show", "trace", "show", "s1")

	o.disagree(id(first))
	o.run("settle", "settle")
	o.run("settle ID", "settle", id(first), "--take", "this")

	lines := filepath.Join(o.home, "in.jsonl")
	require.NoError(t, os.WriteFile(lines, []byte(`{"title":"Logs with slog","body":"One handler."}`+"\nnot JSON\n"), 0o600))
	o.run("import", user("import", "jsonl", lines)...)
	o.run("export", "export", "adr", "--out", filepath.Join(o.home, "adr"))
	o.run("export", "export", "codewhale", "--dry-run")
	o.syncs()
	o.run("check", "check")
	o.run("doctor", "doctor")
	o.run("link", "link")
	o.run("scopes", "scopes")
	o.run("install", "install", "claude-code", "--project")
	o.run("uninstall", "uninstall", "claude-code", "--project")
	o.run("bridge", "bridge", "codex")
	o.run("status", "status")
	o.run("purge", "purge", "--yes", id(held))
	o.run("trust", "trust", "--revoke", "--scope", "user")
	o.run("version", "version")
	o.run("error", "get", "zzzz2222")

	for name := range o.root.Defs {
		if document, ok := strings.CutPrefix(name, "output of "); ok {
			require.Truef(t, o.seen[document], "nothing here prints %s", document)
		}
	}
}

// syncs has the documents of what goes between machines.
func (o *outputs) syncs() {
	o.t.Helper()
	git, err := exec.LookPath("git")
	require.NoError(o.t, err)
	gitIn := func(dir string, args ...string) {
		o.t.Helper()
		cmd := exec.Command(git, append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoErrorf(o.t, err, "%s", out)
	}
	hub, second := filepath.Join(o.home, "hub.git"), filepath.Join(o.home, "second")
	gitIn(o.home, "init", "-q", "--bare", hub)
	o.run("remote add", "remote", "add", "--scope", "user", hub)
	o.run("sync", "sync", "--scope", "user")
	o.run("remote list", "remote", "list")
	o.run("clone", "clone", hub, "--home", second)
	o.run("remote remove", "remote", "remove", "--scope", "user")

	code := filepath.Join(o.home, "code")
	gitIn(o.home, "init", "-q", code)
	gitIn(code, "commit", "-q", "--allow-empty", "-m", "one")
	o.run("remember", "remember", "-C", code, "--kind", "decision", "Widgets are round.")
	o.run("at", "at", "-C", code, "HEAD")
	gitIn(code, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
	o.run("at", "at", "-C", code, "HEAD")
	o.run("diff", "diff", "-C", code, "--code", "HEAD")
}

// disagree leaves an entry with another version beside it, as a merge does.
func (o *outputs) disagree(id string) {
	o.t.Helper()
	path := filepath.Join(o.home, "vault", "user", "decisions.md")
	data, err := os.ReadFile(path)
	require.NoError(o.t, err)
	data = append(data, []byte("\n## Queue in Redis\n<!-- vault: {id: k0000000, created: 2026-01-02T03:04:05Z, conflict: "+id+"} -->\n\nRedis, they say.\n")...)
	require.NoError(o.t, os.WriteFile(path, data, 0o600))
}
