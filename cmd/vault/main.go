// Command vault is memory for AI agents and the people who work with them, as
// plain Markdown in git.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
)

// gcPercent lets the heap grow to several times what is in use.
const gcPercent = 400

func main() {
	// A command lives for milliseconds and holds little: collecting its garbage
	// costs more than it saves.
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, terminate)
	w := process()
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(w.finish(code))
}
