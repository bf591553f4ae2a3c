// Package wiring puts vault into the files of agent clients and takes it out
// again: it plans all changes, checks them, and then writes them, each file
// whole or not at all; where one can't be written, those before it are put
// back. What was done is recorded, so that taking it out leaves the bytes that
// were there before.
package wiring

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
)

// A Problem is why a file is left as it is.
type Problem struct {
	File    string
	Line    int // 0 where it is not about one
	What    string
	Do      string // what the person can do
	Foreign bool   // something of somebody else's is in the way
}

func (p *Problem) Error() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return where + ": " + p.What
}

// What a Change does to its file.
const (
	Created   = "created"
	Changed   = "changed"
	Removed   = "removed"
	Unchanged = "unchanged"
)

// A Change is what becomes of one file.
type Change struct {
	File   string // as the client names it
	Does   string // Created, Changed, Removed or Unchanged
	What   []string
	Before []byte
	After  []byte
	Notes  []string

	real   string   // where the links of File lead
	dirs   []string // that were made for a file that is removed
	made   []string // folders that were made for it now
	file   *file
	record recorded // what is known of the file once the change is made
}

// hash is how a document is told from another.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A recorded is what is known of a file that vault changed.
type recorded struct {
	File   string     `json:"file"`
	Real   string     `json:"real"`
	Made   bool       `json:"made,omitempty"`  // vault made the file
	Dirs   []string   `json:"dirs,omitempty"`  // that were made for it, the outermost first
	Keys   [][]string `json:"keys,omitempty"`  // objects and arrays that were made in it
	Found  []string   `json:"found,omitempty"` // what of vault's was in it before, put there by others
	Layers []layer    `json:"layers,omitempty"`
}

// A layer is one time that a file was changed.
type layer struct {
	After   string              `json:"after"` // hash of what the file became
	Changes []configedit.Splice `json:"changes"`
}

// A document is a file's content while it is changed.
type document interface {
	Bytes() []byte
	Changes() []configedit.Splice
	IsEmpty() bool
	has(clients.Part) bool
	put(clients.Part) (notes []string, err error)
	take(client string, parts []clients.Part) (notes []string, err error)
}

// open reads a document of a format.
func open(name string, format clients.Format, client string, data []byte) (document, error) {
	if !utf8.Valid(data) {
		return nil, &Problem{File: name, What: "it is no UTF-8 text", Do: "save it as UTF-8, then try again"}
	}
	switch format {
	case clients.JSON, clients.Hooks:
		j, err := configedit.ParseJSON(data)
		if err != nil {
			return nil, problem(name, err, "put it right by hand, then try again")
		}
		return &jsonDocument{JSON: j, name: name, client: client}, nil
	case clients.TOML:
		t, err := configedit.ParseTOML(data)
		if err != nil {
			return nil, problem(name, err, "put it right by hand, then try again")
		}
		return &tomlDocument{TOML: t, name: name}, nil
	}
	return &textDocument{data: data, name: name}, nil
}

// problem names the file of a document's error.
func problem(name string, err error, do string) error {
	if at, ok := err.(*configedit.Error); ok {
		return &Problem{File: name, Line: at.Line, What: at.Problem, Do: do}
	}
	return &Problem{File: name, What: err.Error(), Do: do}
}
