package gitstore

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong; errors.Is tells them apart. The error's own text says
// what is wrong with which value and what to do.
var (
	ErrBusy        = errors.New("repository is busy")          // another writer, or git, holds a lock: try again
	ErrNotFound    = errors.New("not found")                   // no such repository, revision, object or path
	ErrReadOnly    = errors.New("repository is read-only")     // the file system or its permissions refuse writing
	ErrCorrupt     = errors.New("repository is damaged")       // an object, ref or file that must be there is missing or unreadable
	ErrUnfinished  = errors.New("git operation is unfinished") // detached HEAD, other branch, merge, rebase … in progress
	ErrChanged     = errors.New("file changed meanwhile")      // a file or the branch is not what the change was computed from
	ErrPath        = errors.New("path is not allowed")         // leaves the repository, or cannot exist on every system
	ErrUnsupported = errors.New("repository format not known") // newer format, SHA-256, reftable
	ErrExists      = errors.New("repository exists already")   // Init found one
	ErrAmbiguous   = errors.New("revision is ambiguous")       // an abbreviated hash that names several objects
)

// problem is an error with a text of its own that also answers to one of the
// kinds above.
type problem struct {
	kind   error
	text   string
	cause  error
	remote string // what a remote said, for people
}

func (p *problem) Error() string { return p.text }

func (p *problem) Unwrap() []error {
	if p.cause == nil {
		return []error{p.kind}
	}
	return []error{p.kind, p.cause}
}

func fail(kind error, format string, args ...any) error {
	p := &problem{kind: kind, text: fmt.Errorf(format, args...).Error()}
	for _, a := range args {
		if err, ok := a.(error); ok {
			p.cause = err
		}
	}
	return p
}

// ChangedError says which files were not what the change expected; nothing
// was written. It answers to ErrChanged.
type ChangedError struct {
	Paths []string // sorted; empty: the branch itself moved
}

func (e *ChangedError) Error() string {
	if len(e.Paths) == 0 {
		return "the branch moved meanwhile: read it again and retry"
	}
	return fmt.Sprintf("%s changed meanwhile: read it again and retry", strings.Join(e.Paths, ", "))
}

// Is makes errors.Is(err, ErrChanged) true.
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }
