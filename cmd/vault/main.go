// Command vault is memory for AI agents and the people who work with them, as
// plain Markdown in git.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
)

// gcPercent lets the heap grow to several times what is in use, and softLimit
// says where that ends.
const (
	gcPercent = 400
	softLimit = 200 << 20
)

func main() {
	// A command lives for milliseconds and holds little: collecting its garbage
	// costs more than it saves.
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(softLimit)
	growStack()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, terminate)
	w := process()
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(w.finish(code))
}

// growStack makes room on the stack for the deepest calls while it is shallow.
// Grown as needed, it would be copied five times, each time deeper: a tenth of
// what a short command costs.
//
//go:noinline
func growStack() byte {
	var room [64 << 10]byte
	return room[len(os.Args)%len(room)]
}
