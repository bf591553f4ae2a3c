package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A station is a machine of its own: a home, a repository to work in, and the
// program as it is installed.
type station struct {
	t    *testing.T
	work string
	env  []string
}

func newStation(t *testing.T) *station {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := &station{t: t, work: filepath.Join(dir, "widget")}
	home := filepath.Join(dir, "home")
	config := filepath.Join(home, ".gitconfig")
	require.NoError(t, os.MkdirAll(home, 0o755))
	require.NoError(t, os.MkdirAll(d.work, 0o755))
	require.NoError(t, os.WriteFile(config, []byte("[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n"), 0o644))
	d.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TMPDIR=" + dir, "TZ=UTC", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + config, "VAULT_HOME=" + filepath.Join(home, "vault"), "USER=ada"}
	d.run("git", "init", "-q")
	d.run("git", "remote", "add", "origin", "https://example.org/team/widget.git")
	return d
}

func (d *station) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(d.t.Context(), name, args...)
	c.Dir, c.Env, c.Stderr = d.work, d.env, os.Stderr
	return c
}

func (d *station) run(name string, args ...string) string {
	d.t.Helper()
	out, err := d.command(name, args...).Output()
	require.NoError(d.t, err, "%s %v", name, args)
	return string(out)
}

// session starts an agent's session: the client starts the program, as clients
// do.
func (d *station) session(id string) *mcp.ClientSession {
	d.t.Helper()
	c := d.command("vault", "mcp")
	c.Env = append(c.Env, "CLAUDE_CODE_SESSION_ID="+id, "CLAUDE_PROJECT_DIR="+d.work)
	client := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	cs, err := client.Connect(d.t.Context(), &mcp.CommandTransport{Command: c}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(d.t, err)
	return cs
}

func called(t *testing.T, cs *mcp.ClientSession, tool string, args map[string]any) map[string]any {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.False(t, r.IsError, "%s: %v", tool, r.Content)
	data, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// hook has the client run a hook, and gives what the model is told.
func (d *station) hook(event, session string, more map[string]any) string {
	d.t.Helper()
	in := map[string]any{"session_id": session, "cwd": d.work}
	for k, v := range more {
		in[k] = v
	}
	data, err := json.Marshal(in)
	require.NoError(d.t, err)
	c := d.command("vault", "hook", event)
	c.Env = append(c.Env, "CLAUDE_PROJECT_DIR="+d.work)
	c.Stdin = bytes.NewReader(data)
	out, err := c.Output()
	require.NoError(d.t, err)
	if len(out) == 0 {
		return ""
	}
	var answer struct {
		Decision, Reason string
		Specific         struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.NoError(d.t, json.Unmarshal(out, &answer), "%s", out)
	return answer.Specific.AdditionalContext + answer.Reason
}

// A session as an agent runs it, with the real program and no mocks; what the
// person kept of it is there in the next one, and nothing else.
func TestASessionAndTheNext(t *testing.T) {
	d := newStation(t)
	assert.NotContains(t, d.hook("session-start", "s1", map[string]any{"source": "startup"}), "Postgres")
	assert.Empty(t, d.hook("prompt", "s1", map[string]any{"prompt": "which queue do we use?"}))
	one := d.session("s1")
	assert.NotContains(t, called(t, one, "context", nil)["context"], "Postgres")
	assert.Empty(t, called(t, one, "recall", map[string]any{"query": "which queue do we use"})["hits"])
	decision := called(t, one, "remember", map[string]any{"kind": "decision", "title": "Queue in Postgres", "text": "One system less to run."})
	assert.Equal(t, "example.org/team/widget", decision["project"])
	dropped := called(t, one, "remember", map[string]any{"kind": "failed_path", "title": "Queue in Redis", "text": "It lost jobs on restart."})
	id := id(decision)
	edited := called(t, one, "update", map[string]any{"id": id, "text": "One system less to run and to watch."})
	assert.Equal(t, decision["card"], edited["card"], "the agent has thought again: one card")
	d.run("git", "commit", "-q", "--allow-empty", "-m", "Use the queue")
	assert.Empty(t, d.hook("tool", "s1", map[string]any{"tool_input": map[string]any{"command": "git commit -m 'Use the queue'"}}), "nothing to see")
	assert.Contains(t, d.hook("stop", "s1", nil), `session "s1"`, "it is asked to record the session")
	called(t, one, "trace", map[string]any{"session": "s1", "text": "Chose the queue."})
	assert.Empty(t, d.hook("stop", "s1", map[string]any{"stop_hook_active": true}))
	assert.Empty(t, d.hook("stop", "s1", nil))
	assert.Empty(t, d.hook("session-end", "s1", map[string]any{"reason": "other"}))
	require.NoError(t, one.Close())

	pending := d.run("vault", "list", "--pending")
	assert.Contains(t, pending, "Queue in Postgres")
	assert.Contains(t, pending, "claude-code")
	d.run("vault", "keep", id)
	d.run("vault", "restore", dropped["card"].(string))

	assert.Contains(t, d.hook("session-start", "s2", map[string]any{"source": "startup"}), "Queue in Postgres")
	said := d.hook("prompt", "s2", map[string]any{"prompt": "which queue do we use?"})
	assert.Contains(t, said, "One system less to run and to watch.")
	assert.NotContains(t, said, "Redis")
	assert.Empty(t, d.hook("prompt", "s2", map[string]any{"prompt": "which queue do we use?"}))
	two := d.session("s2")
	assert.Contains(t, called(t, two, "context", nil)["context"], "Queue in Postgres")
	hits := called(t, two, "recall", map[string]any{"query": "which queue do we use"})["hits"].([]any)
	require.Len(t, hits, 1)
	assert.Equal(t, id, hits[0].(map[string]any)["id"])
	assert.Equal(t, "One system less to run and to watch.", called(t, two, "get", map[string]any{"id": id})["entries"].([]any)[0].(map[string]any)["body"])
	require.NoError(t, two.Close())
	assert.Empty(t, d.run("vault", "check"))
}

// On HTTP the program prints its address first, then the header; the token is
// the person's alone; and the file that says both goes with the program.
func TestServingOnHTTP(t *testing.T) {
	d := newStation(t)
	ctx, stop := context.WithCancel(t.Context())
	c := d.command("vault", "mcp", "--http", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	context.AfterFunc(ctx, func() { _ = c.Process.Signal(os.Interrupt) })
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	url := lines.Text()
	require.True(t, lines.Scan())
	name, value, _ := strings.Cut(lines.Text(), ": ")
	assert.Equal(t, "Authorization", name)

	states, err := filepath.Glob(filepath.Join(filepath.Dir(d.work), "home", "vault", "state", "mcp-*.json"))
	require.NoError(t, err)
	require.Len(t, states, 1)
	info, err := os.Stat(states[0])
	require.NoError(t, err)
	if os.PathSeparator == '/' {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	cs, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: header(value)}}, nil)
	require.NoError(t, err)
	assert.Equal(t, "example.org/team/widget", called(t, cs, "status", nil)["project"])
	require.NoError(t, cs.Close())
	stop()
	if os.PathSeparator == '/' {
		require.NoError(t, c.Wait())
		assert.NoFileExists(t, states[0])
	} else {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	assert.NotContains(t, fmt.Sprint(d.run("vault", "status")), strings.TrimPrefix(value, "Bearer "))
}

type header string

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(h))
	return http.DefaultTransport.RoundTrip(r)
}
