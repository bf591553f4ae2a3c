package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const lockWait = 10 * time.Second

// lockState keeps other writers of the state out. Readers need no lock: files
// are only ever replaced whole.
func (o Options) lockState() (unlock func(), err error) {
	dir := filepath.Join(o.Home, "state")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep state: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); !ok {
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("%w: another vault holds %s", ErrBusy, lock.Path())
		}
		return nil, fmt.Errorf("cannot lock the state: %w", err)
	}
	return func() { lock.Close() }, nil
}

// writeFile replaces a file durably: it has its old content or the new one,
// whenever the machine stops.
func writeFile(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		os.Remove(temp.Name())
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	if runtime.GOOS == "windows" { // folders cannot be synced there
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// foldsPaths tells where two spellings in different case are one file.
const foldsPaths = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// pathID is the same for all spellings of a path.
func pathID(path string) string {
	path = strings.TrimSuffix(filepath.ToSlash(filepath.Clean(path)), "/")
	if foldsPaths {
		path = strings.ToLower(path)
	}
	return path
}

func samePath(a, b string) bool { return a == b || foldsPaths && pathID(a) == pathID(b) }

// isWithin tells whether path is dir or lies in it.
func isWithin(path, dir string) bool {
	p, d := pathID(path), pathID(dir)
	return p == d || strings.HasPrefix(p, d+"/")
}
