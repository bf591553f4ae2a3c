package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notVaults are the scenarios of the conformance suite that ask for something
// vault does not have. docs/mcp.md gives the reason of each.
var notVaults = []string{
	"tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content",
	"tools-call-with-logging", "tools-call-sampling", "json-schema-2020-12",
	"elicitation-sep1034-defaults", "elicitation-sep1330-enums",
	"resources-read-binary", "prompts-get-embedded-resource", "prompts-get-with-image",
}

// The suite asks for tools, resources and prompts with names of its own. These
// are what vault has in their place.
func translated(entry string) func([]byte) []byte {
	type object = map[string]any
	tools := map[string]object{
		"test_simple_text":        {"name": "status", "arguments": object{}},
		"test_error_handling":     {"name": "get", "arguments": object{}},
		"test_tool_with_progress": {"name": "recall", "arguments": object{"query": "number 123"}},
		"test_elicitation":        {"name": "remember", "arguments": object{"text": "The suite was here.", "kind": "decision"}},
	}
	prompts := map[string]object{
		"test_simple_prompt":         {"name": "end-session"},
		"test_prompt_with_arguments": {"name": "recall", "arguments": object{"query": "testValue1 and testValue2"}},
	}
	uris := map[string]string{
		"test://static-text": "vault://context", "test://watched-resource": "vault://context", "test://template/123/data": "vault://entry/" + entry,
	}
	return func(body []byte) []byte {
		var m struct {
			Method string `json:"method"`
			Params object `json:"params"`
		}
		var all object
		if json.Unmarshal(body, &m) != nil || json.Unmarshal(body, &all) != nil || m.Params == nil {
			return body
		}
		name, _ := m.Params["name"].(string)
		uri, _ := m.Params["uri"].(string)
		var by object
		switch m.Method {
		case "tools/call":
			by = tools[name]
		case "prompts/get":
			by = prompts[name]
		}
		for k, v := range by {
			m.Params[k] = v
		}
		if to := uris[uri]; to != "" {
			m.Params["uri"] = to
		}
		all["params"] = m.Params
		out, err := json.Marshal(all)
		if err != nil {
			return body
		}
		return out
	}
}

// The protocol's own conformance suite, in server mode over HTTP.
func TestConformance(t *testing.T) {
	suite := npmTool(t, "conformance")
	version, err := npmTool(t, "node", "--version").Output()
	if major := regexp.MustCompile(`^v(\d+)`).FindStringSubmatch(string(version)); err != nil || major == nil || len(major[1]) < 2 || major[1] < "22" {
		t.Skipf("the suite needs Node 22, and node is %q", strings.TrimSpace(string(version)))
	}
	d := newStation(t)
	var made map[string]any
	require.NoError(t, json.Unmarshal([]byte(d.run("vault", "--json", "remember", "--kind", "decision", "--title", "Number 123", "Numbers go up.")), &made))
	for _, text := range []string{"One.", "Two.", "Three."} { // a file each, which recall reports its progress on
		d.run("vault", "remember", text)
	}
	address, header := d.serve()
	suite.Args = append(suite.Args, "server", "--suite", "all", "--url", relay(t, address, header, translated(id(made))))
	out, err := suite.CombinedOutput()
	found := regexp.MustCompile(`(?m)^(\S+) (\S+): (\d+) passed, (\d+) failed`).FindAllStringSubmatch(string(out), -1)
	require.Greater(t, len(found), 20, "%v\n%s", err, out)
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp.md"))
	require.NoError(t, err)
	for _, m := range found {
		name, failed := m[2], m[4]
		if slices.Contains(notVaults, name) {
			assert.True(t, strings.Contains(string(docs), "`"+name+"`"), "docs/mcp.md does not name %s", name)
			assert.NotEqual(t, "0", failed, "%s applies now", name)
			continue
		}
		assert.Equal(t, "0", failed, "%s\n%s", name, said(string(out), name))
	}
}

// said is what the suite says of a scenario.
func said(out, name string) string {
	_, out, _ = strings.Cut(out, "=== Running scenario: "+name+" ===")
	out, _, _ = strings.Cut(out, "=== Running")
	return out
}
