package backends

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// grace is how long a program that has answered, or has been told to end, may
// take to do so.
const grace = DefaultTimeout / 10

// child is a program that runs for one question. What it leaves running in its
// process group ends with it, where the system can do that.
type child struct {
	ctx    context.Context
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	errs   bytes.Buffer
	unread func() bool
}

// start starts a program; it is killed when the context ends.
func (w World) start(ctx context.Context, command []string) (*child, error) {
	c := &child{ctx: ctx, cmd: exec.CommandContext(ctx, command[0], command[1:]...)} //nolint:gosec // the person's own words
	c.cmd.Env, c.cmd.Dir, c.cmd.WaitDelay = w.Environ, w.Dir, grace
	c.cmd.Stderr = &limiter{&c.errs}
	group(c.cmd)
	c.cmd.Cancel = func() error { return killGroup(c.cmd.Process) }
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.stdout, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	// A process that left the group may hold the other end for ever.
	c.unread = context.AfterFunc(ctx, func() { _ = c.stdout.Close() })
	return c, nil
}

// end waits a little for the program, which has nothing more to say, to end,
// and kills what is left of it. A program that ended with a failure is one.
func (c *child) end() error {
	c.unread()
	_ = c.stdin.Close()
	go func() { _, _ = io.Copy(io.Discard, c.stdout) }() // or it could not end for writing
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	defer func() { _ = killGroup(c.cmd.Process) }()
	soon := c.patience()
	for i, stop := range []func(*os.Process) error{endGroup, killGroup} {
		select {
		case err := <-done:
			if i > 0 || c.ctx.Err() != nil || errors.Is(err, exec.ErrWaitDelay) {
				return nil // it was ended, or left somebody with its standard error
			}
			return err
		case <-time.After(soon):
			_ = stop(c.cmd.Process)
		}
	}
	<-done
	return nil
}

// patience is how long the program may take to end: what it has answered must
// not come too late for it.
func (c *child) patience() time.Duration {
	if at, ok := c.ctx.Deadline(); ok {
		return max(0, min(grace, time.Until(at)/4))
	}
	return grace
}

// said is a failure together with what the program said on standard error,
// once it has ended.
func (c *child) said(err error) error {
	if said := strings.Join(strings.Fields(c.errs.String()), " "); said != "" {
		return fmt.Errorf("%w: %.200s", err, said)
	}
	return err
}

// limiter takes as much as an answer may have, and drops the rest.
type limiter struct{ b *bytes.Buffer }

func (l *limiter) Write(p []byte) (int, error) {
	if room := maxAnswer - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
