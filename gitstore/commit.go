package gitstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"gitvault/internal/fsys"
)

// Outcome is what a Commit did.
type Outcome struct {
	// Commit is the newest commit afterwards.
	Commit Hash
	// Unchanged: nothing in the tree would have changed, so there is no new
	// commit. The worktree is as the change wants it all the same.
	Unchanged bool
	// Saved lists files that somebody saved in the very moment in which they
	// were being replaced. Their text stands in the worktree, and the next
	// View has them as dirty: adopt them before the turn ends.
	Saved []string
}

var errEnded = errors.New("the turn has ended")

// Commit makes a change durable: when it returns without an error the commit
// survives whatever happens, and worktree and index are in step with it. After
// an error nothing has changed. It may be called several times in one turn.
//
// ErrChanged: a file, or the branch, is not what the change was computed from;
// call Refresh, compute the change again and retry. ErrBusy: git holds a lock
// for the whole of LockTimeout, or left one behind; the error says which.
func (tx *Tx) Commit(c Change) (Outcome, error) {
	if tx.release == nil {
		return Outcome{}, errEnded
	}
	if err := tx.ctx.Err(); err != nil {
		return Outcome{}, err
	}
	w := &writing{tx: tx, repo: tx.repo, discard: c.Discard}
	out, err := w.commit(&c)
	tx.view = nil
	return out, err
}

// writing is one commit on its way to the disk.
type writing struct {
	tx   *Tx
	repo *Repo
	view *View

	plan    []*planned
	builder *treeBuilder
	old     Hash
	new     Hash
	tree    Hash
	subject string
	who     Signature

	temps   []string // to be removed at the end
	index   *indexLock
	dirs    map[string]bool // whose names are to be made durable at the end
	discard map[string]bool // files not to be kept when they are replaced
	moved   bool            // the branch points to the new commit
	saved   []string
}

func (w *writing) commit(c *Change) (Outcome, error) {
	var err error
	if w.plan, err = w.tx.plan(c); err != nil {
		return Outcome{}, err
	}
	w.view = w.tx.view
	w.old = w.view.Head
	w.dirs = map[string]bool{}
	objects, err := w.build(c)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Commit: w.new, Unchanged: w.new == w.old}
	if out.Unchanged && !w.anyWork() && w.view.indexOK {
		return out, nil
	}
	if err := w.write(objects); err != nil {
		return Outcome{}, w.abandon(err)
	}
	if err := w.move(); err != nil {
		return Outcome{}, w.abandon(err)
	}
	if err := w.settle(); err != nil {
		return Outcome{}, w.abandon(err)
	}
	w.finish()
	if n := len(objects); n > 0 && n <= packInstead {
		w.repo.noteLoose(n)
	}
	out.Saved = w.saved
	return out, nil
}

func (w *writing) anyWork() bool {
	for _, p := range w.plan {
		if p.work {
			return true
		}
	}
	return false
}

// build computes the new commit and all objects that it needs.
func (w *writing) build(c *Change) ([]newObject, error) {
	var tree Hash
	var parents []Hash
	if !w.old.IsZero() {
		head, err := w.repo.objects.commit(w.old)
		if err != nil {
			return nil, err
		}
		tree, parents = head.Tree, []Hash{w.old}
	}
	w.builder = &treeBuilder{objects: w.repo.objects, made: map[Hash]newObject{}, trees: map[Hash][]TreeEntry{}}
	if !c.To.IsZero() {
		to, err := w.repo.objects.commit(c.To)
		if err != nil {
			return nil, err
		}
		w.new, w.tree, w.subject, w.who = c.To, to.Tree, to.Subject(), to.Committer
		return nil, nil
	}
	var changes []treeChange
	for _, p := range w.plan {
		if p.hash == p.file.Hash && p.mode == p.file.Mode {
			continue
		}
		changes = append(changes, treeChange{p.path, p.mode, p.hash})
		if p.hash != p.file.Hash && !p.hash.IsZero() {
			w.builder.made[p.hash] = newObject{p.hash, TypeBlob, p.data}
		}
	}
	var err error
	if w.tree, err = w.builder.update(tree, "", changes); err != nil {
		return nil, err
	}
	w.new = w.old
	if w.tree != tree || len(c.Parents) > 0 || c.Empty {
		commit := &Commit{Tree: w.tree, Parents: append(parents, c.Parents...), Author: c.Author, Committer: c.Committer, Message: c.Message}
		data := encodeCommit(commit)
		w.new = HashOf(TypeCommit, data)
		w.builder.made[w.new] = newObject{w.new, TypeCommit, data}
		w.subject, w.who = commit.Subject(), c.Committer
	}
	if w.new == w.old {
		return nil, nil
	}
	objects := make([]newObject, 0, len(w.builder.made))
	for _, o := range w.builder.made {
		objects = append(objects, o)
	}
	sort.Slice(objects, func(i, j int) bool { return objects[i].hash.String() < objects[j].hash.String() })
	return objects, nil
}

