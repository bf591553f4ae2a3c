package hooks

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// What clients write, as it was seen or as their types have it.
func TestReading(t *testing.T) {
	for _, c := range []struct {
		client, event, in string
		want              vault.HookCall
		folder            string
	}{
		{"claude-code", "session-start", `{"session_id":"8d","transcript_path":"/t","cwd":"/w","hook_event_name":"SessionStart","source":"compact","model":"m"}`,
			vault.HookCall{Event: vault.HookSessionStart, Session: "8d", Source: "compact"}, "/w"},
		{"claude-code", "prompt", `{"session_id":"8d","cwd":"/w","prompt_id":"p","permission_mode":"default","prompt":"hello there"}`,
			vault.HookCall{Event: vault.HookPrompt, Session: "8d", Prompt: "hello there"}, "/w"},
		{"claude-code", "prompt", `{"session_id":"8d","prompt":"tick","source":"loop_wakeup"}`,
			vault.HookCall{Event: vault.HookPrompt, Session: "8d", Source: "loop_wakeup"}, ""},
		{"claude-code", "tool", `{"session_id":"8d","tool_name":"Bash","tool_input":{"command":"git commit -m x"},"tool_response":{"stdout":""}}`,
			vault.HookCall{Event: vault.HookTool, Session: "8d", Command: "git commit -m x"}, ""},
		{"codex", "tool", `{"session_id":"01","tool_input":{"command":["git","commit"]},"transcript_path":null}`,
			vault.HookCall{Event: vault.HookTool, Session: "01", Command: "git commit"}, ""},
		{"codex", "stop", `{"session_id":"01","turn_id":"t","stop_hook_active":true,"last_assistant_message":null}`,
			vault.HookCall{Event: vault.HookStop, Session: "01", Again: true}, ""},
		{"gemini-cli", "prompt", "{\"session_id\":\"5c\",\"timestamp\":\"2026-11-30T19:58:01.706Z\",\"prompt\":\"<hook_context>a\\nb</hook_context>\\n\\nhello <b>\"}",
			vault.HookCall{Event: vault.HookPrompt, Session: "5c", Prompt: "hello <b>"}, ""},
		{"gemini-cli", "compact", `{"session_id":"5c","trigger":"auto"}`, vault.HookCall{Session: "5c"}, ""},
		{"gemini-cli", "compact", `{"session_id":"5c","trigger":"manual"}`, vault.HookCall{Event: vault.HookCompact, Session: "5c"}, ""},
		{"cursor", "stop", `{"conversation_id":"c1","generation_id":"g","workspace_roots":["/w","/v"],"status":"aborted","loop_count":0}`,
			vault.HookCall{Event: vault.HookStop, Session: "c1", Again: true}, "/w"},
		{"cursor", "stop", `{"conversation_id":"c1","status":"completed","loop_count":1}`,
			vault.HookCall{Event: vault.HookStop, Session: "c1", Again: true}, ""},
		{"opencode", "session-start", "", vault.HookCall{Event: vault.HookSessionStart}, ""},
		{"vscode", "prompt", "\xef\xbb\xbf{\"session_id\":\"v\",\"prompt\":\"x\"}\r\n", vault.HookCall{Event: vault.HookPrompt, Session: "v", Prompt: "x"}, ""},
	} {
		got, err := Read(c.client, c.event, strings.NewReader(c.in))
		require.NoError(t, err, c.in)
		c.want.Restarts = c.client != "gemini-cli"
		assert.Equal(t, c.want, got.HookCall, c.in)
		assert.Equal(t, c.folder, got.Folder, c.in)
	}
}

