package importers

import (
	"encoding/json"
	"strings"
)

// codex takes a line of Codex's: its kind and what it carries.
func (t *trace) codex(kind string, payload json.RawMessage) {
	switch kind {
	case "session_meta":
		var m struct {
			ID  string `json:"id"`
			Cwd string `json:"cwd"`
			Git struct {
				Branch string `json:"branch"`
			} `json:"git"`
		}
		if json.Unmarshal(payload, &m) != nil {
			t.bad++
			return
		}
		t.is("Codex", m.ID, m.Cwd, m.Git.Branch)
	case "response_item":
		t.is("Codex", "", "", "")
		t.codexItem(payload)
	case "event_msg":
		t.is("Codex", "", "", "")
		t.codexEvent(payload)
	case "turn_context", "compacted", "world_state", "inter_agent_communication":
		t.is("Codex", "", "", "")
	default:
		t.unknown[kind]++
	}
}

// codexItem takes a message, a tool's use or its result.
func (t *trace) codexItem(data json.RawMessage) {
	var item struct {
		Type      string          `json:"type"`
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		CallID    string          `json:"call_id"`
		Output    json.RawMessage `json:"output"`
		Action    struct {
			Command []string `json:"command"`
		} `json:"action"`
	}
	if json.Unmarshal(data, &item) != nil {
		t.bad++
		return
	}
	switch item.Type {
	case "message":
		text := textOf(contentBlocks(item.Content))
		switch item.Role {
		case "user":
			t.request(text)
		case "assistant":
			if strings.TrimSpace(text) != "" {
				t.ending = text
			}
		}
	case "function_call":
		t.waits(item.CallID, t.codexCall(item.Name, item.Arguments))
	case "custom_tool_call":
		if item.Name == "apply_patch" {
			t.patch(item.Input)
		}
		t.waits(item.CallID, clean(item.Name, 80))
	case "local_shell_call":
		t.waits(item.CallID, t.ran(shellCommand(item.Action.Command)))
	case "function_call_output", "custom_tool_call_output":
		t.codexOutput(item.CallID, item.Output)
	case "reasoning", "web_search_call", "ghost_snapshot", "tool_search_call", "tool_search_output", "image_generation_call", "compaction":
	default:
		t.unknown[item.Type]++
	}
}

func (t *trace) waits(id, what string) {
	if len(t.calls) < 10_000 {
		t.calls[id] = call{what}
	}
}

// codexCall records a function's call and returns what to call it by.
func (t *trace) codexCall(name, arguments string) string {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     text            `json:"cmd"`
		Path    text            `json:"path"`
		Input   text            `json:"input"`
	}
	// Arguments that are none of these are a function that is told by its name.
	_ = json.Unmarshal([]byte(arguments), &in)
	var words []string
	var line string
	switch {
	case json.Unmarshal(in.Command, &words) == nil && len(words) > 0:
		if words[0] == "apply_patch" && len(words) > 1 {
			t.patch(words[1])
			return "apply_patch"
		}
		line = shellCommand(words)
	case json.Unmarshal(in.Command, &line) == nil && line != "":
	case in.Cmd != "":
		line = string(in.Cmd)
	}
	if line != "" {
		if strings.Contains(line, "*** Begin Patch") {
			t.patch(line)
			return "apply_patch"
		}
		return t.ran(line)
	}
	if name == "apply_patch" {
		t.patch(string(in.Input))
	}
	return clean(name, 80)
}

// shellCommand is what a shell was told to run, or the command itself.
func shellCommand(words []string) string {
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// patch records the files that a patch of Codex's changes.
func (t *trace) patch(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, p := range [...]struct{ mark, verb string }{{"*** Add File: ", "wrote"}, {"*** Update File: ", "edited"}, {"*** Delete File: ", "deleted"}, {"*** Move to: ", "moved to"}} {
			if file, ok := strings.CutPrefix(line, p.mark); ok {
				t.did(p.verb, file)
			}
		}
	}
}

// codexOutput takes a result, which says in one of several ways how it went.
func (t *trace) codexOutput(id string, output json.RawMessage) {
	what := t.calls[id].what
	delete(t.calls, id)
	var text string
	if json.Unmarshal(output, &text) != nil {
		var o struct {
			Content string `json:"content"`
			Success *bool  `json:"success"`
		}
		if json.Unmarshal(output, &o) != nil {
			return
		}
		if o.Success != nil && !*o.Success {
			t.failed(what, o.Content)
			return
		}
		text = o.Content
	}
	var result struct {
		Output   string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &result) == nil {
		if result.Metadata.ExitCode != 0 {
			t.failed(what, result.Output)
		}
		return
	}
	for line := range strings.Lines(text[:min(len(text), 600)]) {
		for _, mark := range [...]string{"Exit code: ", "Process exited with code "} {
			if code, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok && code != "0" {
				t.failed(what, text)
				return
			}
		}
	}
}

// codexEvent takes what happened beside the items: most of it says again what
// they say.
func (t *trace) codexEvent(data json.RawMessage) {
	var e struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Last    string `json:"last_agent_message"`
	}
	if json.Unmarshal(data, &e) != nil {
		t.bad++
		return
	}
	switch e.Type {
	case "user_message":
		t.request(e.Message)
	case "agent_message":
		if strings.TrimSpace(e.Message) != "" {
			t.ending = e.Message
		}
	case "task_complete", "turn_complete":
		if strings.TrimSpace(e.Last) != "" {
			t.ending = e.Last
		}
	case "turn_aborted":
		t.aborted = true
	case "error", "stream_error":
		t.failed("Codex", e.Message)
	case "token_count", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "task_started", "turn_started", "context_compacted", "entered_review_mode", "exited_review_mode",
		"exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "view_image_tool_call",
		"plan_update", "turn_diff", "thread_rolled_back", "undo_completed", "item_completed", "thread_name_updated", "background_event", "warning":
	default:
		t.unknown[e.Type]++
	}
}