// write puts everything on the disk that the move of the branch relies on:
// objects, new files, journal. Nothing refers to any of it yet.
func (w *writing) write(objects []newObject) error {
	r := w.repo
	b := &batch{repo: r}
	defer b.close()
	var err error
	if w.index, err = r.prepareIndex(); err != nil {
		return err
	}
	w.nameTemps()
	if len(objects) > packInstead {
		if err := w.writeAsPack(objects); err != nil {
			return err
		}
		objects = nil
	}
	if err := w.addLoose(b, objects); err != nil {
		return err
	}
	j := journal{Version: journalVersion, Old: w.old, New: w.new}
	for _, p := range w.plan {
		if !p.work {
			continue
		}
		j.Files = append(j.Files, journalFile{Path: p.path, Old: p.file.Work, New: p.hash, OldMode: p.file.WorkMode, NewMode: p.mode, Temp: p.temp})
		if p.hash.IsZero() {
			continue
		}
		if err := w.newFile(b, p); err != nil {
			return err
		}
	}
	data, err := json.Marshal(&j)
	if err != nil {
		return err
	}
	if err := b.add(w.temp("journal"), data, 0o666); err != nil {
		return err
	}
	if w.new != w.old {
		if err := b.add(w.temp(refTemp(w.repo.branch)), []byte(w.new.String()+"\n"), 0o666); err != nil {
			return err
		}
	}
	if err := b.sync(); err != nil {
		return writeError("the new commit", err)
	}

	dirs := map[string]bool{r.StateDir(): true, r.tmpDir(): true}
	if err := w.placeLoose(objects, dirs); err != nil {
		return err
	}
	if err := r.fs.Rename(w.tx.tmp("journal"), r.journalPath()); err != nil {
		return writeError("the journal", err)
	}
	if err := r.syncDirs(dirs); err != nil {
		return writeError("the new commit", err)
	}
	return nil
}

func refTemp(name string) string { return refPrefix + url.PathEscape(name) }

