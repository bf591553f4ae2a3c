package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every tool, resource and prompt, as another client calls them: MCP Inspector's
// command line, over both transports.
func TestInspector(t *testing.T) {
	cli, err := filepath.EvalSymlinks(npmTool(t, "mcp-inspector").Path)
	require.NoError(t, err)
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			d := newStation(t)
			made := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(d.run("vault", "--json", "remember", "--kind", "decision", "--title", "Queue in Postgres", "One system less to run.")), &made))
			thread := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(d.run("vault", "--json", "remember", "--kind", "open_thread", "Who pays for it?")), &thread))
			program, err := exec.LookPath("vault")
			require.NoError(t, err)
			server := []string{program, "mcp"}
			if transport == "http" {
				address, header := d.serve()
				server = []string{relay(t, address, header, nil)}
			}
			inspect := func(args ...string) string {
				t.Helper()
				c := npmTool(t, "node", filepath.Join(filepath.Dir(cli), "index.js")) // what it starts for --cli, after a second's wait
				c.Dir = d.work
				for _, v := range d.env {
					if name, _, _ := strings.Cut(v, "="); name != "PATH" {
						c.Env = append(c.Env, v)
					}
				}
				c.Args = append(append(c.Args, server...), args...)
				out, err := c.CombinedOutput()
				require.NoError(t, err, "%v\n%s", args, out)
				require.True(t, json.Valid(out), "%v\n%s", args, out)
				return string(out)
			}
			call := func(tool string, args ...string) string {
				line := []string{"--method", "tools/call", "--tool-name", tool}
				for _, a := range args {
					line = append(line, "--tool-arg", a)
				}
				return inspect(line...)
			}
			tools := inspect("--method", "tools/list")
			for _, name := range []string{"remember", "update", "forget", "get", "list", "recall", "context", "status", "trace", "resolve"} {
				assert.Contains(t, tools, `"name": "`+name+`"`)
			}
			entry := id(made)
			assert.Contains(t, call("remember", "text=Ship one binary.", "kind=decision"), `"pending": true`)
			assert.Contains(t, call("update", "id="+entry, "text=One system less to watch."), `"pending": true`)
			assert.Contains(t, call("forget", "id="+entry, "reason=trying"), `"pending": true`, "asked for in place of the edit")
			assert.Contains(t, call("get", "id="+entry), "One system less to run.")
			assert.Contains(t, call("list", "kind=decision"), `"total": 1`)
			assert.Contains(t, call("recall", "query=which queue"), entry)
			assert.Contains(t, call("context"), "Queue in Postgres")
			assert.Contains(t, call("status"), "example.org/team/widget")
			assert.Contains(t, call("trace", "session=s1", "text=Tried the queue."), `"session_trace"`)
			assert.Contains(t, call("resolve", "id="+id(thread), "outcome=We do."), `"pending": true`)

			assert.Contains(t, inspect("--method", "resources/list"), "vault://context")
			assert.Contains(t, inspect("--method", "resources/templates/list"), "vault://entry/{id}")
			assert.Contains(t, inspect("--method", "resources/read", "--uri", "vault://index"), "Queue in Postgres")
			assert.Contains(t, inspect("--method", "resources/read", "--uri", "vault://entry/"+entry), "One system less to run.")
			assert.Contains(t, inspect("--method", "prompts/list"), "end-session")
			assert.Contains(t, inspect("--method", "prompts/get", "--prompt-name", "recall", "--prompt-args", "query=queue"), entry)
			assert.Contains(t, inspect("--method", "prompts/get", "--prompt-name", "review"), "waits as card")
			assert.Contains(t, inspect("--method", "prompts/get", "--prompt-name", "end-session", "--prompt-args", "session=s1"), "s1")
		})
	}
}
