package gitstore

import (
	"errors"
	"io/fs"
	"sync"

	"gitvault/internal/fsys"
)

// batch writes several files and makes them durable together, which takes
// little longer than one.
type batch struct {
	repo  *Repo
	files []fsys.File
}

func (b *batch) add(name string, data []byte, perm fs.FileMode) error {
	f, err := b.repo.fs.Create(name, perm)
	if err != nil {
		return writeError(name, err)
	}
	b.files = append(b.files, f)
	if err := writeAll(f, data); err != nil {
		return writeError(name, err)
	}
	return nil
}

func writeAll(f fsys.File, data []byte) error {
	n, err := f.Write(data)
	if err == nil && n != len(data) {
		err = errors.New("short write")
	}
	return err
}

// sync makes all content durable and closes the files.
func (b *batch) sync() error {
	files := b.files
	b.files = nil
	steps := make([]func() error, len(files))
	for i, f := range files {
		steps[i] = func() error {
			var err error
			if b.repo.opts.Durability == Full {
				err = f.Sync()
			}
			return errors.Join(err, f.Close())
		}
	}
	return together(steps)
}

// close closes what an error kept from being synced.
func (b *batch) close() {
	for _, f := range b.files {
		_ = f.Close()
	}
}

func (r *Repo) syncDirs(dirs map[string]bool) error { return r.syncAll(dirs) }

// syncAll makes the names in folders, and the content of files, durable
// together.
func (r *Repo) syncAll(dirs map[string]bool, files ...string) error {
	if r.opts.Durability != Full {
		return nil
	}
	var steps []func() error
	for dir := range dirs {
		steps = append(steps, func() error {
			err := r.fs.SyncDir(dir)
			if isNotExist(err) {
				return nil
			}
			return err
		})
	}
	for _, name := range files {
		steps = append(steps, func() error {
			f, err := r.fs.Append(name)
			if err != nil {
				return err
			}
			return errors.Join(f.Sync(), f.Close())
		})
	}
	return together(steps)
}

// together runs steps at the same time, not too many at once.
func together(steps []func() error) error {
	if len(steps) == 1 {
		return steps[0]()
	}
	errs := make([]error, len(steps))
	slots := make(chan struct{}, 32)
	var wg sync.WaitGroup
	for i, step := range steps {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = step()
			<-slots
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
