package gitstore

import (
	"bytes"
	"errors"
	"path/filepath"
)

// configTemp is the unfinished file that config.lock is the second name of.
const configTemp = "config"

// EditConfig replaces the repository's configuration by what edit makes of it,
// by git's own locking. The same bytes back leave it alone.
func (tx *Tx) EditConfig(edit func([]byte) ([]byte, error)) error {
	r := tx.repo
	path, temp := filepath.Join(r.git, "config"), tx.tmp(configTemp)
	if err := r.writeDurably(temp, nil, 0o666); err != nil {
		return writeError("the configuration", err)
	}
	defer func() { _ = r.fs.Remove(temp) }()
	linked, err := r.takeGitLock(tx.ctx, temp, path+".lock")
	if err != nil {
		return err
	}
	before, err := r.fs.ReadFile(path)
	if isNotExist(err) {
		err = nil
	}
	var after []byte
	if err == nil {
		after, err = edit(bytes.Clone(before))
	}
	if err != nil || bytes.Equal(before, after) {
		return errors.Join(err, r.fs.Remove(path+".lock"))
	}
	f, err := r.fs.Append(temp)
	if err == nil {
		err = writeAll(f, after)
		if err == nil && r.opts.Durability == Full {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
	}
	switch {
	case err != nil:
		err = errors.Join(err, r.fs.Remove(path+".lock"))
	case linked:
		err = r.fs.Rename(path+".lock", path)
	default:
		err = r.fs.Rename(temp, path)
		err = errors.Join(err, r.fs.Remove(path+".lock"))
	}
	if err != nil {
		return writeError("the configuration", err)
	}
	return r.syncDirs(map[string]bool{r.git: true})
}
