package gitstore

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// locker is the lock that makes writers take turns. It is held by the kernel
// for an open file, so it ends with its process. Two files make it fair: who
// holds "queue" is next, so a writer that comes back at once queues behind the
// one that waits.
type locker struct {
	dir  string
	turn chan struct{} // the writers of this process, first come first served

	mu      sync.Mutex
	pending *attempt
}

// attempt is a wait for the kernel's lock. It cannot be interrupted, so who
// gives up leaves it to the next one, or to release itself.
type attempt struct {
	done   chan struct{}
	wanted bool
	lock   *flock.Flock
	err    error
}

func newLocker(dir string) *locker {
	return &locker{dir: dir, turn: make(chan struct{}, 1)}
}

// acquire waits for the lock until ctx ends or the time is over.
func (l *locker) acquire(ctx context.Context, timeout time.Duration) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, busy(ctx, timeout)
	}
	lock, err := l.wait(ctx, timeout)
	if err != nil {
		<-l.turn
		return nil, err
	}
	return func() error {
		err := lock.Unlock()
		<-l.turn
		return err
	}, nil
}

func (l *locker) wait(ctx context.Context, timeout time.Duration) (*flock.Flock, error) {
	l.mu.Lock()
	a := l.pending
	if a == nil {
		queue, lock := l.file("queue"), l.file("lock")
		first, err := queue.TryLock()
		if err != nil {
			l.mu.Unlock()
			return nil, writeError("the lock", err)
		}
		if first {
			if ok, err := lock.TryLock(); ok || err != nil {
				l.mu.Unlock()
				return lock, errors.Join(err, queue.Unlock())
			}
		}
		a = &attempt{done: make(chan struct{}), lock: lock}
		l.pending = a
		go l.run(a, queue)
	}
	a.wanted = true
	l.mu.Unlock()

	select {
	case <-a.done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-a.done:
		l.pending = nil
		if a.err != nil {
			return nil, writeError("the lock", a.err)
		}
		return a.lock, nil
	default:
		a.wanted = false
		return nil, busy(ctx, timeout)
	}
}

func (l *locker) run(a *attempt, queue *flock.Flock) {
	err := queue.Lock()
	if err == nil {
		err = errors.Join(a.lock.Lock(), queue.Unlock())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a.err = err
	if !a.wanted {
		a.lock.Unlock()
		l.pending = nil
	}
	close(a.done)
}

func (l *locker) file(name string) *flock.Flock {
	return flock.New(filepath.Join(l.dir, name), flock.SetPermissions(0o644))
}

func busy(ctx context.Context, timeout time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	return fail(ErrBusy, "another command has been writing here for %v: try again", timeout)
}
