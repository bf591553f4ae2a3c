// Command vault is memory for AI agents and the people who work with them, as
// plain Markdown in git.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, terminate)
	w := process()
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(w.finish(code))
}
