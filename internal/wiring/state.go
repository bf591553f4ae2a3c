package wiring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"gitvault/internal/fsys"
)

// A record is what was put where for a client.
type record struct {
	Client  string     `json:"client"`
	Kind    string     `json:"kind"`              // Install or Index
	Project string     `json:"project,omitempty"` // the project's folder, "" for the person's own files
	Files   []recorded `json:"files"`
}

// The kinds of records.
const (
	Install = "install"
	Index   = "index"
)

// A State keeps the records of a vault's home.
type State struct {
	Disk fsys.FS
	Dir  string // the home's state folder
}

type records struct {
	Installs []record `json:"installs"`
}

func (s State) file() string { return filepath.Join(s.Dir, "install.json") }

const lockWait = 10 * time.Second

// ErrBusy is returned where another vault is installing.
var ErrBusy = errors.New("another vault is installing or uninstalling: try again")

// lock keeps other installs out.
func (s State) lock(ctx context.Context) (unlock func(), err error) {
	if _, err := fsys.MkdirAll(s.Disk, s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep state: %w", err)
	}
	l := flock.New(filepath.Join(s.Dir, "install.lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if ok, err := l.TryLockContext(ctx, 5*time.Millisecond); !ok {
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("cannot lock the state: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// read reads the records. A file that can't be read is an error: without it
// things would come out less exactly than they went in.
func (s State) read() (records, error) {
	var r records
	data, err := s.Disk.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	r.Installs = slices.DeleteFunc(r.Installs, func(e record) bool { return e.Project != "" && s.isGone(e.Project) })
	if err != nil {
		return r, &Problem{File: s.file(), What: "the record of installs can't be read: " + err.Error(), Do: "move it away to go on without; what is vault's is found by its marks then"}
	}
	return r, nil
}

// isGone reports whether a project's folder is there no more, and with it all
// that was put into it.
func (s State) isGone(project string) bool {
	_, err := s.Disk.Stat(project)
	return errors.Is(err, fs.ErrNotExist)
}

func (s State) write(r records) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return s.WriteFile(s.file(), append(data, '\n'))
}

// WriteFile replaces a file of the state's folder, which only the person may
// read.
func (s State) WriteFile(name string, data []byte) error {
	f, err := find(s.Disk, name)
	if err != nil {
		return err
	}
	f.mode = 0o600
	_, err = f.replace(s.Disk, data)
	return err
}

func (r *records) find(client, kind, project string) *record {
	for i := range r.Installs {
		if e := &r.Installs[i]; e.Client == client && e.Kind == kind && e.Project == project {
			return e
		}
	}
	return nil
}

// knows reports whether any record is of a file.
func (r *records) knows(kind, real string) bool {
	return slices.ContainsFunc(r.Installs, func(e record) bool { return e.Kind == kind && e.file(real) != nil })
}

// set replaces a record; one without files goes.
func (r *records) set(n record) {
	r.Installs = slices.DeleteFunc(r.Installs, func(e record) bool {
		return e.Client == n.Client && e.Kind == n.Kind && e.Project == n.Project
	})
	if len(n.Files) > 0 {
		r.Installs = append(r.Installs, n)
	}
}

func (r *record) file(real string) *recorded {
	if r != nil {
		for i := range r.Files {
			if r.Files[i].Real == real {
				return &r.Files[i]
			}
		}
	}
	return nil
}

// An Installed is a client that is wired up.
type Installed struct {
	Client  string
	Project string
}

// Installed lists what is recorded.
func (s State) Installed() ([]Installed, error) {
	all, err := s.read()
	var out []Installed
	for _, r := range all.Installs {
		if r.Kind == Install {
			out = append(out, Installed{r.Client, r.Project})
		}
	}
	return out, err
}
