package hooks

import (
	"bytes"
	"encoding/json"

	"gitvault/vault"
)

// A dialect is how a client reads what a hook says. A form that is nil has no
// place for it.
type dialect struct {
	context func(event vault.HookEvent, text string) any // for the model
	ask     func(text string) any                        // at a stop: one more turn
	compact func(a vault.HookAnswer) any
	nothing any // what is written where there is nothing to say

	compactsAlways bool // its compact event comes at every turn
	goesOn         bool // after a compaction it starts no session
}

type object = map[string]any

// text is what is written as it stands, where the client takes no JSON.
type text string

var dialects = map[string]dialect{
	"claude-code": {
		context: specific(object{"session-start": "SessionStart", "prompt": "UserPromptSubmit"}),
		ask:     block("block"),
		compact: func(a vault.HookAnswer) any { return text(a.Keep) }, // becomes a part of its instructions to the summary
	},
	// Codex fails a hook that says a field it does not know.
	"codex": {
		context: specific(object{"session-start": "SessionStart", "prompt": "UserPromptSubmit"}),
		ask:     block("block"),
		compact: func(a vault.HookAnswer) any { return object{"systemMessage": a.Person} },
	},
	"vscode": {
		context: specific(object{"session-start": "SessionStart", "prompt": "UserPromptSubmit"}),
		ask: func(t string) any {
			return object{"hookSpecificOutput": object{"hookEventName": "Stop", "decision": "block", "reason": t}}
		},
		compact: func(a vault.HookAnswer) any { return object{"systemMessage": a.Person} },
	},
	"gemini-cli": {
		context:        specific(object{"session-start": "SessionStart", "prompt": "BeforeAgent"}),
		ask:            block("deny"),
		compact:        func(a vault.HookAnswer) any { return object{"systemMessage": a.Person} },
		compactsAlways: true,
		goesOn:         true,
	},
	// Cursor wants JSON in any case, and a prompt's hook can't add to it.
	"cursor": {
		context: func(e vault.HookEvent, t string) any {
			if e != vault.HookSessionStart {
				return nil
			}
			return object{"additional_context": t}
		},
		ask:     func(t string) any { return object{"followup_message": t} },
		nothing: object{},
	},
	// opencode has no hooks but plugins: vault's takes the text as it is.
	"opencode": {
		context: func(_ vault.HookEvent, t string) any { return text(t) },
		compact: func(a vault.HookAnswer) any { return text(a.Keep) },
	},
}

// specific is context as Claude Code has it and others copied it, under the
// client's own names of the events.
func specific(names object) func(vault.HookEvent, string) any {
	return func(e vault.HookEvent, t string) any {
		return object{"hookSpecificOutput": object{"hookEventName": names[string(e)], "additionalContext": t}}
	}
}

func block(decision string) func(string) any {
	return func(reason string) any { return object{"decision": decision, "reason": reason} }
}

// Answer is what the client is to read.
func (c Call) Answer(a vault.HookAnswer) []byte {
	d := c.client
	var out any
	switch {
	case a.Context != "" && d.context != nil:
		out = d.context(c.Event, a.Context)
	case a.Ask != "" && d.ask != nil:
		out = d.ask(a.Ask)
	case a.Keep != "" && d.compact != nil:
		out = d.compact(a)
	}
	if out == nil {
		out = d.nothing
	}
	switch out := out.(type) {
	case nil:
		return nil
	case text:
		return []byte(out)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(out) != nil {
		return nil
	}
	return b.Bytes()
}

// Nothing is what a client reads where there is nothing to say, whatever was
// wrong.
func Nothing(client string) []byte { return Call{client: dialects[client]}.Answer(vault.HookAnswer{}) }
