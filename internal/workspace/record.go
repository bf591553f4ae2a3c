package workspace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// record remembers a repository of this machine: which scope it used, so that
// a new remote does not cost it its memory, and its root commit, which is dear
// to find. There is a file for each, named by the git folder's path.
type record struct {
	Path    statePath `json:"path"`                   // the shared git folder
	Stamp   string    `json:"stamp"`                  // tells this folder from a later one at the same path
	Root    string    `json:"root,omitempty"`         // its root commit, where known
	Unknown bool      `json:"root_unknown,omitempty"` // finding it took too long
	Proof   string    `json:"proof,omitempty"`        // a commit that was in its history when it used the scope: the root, else HEAD
	Key     string    `json:"key,omitempty"`          // the scope it used
	Also    []string  `json:"also,omitempty"`         // later identities of the same folder, seen to be so
}

func (o Options) recordFile(common string) string {
	return filepath.Join(o.Home, "state", "repositories", hash(pathID(common), 24)+".json")
}

// readRecord gives an empty record where there is none. One that cannot be
// read says nothing about what it said: it counts as none and is reported.
func (o Options) readRecord(common string) (rec record, note string) {
	if o.Home == "" {
		return record{}, ""
	}
	file := o.recordFile(common)
	data, err := os.ReadFile(file)
	if err == nil {
		if err = json.Unmarshal(data, &rec); err == nil && samePath(string(rec.Path), common) {
			return rec, ""
		}
	} else if missing(err) {
		return record{}, ""
	}
	return record{}, oneLine(file) + " cannot be read: which scope this repository used before is not known"
}

// changeRecord rewrites a repository's record under the lock.
func (o Options) changeRecord(common string, change func(*record)) error {
	unlock, err := o.lockState()
	if err != nil {
		return err
	}
	defer unlock()
	rec, _ := o.readRecord(common)
	rec.Path = statePath(common)
	change(&rec)
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return o.writeFile(o.recordFile(common), append(data, '\n'))
}

// remember is changeRecord for what is only a convenience: it never makes a
// home that is not there, and a failure is no one's business.
func (o Options) remember(common string, change func(*record)) {
	if o.Home == "" {
		return
	}
	if info, err := os.Stat(o.Home); err != nil || !info.IsDir() {
		return
	}
	_ = o.changeRecord(common, change)
}

// cachedRoot is root, asked only once of each git folder.
func (o Options) cachedRoot(r *repository, rec record) (string, error) {
	now := stamp(r.CommonDir)
	if rec.Stamp == now && now != "" {
		if rec.Root != "" {
			return rec.Root, nil
		}
		if rec.Unknown {
			return "", errSlow
		}
	}
	root, err := o.root(r)
	if root != "" || errors.Is(err, errSlow) {
		o.remember(r.CommonDir, func(rec *record) {
			if rec.Stamp != now && rec.Key != "" {
				return // another folder was here: what it used is not ours to mix up
			}
			rec.Stamp, rec.Root, rec.Unknown = now, root, root == ""
		})
	}
	return root, err
}

// usedBefore tells whether the record is of this very repository, under an
// earlier identity.
func (o Options) usedBefore(r *repository, rec record, key string) bool {
	if rec.Key == "" || rec.Key == key {
		return false
	}
	if info, err := os.Stat(filepath.Join(o.Home, "projects", Dir(rec.Key))); err != nil || !info.IsDir() {
		return false // nothing was ever kept there
	}
	if slices.Contains(rec.Also, key) {
		return true
	}
	now := stamp(r.CommonDir)
	if now != "" && rec.Stamp != "" && now != rec.Stamp {
		return false
	}
	if rec.Proof == "" {
		if now == "" {
			return false
		}
	} else if ok, err := o.has(r, rec.Proof); err == nil && !ok || err != nil && now == "" {
		return false
	}
	o.remember(r.CommonDir, func(rec *record) {
		if !slices.Contains(rec.Also, key) {
			rec.Also = append(rec.Also, key)
		}
	})
	return true
}

// Use remembers that the repository of id uses id's scope, so that it keeps
// it when its remote changes. Call it when the scope is first written to or
// read from; it does nothing when that is known already, for folders that are
// no repositories, and for linked ones, whose binding says it.
func Use(id Identity, o Options) error {
	if id.repo == nil || id.known || id.FoundBy == ByLink {
		return nil
	}
	now := stamp(id.repo.CommonDir)
	rec, _ := o.readRecord(id.repo.CommonDir)
	root := rec.Root
	if root == "" || rec.Stamp != now || now == "" {
		if o.Timeout == 0 {
			o.Timeout = gitShortTime
		}
		root, _ = o.root(id.repo)
	}
	proof := root
	if proof == "" {
		proof = id.Code().Commit
	}
	return o.changeRecord(id.repo.CommonDir, func(rec *record) {
		*rec = record{
			Path: rec.Path, Stamp: now, Root: root, Unknown: rec.Unknown && rec.Stamp == now,
			Proof: proof, Key: id.Key,
		}
	})
}
