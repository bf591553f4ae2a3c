package gitstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"gitvault/internal/fsys"
)

// index is git's index file: what git knows of the files in the worktree.
type index struct {
	entries []indexEntry // by path, then stage
	tree    *cacheTree   // nil: not known
}

type indexEntry struct {
	path  string
	mode  Mode
	hash  Hash
	stat  statData
	stage int // 0, or 1 to 3 for a conflict

	assumeValid, skipWorktree, intentToAdd bool
}

// statData is what git keeps of a file's stat, cut to 32 bits each.
type statData struct {
	ctimeSec, ctimeNano, mtimeSec, mtimeNano, dev, ino, uid, gid, size uint32
}

func statOf(id fsys.ID) statData {
	return statData{
		ctimeSec: uint32(id.CTime / 1e9), ctimeNano: uint32(id.CTime % 1e9),
		mtimeSec: uint32(id.MTime / 1e9), mtimeNano: uint32(id.MTime % 1e9),
		dev: id.Dev, ino: id.Ino, uid: id.UID, gid: id.GID, size: uint32(id.Size),
	}
}

// same reports whether the file is still as it was. The device number is left
// out, as git does: it changes when a file system is mounted again.
func (a statData) same(b statData) bool {
	a.dev = b.dev
	return a == b
}

// racy reports whether the file could have been changed after its stat was
// taken without the stat showing it: its time is not before the index's.
func (a statData) racy(index fsys.ID) bool {
	sec, nano := uint32(index.MTime/1e9), uint32(index.MTime%1e9)
	if a.mtimeNano == 0 {
		return sec <= a.mtimeSec // whoever wrote this counts in seconds
	}
	return sec < a.mtimeSec || sec == a.mtimeSec && nano <= a.mtimeNano
}

// cacheTree is the index's memory of which tree object its entries make up.
type cacheTree struct {
	name    string
	entries int // -1: not valid
	hash    Hash
	subs    []*cacheTree
}

var (
	errIndex = errors.New("unreadable index")
	// errSparse is an index with folders in the place of their files.
	errSparse = errors.New("sparse index")
)

func (x *index) find(path string) (int, bool) {
	i := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].path >= path })
	return i, i < len(x.entries) && x.entries[i].path == path && x.entries[i].stage == 0
}

// unmerged gives the first path in conflict, or "".
func (x *index) unmerged() string {
	for i := range x.entries {
		if x.entries[i].stage != 0 {
			return x.entries[i].path
		}
	}
	return ""
}

// brokenIndex reports what git, too, can't read; decodeIndex leaves out more.
func brokenIndex(data []byte) bool {
	if len(data) < 12+20 || string(data[:4]) != "DIRC" {
		return true
	}
	body, sum := data[:len(data)-20], data[len(data)-20:]
	got := sha1.Sum(body) // one of zeros is index.skipHash
	return !bytes.Equal(got[:], sum) && !bytes.Equal(sum, make([]byte, 20))
}

func decodeIndex(data []byte) (*index, error) {
	if brokenIndex(data) {
		return nil, errIndex
	}
	body := data[:len(data)-20]
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version < 2 || version > 4 || int64(count)*62 > int64(len(body)) {
		return nil, errIndex
	}
	x := &index{entries: make([]indexEntry, 0, count)}
	rest, last := body[12:], ""
	for range count {
		e, after, err := decodeEntry(rest, version, last)
		if err != nil {
			return nil, err
		}
		if n := len(x.entries); n > 0 && !x.entries[n-1].before(&e) {
			return nil, errIndex
		}
		x.entries = append(x.entries, e)
		rest, last = after, e.path
	}
	for len(rest) > 0 {
		if len(rest) < 8 {
			return nil, errIndex
		}
		name, size := string(rest[:4]), int64(binary.BigEndian.Uint32(rest[4:]))
		if size > int64(len(rest))-8 {
			return nil, errIndex
		}
		ext := rest[8 : 8+size]
		rest = rest[8+size:]
		switch {
		case name == "TREE":
			if t, after, err := decodeCacheTree(ext, 0); err == nil && len(after) == 0 {
				x.tree = t
			}
		case name == "sdir":
			return nil, errSparse
		case name[0] < 'A' || name[0] > 'Z':
			return nil, errIndex // a split index, which is then written whole
		}
	}
	return x, nil
}

func (a *indexEntry) before(b *indexEntry) bool {
	if a.path != b.path {
		return a.path < b.path
	}
	return a.stage < b.stage
}

