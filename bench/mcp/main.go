// Command mcp measures the MCP server over standard input and output, beside
// another memory server, @modelcontextprotocol/server-memory, holding the same
// facts; and agent clients' hooks.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
	"gitvault/bench/internal/text"
)

const (
	entries = 1_000
	size    = 950 // bytes of a body, about
	flight  = 20  // writes at once
)

// words are asked for in turn, one at a time: the other server looks for a text
// as it stands. Each is in some of the generated texts.
var words = []string{"backoff", "durable", "scheduler", "baseline", "replica"}

func main() {
	lab.Main("mcp: the server for agents, and hooks", func(l *lab.Lab) error {
		src, err := l.Text(entries)
		if err != nil {
			return err
		}
		notes := src.Many(entries, size)
		home, _, err := l.Import("mcp", notes)
		if err != nil {
			return err
		}
		l.Table.Head("%d entries", entries)
		if err := recall(l, home, notes); err != nil {
			return err
		}
		if err := hooks(l, home); err != nil {
			return err
		}
		return writes(l, home)
	})
}

// recall measures a call on a connection that is open, and a connection from
// its start to the answer of its first call.
func recall(l *lab.Lab, home string, notes []text.Note) error {
	peer, err := peerServer(l, notes)
	if err != nil {
		return err
	}
	ours := func() *exec.Cmd { return l.InVault(home, "mcp") }
	ask := func(c *client, round int) error {
		return c.call("recall", object{"query": words[round%len(words)]})
	}
	search := func(c *client, round int) error {
		return c.call("search_nodes", object{"query": words[round%len(words)]})
	}
	open, err := dial(ours())
	if err != nil {
		return err
	}
	defer open.close()
	warm := func(c *client, f func(*client, int) error) side.Run {
		return func(round int) (side.Sample, error) { return timed(func() error { return f(c, round) }) }
	}
	start := func(cmd func() *exec.Cmd, f func(*client, int) error) side.Run {
		return func(round int) (side.Sample, error) {
			var c *client
			s, err := timed(func() (err error) {
				if c, err = dial(cmd()); err != nil {
					return err
				}
				return f(c, round)
			})
			if c != nil {
				c.close()
			}
			return s, err
		}
	}
	calls, starts := lab.Pick(l, 50, 300), lab.Pick(l, 10, 40)
	if peer == nil {
		l.Table.Note("server-memory", "is not installed; with npm: npm install -g @modelcontextprotocol/server-memory")
		stats, err := side.Interleave(5, calls, warm(open, ask))
		if err != nil {
			return err
		}
		l.Table.Note("recall", "%s", stats[0])
		if stats, err = side.Interleave(1, starts, start(ours, ask)); err != nil {
			return err
		}
		l.Table.Note("start to first answer", "%s", stats[0])
		return nil
	}
	other, err := dial(peer())
	if err != nil {
		return err
	}
	defer other.close()
	stats, err := side.Interleave(5, calls, warm(open, ask), warm(other, search))
	if err != nil {
		return err
	}
	l.Table.Compare("recall on an open connection", stats[0], "search_nodes", stats[1], 0.5)
	if stats, err = side.Interleave(1, starts, start(ours, ask), start(peer, search)); err != nil {
		return err
	}
	l.Table.Compare("start to the first answer", stats[0], "server-memory", stats[1], 1.0/3)
	return nil
}

// peerServer fills the other server with the same facts; nil where it is not
// installed.
func peerServer(l *lab.Lab, notes []text.Note) (func() *exec.Cmd, error) {
	program := ""
	for _, dir := range []string{filepath.Join(os.Getenv("VAULT_TEST_NPM"), "node_modules", ".bin"), ""} {
		if path, err := exec.LookPath(filepath.Join(dir, "mcp-server-memory")); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		return nil, nil
	}
	file := filepath.Join(l.Top, "memory.jsonl")
	start := func() *exec.Cmd {
		cmd := l.Command(l.Work, program)
		cmd.Env = append(cmd.Env, "MEMORY_FILE_PATH="+file)
		return cmd
	}
	c, err := dial(start())
	if err != nil {
		return nil, err
	}
	defer c.close()
	var list []object
	for _, n := range notes {
		list = append(list, object{"name": n.Title, "entityType": "decision", "observations": []string{n.Body}})
	}
	return start, c.call("create_entities", object{"entities": list})
}

// writes measures many writes in flight on one connection beside as many one
// after another, and counts what is there.
func writes(l *lab.Lab, home string) error {
	src, err := l.Text(7)
	if err != nil {
		return err
	}
	rounds := lab.Pick(l, 5, 9) // with what may wait for review in mind
	var conns [2]*client
	for i := range conns {
		to := filepath.Join(l.Top, fmt.Sprintf("writes%d", i))
		if err := lab.Copy(home, to); err != nil {
			return err
		}
		if conns[i], err = dial(l.InVault(to, "mcp")); err != nil {
			return err
		}
		defer conns[i].close()
	}
	drafts := func() (list []object) {
		for range flight {
			n := src.Next(size)
			list = append(list, object{"text": n.Body, "title": n.Title, "kind": "decision"})
		}
		return list
	}
	run := func(c *client, together bool) side.Run {
		return func(int) (side.Sample, error) {
			list := drafts()
			lab.Settle()
			return timed(func() error {
				var due []int
				for _, args := range list {
					id, err := c.send("tools/call", object{"name": "remember", "arguments": args})
					if err != nil {
						return err
					}
					if due = append(due, id); !together {
						if err := c.await(due...); err != nil {
							return err
						}
						due = nil
					}
				}
				return c.await(due...)
			})
		}
	}
	stats, err := side.Interleave(1, rounds, run(conns[0], true), run(conns[1], false))
	if err != nil {
		return err
	}
	l.Table.Compare(fmt.Sprintf("%d writes in flight", flight), stats[0], "one after another", stats[1], 1)
	for i, c := range conns {
		n, err := c.waiting()
		if err != nil {
			return err
		}
		if want := (rounds + 1) * flight; n != want {
			return fmt.Errorf("connection %d made %d writes and %d are there", i, want, n)
		}
	}
	l.Table.Note("  acknowledged and there", "%d of %d", (rounds+1)*flight, (rounds+1)*flight)
	return nil
}

func timed(f func() error) (side.Sample, error) {
	start := time.Now()
	err := f()
	return side.Sample{Time: time.Since(start)}, err
}

var errClosed = errors.New("the server has closed its output")
