package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

type object = map[string]any

// A client speaks the protocol over a process's standard input and output, with
// nothing around it that takes time.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int

	structured json.RawMessage // of the last answer
}

func dial(cmd *exec.Cmd) (*client, error) {
	c := &client{cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	id, err := c.send("initialize", object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "bench", "version": "1"}})
	if err == nil {
		err = c.await(id)
	}
	if err == nil {
		err = c.write(object{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		c.close()
		return nil, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return c, nil
}

func (c *client) close() {
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

func (c *client) write(message object) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(data, '\n'))
	return err
}

func (c *client) send(method string, params object) (int, error) {
	c.id++
	return c.id, c.write(object{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
}

// await reads until all of the requests are answered well.
func (c *client) await(ids ...int) error {
	due := map[int]bool{}
	for _, id := range ids {
		due[id] = true
	}
	for len(due) > 0 {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%w: %w", errClosed, err)
		}
		var answer struct {
			ID     int             `json:"id"`
			Error  json.RawMessage `json:"error"`
			Result struct {
				IsError    bool            `json:"isError"`
				Content    json.RawMessage `json:"content"`
				Structured json.RawMessage `json:"structuredContent"`
			} `json:"result"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return fmt.Errorf("an answer is no JSON: %w", err)
		}
		if answer.Error != nil {
			return fmt.Errorf("refused: %s", answer.Error)
		}
		if answer.Result.IsError {
			return fmt.Errorf("failed: %s", answer.Result.Content)
		}
		if due[answer.ID] {
			delete(due, answer.ID)
			c.structured = answer.Result.Structured
		}
	}
	return nil
}

// call calls a tool.
func (c *client) call(tool string, args object) error {
	id, err := c.send("tools/call", object{"name": tool, "arguments": args})
	if err != nil {
		return err
	}
	return c.await(id)
}

// waiting is how many changes wait for review in the project.
func (c *client) waiting() (int, error) {
	if err := c.call("status", object{}); err != nil {
		return 0, err
	}
	var status struct{ Scopes []struct{ Pending int } }
	if err := json.Unmarshal(c.structured, &status); err != nil {
		return 0, err
	}
	n := 0
	for _, s := range status.Scopes {
		n += s.Pending
	}
	return n, nil
}
