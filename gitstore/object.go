package gitstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Hash is the name of an object.
type Hash = plumbing.Hash

// ZeroHash names no object.
var ZeroHash Hash

// Type is the type of an object.
type Type byte

// The four types of objects, by git's numbers for them.
const (
	TypeCommit Type = 1
	TypeTree   Type = 2
	TypeBlob   Type = 3
	TypeTag    Type = 4
)

var typeNames = [...]string{TypeCommit: "commit", TypeTree: "tree", TypeBlob: "blob", TypeTag: "tag"}

func (t Type) String() string {
	if int(t) < len(typeNames) && t != 0 {
		return typeNames[t]
	}
	return "type " + strconv.Itoa(int(t))
}

func parseType(s string) (Type, bool) {
	for t, name := range typeNames {
		if t != 0 && name == s {
			return Type(t), true
		}
	}
	return 0, false
}

// Mode is how a tree says what kind of thing an entry is.
type Mode uint32

// The modes git knows.
const (
	ModeDir       Mode = 0o040000
	ModeFile      Mode = 0o100644
	ModeExec      Mode = 0o100755
	ModeSymlink   Mode = 0o120000
	ModeSubmodule Mode = 0o160000
)

// canonical maps the modes of old or odd writers to those git writes today.
func (m Mode) canonical() Mode {
	switch m & 0o170000 {
	case 0o040000:
		return ModeDir
	case 0o120000:
		return ModeSymlink
	case 0o160000:
		return ModeSubmodule
	case 0o100000:
		if m&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	}
	return m
}

// HashOf computes the name an object with this content has.
func HashOf(t Type, data []byte) Hash {
	h := sha1.New()
	h.Write(objectHeader(t, len(data)))
	h.Write(data)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

// BlobHash computes the name of a file's content.
func BlobHash(data []byte) Hash { return HashOf(TypeBlob, data) }

func objectHeader(t Type, size int) []byte {
	return append(strconv.AppendInt([]byte(t.String()+" "), int64(size), 10), 0)
}

// ParseHash reads 40 hexadecimal digits.
func ParseHash(s string) (Hash, bool) {
	var h Hash
	if len(s) != 2*len(h) {
		return ZeroHash, false
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return ZeroHash, false
	}
	return h, true
}

// Signature is who did something, and when.
type Signature struct {
	Name, Email string
	When        time.Time // to the second; its zone is kept
}

// String prints the signature as it stands in a commit. What git forbids in a
// name or address is left out.
func (s Signature) String() string {
	name, email := cleanIdent(s.Name), cleanIdent(s.Email)
	if name != "" {
		name += " "
	}
	when := s.When.Unix()
	_, offset := s.When.Zone()
	if when < 0 {
		when = 0
	}
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	return fmt.Sprintf("%s<%s> %d %c%02d%02d", name, email, when, sign, offset/3600, offset/60%60)
}

func cleanIdent(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r == '\n' || r == '\r' || r == 0 {
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " .,:;\\\"'\t\v\f")
}

func parseSignature(s string) Signature {
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Signature{Name: strings.TrimSpace(s)}
	}
	sig := Signature{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}
	fields := strings.Fields(s[end+1:])
	if len(fields) == 0 {
		return sig
	}
	sec, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return sig
	}
	zone := time.UTC
	if len(fields) > 1 {
		if z, err := strconv.Atoi(fields[1]); err == nil && z != 0 {
			offset := (z/100*60 + z%100) * 60
			zone = time.FixedZone("", offset)
		}
	}
	sig.When = time.Unix(sec, 0).In(zone)
	return sig
}

// Commit is one commit of the history.
type Commit struct {
	Hash              Hash
	Tree              Hash
	Parents           []Hash
	Author, Committer Signature
	Message           string // as it stands, without any re-encoding
}

// Subject is the first paragraph of the message, on one line.
func (c *Commit) Subject() string {
	first, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

func encodeCommit(c *Commit) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n", c.Author, c.Committer)
	// A NUL would hide the rest of the message from git.
	msg := strings.ReplaceAll(c.Message, "\x00", "")
	b.WriteString(strings.TrimRight(msg, "\n"))
	b.WriteByte('\n')
	return b.Bytes()
}

func decodeCommit(h Hash, data []byte) (*Commit, error) {
	c := &Commit{Hash: h}
	var tree bool
	for {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if len(line) == 0 {
			if ok {
				c.Message = string(rest)
			}
			break
		}
		data = rest
		key, value, _ := strings.Cut(string(line), " ")
		switch key {
		case "tree":
			if c.Tree, tree = ParseHash(value); !tree {
				return nil, fail(ErrCorrupt, "commit %s has no readable tree: 'vault doctor' says what can be done", h)
			}
		case "parent":
			p, ok := ParseHash(value)
			if !ok {
				return nil, fail(ErrCorrupt, "commit %s has no readable parent: 'vault doctor' says what can be done", h)
			}
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author = parseSignature(value)
		case "committer":
			c.Committer = parseSignature(value)
		}
		if !ok {
			break
		}
	}
	if !tree {
		return nil, fail(ErrCorrupt, "commit %s has no tree: 'vault doctor' says what can be done", h)
	}
	return c, nil
}

// TreeEntry is one name in a tree object.
type TreeEntry struct {
	Name string
	Mode Mode
	Hash Hash
}

func encodeTree(entries []TreeEntry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(strconv.FormatUint(uint64(e.Mode), 8))
		b.WriteByte(' ')
		b.WriteString(e.Name)
		b.WriteByte(0)
		b.Write(e.Hash[:])
	}
	return b.Bytes()
}

func decodeTree(h Hash, data []byte) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(data) > 0 {
		sp := bytes.IndexByte(data, ' ')
		if sp <= 0 {
			return nil, badTree(h)
		}
		mode, err := strconv.ParseUint(string(data[:sp]), 8, 32)
		nul := bytes.IndexByte(data[sp:], 0)
		if err != nil || nul < 2 || len(data) < sp+nul+1+len(h) {
			return nil, badTree(h)
		}
		e := TreeEntry{Name: string(data[sp+1 : sp+nul]), Mode: Mode(mode).canonical()}
		copy(e.Hash[:], data[sp+nul+1:])
		entries = append(entries, e)
		data = data[sp+nul+1+len(h):]
	}
	return entries, nil
}

func badTree(h Hash) error {
	return fail(ErrCorrupt, "tree %s is damaged: 'vault doctor' says what can be done", h)
}

// sortTree puts entries into git's order, in which a directory sorts as if its
// name ended in a slash.
func sortTree(entries []TreeEntry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].key() < entries[j].key() })
}

func (e TreeEntry) key() string {
	if e.Mode == ModeDir {
		return e.Name + "/"
	}
	return e.Name
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
