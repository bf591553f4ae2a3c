package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// packedRefs looks for lines of packed-refs that git stumbles over.
func (x *examination) packedRefs(context.Context) error {
	r := x.repo
	data, err := r.fs.ReadFile(r.packedPath())
	if err != nil {
		return nil
	}
	n, bad := 0, 0
	for line := range bytes.Lines(data) {
		if n++; bad == 0 && !goodPackedLine(line) {
			bad = n
		}
	}
	if bad == 0 {
		return nil
	}
	x.mendable(DamagedRef, x.rel(r.packedPath()), fmt.Sprintf("line %d is no ref: git can't read the file", bad), "keep the lines that can be read", func(ctx context.Context) (aside string, err error) {
		err = r.locked(ctx, func() error {
			if aside, err = r.keepCopy(r.packedPath()); err != nil {
				return err
			}
			return r.filterPacked(ctx, func(line []byte) bool { return goodPackedLine(line) })
		})
		return aside, err
	})
	return nil
}

func goodPackedLine(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 || line[0] == '#' {
		return len(line) > 0
	}
	if line[0] == '^' {
		_, ok := ParseHash(string(line[1:]))
		return ok
	}
	hex, name, ok := strings.Cut(string(line), " ")
	_, good := ParseHash(hex)
	return ok && good && validRef(name)
}

// branch looks whether the served branch leads to a whole commit.
func (x *examination) branch(ctx context.Context) error {
	r := x.repo
	path := ".git/" + r.branch
	why, err := x.branchFlaw()
	if why == "" || err != nil {
		return err
	}
	back, from, err := x.newestWhole(ctx)
	if err != nil {
		return err
	}
	if back == nil {
		x.add(DamagedRef, path, "branch %s %s, and no commit is whole here: another copy of the scope brings them back with %s", r.opts.Branch, why, r.refetch())
		return nil
	}
	x.mendable(DamagedRef, path, "branch "+r.opts.Branch+" "+why,
		fmt.Sprintf("bring it back to commit %s of %s, %s; what the files hold beyond that stays as it stands, as a hand edit",
			back.Hash.String()[:10], back.Committer.When.UTC().Format("2006-01-02 15:04:05"), from),
		func(ctx context.Context) (string, error) { return r.bringBack(ctx, back.Hash, x) })
	return nil
}

// branchFlaw says what is wrong with the branch; "": nothing, or there never
// was a commit.
func (x *examination) branchFlaw() (string, error) {
	r := x.repo
	h, err := r.refs.read(r.branch)
	switch {
	case refused(err):
		return "", nil
	case err != nil:
		return "names no commit", nil
	case !h.IsZero():
		if err := x.flaw(h, 0); err != nil {
			return "leads to commit " + h.String()[:10] + ", of which not all is there (" + what(err) + ")", nil
		}
		return "", nil
	}
	if _, err := r.fs.Lstat(r.indexPath()); err == nil {
		return "is gone, though there were commits", nil
	}
	all, err := x.commits()
	if err != nil || len(x.local(all)) == 0 {
		return "", err
	}
	return "is gone, though there are commits", nil
}

// what leaves out of an error what it says is to be done.
func what(err error) string {
	text, _, _ := strings.Cut(oneLine(err.Error()), ": ")
	return text
}

// refetch is the command that gets lost objects from another copy.
func (r *Repo) refetch() string {
	return fmt.Sprintf("git -C '%s' fetch --refetch REMOTE", r.dir)
}

// reflogs looks for lines about commits that are gone.
func (x *examination) reflogs(context.Context) error {
	if x.look.Quick {
		return nil
	}
	return x.reflogsIn(filepath.Join(x.repo.git, "logs"))
}

func (x *examination) reflogsIn(dir string) error {
	r := x.repo
	list, err := r.fs.ReadDir(dir)
	if err != nil {
		if isNotExist(err) || isDirErr(err) || refused(err) {
			return nil
		}
		return err
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if err := x.reflogsIn(path); err != nil {
				return err
			}
			continue
		}
		if !e.Type().IsRegular() {
			continue
		}
		data, err := r.fs.ReadFile(path)
		if err != nil {
			continue
		}
		kept, n := x.wholeLines(data)
		if len(kept) == len(data) {
			continue
		}
		x.mendable(DamagedRef, x.rel(path), fmt.Sprintf("%d of its lines can't be read, or are about commits that are not whole", n),
			"keep the others", func(ctx context.Context) (string, error) { return r.replaceFile(ctx, path, kept) })
	}
	return nil
}

// wholeLines keeps the lines of a reflog that git can follow, and counts the
// others.
func (x *examination) wholeLines(data []byte) (kept []byte, others int) {
	for line := range bytes.Lines(data) {
		old, new, ok := reflogLine(line)
		for _, h := range []Hash{old, new} {
			ok = ok && (h.IsZero() || x.flaw(h, 0) == nil)
		}
		if ok {
			kept = append(kept, line...)
		} else {
			others++
		}
	}
	return kept, others
}

func reflogLine(line []byte) (old, new Hash, ok bool) {
	if len(line) <= 82 || line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0 {
		return old, new, false
	}
	old, ok = ParseHash(string(line[:40]))
	new, good := ParseHash(string(line[41:81]))
	return old, new, ok && good
}

