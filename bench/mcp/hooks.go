package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
)

// prompts are asked in turn: some bring something up, most don't.
var prompts = []string{
	"why did we replace the durable cache with a replica",
	"please run the tests again",
	"The scheduler holds its lock too long when the queue is full. Find out why, and write a test that fails before you change anything.",
	"thanks, looks good",
}

// hooks measures what a client waits for: whole processes, a new session each.
func hooks(l *lab.Lab, home string) error {
	run := func(event string, input func(round int) object) side.Run {
		return func(round int) (side.Sample, error) {
			in := input(round)
			in["session_id"], in["cwd"] = fmt.Sprintf("bench-%s-%d", event, round), l.Work
			data, err := json.Marshal(in)
			if err != nil {
				return side.Sample{}, err
			}
			cmd := l.InVault(home, "hook", event)
			cmd.Stdin = strings.NewReader(string(data))
			return lab.Time(cmd)
		}
	}
	stats, err := side.Interleave(3, lab.Pick(l, 20, 100),
		run("session-start", func(int) object { return object{"source": "startup"} }),
		run("prompt", func(round int) object { return object{"prompt": prompts[round%len(prompts)]} }),
		run("tool", func(int) object { return object{"tool_input": object{"command": "ls"}} }),
		run("stop", func(int) object { return object{} }))
	if err != nil {
		return err
	}
	for i, event := range []string{"session-start", "prompt", "tool", "stop"} {
		l.Table.Limit("hook "+event, "ms", stats[i].Median.Seconds()*1e3, 30)
		l.Table.Note("  fastest and slowest", "%s", stats[i])
	}
	return nil
}
