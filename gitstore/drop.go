package gitstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// DropUnreachable removes for good all objects that no ref, and nothing in the
// index, leads to, however young they are, and with them the lines of the
// reflogs that mention them. It is for purging: what was rewritten cannot be
// brought back afterwards. It copies everything that stays once, so it takes
// as long as the repository is large.
func (tx *Tx) DropUnreachable() error {
	if tx.release == nil {
		return errEnded
	}
	r := tx.repo
	lock := r.lock.file("packing")
	ctx, cancel := context.WithTimeout(tx.ctx, r.opts.LockTimeout)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); !ok {
		return errors.Join(fail(ErrBusy, "%s is being packed: try again", r.dir), err)
	}
	defer func() { _ = lock.Unlock() }()
	if r.gcAtWork() {
		return fail(ErrBusy, "git gc runs in %s: try again when it is done", r.dir)
	}
	p := &packing{repo: r, ctx: tx.ctx, dir: filepath.Join(r.StateDir(), "packs")}
	if err := p.prepare(); err != nil {
		return err
	}
	tx.dropReplaced()
	stay, err := r.reachable(tx.ctx)
	if err != nil {
		return err
	}
	if err := p.keepOnly(stay); err != nil {
		return err
	}
	tx.view = nil
	return r.trimReflogs(stay)
}

// keepOnly writes what stays into a new pack and removes everything else.
func (p *packing) keepOnly(stay map[Hash]bool) error {
	r := p.repo
	packs, err := r.objects.list(true)
	if err != nil {
		return err
	}
	own := packs[:0:0]
	for _, q := range packs {
		if filepath.Dir(q.base) != r.packDir() {
			continue
		}
		if err := q.open(); err != nil {
			return err
		}
		own = append(own, q)
	}
	base := ""
	m := &merger{home: map[Hash]*source{}, placed: map[Hash]int64{}, lookup: r.objects.read}
	sources, err := m.sources(own, stay)
	if err != nil {
		return err
	}
	if len(m.home) > 0 {
		base, err = r.writePack(p.dir, len(m.home), func(w *packWriter) error {
			m.out = w
			return m.copyAll(p.ctx, sources)
		})
		if err != nil {
			return err
		}
	}
	// Files that git built upon the packs and the history as they were.
	for _, name := range []string{"pack/multi-pack-index", "info/commit-graph", "info/commit-graphs", "info/packs"} {
		if err := removeAll(r, filepath.Join(r.objects.root, filepath.FromSlash(name))); err != nil {
			return writeError(name, err)
		}
	}
	old := own[:0]
	for _, q := range own {
		if q.base == base {
			continue
		}
		for _, ext := range []string{".bitmap", ".keep", ".mtimes"} {
			if err := r.fs.Remove(q.base + ext); err != nil && !isNotExist(err) {
				return writeError(q.base, err)
			}
		}
		old = append(old, q)
	}
	if err := p.drop(old); err != nil {
		return writeError(r.packDir(), err)
	}
	loose, err := r.objects.looseNames()
	if err != nil {
		return err
	}
	for _, h := range loose {
		if stay[h] {
			continue
		}
		if err := r.fs.Remove(loosePath(r.objects.root, h)); err != nil && !isNotExist(err) {
			return writeError(h.String(), err)
		}
	}
	_, err = r.objects.list(true)
	return err
}

func removeAll(r *Repo, path string) error {
	fi, err := r.fs.Lstat(path)
	if err != nil {
		if isNotExist(err) {
			return nil
		}
		return err
	}
	if fi.IsDir() {
		list, err := r.fs.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := removeAll(r, filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return r.fs.Remove(path)
}

// reachable gives all objects that a ref or the index leads to.
func (r *Repo) reachable(ctx context.Context) (map[Hash]bool, error) {
	roots, err := r.refs.list("refs/")
	if err != nil {
		return nil, err
	}
	var todo []Hash
	for _, h := range roots {
		todo = append(todo, h)
	}
	if _, at, err := r.refs.head(); err == nil {
		todo = append(todo, at)
	}
	seen := map[Hash]bool{}
	x, _, err := r.readIndex()
	if err != nil {
		return nil, fail(ErrCorrupt, "the index of %s cannot be read: run any vault command that writes, or git read-tree HEAD", r.dir)
	}
	if x != nil {
		for i := range x.entries {
			if x.entries[i].mode != ModeSubmodule {
				seen[x.entries[i].hash] = true
			}
		}
	}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[h] || h.IsZero() {
			continue
		}
		t, data, err := r.objects.read(h)
		if err != nil {
			return nil, err
		}
		seen[h] = true
		switch t {
		case TypeCommit:
			c, err := decodeCommit(h, data)
			if err != nil {
				return nil, err
			}
			todo = append(todo, c.Tree)
			if !r.objects.isCut(h) {
				todo = append(todo, c.Parents...)
			}
		case TypeTree:
			entries, err := decodeTree(h, data)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				switch e.Mode {
				case ModeDir:
					todo = append(todo, e.Hash)
				case ModeSubmodule:
				default:
					seen[e.Hash] = true
				}
			}
		case TypeTag:
			line, _, _ := bytes.Cut(data, []byte("\n"))
			if to, ok := ParseHash(strings.TrimPrefix(string(line), "object ")); ok {
				todo = append(todo, to)
			}
		}
	}
	return seen, nil
}

// trimReflogs takes out the lines of reflogs that mention an object that is
// gone.
func (r *Repo) trimReflogs(stay map[Hash]bool) error {
	return r.trimUnder(filepath.Join(r.git, "logs"), stay)
}

func (r *Repo) trimUnder(dir string, stay map[Hash]bool) error {
	list, err := r.fs.ReadDir(dir)
	if err != nil {
		if isNotExist(err) {
			return nil
		}
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = r.trimUnder(path, stay)
		} else {
			err = r.trimReflog(path, stay)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return writeError(path, err)
		}
	}
	return nil
}

func (r *Repo) trimReflog(path string, stay map[Hash]bool) error {
	data, err := r.fs.ReadFile(path)
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		good := len(line) > 82
		for _, at := range []int{0, 41} {
			if good {
				h, ok := ParseHash(string(line[at : at+40]))
				good = ok && (h.IsZero() || stay[h])
			}
		}
		if good {
			kept = append(kept, line...)
		}
	}
	if len(kept) == len(data) {
		return nil
	}
	temp := filepath.Join(r.tmpDir(), "reflog")
	if err := r.writeDurably(temp, kept, 0o666); err != nil {
		return err
	}
	return r.fs.Rename(temp, path)
}
