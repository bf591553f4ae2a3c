package wiring

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
)

// A Job is what to put into a client's files, or take out of them.
type Job struct {
	Client  string
	Kind    string // Install or Index
	Project string
	Parts   []clients.Part
	DryRun  bool

	keeps bool // what was put into other files before
}

// Put puts all parts in, and records it. A second time changes nothing.
func (s State) Put(ctx context.Context, job Job) ([]Change, error) {
	job.keeps = true
	return s.run(ctx, job, func(all *records) ([]Change, error) { return s.putting(job, all) })
}

// run plans, and without DryRun does it.
func (s State) run(ctx context.Context, job Job, plan func(*records) ([]Change, error)) ([]Change, error) {
	if !job.DryRun {
		unlock, err := s.lock(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	changes, err := plan(&all)
	if err != nil || job.DryRun {
		return changes, err
	}
	return changes, s.apply(ctx, job, changes, all)
}

// putting plans what Put does: each file once, whatever goes into it.
func (s State) putting(job Job, all *records) ([]Change, error) {
	old := all.find(job.Client, job.Kind, job.Project)
	var out []Change
	docs, parts := map[string]document{}, map[string][]clients.Part{}
	for _, part := range job.Parts {
		f, err := job.find(s.Disk, part.File)
		if err != nil {
			return nil, err
		}
		if !f.exists && job.Project == "" {
			f.mode = 0o600 // what clients write into it later may be the person's alone
		}
		i := slices.IndexFunc(out, func(c Change) bool { return c.real == f.real })
		if i < 0 {
			c := Change{File: part.File, Before: f.data, real: f.real, file: f, record: recorded{File: part.File, Real: f.real, Made: !f.exists}}
			if known := old.file(f.real); known != nil && f.exists {
				c.record = *known
			} else if known != nil {
				c.record.Dirs = known.Dirs
			}
			if !f.exists {
				c.record.Dirs = append(slices.Clone(c.record.Dirs), missing(s.Disk, filepath.Dir(f.real))...)
			}
			out = append(out, c)
			i = len(out) - 1
			if docs[f.real], err = open(part.File, part.Format, job.Client, f.data); err != nil {
				return nil, err
			}
		}
		if f.exists && !all.knows(job.Kind, f.real) && docs[f.real].has(part) {
			out[i].record.Found = append(out[i].record.Found, part.What)
		}
		notes, err := docs[f.real].put(part)
		if err != nil {
			return nil, err
		}
		parts[f.real] = append(parts[f.real], part)
		out[i].What = append(out[i].What, part.What)
		out[i].Notes = append(out[i].Notes, notes...)
	}
	for i := range out {
		c := &out[i]
		c.done(docs[c.real])
		c.squash(job, parts[c.real])
	}
	return out, nil
}

// squash makes one layer of the last two, where nobody changed the file between
// them and putting all in at once gives the same.
func (c *Change) squash(job Job, parts []clients.Part) {
	n := len(c.record.Layers) - 2
	if c.Does != Changed || n < 0 || hash(c.Before) != c.record.Layers[n].After {
		return
	}
	base, ok := configedit.Undo(c.Before, c.record.Layers[n].Changes)
	if !ok {
		return
	}
	d, err := open(c.File, parts[0].Format, job.Client, base)
	if err != nil {
		return
	}
	for _, part := range parts {
		if _, err := d.put(part); err != nil {
			return
		}
	}
	if bytes.Equal(d.Bytes(), c.After) {
		c.record.Layers = append(c.record.Layers[:n:n], layer{After: hash(c.After), Changes: d.Changes()})
	}
}

// done takes over what became of the document.
func (c *Change) done(d document) {
	c.After = d.Bytes()
	switch {
	case !c.file.exists:
		c.Does = Created
	case string(c.After) != string(c.Before):
		c.Does = Changed
	default:
		c.Does = Unchanged
		return
	}
	if j, ok := d.(*jsonDocument); ok {
		c.record.Keys = append(c.record.Keys, j.Made()...)
	}
	c.record.Layers = append(slices.Clone(c.record.Layers), layer{After: hash(c.After), Changes: d.Changes()})
}

// apply writes the changes and the record of them, or nothing. The record of
// what goes in comes first, and goes last when it comes out: a machine that
// stops in between leaves nothing that is not known.
func (s State) apply(ctx context.Context, job Job, changes []Change, all records) (err error) {
	record, changed := job.record(changes, all)
	if !changed {
		return nil
	}
	before, err := find(s.Disk, s.file())
	if err != nil {
		return err
	}
	var written []*Change
	defer func() {
		if err == nil {
			return
		}
		for i := len(written) - 1; i >= 0; i-- {
			err = errors.Join(err, written[i].putBack(s))
		}
		err = errors.Join(err, s.putBack(before))
	}()
	all.set(record)
	if job.keeps {
		if err := s.write(all); err != nil {
			return err
		}
	}
	for i := range changes {
		c := &changes[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.Does == Unchanged {
			continue
		}
		err := c.write(s)
		if err == nil || c.file.same(s.Disk) != nil {
			written = append(written, c)
		}
		if err != nil {
			return c.failed(err)
		}
	}
	if job.keeps {
		return nil
	}
	s.clear(changes, all)
	return s.write(all)
}

// record is what is to be known once the changes are made; it reports whether
// there is anything to do.
func (j Job) record(changes []Change, all records) (record, bool) {
	r := record{Client: j.Client, Kind: j.Kind, Project: j.Project}
	changed := false
	for _, c := range changes {
		changed = changed || c.Does != Unchanged
		if c.record.Real != "" {
			r.Files = append(r.Files, c.record)
		}
	}
	old := all.find(j.Client, j.Kind, j.Project)
	if old == nil {
		return r, changed || len(r.Files) > 0
	}
	for _, f := range old.Files {
		if j.keeps && r.file(f.Real) == nil {
			r.Files = append(r.Files, f)
		}
	}
	return r, changed || len(old.Files) != len(r.Files)
}

// putBack makes the records those of before.
func (s State) putBack(before *file) error {
	now, err := find(s.Disk, s.file())
	switch {
	case err != nil || bytes.Equal(now.data, before.data) && now.exists == before.exists:
	case !before.exists:
		err = s.Disk.Remove(s.file())
	default:
		_, err = now.replace(s.Disk, before.data)
	}
	return err
}

// clear removes the folders that were made for files that are gone. One that
// still holds files for another client is left to that client's record.
func (s State) clear(changes []Change, all records) {
	var dirs []string
	for _, c := range changes {
		if c.Does == Removed {
			dirs = append(dirs, c.dirs...)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		if list, err := s.Disk.ReadDir(dir); err == nil && len(list) == 0 {
			_ = s.Disk.Remove(dir)
			continue
		}
		for _, r := range all.Installs {
			i := slices.IndexFunc(r.Files, func(f recorded) bool { return strings.HasPrefix(f.Real, dir+string(filepath.Separator)) })
			if i >= 0 && !slices.Contains(r.Files[i].Dirs, dir) {
				r.Files[i].Dirs = append([]string{dir}, r.Files[i].Dirs...)
				break
			}
		}
	}
}

func (c *Change) failed(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		return err
	}
	return &Problem{File: c.File, What: "it can't be written: " + err.Error(), Do: "see to it, then try again; nothing was changed"}
}

func (c *Change) write(s State) error {
	if c.Does == Removed {
		if err := c.file.same(s.Disk); err != nil {
			return err
		}
		return s.Disk.Remove(c.file.real)
	}
	dirs, err := c.file.replace(s.Disk, c.After)
	c.made = dirs
	if err != nil {
		removeDirs(s.Disk, dirs)
	}
	return err
}

// putBack takes back what write did.
func (c *Change) putBack(s State) error {
	now, err := find(s.Disk, c.file.name)
	switch {
	case err != nil || !bytes.Equal(now.data, c.After): // not what was written here
	case c.Does == Created:
		err = s.Disk.Remove(c.file.real)
		removeDirs(s.Disk, c.made)
	default:
		now.mode = c.file.mode
		_, err = now.replace(s.Disk, c.Before)
	}
	return err
}
