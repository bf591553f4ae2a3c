package importers

import (
	"encoding/json"
	"strings"
)

// A block is a part of a message of Claude Code.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks reads a message's content, which is a text or a list of blocks.
func blocks(message json.RawMessage) []block {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	return contentBlocks(m.Content)
}

func contentBlocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	if json.Unmarshal(content, &list) != nil {
		return nil
	}
	return list
}

// textOf joins the texts of blocks.
func textOf(list []block) string {
	var parts []string
	for _, b := range list {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (t *trace) claudeUser(message json.RawMessage, hidden bool) {
	for _, b := range blocks(message) {
		switch b.Type {
		case "text":
			if strings.HasPrefix(b.Text, "[Request interrupted") {
				t.aborted = true
			} else if !hidden {
				t.request(b.Text)
			}
		case "tool_result":
			if b.IsError {
				t.failed(t.calls[b.ToolUseID].what, textOf(contentBlocks(b.Content)))
			}
			delete(t.calls, b.ToolUseID)
		}
	}
}

func (t *trace) claudeAssistant(message json.RawMessage, side bool) {
	for _, b := range blocks(message) {
		switch b.Type {
		case "text":
			if !side && strings.TrimSpace(b.Text) != "" {
				t.ending = b.Text
			}
		case "tool_use":
			if len(t.calls) < 10_000 {
				t.calls[b.ID] = call{t.claudeTool(b)}
			}
		}
	}
}

// claudeTool records a tool's use and returns what to call it by.
func (t *trace) claudeTool(b block) string {
	var in struct {
		FilePath     text `json:"file_path"`
		NotebookPath text `json:"notebook_path"`
		Path         text `json:"path"`
		Command      text `json:"command"`
		Description  text `json:"description"`
		Pattern      text `json:"pattern"`
	}
	// An input that is none of these is a tool that is told by its name.
	_ = json.Unmarshal(b.Input, &in)
	file := first(in.FilePath, in.NotebookPath)
	switch b.Name {
	case "Write":
		t.did("wrote", file)
	case "Edit", "MultiEdit", "NotebookEdit":
		t.did("edited", file)
	case "Read", "NotebookRead":
		t.did("read", file)
	case "Bash":
		return t.ran(string(in.Command))
	}
	if file != "" {
		return b.Name + " `" + t.local(clean(file, 200)) + "`"
	}
	return clean(b.Name, 80)
}
