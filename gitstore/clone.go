package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sort"
)

// A Clone is a repository that is being made from a remote's, in a folder of
// its own until it is whole.
type Clone struct {
	repo *Repo
	tmp  string
	at   Hash
}

// NewClone fetches a remote's branch into a new repository, somewhere below the
// folder parent. Place puts it where it belongs; Discard forgets it.
func NewClone(ctx context.Context, parent string, o Options, w Wire, m Remote, config string) (*Clone, error) {
	o = o.filled()
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, writeError(parent, err)
	}
	// One level deeper than scopes are looked for.
	tmp, err := os.MkdirTemp(parent, ".clone-")
	if err != nil {
		return nil, writeError(parent, err)
	}
	c := &Clone{tmp: tmp}
	if err := c.fetch(ctx, o, w, m, config); err != nil {
		return nil, errors.Join(err, c.Discard())
	}
	return c, nil
}

func (c *Clone) fetch(ctx context.Context, o Options, w Wire, m Remote, config string) error {
	dir := filepath.Join(c.tmp, "scope")
	mk := &maker{fs: o.FS, dir: dir, git: filepath.Join(dir, ".git"), opts: o, dirs: map[string]bool{}}
	mk.repo = newRepo(dir, mk.git, o)
	if err := mk.prepare(); err != nil {
		return err
	}
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "vault/cache"} {
		if err := mk.mkdir(filepath.Join(mk.git, filepath.FromSlash(d))); err != nil {
			return err
		}
	}
	r := mk.repo
	for _, f := range []struct{ name, data string }{
		{"config", mk.config(r) + config},
		{"description", "Memory kept by vault.\n"},
		{"info/exclude", excludes},
		{"HEAD", "ref: " + r.branch + "\n"},
	} {
		if err := mk.write(r, f.name, []byte(f.data), 0o666); err != nil {
			return err
		}
	}
	if err := mk.sync(); err != nil {
		return err
	}
	var err error
	if c.repo, err = Open(dir, o); err != nil {
		return err
	}
	c.at, err = c.repo.Fetch(ctx, w, m)
	return err
}

// Commit is what the remote's branch pointed to.
func (c *Clone) Commit() Hash { return c.at }

// Repo is the repository, which has no branch of its own yet.
func (c *Clone) Repo() *Repo { return c.repo }

// Place makes the fetched commit the newest one, moves the repository to a
// folder where nothing stands yet, and puts the files there.
func (c *Clone) Place(ctx context.Context, dir string) (*Repo, error) {
	r := c.repo
	files, err := r.Tree(c.at)
	if err != nil {
		return nil, err
	}
	j := &journal{Version: journalVersion, New: c.at}
	for path, e := range files {
		if e.Mode != ModeSubmodule {
			j.Files = append(j.Files, journalFile{Path: path, New: e.Hash, NewMode: e.Mode, Temp: "none"})
		}
	}
	sort.Slice(j.Files, func(i, k int) bool { return j.Files[i].Path < j.Files[k].Path })
	mk := &maker{fs: r.fs, dir: r.dir, git: r.git, opts: r.opts, repo: r, dirs: map[string]bool{}}
	data, err := encodeJournal(j)
	if err != nil {
		return nil, err
	}
	if err := mk.write(r, "vault/state/journal", data, 0o666); err != nil {
		return nil, err
	}
	if err := mk.write(r, r.branch, []byte(c.at.String()+"\n"), 0o666); err != nil {
		return nil, err
	}
	if err := mk.sync(); err != nil {
		return nil, err
	}
	if err := errors.Join(r.Close(), os.MkdirAll(filepath.Dir(dir), 0o777)); err != nil {
		return nil, err
	}
	if err := r.fs.Place(r.dir, dir); err != nil {
		return nil, writeError(dir, err)
	}
	if err := r.syncDirs(map[string]bool{filepath.Dir(dir): true}); err != nil {
		return nil, err
	}
	placed, err := Open(dir, r.opts)
	if err != nil {
		return nil, err
	}
	tx, err := placed.Begin(ctx) // puts the files in place, from the journal
	if err != nil {
		return nil, err
	}
	return placed, errors.Join(tx.Close(), c.Discard())
}

// Discard removes what was not placed.
func (c *Clone) Discard() error { return os.RemoveAll(c.tmp) }
