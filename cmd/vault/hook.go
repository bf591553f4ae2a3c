package main

import (
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gitvault/internal/hooks"
	"gitvault/vault"
)

const (
	hookVerb    = "hook"
	hookTimeout = 8 * time.Second // clients give a hook some 10 s
)

// hookFolders name, for each client, the variable in which it tells its hooks
// where the person works. That of another client may come from an outer session.
var hookFolders = map[string]string{
	"claude-code": "CLAUDE_PROJECT_DIR", "gemini-cli": "GEMINI_PROJECT_DIR", "cursor": "CURSOR_PROJECT_DIR",
}

func hookCmd(a *app) *cobra.Command {
	var client string
	c := verb(hookVerb+" EVENT [--client NAME]", "Answer an agent client's hook", `  echo '{"session_id":"s1","cwd":"/home/ada/widget"}' | vault hook session-start
  echo '{"session_id":"s1","prompt":"why is the queue slow?"}' | vault hook prompt --client gemini-cli`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		if a.off() {
			return nil
		}
		a.quiet = true // clients show, or take for a failure, what a hook says on standard error
		ctx, cancel := context.WithTimeout(c.Context(), hookTimeout)
		defer cancel()
		answer, err := a.hook(ctx, args[0], client)
		if err != nil {
			a.hookFailed(client, args[0], err)
		}
		if len(answer) == 0 {
			answer = hooks.Nothing(client)
		}
		signal.Ignore(syscall.SIGPIPE) // a client that reads no more is told nothing more
		if _, err := a.live().Write(answer); err != nil {
			a.hookFailed(client, args[0], err)
			a.drop()
		}
		return nil
	})
	for _, e := range vault.HookEvents() {
		c.ValidArgs = append(c.ValidArgs, string(e))
	}
	c.Flags().StringVar(&client, "client", "claude-code", "whose hook it is: "+strings.Join(hooks.Clients(), ", "))
	return c
}

// hook answers a hook within the time that ctx leaves.
func (a *app) hook(ctx context.Context, event, client string) ([]byte, error) {
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: fmt.Errorf("stopped by a mistake in vault: %v", p)}
			}
			done <- r
		}()
		r.answer, r.err = a.answerHook(ctx, event, client)
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("no answer within %s", hookTimeout)
	}
}

func (a *app) answerHook(ctx context.Context, event, client string) ([]byte, error) {
	in := a.stdin
	if a.inTerminal {
		in = strings.NewReader("") // a person tries it
	}
	call, err := hooks.Read(client, event, in)
	if err != nil {
		return nil, err
	}
	if call.Event == "" {
		return call.Answer(vault.HookAnswer{}), nil
	}
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	if a.chdir == "" {
		for _, dir := range []string{a.getenv("VAULT_PROJECT_DIR"), a.getenv(hookFolders[client]), call.Folder} {
			if dir != "" {
				o.Dir = orNowhere(firstFolder(dir), a.nowhere())
				break
			}
		}
	}
	if call.Session == "" {
		call.Session = o.Writer.Session
	}
	o.Writer = vault.Writer{Agent: client}
	h, err := vault.Open(o)
	if err != nil {
		return nil, err
	}
	answer, err := h.Hook(ctx, call.HookCall)
	return call.Answer(answer), err
}

// hookFailed keeps what went wrong where a person looks for it: a hook that
// fails would stop the agent's turn in some clients.
func (a *app) hookFailed(client, event string, err error) {
	vault.NoteHookFailure(a.homeDir(), vault.HookFailure{Time: time.Now(), Client: client, Event: event, Error: err.Error()})
}

// forgive reports whether a command line that could not be understood is a
// client's hook, whose turn goes on all the same.
func (a *app) forgive(c *cobra.Command, err error) bool {
	if c == nil || c.Name() != hookVerb || a.inTerminal {
		return false
	}
	a.hookFailed("", strings.Join(c.Flags().Args(), " "), err)
	return true
}
