package gitstore

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
)

// journal says what a commit is about to do to the branch and the worktree. It
// is on the disk before the branch moves and goes when all is done, so that
// whoever comes after a crash can finish the one or take back the other.
type journal struct {
	Version  int
	Old, New Hash
	Files    []journalFile
}

// journalFile is one file that a commit replaces.
type journalFile struct {
	Path    string
	Old     Hash // blob name of what stood in the worktree; zero: nothing did
	New     Hash // of what will; zero: nothing will
	OldMode Mode
	NewMode Mode
	Temp    string // in state/tmp: the new file, and after the exchange the old one
}

const journalVersion = 1

func (r *Repo) journalPath() string { return filepath.Join(r.StateDir(), "journal") }

// tmpDir is the folder of unfinished files. Only who holds the lock writes
// there, so whatever lies there when the lock is taken was left by the dead.
func (r *Repo) tmpDir() string { return filepath.Join(r.StateDir(), "tmp") }

// readJournal gives nil where there is none. An unreadable one gives
// errJournal: what it protected is then taken for hand edits, which loses
// nothing.
func (r *Repo) readJournal() (*journal, error) {
	data, err := r.fs.ReadFile(r.journalPath())
	if err != nil {
		if isNotExist(err) || isDirErr(err) {
			return nil, nil
		}
		return nil, err
	}
	j := &journal{}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, errJournal
	}
	if j.Version != journalVersion {
		return nil, fail(ErrUnsupported, "%s was left by a newer version: use that one", r.journalPath())
	}
	for _, f := range j.Files {
		if !gitAllows(f.Path) || filepath.Base(f.Temp) != f.Temp {
			return nil, errJournal
		}
	}
	return j, nil
}

var errJournal = errors.New("unreadable journal")

func (j *journal) file(path string) *journalFile {
	if j == nil {
		return nil
	}
	for i := range j.Files {
		if j.Files[i].Path == path {
			return &j.Files[i]
		}
	}
	return nil
}

// below reports whether the commit touches files below a folder.
func (j *journal) below(dir string) bool {
	for i := range j.Files {
		if strings.HasPrefix(j.Files[i].Path, dir+"/") {
			return true
		}
	}
	return false
}

// equal reports whether two looks saw the same journal.
func (j *journal) equal(k *journal) bool {
	if j == nil || k == nil {
		return j == k
	}
	return j.Old == k.Old && j.New == k.New && len(j.Files) == len(k.Files)
}

func encodeJournal(j *journal) ([]byte, error) { return json.Marshal(j) }
