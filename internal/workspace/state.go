package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"gitvault/internal/fsys"
)

const lockWait = 10 * time.Second

// lockState keeps other writers of the state out. Readers need no lock: files
// are only ever replaced whole.
func (o Options) lockState() (unlock func(), err error) {
	dir := filepath.Join(o.Home, "state")
	if err := o.makeDir(dir); err != nil {
		return nil, err
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
	return func() { _ = lock.Close() }, nil
}

// writeFile replaces a file durably, under the lock: it has its old content or
// the new one, whenever the machine stops.
func (o Options) writeFile(file string, data []byte) error {
	if err := o.makeDir(filepath.Dir(file)); err != nil {
		return err
	}
	disk, temp := o.disk(), file+".new"
	_ = disk.Remove(temp) // what a stopped machine left
	err := create(disk, temp, data)
	if err == nil {
		err = disk.Rename(temp, file)
	}
	if err != nil {
		_ = disk.Remove(temp)
		return fmt.Errorf("cannot write %s: %w", oneLine(file), err)
	}
	if err := disk.SyncDir(filepath.Dir(file)); err != nil {
		return fmt.Errorf("cannot make %s durable: %w", oneLine(file), err)
	}
	return nil
}

func (o Options) makeDir(dir string) error {
	touched, err := fsys.MkdirAll(o.disk(), dir, 0o700)
	for i := 0; i < len(touched) && err == nil; i++ {
		err = o.disk().SyncDir(touched[i])
	}
	if err != nil {
		return fmt.Errorf("cannot keep state: %w", err)
	}
	return nil
}

func create(disk fsys.FS, name string, data []byte) error {
	f, err := disk.Create(name, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (o Options) disk() fsys.FS {
	if o.FS == nil {
		return fsys.OS{}
	}
	return o.FS
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