// refs finds what the other refs lead to. One that only says where a remote
// was can be asked of that remote again.
func (x *examination) refs(context.Context) error {
	r := x.repo
	known, err := r.refs.list("refs/")
	if err != nil {
		if refused(err) {
			return nil
		}
		return err
	}
	broken := map[string]string{}
	err = r.refs.walk("refs", func(name string) error {
		if _, err := r.refs.read(name); err != nil && !refused(err) {
			broken[name] = "it names no commit"
		}
		return nil
	})
	if refused(err) {
		err = nil
	}
	for name, h := range known {
		if _, _, _, err := x.load(h); err != nil && !refused(err) {
			broken[name] = "it leads to commit " + h.String()[:10] + ", which is not there"
		}
	}
	delete(broken, r.branch)
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		if !strings.HasPrefix(name, "refs/remotes/") && !strings.HasPrefix(name, "refs/vault/fetched/") {
			x.add(DamagedRef, ".git/"+name, "%s; vault reads and writes all the same: git -C '%s' update-ref %s COMMIT has it name one that is there", broken[name], r.dir, name)
			continue
		}
		x.mendable(DamagedRef, ".git/"+name, broken[name]+"; the next fetch finds it anew", "move it aside", func(ctx context.Context) (string, error) { return r.dropRef(ctx, name) })
	}
	return err
}

// dropRef takes a ref away, having put a copy aside.
func (r *Repo) dropRef(ctx context.Context, name string) (aside string, err error) {
	err = r.locked(ctx, func() error {
		path := filepath.Join(r.git, filepath.FromSlash(name))
		if h, _ := r.refs.packed(name); !h.IsZero() {
			if aside, err = r.keepCopy(r.packedPath()); err != nil {
				return err
			}
			if err := r.unpackRef(ctx, name); err != nil {
				return err
			}
		}
		to, err := r.aside(path)
		if isNotExist(err) {
			return nil
		}
		aside = to
		return err
	})
	return aside, err
}

// bringBack points the served branch to a commit. What stood there is copied
// aside, and so is the index, which is then made anew; the files stay as they
// are.
func (r *Repo) bringBack(ctx context.Context, to Hash, x *examination) (aside string, err error) {
	err = r.locked(ctx, func() error {
		x.flaws = map[Hash]error{}
		if why, err := x.branchFlaw(); err != nil || why == "" {
			return errors.Join(err, &ChangedError{})
		}
		if err := r.putJournalAside(); err != nil {
			return err
		}
		if aside, err = r.pointBranch(ctx, to); err != nil {
			return err
		}
		if r.opInProgress() != "" {
			return nil
		}
		if _, err := r.aside(r.indexPath()); err != nil && !isNotExist(err) {
			return err
		}
		return nil
	})
	return aside, err
}

func (r *Repo) pointBranch(ctx context.Context, to Hash) (aside string, err error) {
	temp, path := filepath.Join(r.tmpDir(), refTemp(r.branch)), r.refPath()
	if err := r.writeDurably(temp, []byte(to.String()+"\n"), 0o666); err != nil {
		return "", writeError("the branch", err)
	}
	if err := r.makeRefFolders(); err != nil {
		return "", err
	}
	linked, err := r.takeGitLock(ctx, temp, path+".lock")
	if err != nil {
		return "", err
	}
	if aside, err = r.keepCopy(path); err != nil {
		return aside, errors.Join(err, r.fs.Remove(path+".lock"))
	}
	if linked {
		if err = r.fs.Rename(path+".lock", path); err == nil {
			_ = r.fs.Remove(temp)
		} else {
			err = errors.Join(err, r.fs.Remove(path+".lock"))
		}
	} else {
		err = errors.Join(r.fs.Rename(temp, path), r.fs.Remove(path+".lock"))
	}
	if err != nil {
		return aside, writeError("the branch", err)
	}
	return aside, r.syncDirs(map[string]bool{filepath.Dir(path): true})
}

// makeRefFolders makes the folders that lead to the branch. A file that stands
// in their place is moved aside.
func (r *Repo) makeRefFolders() error {
	for _, dir := range []string{filepath.Join(r.git, "refs"), filepath.Join(r.git, "refs", "heads"), filepath.Dir(r.refPath())} {
		fi, err := r.fs.Lstat(dir)
		if err == nil && !fi.IsDir() {
			if _, err := r.aside(dir); err != nil {
				return err
			}
		}
		if err == nil && fi.IsDir() {
			continue
		}
		if err := r.fs.Mkdir(dir, 0o777); err != nil {
			return writeError(dir, err)
		}
	}
	return nil
}

// putJournalAside has what stands in the worktree count as it stands, whatever
// a commit that is gone meant to do. A text of a person's that the commit had
// taken out of the way is kept as one that was saved.
func (r *Repo) putJournalAside() error {
	j, err := r.readJournal()
	if err != nil && !errors.Is(err, errJournal) {
		return err
	}
	if j == nil && err == nil {
		return nil
	}
	if j != nil {
		for _, f := range j.Files {
			temp := filepath.Join(r.tmpDir(), f.Temp)
			h, there, err := r.hashAt(temp)
			if f.Temp == "" || err != nil || !there || h == f.New || h.IsZero() {
				continue
			}
			if _, err := r.objects.blob(h); err == nil {
				continue // it is committed somewhere
			}
			if err := r.rescue(f.Path, temp); err != nil {
				return err
			}
		}
	}
	_, err = r.aside(r.journalPath())
	return err
}
