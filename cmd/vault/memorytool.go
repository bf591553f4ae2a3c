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

	"gitvault/internal/safetext"
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
		in := bufio.NewReaderSize(a.stdin, 64<<10)
		out := a.live()
		for {
			line, tooLong, readErr := readCommand(in)
			var done any
			switch line = bytes.TrimSpace(line); {
			case tooLong:
				done = vault.MemoryAnswer{Text: "Error: the command is over 4 MiB", IsError: true}
			case len(line) > 0:
				done = memoryAnswer(line, func(cmd vault.MemoryCommand) vault.MemoryAnswer {
					answer, err := h.MemoryTool(c.Context(), a.scope, cmd)
					if err != nil {
						return vault.MemoryAnswer{Text: a.tellable(err.Error()), IsError: true}
					}
					return answer
				})
			}
			if done != nil {
				if err := writeAnswer(out, done); err != nil {
					return err
				}
			}
			if errors.Is(readErr, io.EOF) {
				return nil
			} else if readErr != nil {
				return readErr
			}
		}
	})
}

// readCommand reads one line; of one that is too long it keeps nothing.
func readCommand(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxCommand {
			line, tooLong = nil, true
		} else if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// writeAnswer writes an answer on a line of its own.
func writeAnswer(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(safetext.JSON(b.Bytes()))
	return err
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
