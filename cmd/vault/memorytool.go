package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/secrets"
	"gitvault/vault"
)

// maxCommand bounds one line of commands, in bytes.
const maxCommand = 4 << 20

func memoryToolCmd(a *app) *cobra.Command {
	return verb("memory-tool", "Answer Anthropic's memory tool, a scope as its folder", `  echo '{"command":"view","path":"/memories"}' | vault memory-tool
  vault --scope project memory-tool    # one command a line in, one answer a line out`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		o, err := a.options()
		if err != nil {
			return err
		}
		if !o.Writer.IsAgent() {
			o.Writer.Agent = "memory-tool" // what a model asks for is never a person's doing
		}
		if o.Writer.Session == "" {
			o.Writer.Session = "memory-tool-" + strings.ToLower(rand.Text()[:8]) // one for this run
		}
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		in := bufio.NewScanner(a.stdin)
		in.Buffer(make([]byte, 0, 64<<10), maxCommand)
		out := json.NewEncoder(a.live())
		out.SetEscapeHTML(false)
		for in.Scan() {
			line := bytes.TrimSpace(in.Bytes())
			if len(line) == 0 {
				continue
			}
			answer := func(cmd vault.MemoryCommand) vault.MemoryAnswer {
				done, err := h.MemoryTool(c.Context(), a.scope, cmd)
				if err != nil {
					return vault.MemoryAnswer{Text: a.tellable(err.Error()), IsError: true}
				}
				return done
			}
			if err := out.Encode(memoryAnswer(line, answer)); err != nil {
				return err
			}
		}
		if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
			return usage("a command is over 4 MiB")
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	})
}

// A toolUse is the model's call of the tool as the Messages API has it; its
// answer is a toolResult.
type toolUse struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	Type    string `json:"type"`
	ID      string `json:"tool_use_id"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
}

// memoryAnswer answers a line: a command alone, or a whole tool_use block.
func memoryAnswer(line []byte, run func(vault.MemoryCommand) vault.MemoryAnswer) any {
	var use toolUse
	block := json.Unmarshal(line, &use) == nil && use.Type == "tool_use"
	if block {
		line = use.Input
	}
	var cmd vault.MemoryCommand
	var done vault.MemoryAnswer
	if err := json.Unmarshal(line, &cmd); err != nil {
		done = vault.MemoryAnswer{Text: "Error: the command can't be read: " + oneLine(secrets.Redact(err.Error())), IsError: true}
	} else {
		done = run(cmd)
	}
	if block {
		return toolResult{"tool_result", use.ID, done.Text, done.IsError}
	}
	return done
}
