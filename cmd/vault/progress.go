package main

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows how far a long piece of work is, to a person who waits at a
// terminal; it appears only once there is something to wait for.
type progress struct {
	app   *app
	what  string
	start time.Time
	bar   *progressbar.ProgressBar
}

// patience is how long a piece of work goes on before a bar is shown.
const patience = 300 * time.Millisecond

func (a *app) progress() *progress { return &progress{app: a, start: time.Now()} }

func (p *progress) show(what string, done, of int) {
	if p.app.quiet || !p.app.errTerminal || time.Since(p.start) < patience {
		return
	}
	if p.bar == nil || p.what != what {
		p.clear()
		if of == 0 {
			of = -1
		}
		p.what = what
		p.bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(p.app.stderr), progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(65*time.Millisecond))
	}
	_ = p.bar.Set(done)
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
