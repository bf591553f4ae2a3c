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
	DamagedRef    DamageKind = "ref"        // a ref, HEAD or a list of them that leads to no whole commit
	DamagedPack   DamageKind = "pack"       // or its index
	DamagedIndex  DamageKind = "index"      // git's index of the worktree
	DamagedState  DamageKind = "journal"    // what is to be recovered can't be read
	DamagedConfig DamageKind = "config"     // the repository's configuration is lost
	LeftLock      DamageKind = "lock"       // one of git's locks
	NoPermission  DamageKind = "permission" // its owner can't use it, or others may change it
)

// Damage is one thing that is wrong.
type Damage struct {
	Kind  DamageKind
	Path  string // below the repository's folder, with slashes; of an object the folder of objects
	Text  string // what is wrong and, where there is no Fix, what to do; in one line
	Fix   string // what Mend does about it; "": nothing, it is a person's
	Minor bool   // all goes on as it is
	Left  bool   // something is still to do after Mend, as Text says

	mend func(ctx context.Context) (aside string, err error)
}

// Mend does what Fix says, and nothing that could lose anything. What is in the
// way is moved or copied to AsideDir first, and aside says where; "" where
// nothing was.
func (d Damage) Mend(ctx context.Context) (aside string, err error) {
	if d.mend == nil {
		return "", nil
	}
	return d.mend(ctx)
}

// Look is how Examine looks.
type Look struct {
	Now   time.Time // what the age of locks is told by
	UID   int       // the user whose process this is; below 0: not known
	Quick bool      // not at every object of the history
}

// maxDamage bounds what Examine lists of one kind.
const maxDamage = 20

// OpenDamaged opens a repository to examine and to mend it: all that has to be
// there is .git. ErrNotFound: it is not.
func OpenDamaged(dir string, o Options) (*Repo, error) {
	o = o.filled()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	git := filepath.Join(dir, ".git")
	fi, err := o.FS.Stat(git)
	switch {
	case isNotExist(err) || isDirErr(err):
		return nil, fail(ErrNotFound, "no git repository in %s", dir)
	case err != nil:
		return nil, err
	case !fi.IsDir():
		if git, err = gitDir(o.FS, dir); err != nil {
			return nil, err
		}
	}
	return newRepo(dir, git, o), nil
}

// Examine reads everything that the refs lead to and tells what is wrong with
// it and with the repository's files, one thing after the other. It changes
// nothing and takes no lock; what is mended while it is told is found sound by
// what is looked at next. An error means that it could not go on.
func (r *Repo) Examine(ctx context.Context, l Look, found func(Damage)) error {
	if err := r.checkFormat(); errors.Is(err, ErrUnsupported) {
		return err // a newer one's to examine
	}
	x := &examination{repo: r, look: l, tell: found, fine: map[Hash]Type{}, flaws: map[Hash]error{}}
	x.access()
	if err := r.checkFormat(); errors.Is(err, ErrUnsupported) {
		return err
	}
	var failed error
	for _, step := range []func(context.Context) error{
		x.locks, x.journal, x.config, x.head, x.packedRefs, x.borders, x.packs, x.branch, x.reflogs, x.refs, x.index, x.objects,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		failed = errors.Join(failed, step(ctx))
	}
	return failed
}

type examination struct {
	repo *Repo
	look Look
	tell func(Damage)

	fine   map[Hash]Type    // objects that were read and are sound
	flaws  map[Hash]error   // of commits and what they lead to, as far as looked for
	copies map[Hash]remains // nil: not looked for
}

func (x *examination) add(kind DamageKind, path, format string, args ...any) {
	x.tell(Damage{Kind: kind, Path: path, Text: fmt.Sprintf(format, args...)})
}

// mendable tells of damage that can be mended.
func (x *examination) mendable(kind DamageKind, path, text, fix string, mend func(context.Context) (string, error)) {
	x.tell(Damage{Kind: kind, Path: path, Text: text, Fix: fix, mend: mend})
}