func TestWhatIsNoHookIsSaidWithoutItsText(t *testing.T) {
	for _, in := range []string{`{`, `[]`, `"a secret"`, `{"prompt":{"a secret":1}}`, `nonsense with a secret`} {
		_, err := Read("codex", "prompt", strings.NewReader(in))
		require.Error(t, err, in)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := Read("emacs", "prompt", strings.NewReader(""))
	assert.ErrorContains(t, err, `"emacs"`)
}

// A client that keeps the pipe open is not waited for.
func TestTheEndOfTheMessageIsEnough(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, `{"session_id":"s","prompt":"x"}`) }()
	call, err := Read("claude-code", "prompt", r)
	require.NoError(t, err)
	assert.Equal(t, "x", call.Prompt)

	var m message
	long := strings.NewReader(`{"tool_response":"` + strings.Repeat("x", 100_000) + `"}`)
	assert.ErrorContains(t, decode(&io.LimitedReader{R: long, N: 50_000}, &m), "too long")
}

// What clients take. Codex refuses any other field.
func TestAnswering(t *testing.T) {
	given, ask := vault.HookAnswer{Context: "<a> & b"}, vault.HookAnswer{Ask: "record"}
	compact := vault.HookAnswer{Keep: "keep", Person: "person"}
	for _, c := range []struct {
		client, event string
		answer        vault.HookAnswer
		want          string
	}{
		{"claude-code", "session-start", given, `{"hookSpecificOutput":{"additionalContext":"<a> & b","hookEventName":"SessionStart"}}`},
		{"claude-code", "prompt", given, `{"hookSpecificOutput":{"additionalContext":"<a> & b","hookEventName":"UserPromptSubmit"}}`},
		{"claude-code", "stop", ask, `{"decision":"block","reason":"record"}`},
		{"claude-code", "compact", compact, `keep`},
		{"codex", "session-start", given, `{"hookSpecificOutput":{"additionalContext":"<a> & b","hookEventName":"SessionStart"}}`},
		{"codex", "prompt", given, `{"hookSpecificOutput":{"additionalContext":"<a> & b","hookEventName":"UserPromptSubmit"}}`},
		{"codex", "stop", ask, `{"decision":"block","reason":"record"}`},
		{"codex", "compact", compact, `{"systemMessage":"person"}`},
		{"gemini-cli", "prompt", given, `{"hookSpecificOutput":{"additionalContext":"<a> & b","hookEventName":"BeforeAgent"}}`},
		{"gemini-cli", "stop", ask, `{"decision":"deny","reason":"record"}`},
		{"cursor", "session-start", given, `{"additional_context":"<a> & b"}`},
		{"cursor", "prompt", given, `{}`},
		{"cursor", "stop", ask, `{"followup_message":"record"}`},
		{"cursor", "compact", compact, `{}`},
		{"opencode", "session-start", given, `<a> & b`},
		{"opencode", "stop", ask, ``},
		{"opencode", "compact", compact, `keep`},
		{"vscode", "stop", ask, `{"hookSpecificOutput":{"decision":"block","hookEventName":"Stop","reason":"record"}}`},
	} {
		call, err := Read(c.client, c.event, strings.NewReader(`{}`))
		require.NoError(t, err)
		assert.Equal(t, c.want, strings.TrimSuffix(string(call.Answer(c.answer)), "\n"), "%s %s", c.client, c.event)
	}
	for _, client := range Clients() {
		for _, event := range vault.HookEvents() {
			call, err := Read(client, string(event), strings.NewReader(" \n"))
			require.NoError(t, err)
			got := string(call.Answer(vault.HookAnswer{}))
			assert.Equal(t, got, string(Nothing(client)))
			if client == "cursor" {
				assert.True(t, json.Valid([]byte(got)))
			} else {
				assert.Empty(t, got, client)
			}
		}
	}
	assert.Empty(t, Nothing("emacs"))
}

// Whatever a client writes, reading it ends well or with an error, and an
// answer is JSON or plain.
func FuzzRead(f *testing.F) {
	f.Add("claude-code", "prompt", []byte(`{"session_id":"s","prompt":"<hook_context>"}`))
	f.Add("gemini-cli", "compact", []byte(`{"trigger":1}`))
	f.Add("codex", "tool", []byte(`{"tool_input":{"command":[1,{}]}}`))
	f.Fuzz(func(t *testing.T, client, event string, in []byte) {
		call, err := Read(client, event, bytes.NewReader(in))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		call.Answer(vault.HookAnswer{Context: string(in), Ask: "a", Keep: "k"})
	})
}
