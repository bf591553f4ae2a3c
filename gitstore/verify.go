package gitstore

import (
	"context"
	"path/filepath"
	"strings"
)

// verify makes sure that all objects are there which a fetched commit needs:
// its history as far as no ref of ours has it, and all files of that.
func (r *Repo) verify(ctx context.Context, h Hash) error {
	known, err := r.refs.list("refs/")
	if err != nil {
		return err
	}
	var have []Hash
	for name, at := range known {
		if !strings.HasPrefix(name, "refs/vault/fetched/") && r.objects.has(at) {
			have = append(have, at)
		}
	}
	list, _, err := r.sides(ctx, []Hash{h}, have)
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		parent := ZeroHash
		if len(c.Parents) > 0 {
			parent = c.Parents[0]
		}
		changes, err := r.DiffTrees(parent, c.Hash)
		if err != nil {
			return err
		}
		for _, p := range changes {
			if err := r.verifyEntry(p.Path, p.New); err != nil {
				return err
			}
		}
	}
	return r.verifyFiles(h)
}

// verifyFiles makes sure that a commit's files are there and can be written.
func (r *Repo) verifyFiles(h Hash) error {
	files, err := r.Tree(h)
	if err != nil {
		return err
	}
	for path, e := range files {
		if err := r.verifyEntry(path, e); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) verifyEntry(path string, e TreeEntry) error {
	switch {
	case e.Hash.IsZero() || e.Mode == ModeSubmodule:
		return nil
	case !gitAllows(path):
		return fail(ErrPath, "path %q leads out of the repository: what was fetched is not taken", path)
	case !r.objects.has(e.Hash):
		return fail(ErrCorrupt, "object %s (%s) is missing in what was fetched", e.Hash, path)
	}
	return nil
}

// packFiles lists the packs that are there.
func (r *Repo) packFiles() (map[string]bool, error) {
	names, err := packNames(r.fs, r.objects.root)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, n := range names {
		found[n] = true
	}
	return found, nil
}

// syncPacks makes the packs durable that are new.
func (r *Repo) syncPacks(before map[string]bool) error {
	if r.opts.Durability != Full {
		return nil
	}
	names, err := packNames(r.fs, r.objects.root)
	if err != nil {
		return err
	}
	for _, base := range names {
		if before[base] {
			continue
		}
		for _, ext := range []string{".pack", ".idx"} {
			f, err := r.fs.Open(base + ext)
			if err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return writeError(filepath.Base(base), err)
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
	}
	return r.fs.SyncDir(filepath.Join(r.objects.root, "pack"))
}

// Shallow reports whether the repository has only the newest part of its
// history.
func (r *Repo) Shallow() bool {
	_, err := r.fs.Lstat(filepath.Join(r.git, "shallow"))
	return err == nil
}