func (x *examination) rel(path string) string {
	rel, err := filepath.Rel(x.repo.dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// refused reports what the file system does not let be read; access tells of
// it.
func refused(err error) bool { return errors.Is(err, fs.ErrPermission) }

func (x *examination) locks(context.Context) error { return x.locksIn(x.repo.git) }

// locksIn looks for git's locks below a folder of .git.
func (x *examination) locksIn(dir string) error {
	r := x.repo
	list, err := r.fs.ReadDir(dir)
	if err != nil {
		if isNotExist(err) || refused(err) {
			return nil
		}
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && (dir != r.git || e.Name() == "refs"):
			if err := x.locksIn(path); err != nil {
				return err
			}
		case !e.IsDir() && strings.HasSuffix(e.Name(), ".lock"):
			fi, err := e.Info()
			if err != nil {
				continue
			}
			age := max(x.look.Now.Sub(fi.ModTime()), 0)
			if age <= gitDied {
				x.tell(Damage{Kind: LeftLock, Path: x.rel(path), Minor: true, Text: "git is at work, or died a moment ago: wait for it"})
				continue
			}
			x.mendable(LeftLock, x.rel(path), fmt.Sprintf("a git command that died left this lock %v ago", age.Round(time.Minute)),
				"move it aside", func(context.Context) (string, error) { return r.moveLock(path, x.look.Now) })
		}
	}
	return nil
}

func (x *examination) journal(context.Context) error {
	r := x.repo
	_, err := r.readJournal()
	switch {
	case err == nil || refused(err):
	case errors.Is(err, errJournal):
		x.mendable(DamagedState, x.rel(r.journalPath()), "what is to be recovered can't be read: the files count as they stand",
			"move it aside", func(ctx context.Context) (aside string, err error) {
				err = r.locked(ctx, func() error {
					aside, err = r.aside(r.journalPath())
					return err
				})
				return aside, err
			})
	default:
		x.add(DamagedState, x.rel(r.journalPath()), "%s", oneLine(err.Error()))
	}
	return nil
}

// config looks for a configuration that never reached the disk.
func (x *examination) config(context.Context) error {
	r := x.repo
	path := filepath.Join(r.git, "config")
	data, err := r.fs.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "\x00") {
		return nil
	}
	if strings.Trim(string(data), "\x00") != "" {
		x.add(DamagedConfig, x.rel(path), "it holds NUL bytes and git can't read it: take them out in an editor")
		return nil
	}
	m := &maker{fs: r.fs, dir: r.dir, git: r.git, opts: r.opts}
	x.mendable(DamagedConfig, x.rel(path), "it holds nothing but NUL bytes, as a disk that lost power leaves it: git can't read it, and what it said, such as remotes, is lost",
		"write what a new scope has", func(ctx context.Context) (string, error) {
			return r.replaceFile(ctx, path, []byte(m.config(r)))
		})
	return nil
}

func (x *examination) head(context.Context) error {
	r := x.repo
	ref, _, err := r.refs.head()
	if refused(err) || err == nil && (ref == "" || validRef(ref)) {
		return nil
	}
	path := filepath.Join(r.git, "HEAD")
	text := "it names no branch and no commit: git takes the folder for no repository"
	if isNotExist(err) {
		text = "it is missing: git takes the folder for no repository"
	}
	x.mendable(DamagedRef, x.rel(path), text, "have it name branch "+r.opts.Branch+" again", func(ctx context.Context) (string, error) {
		return r.replaceFile(ctx, path, []byte("ref: "+r.branch+"\n"))
	})
	return nil
}

// index looks whether git can read its index. Ours is only a memory of what
// was looked at: it is made anew by whoever writes next.
func (x *examination) index(context.Context) error {
	r := x.repo
	data, err := r.fs.ReadFile(r.indexPath())
	if err != nil || !brokenIndex(data) {
		return nil
	}
	x.mendable(DamagedIndex, x.rel(r.indexPath()), "git can't read its index", "make it anew from the newest commit", func(ctx context.Context) (aside string, err error) {
		err = r.locked(ctx, func() error {
			aside, err = r.aside(r.indexPath())
			return err
		})
		return aside, err
	})
	return nil
}
