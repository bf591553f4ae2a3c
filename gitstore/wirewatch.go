package gitstore

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A watcher reads what a transfer tells of its work: that it tells anything is
// the sign of life that puts off giving up.
type watcher struct {
	mu       sync.Mutex
	timer    *time.Timer
	silence  time.Duration
	progress func(string, int, int)
	line     []byte
	kept     bytes.Buffer
}

// watch gives a context that ends when the transfer has been silent for too
// long. Stop the watcher in the end.
func (w Wire) watch(ctx context.Context) (context.Context, *watcher) {
	ctx, cancel := context.WithCancelCause(ctx)
	silence := w.Silence
	if silence <= 0 {
		silence = defaultSilence
	}
	return ctx, &watcher{progress: w.Progress, silence: silence, timer: time.AfterFunc(silence, func() { cancel(errSilent) })}
}

func (w *watcher) stop() { w.timer.Stop() }

// Write takes in what was told.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Reset(w.silence)
	for _, c := range b {
		if c != '\n' && c != '\r' {
			if len(w.line) < 4096 {
				w.line = append(w.line, c)
			}
			continue
		}
		w.end()
	}
	return len(b), nil
}

// end takes in one line: a progress report, or something to be kept.
func (w *watcher) end() {
	if m := progressLine.FindSubmatch(w.line); m != nil {
		if w.progress != nil {
			done, _ := strconv.Atoi(string(m[2])) // both are digits
			of, _ := strconv.Atoi(string(m[3]))
			w.progress(strings.ToLower(string(m[1])), done, of)
		}
	} else if len(w.line) > 0 && w.kept.Len() < maxOutput {
		w.kept.Write(w.line)
		w.kept.WriteByte('\n')
	}
	w.line = w.line[:0]
}

var progressLine = regexp.MustCompile(`^(?:remote: )?([A-Z][a-z]+ [a-z]+): +\d+% \((\d+)/(\d+)\)`)

func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	return w.kept.String()
}
