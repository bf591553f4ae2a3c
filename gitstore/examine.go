package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// DamageKind says what is wrong with a repository.
type DamageKind string

// What Examine finds.
const (
	DamagedObject DamageKind = "object"     // missing, or with other content than its name says
	DamagedRef    DamageKind = "ref"        // names no commit that is there
	LeftLock      DamageKind = "lock"       // one of git's locks
	NoPermission  DamageKind = "permission" // a folder that its owner can't write
	DamagedState  DamageKind = "journal"    // what is to be recovered can't be read
)

// Damage is one thing that is wrong.
type Damage struct {
	Kind DamageKind
	Path string        // below the repository's folder, with slashes; of an object its name
	Text string        // in one line
	Age  time.Duration // of a lock, against the clock that was given
	Dead bool          // of a lock: so old that no git holds it any more
}

// maxDamage bounds what Examine lists of one kind.
const maxDamage = 20

// Examine reads everything that the refs lead to and says what is wrong with
// it and with the repository's files. It changes nothing and takes no lock. An
// error means that it could not go on.
func (r *Repo) Examine(ctx context.Context, now time.Time) ([]Damage, error) {
	x := &examination{repo: r, now: now, seen: map[Hash]bool{}}
	x.permissions()
	if err := x.locks(r.git); err != nil {
		return x.found, err
	}
	if _, err := r.readJournal(); err != nil {
		x.add(DamagedState, ".git/vault/state/journal", oneLine(err.Error()))
	}
	if _, _, err := r.refs.head(); err != nil {
		x.add(DamagedRef, ".git/HEAD", oneLine(err.Error()))
	}
	if err := x.refs(); err != nil {
		return x.found, err
	}
	return x.found, x.objects(ctx)
}

type examination struct {
	repo  *Repo
	now   time.Time
	found []Damage
	todo  []Hash
	seen  map[Hash]bool
	count int // of damaged objects
}

func (x *examination) add(kind DamageKind, path, text string) {
	x.found = append(x.found, Damage{Kind: kind, Path: path, Text: text})
}

// permissions looks for folders that their owner may not write to.
func (x *examination) permissions() {
	r := x.repo
	for _, dir := range []string{r.dir, r.git, r.objects.root, r.packDir(), filepath.Dir(r.refPath()), r.StateDir(), r.tmpDir(), r.CacheDir()} {
		fi, err := r.fs.Stat(dir)
		if err == nil && fi.IsDir() && fi.Mode().Perm()&0o300 != 0o300 {
			x.add(NoPermission, x.rel(dir), fmt.Sprintf("its owner can't write to the folder: its permissions are %v", fi.Mode().Perm()))
		}
	}
}

func (x *examination) rel(path string) string {
	rel, err := filepath.Rel(x.repo.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// locks looks for git's locks below a folder of .git.
func (x *examination) locks(dir string) error {
	list, err := x.repo.fs.ReadDir(dir)
	if err != nil {
		if isNotExist(err) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && (dir != x.repo.git || e.Name() == "refs"):
			if err := x.locks(path); err != nil {
				return err
			}
		case !e.IsDir() && strings.HasSuffix(e.Name(), ".lock"):
			fi, err := e.Info()
			if err != nil {
				continue
			}
			d := Damage{Kind: LeftLock, Path: x.rel(path), Age: max(x.now.Sub(fi.ModTime()), 0)}
			d.Dead = d.Age > gitDied
			d.Text = "git is at work, or died a moment ago: wait for it"
			if d.Dead {
				d.Text = fmt.Sprintf("a git command that died left this lock %v ago", d.Age.Round(time.Minute))
			}
			x.found = append(x.found, d)
		}
	}
	return nil
}

// refs finds what the refs lead to.
func (x *examination) refs() error {
	known, err := x.repo.refs.list("refs/")
	if err != nil {
		return err
	}
	err = x.repo.refs.walk("refs", func(name string) error {
		if _, err := x.repo.refs.read(name); err != nil {
			x.add(DamagedRef, ".git/"+name, oneLine(err.Error()))
		}
		return nil
	})
	for name, h := range known {
		if !x.repo.objects.has(h) {
			x.add(DamagedRef, ".git/"+name, "leads to commit "+h.String()+", which is missing")
			continue
		}
		x.want(h)
	}
	return err
}

func (x *examination) want(h Hash) {
	if !h.IsZero() && !x.seen[h] {
		x.seen[h] = true
		x.todo = append(x.todo, h)
	}
}

// objects reads every object once, and what it leads to.
func (x *examination) objects(ctx context.Context) error {
	for len(x.todo) > 0 && x.count < maxDamage {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		if err := x.object(h); err != nil {
			x.count++
			x.add(DamagedObject, h.String(), oneLine(err.Error()))
		}
	}
	return nil
}

func (x *examination) object(h Hash) error {
	if h == emptyTree {
		return nil
	}
	kind, data, err := x.repo.objects.read(h)
	if err != nil {
		return err
	}
	switch kind {
	case TypeCommit:
		c, err := decodeCommit(h, data)
		if err != nil {
			return err
		}
		x.want(c.Tree)
		if !x.repo.objects.isCut(h) {
			for _, p := range c.Parents {
				x.want(p)
			}
		}
	case TypeTree:
		entries, err := decodeTree(h, data)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Mode != ModeSubmodule {
				x.want(e.Hash)
			}
		}
	}
	return nil
}