func (w *writing) addLoose(b *batch, objects []newObject) error {
	for i, o := range objects {
		if err := b.add(w.temp("object"+strconv.Itoa(i)), encodeLoose(o.kind, o.data), 0o444); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) placeLoose(objects []newObject, dirs map[string]bool) error {
	for i, o := range objects {
		if err := w.placeObject(w.tx.tmp("object"+strconv.Itoa(i)), o, dirs); err != nil {
			return writeError("the new commit", err)
		}
	}
	return nil
}

// packInstead is the number of objects above which a commit writes one pack,
// not a file for each.
const packInstead = 100

func (w *writing) writeAsPack(objects []newObject) error {
	_, err := w.repo.writePack(w.repo.tmpDir(), len(objects), func(p *packWriter) error {
		for _, o := range objects {
			if _, err := p.add(o.hash, o.kind, o.data, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = w.repo.objects.list(true)
	return err
}

// nameTemps gives the new files names that no earlier commit used: after a
// power cut an old journal may be there again, and must not take the files of
// a later commit for its own.
func (w *writing) nameTemps() {
	for i, p := range w.plan {
		if p.work {
			p.temp = fmt.Sprintf("work-%.8s-%x-%d", w.new, w.index.born.MTime, i)
		}
	}
}

func (w *writing) temp(name string) string {
	path := w.tx.tmp(name)
	w.temps = append(w.temps, path)
	return path
}

// newFile prepares what is to stand in the worktree.
func (w *writing) newFile(b *batch, p *planned) error {
	temp := w.temp(p.temp)
	if p.mode == ModeSymlink && !w.repo.noSymlinks {
		if err := w.repo.fs.Symlink(string(p.data), temp); err != nil {
			return writeError(p.path, err)
		}
		fi, err := w.repo.fs.Lstat(temp)
		if err == nil {
			p.written = fsys.Identify(fi)
		}
		return err
	}
	if err := b.add(temp, p.data, w.perm(p)); err != nil {
		return err
	}
	return w.backdate(p)
}

// perm keeps the permissions that a file has.
func (w *writing) perm(p *planned) fs.FileMode {
	perm := fs.FileMode(0o666)
	if p.mode == ModeExec {
		perm = 0o777
	}
	if p.file.id.Mode != 0 && p.mode == p.file.WorkMode {
		perm = p.file.id.Mode.Perm() | 0o200
	}
	return perm
}

// tick is longer than the steps in which any usual file system counts time.
const tick = 20_000_000

// backdate sets a new file's time a moment back, yet after that of the file it
// replaces. A change in the next instant then has another time, so that the
// file's stat alone shows that it was changed.
func (w *writing) backdate(p *planned) error {
	fi, err := w.repo.fs.Lstat(w.tx.tmp(p.temp))
	if err != nil {
		return writeError(p.path, err)
	}
	p.written = fsys.Identify(fi)
	back := max(p.written.MTime-tick, p.file.id.MTime+1000)
	if back >= p.written.MTime {
		return nil
	}
	if err := w.repo.fs.Chtimes(w.tx.tmp(p.temp), back); err != nil {
		return writeError(p.path, err)
	}
	if fi, err = w.repo.fs.Lstat(w.tx.tmp(p.temp)); err != nil {
		return writeError(p.path, err)
	}
	p.written = fsys.Identify(fi)
	return nil
}

// placeObject moves a finished object to where it is found. One that is there
// already is replaced: that costs nothing, makes it durable, and keeps git
// from taking it for old garbage.
func (w *writing) placeObject(temp string, o newObject, dirs map[string]bool) error {
	r := w.repo
	path := loosePath(r.objects.root, o.hash)
	dirs[filepath.Dir(path)] = true
	err := r.fs.Rename(temp, path)
	for try := 0; isNotExist(err) && try < 10; try++ { // git gc removes empty folders
		var changed []string
		changed, err = fsys.MkdirAll(r.fs, filepath.Dir(path), 0o777)
		for _, d := range changed {
			dirs[d] = true
		}
		if err == nil {
			err = r.fs.Rename(temp, path)
		}
	}
	if err == nil {
		return nil
	}
	if _, _, rerr := r.objects.readLoose(r.objects.root, o.hash); rerr == nil {
		return nil // Windows replaces no file that is read-only or being read
	}
	return err
}

// move points the branch to the new commit, by git's own locking: index first,
// then ref, so that no git command sees the one without the other.
func (w *writing) move() error {
	r := w.repo
	if err := w.index.take(w.tx.ctx); err != nil {
		return err
	}
	if err := r.Unfinished(); err != nil {
		return err
	}
	if err := w.recheck(); err != nil {
		return err
	}
	if w.new == w.old {
		return nil
	}
	if err := r.swapRef(w.tx.ctx, r.branch, w.tx.tmp(refTemp(r.branch)), w.old, w.new, &w.moved); err != nil {
		return err
	}
	w.dirs[filepath.Dir(filepath.Join(r.git, filepath.FromSlash(r.branch)))] = true
	r.appendReflog(w.old, w.new, w.who, w.subject)
	return nil
}

// recheck looks once more at the files to be replaced: one that was saved
// meanwhile is best noticed before anything happened.
func (w *writing) recheck() error {
	var changed []string
	for _, p := range w.plan {
		if !p.work {
			continue
		}
		fi, err := w.repo.fs.Lstat(w.repo.workPath(p.path))
		there := p.file.WorkMode != 0
		switch {
		case err != nil && !isNotExist(err) && !isDirErr(err):
			return writeError(p.path, err)
		case err == nil && !there && fi.IsDir() && w.empties(p.path):
		case (err == nil) != there:
			changed = append(changed, p.path)
		case there && p.file.id != (fsys.ID{}) && fsys.Identify(fi) != p.file.id:
			if h, _, err := w.repo.hashAt(w.repo.workPath(p.path)); err != nil || h != p.file.Work {
				changed = append(changed, p.path)
			}
		}
	}
	if len(changed) > 0 {
		return &ChangedError{Paths: changed}
	}
	return nil
}

// empties reports whether the commit deletes files below a folder.
func (w *writing) empties(dir string) bool {
	for _, p := range w.plan {
		if p.work && p.hash.IsZero() && strings.HasPrefix(p.path, dir+"/") {
			return true
		}
	}
	return false
}

// settle brings worktree and index in step with the new commit.
func (w *writing) settle() error {
	for _, deleting := range []bool{true, false} { // a file may take a folder's place
		for _, p := range w.plan {
			if !p.work || p.hash.IsZero() != deleting {
				continue
			}
			if err := w.replace(p); err != nil {
				return writeError(p.path, err)
			}
		}
	}
	x, err := w.newIndex()
	if err != nil {
		return err
	}
	if err := w.index.fill(x.encode()); err != nil {
		return writeError("the index", err)
	}
	if err := w.index.commit(); err != nil {
		return writeError("the index", err)
	}
	w.dirs[w.repo.git] = true
	if err := w.repo.syncAll(w.dirs, w.repo.indexPath()); err != nil {
		return writeError("the new commit", err)
	}
	return nil
}

// replace puts one file into the worktree and looks at the one it replaced: if
// that is not what the change expected, somebody saved it in the last instant,
// and it goes back.
func (w *writing) replace(p *planned) error {
	r := w.repo
	path, temp := r.workPath(p.path), w.tx.tmp(p.temp)
	w.dirs[filepath.Dir(path)] = true
	switch {
	case p.hash.IsZero():
		if err := r.fs.Rename(path, temp); err != nil {
			if isNotExist(err) {
				return nil
			}
			return err
		}
		w.temps = append(w.temps, temp)
		if w.displaced(p) {
			err := r.fs.Place(temp, path)
			if err == nil || !errors.Is(err, fs.ErrExist) {
				w.saved = append(w.saved, p.path)
				return err
			}
			return r.rescue(p.path, temp) // and saved yet again
		}
		p.replaced = true
		r.prune(parent(p.path), w.dirs)
		return nil
	case p.file.WorkMode == 0:
		changed, err := fsys.MkdirAll(r.fs, filepath.Dir(path), 0o777)
		for _, d := range changed {
			w.dirs[d] = true
		}
		if err != nil {
			return err
		}
		err = r.fs.Place(temp, path)
		if errors.Is(err, fs.ErrExist) {
			w.saved = append(w.saved, p.path)
			return nil
		}
		if err != nil {
			return err
		}
	default:
		err := r.fs.Exchange(temp, path)
		if isNotExist(err) { // deleted in the last instant: that stands
			w.saved = append(w.saved, p.path)
			return nil
		}
		if err != nil {
			return err
		}
		if w.displaced(p) {
			return w.giveBack(p)
		}
		p.replaced = true
	}
	fi, err := r.fs.Lstat(path)
	if err != nil {
		return nil // gone again: its stat stays unknown
	}
	now := fsys.Identify(fi)
	if now.MTime == p.written.MTime && now.Size == p.written.Size && now.Ino == p.written.Ino {
		p.stat, p.statOK = statOf(now), true
	}
	return nil
}

// displaced reports whether the file that was moved out of the worktree is not
// the one that the change expected.
func (w *writing) displaced(p *planned) bool {
	if p.file.steady {
		fi, err := w.repo.fs.Lstat(w.tx.tmp(p.temp))
		if err == nil {
			now := fsys.Identify(fi)
			now.CTime = p.file.id.CTime // moving it has changed that
			if now == p.file.id {
				return false
			}
		}
	}
	h, there, err := w.repo.hashAt(w.tx.tmp(p.temp))
	return err != nil || there && h != p.file.Work
}

// giveBack returns a text that was saved in the last instant to its place.
func (w *writing) giveBack(p *planned) error {
	r := w.repo
	w.saved = append(w.saved, p.path)
	if err := r.fs.Exchange(w.tx.tmp(p.temp), r.workPath(p.path)); err != nil {
		if isNotExist(err) {
			return r.fs.Place(w.tx.tmp(p.temp), r.workPath(p.path))
		}
		return err
	}
	if h, _, err := r.hashAt(w.tx.tmp(p.temp)); err == nil && h == p.hash {
		return nil
	}
	// Saved once more upon the new file: the newest stands in the worktree.
	if err := r.fs.Exchange(w.tx.tmp(p.temp), r.workPath(p.path)); err != nil {
		return err
	}
	return r.rescue(p.path, w.tx.tmp(p.temp))
}

// finish clears away what is no longer needed. The commit is durable already,
// so nothing here can fail it: what stays is cleared by the next turn.
func (w *writing) finish() {
	w.index.release()
	_ = w.repo.fs.Remove(w.index.temp)
	_ = w.repo.fs.Remove(w.repo.journalPath())
	w.keepReplaced()
	for _, t := range w.temps {
		_ = w.repo.fs.Remove(t)
	}
}

// abandon takes back what was begun. Where that fails the journal stays, and
// the next turn does it.
func (w *writing) abandon(err error) error {
	r := w.repo
	if w.index != nil {
		w.index.release()
	}
	if w.moved {
		back, temp := false, w.tx.tmp(backPrefix+url.PathEscape(r.branch))
		if r.writeDurably(temp, []byte(w.old.String()+"\n"), 0o666) != nil {
			return err
		}
		if berr := r.swapRef(w.tx.ctx, r.branch, temp, w.new, w.old, &back); berr != nil && !back {
			return err
		}
	}
	_ = r.recover()
	return err
}
