// Package hooks speaks agent clients' hook dialects: what a client writes on a
// hook's standard input, and what it reads from its standard output. Which of
// them takes what, and where each is known from, stands in docs/hooks.md.
package hooks

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"gitvault/vault"
)

// A Call is a hook of a client, read.
type Call struct {
	vault.HookCall
	Folder string // where the client says the person works, "" where it doesn't
	client dialect
}

// message is what clients write: the union of their fields.
type message struct {
	SessionID      string          `json:"session_id"`
	ConversationID string          `json:"conversation_id"`
	CWD            string          `json:"cwd"`
	WorkspaceRoots []string        `json:"workspace_roots"`
	Source         string          `json:"source"`
	Trigger        string          `json:"trigger"`
	Prompt         string          `json:"prompt"`
	StopHookActive bool            `json:"stop_hook_active"`
	LoopCount      int             `json:"loop_count"`
	Status         string          `json:"status"`
	ToolInput      json.RawMessage `json:"tool_input"`
}

// Clients lists the names of the clients whose dialect is known.
func Clients() []string {
	return []string{"claude-code", "codex", "cursor", "gemini-cli", "opencode", "vscode"}
}

// maxMessage bounds what is read of a client's message, in bytes.
const maxMessage = 32 << 20

// Read reads what a client writes, to the end of its message: some keep the
// pipe open. No message at all is an empty one. A call without an event has
// nothing to ask.
func Read(client, event string, in io.Reader) (Call, error) {
	d, ok := dialects[client]
	if !ok {
		return Call{}, fmt.Errorf("no hooks of client %q are known: use %s", client, strings.Join(Clients(), ", "))
	}
	var m message
	if err := decode(&io.LimitedReader{R: in, N: maxMessage}, &m); err != nil {
		return Call{client: d}, fmt.Errorf("standard input is no JSON object of a hook: %w", err)
	}
	c := Call{client: d, HookCall: vault.HookCall{
		Event: vault.HookEvent(event), Session: m.SessionID, Source: m.Source, Prompt: m.Prompt,
		Command: command(m.ToolInput), Again: m.StopHookActive || m.LoopCount > 0, Restarts: !d.goesOn,
	}}
	if c.Session == "" {
		c.Session = m.ConversationID
	}
	c.Folder = m.CWD
	if len(m.WorkspaceRoots) > 0 {
		c.Folder = m.WorkspaceRoots[0]
	}
	switch c.Event {
	case vault.HookPrompt:
		c.Prompt = hookContext().ReplaceAllString(c.Prompt, "")
		switch m.Source {
		case "", "user", "sdk":
		default:
			c.Prompt = "" // not the person's
		}
	case vault.HookCompact:
		if d.compactsAlways && m.Trigger != "manual" {
			c.Event = "" // it says so at every turn
		}
	case vault.HookStop:
		c.Again = c.Again || m.Status == "aborted" || m.Status == "error"
	}
	return c, nil
}

// hookContext is what Gemini CLI puts before a prompt: what hooks said
// themselves.
var hookContext = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<hook_context>.*?</hook_context>\s*`) })

// command is the shell command among a tool's arguments.
func command(input json.RawMessage) string {
	var args struct {
		Command any `json:"command"`
	}
	if json.Unmarshal(input, &args) != nil {
		return ""
	}
	switch c := args.Command.(type) {
	case string:
		return c
	case []any:
		return strings.TrimSuffix(fmt.Sprintln(c...), "\n")
	}
	return ""
}

// decode reads one message. What is wrong with it is said without its text.
func decode(in *io.LimitedReader, m *message) error {
	r := bufio.NewReader(in)
	if mark, _, err := r.ReadRune(); err == nil && mark != '\ufeff' {
		_ = r.UnreadRune()
	}
	err := json.NewDecoder(r).Decode(m)
	var field *json.UnmarshalTypeError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case in.N == 0:
		return errors.New("it is too long")
	case errors.As(err, &field) && field.Field != "":
		return fmt.Errorf("its %s is a %s", field.Field, field.Value)
	}
	return errors.New("it can't be decoded")
}
