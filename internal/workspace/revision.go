package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// ErrNoRevision is a name that no commit of the workspace has.
var ErrNoRevision = errors.New("no such commit of the code")

// A Revision is a commit of the workspace's own history.
type Revision struct {
	Commit string    // full hash
	Time   time.Time // when it was committed

	past []string // it and all that it comes from, sorted
}

// minAbbrev is how much of a hash says which commit is meant.
const minAbbrev = 7

// Includes reports whether a commit, by its hash or the beginning of it, is the
// revision or one that it comes from.
func (r Revision) Includes(commit string) bool {
	if len(commit) < minAbbrev {
		return false
	}
	i := sort.SearchStrings(r.past, commit)
	return i < len(r.past) && strings.HasPrefix(r.past[i], commit)
}

// Revision looks a commit of the workspace up, by what git calls it. It takes
// git itself.
func (id Identity) Revision(name string) (Revision, error) {
	if id.repo == nil {
		return Revision{}, fmt.Errorf("%w: %s is no git repository", ErrNoRevision, oneLine(id.Root))
	}
	if name == "" || name[0] == '-' || strings.ContainsAny(name, "\x00\n") {
		return Revision{}, fmt.Errorf("%w: %q", ErrNoRevision, name)
	}
	o := id.options
	out, err := o.git(id.repo.GitDir, "rev-parse", "-q", "--verify", name+"^{commit}")
	commit := strings.TrimSpace(out)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Revision{}, errors.New("the code's history can't be read: git is not installed")
	case errors.Is(err, errSlow):
		return Revision{}, err
	case err != nil || !isHash(commit):
		return Revision{}, fmt.Errorf("%w: %q", ErrNoRevision, name)
	}
	var list bytes.Buffer
	if err := o.gitInto(&list, id.repo.GitDir, "rev-list", "--timestamp", commit); err != nil {
		return Revision{}, err
	}
	r := Revision{Commit: commit}
	for line := range strings.Lines(list.String()) {
		when, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		if hash == commit {
			seconds, err := strconv.ParseInt(when, 10, 64)
			if err != nil {
				return Revision{}, fmt.Errorf("git says when %s was made in a way that can't be read: %w", commit, err)
			}
			r.Time = time.Unix(seconds, 0).UTC()
		}
		r.past = append(r.past, hash)
	}
	slices.Sort(r.past)
	return r, nil
}