func decodeEntry(b []byte, version uint32, last string) (indexEntry, []byte, error) {
	var e indexEntry
	if len(b) < 62 {
		return e, nil, errIndex
	}
	f := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	e.stat = statData{ctimeSec: f(0), ctimeNano: f(1), mtimeSec: f(2), mtimeNano: f(3), dev: f(4), ino: f(5), uid: f(7), gid: f(8), size: f(9)}
	e.mode = Mode(f(6)).canonical()
	if e.mode == ModeDir {
		return e, nil, errSparse
	}
	copy(e.hash[:], b[40:60])
	flags := binary.BigEndian.Uint16(b[60:])
	e.assumeValid = flags&0x8000 != 0
	e.stage = int(flags >> 12 & 3)
	pos := 62
	if flags&0x4000 != 0 {
		if version < 3 || len(b) < 64 {
			return e, nil, errIndex
		}
		more := binary.BigEndian.Uint16(b[62:])
		e.skipWorktree, e.intentToAdd = more&0x4000 != 0, more&0x2000 != 0
		pos = 64
	}
	prefix := ""
	if version == 4 {
		strip, after, ok := cutOffset(b[pos:])
		if !ok || strip > uint64(len(last)) {
			return e, nil, errIndex
		}
		prefix = last[:uint64(len(last))-strip]
		pos = len(b) - len(after)
	}
	end := bytes.IndexByte(b[pos:], 0)
	if end < 0 {
		return e, nil, errIndex
	}
	e.path = prefix + string(b[pos:pos+end])
	next := pos + end + 1
	if version < 4 {
		next = (pos + end + 8) &^ 7
	}
	if e.path == "" || next > len(b) {
		return e, nil, errIndex
	}
	return e, b[next:], nil
}

// cutOffset reads a number in the form that pack offsets have.
func cutOffset(b []byte) (uint64, []byte, bool) {
	var v uint64
	for i, c := range b {
		if i > 8 {
			break
		}
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}

func decodeCacheTree(b []byte, depth int) (*cacheTree, []byte, error) {
	name, b, ok := bytes.Cut(b, []byte{0})
	if !ok || depth > 1000 {
		return nil, nil, errIndex
	}
	line, b, ok := bytes.Cut(b, []byte("\n"))
	if !ok {
		return nil, nil, errIndex
	}
	first, second, ok := strings.Cut(string(line), " ")
	count, err := strconv.Atoi(first)
	subs, err2 := strconv.Atoi(second)
	if !ok || err != nil || err2 != nil || subs < 0 {
		return nil, nil, errIndex
	}
	t := &cacheTree{name: string(name), entries: count}
	if count >= 0 {
		if len(b) < 20 {
			return nil, nil, errIndex
		}
		copy(t.hash[:], b)
		b = b[20:]
	}
	for range subs {
		sub, after, err := decodeCacheTree(b, depth+1)
		if err != nil {
			return nil, nil, err
		}
		t.subs = append(t.subs, sub)
		b = after
	}
	return t, b, nil
}

func (x *index) encode() []byte {
	version := uint32(2)
	for i := range x.entries {
		if x.entries[i].skipWorktree || x.entries[i].intentToAdd {
			version = 3
		}
	}
	b := make([]byte, 0, 100*len(x.entries)+200)
	b = append(b, "DIRC"...)
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(x.entries)))
	for i := range x.entries {
		b = x.entries[i].append(b)
	}
	if x.tree != nil {
		var ext bytes.Buffer
		x.tree.print(&ext)
		b = append(b, "TREE"...)
		b = binary.BigEndian.AppendUint32(b, uint32(ext.Len()))
		b = append(b, ext.Bytes()...)
	}
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func (e *indexEntry) append(b []byte) []byte {
	start, s := len(b), &e.stat
	for _, v := range [...]uint32{s.ctimeSec, s.ctimeNano, s.mtimeSec, s.mtimeNano, s.dev, s.ino, uint32(e.mode), s.uid, s.gid, s.size} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, e.hash[:]...)
	flags := uint16(min(len(e.path), 0xfff)) | uint16(e.stage)<<12
	if e.assumeValid {
		flags |= 0x8000
	}
	var more uint16
	if e.skipWorktree {
		more |= 0x4000
	}
	if e.intentToAdd {
		more |= 0x2000
	}
	if more != 0 {
		flags |= 0x4000
	}
	b = binary.BigEndian.AppendUint16(b, flags)
	if more != 0 {
		b = binary.BigEndian.AppendUint16(b, more)
	}
	b = append(b, e.path...)
	for pad := 8 - (len(b)-start)%8; pad > 0; pad-- {
		b = append(b, 0)
	}
	return b
}

func (t *cacheTree) print(w *bytes.Buffer) {
	fmt.Fprintf(w, "%s\x00%d %d\n", t.name, t.entries, len(t.subs))
	if t.entries >= 0 {
		w.Write(t.hash[:])
	}
	for _, s := range t.subs {
		s.print(w)
	}
}

// clone copies the tree, so that changing the copy leaves the original.
func (t *cacheTree) clone() *cacheTree {
	if t == nil {
		return nil
	}
	c := *t
	c.subs = make([]*cacheTree, len(t.subs))
	for i, s := range t.subs {
		c.subs[i] = s.clone()
	}
	return &c
}
