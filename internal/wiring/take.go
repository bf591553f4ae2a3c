package wiring

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
)

// Take takes out what Put put in: by its record, which leaves the bytes that
// were there before; what changed since, or has no record, is found by its
// marks. What another client still uses stays.
func (s State) Take(ctx context.Context, job Job) ([]Change, error) {
	return s.run(ctx, job, func(all *records) ([]Change, error) { return s.taking(job, all) })
}

func (s State) taking(job Job, all *records) ([]Change, error) {
	old := all.find(job.Client, job.Kind, job.Project)
	var names []string
	if old != nil {
		for _, f := range old.Files {
			names = append(names, f.File)
		}
	}
	for _, part := range job.Parts {
		if !slices.Contains(names, part.File) {
			names = append(names, part.File)
		}
	}
	var out []Change
	for _, name := range names {
		f, err := job.find(s.Disk, name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(c Change) bool { return c.real == f.real }) {
			continue
		}
		known := old.file(f.real)
		if all.inherit(job, known, f.real) || !f.exists {
			continue
		}
		parts := partsOf(job, name)
		if len(parts) == 0 {
			continue
		}
		c, err := take(job, f, parts, known)
		if err != nil {
			return nil, err
		}
		if c.Does != Unchanged || known != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// inherit reports whether another client uses the same file for the same; it
// takes the file's record over then.
func (r *records) inherit(job Job, known *recorded, real string) bool {
	for i := range r.Installs {
		e := &r.Installs[i]
		if e.Kind != job.Kind || e.Client == job.Client && e.Project == job.Project {
			continue
		}
		f := e.file(real)
		if f == nil {
			continue
		}
		if known != nil {
			f.Layers = append(slices.Clone(known.Layers), f.Layers...)
			f.Dirs = append(slices.Clone(known.Dirs), f.Dirs...)
			f.Made = f.Made || known.Made
		}
		return true
	}
	return false
}

// take plans what becomes of one file.
func take(job Job, f *file, parts []clients.Part, known *recorded) (Change, error) {
	c := Change{File: f.name, Does: Unchanged, Before: f.data, After: f.data, real: f.real, file: f}
	if known == nil {
		known = &recorded{}
	}
	for _, p := range parts {
		c.What = append(c.What, p.What)
	}
	n, format := len(known.Layers), parts[0].Format
	if format == clients.Whole && (n > 0 && hash(f.data) != known.Layers[n-1].After || n == 0 && string(f.data) != parts[0].Text) {
		c.Notes = []string{f.name + " was changed since vault made it, so it stays: remove it if you need it no more"}
		return c, nil
	}
	if len(known.Found) > 0 {
		c.Notes = []string{fmt.Sprintf("%s had vault in it before it was installed from here, so that stays (%s): uninstall once more to take it out", f.name, strings.Join(known.Found, ", "))}
		parts = slices.DeleteFunc(slices.Clone(parts), func(p clients.Part) bool { return slices.Contains(known.Found, p.What) })
	}
	after, empty, notes, err := without(job, f, format, parts, known)
	if err != nil {
		return c, err
	}
	c.After, c.Notes = after, append(c.Notes, notes...)
	switch {
	case empty && (known.Made || format == clients.Whole && len(f.data) > 0):
		c.Does = Removed
		c.After = nil
		c.dirs = known.Dirs
	case string(after) != string(f.data):
		c.Does = Changed
	}
	return c, nil
}

// without is the file's content without vault, and whether nothing is left.
func without(job Job, f *file, format clients.Format, parts []clients.Part, known *recorded) (after []byte, empty bool, notes []string, err error) {
	if data, exact := undo(f.data, known.Layers); data != nil && isClean(job, f, format, parts, data, exact) {
		return data, known.Made && len(data) == 0, nil, nil
	}
	d, err := open(f.name, format, job.Client, f.data)
	if err != nil {
		return nil, false, nil, err
	}
	if text, ok := d.(*textDocument); ok {
		text.known = known.written()
	}
	if notes, err = d.take(job.Client, parts); err != nil {
		return nil, false, nil, err
	}
	if j, ok := d.(*jsonDocument); ok {
		var always configedit.Object
		for _, p := range parts {
			if known.Made && onlyHas(j, p.Always) {
				always = p.Always
			}
		}
		if err := j.tidy(known.Keys, always); err != nil {
			return nil, false, nil, err
		}
	}
	return d.Bytes(), d.IsEmpty(), notes, nil
}

// written are the texts that were put into the file.
func (r *recorded) written() []string {
	var out []string
	for _, l := range r.Layers {
		for _, c := range l.Changes {
			out = append(out, c.Is)
		}
	}
	return out
}

// onlyHas reports whether nothing is in a document but hooks without a hook and
// the members that vault set.
func onlyHas(j *jsonDocument, always configedit.Object) bool {
	v, _, _, err := j.Get()
	m, ok := v.(map[string]any)
	if err != nil || !ok || len(always) == 0 {
		return false
	}
	for name, value := range m {
		events, isMap := value.(map[string]any)
		if name == "hooks" && isMap {
			for _, list := range events {
				if l, ok := list.([]any); !ok || len(l) > 0 {
					return false
				}
			}
			continue
		}
		if !slices.ContainsFunc(always, func(f configedit.Field) bool { return f.Name == name }) {
			return false
		}
	}
	return true
}

// undo takes the layers back, each exactly where the file is as it left it, else
// where its text stands now; nil where not even the last can be. An older one
// may be gone already. exact tells that the bytes are those of before.
func undo(data []byte, layers []layer) (before []byte, exact bool) {
	if len(layers) == 0 {
		return nil, false
	}
	exact = true
	for i := len(layers) - 1; i >= 0; i-- {
		l, ok := layers[i], false
		if hash(data) == l.After {
			data, ok = configedit.Undo(data, l.Changes)
		} else {
			exact = false
			data, ok = configedit.UndoAnywhere(data, l.Changes)
		}
		if !ok {
			return before, false
		}
		before = append([]byte{}, data...)
	}
	return before, exact
}

// isClean reports whether a document can be read and has nothing of vault's. A
// server may be left where the bytes are those of before: somebody put it there
// who was not vault.
func isClean(job Job, f *file, format clients.Format, parts []clients.Part, data []byte, exact bool) bool {
	d, err := open(f.name, format, job.Client, data)
	if err != nil {
		return false
	}
	if exact {
		parts = slices.DeleteFunc(slices.Clone(parts), func(p clients.Part) bool { return p.Path != nil })
	}
	notes, err := d.take(job.Client, parts)
	return err == nil && len(notes) == 0 && len(d.Changes()) == 0
}

// partsOf are the parts that go into a file; of one that was recorded under
// another path, those of its form.
func partsOf(job Job, name string) []clients.Part {
	var out []clients.Part
	for _, p := range job.Parts {
		if p.File == name {
			out = append(out, p)
		}
	}
	if out != nil {
		return out
	}
	for _, p := range job.Parts {
		if form(p.File) == form(name) {
			out = append(out, p)
		}
	}
	return out
}

// form is a file's form by its name.
func form(name string) string {
	switch ext := filepath.Ext(name); ext {
	case ".jsonc":
		return ".json"
	case ".mdc":
		return ".md"
	default:
		return ext
	}
}
