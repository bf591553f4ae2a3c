package gitstore

import (
	"bytes"
	"encoding/hex"
	"errors"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"gitvault/internal/fsys"
)

// objects reads the object database: loose objects, packs, alternates. It
// opens packs only when something is not found loose.
type objects struct {
	fs   fsys.FS
	root string // .git/objects

	mu     sync.Mutex
	dirs   []string // root and its alternates; nil: not looked up yet
	packs  []*pack  // in the order in which they were of use
	looked bool

	cut     sync.Once
	shallow map[Hash]bool // commits whose parents were not fetched
}

func newObjects(f fsys.FS, root string) *objects { return &objects{fs: f, root: root} }

// read gives an object's type and content; ErrCorrupt where it is missing or
// damaged, because whoever asks has its name from something that is there.
func (s *objects) read(h Hash) (Type, []byte, error) {
	t, data, err := s.lookup(h)
	if errors.Is(err, ErrNotFound) {
		return 0, nil, fail(ErrCorrupt, "object %s is missing: 'vault doctor' says what can be done", h)
	}
	return t, data, err
}

func (s *objects) lookup(h Hash) (Type, []byte, error) {
	var damaged error
	for try := range 3 {
		t, data, err := s.readLoose(s.root, h)
		if err == nil {
			return t, data, nil
		}
		if !isNotExist(err) {
			damaged = err // another copy may be sound
		}
		t, data, ok, err := s.readPacked(h, try > 0)
		if ok {
			return t, data, nil
		}
		if err != nil && !isNotExist(err) {
			damaged = err
		}
		for _, dir := range s.alternates() {
			if t, data, err := s.readLoose(dir, h); err == nil {
				return t, data, nil
			}
		}
		// A repack may have moved it between the two looks.
	}
	if damaged != nil {
		return 0, nil, damaged
	}
	return 0, nil, fail(ErrNotFound, "no object %s", h)
}

func (s *objects) readPacked(h Hash, again bool) (Type, []byte, bool, error) {
	packs, err := s.list(again)
	if err != nil {
		return 0, nil, false, err
	}
	var failed error
	for _, p := range packs {
		at, err := s.findIn(p, h)
		if err != nil {
			failed = err
			continue
		}
		if at < 0 {
			continue
		}
		t, data, err := p.read(at, s.read)
		if err == nil && HashOf(t, data) != h {
			err = p.damaged(errors.New("object " + h.String() + " has another content"))
		}
		if err != nil {
			failed = err
			continue
		}
		s.prefer(p)
		return t, data, true, nil
	}
	return 0, nil, false, failed
}

func (s *objects) findIn(p *pack, h Hash) (int64, error) {
	if err := p.open(); err != nil {
		return -1, err
	}
	return p.find(h)
}

// list gives the packs, looking at the folder when asked to or never done.
func (s *objects) list(again bool) ([]*pack, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looked && !again {
		return s.packs, nil
	}
	known := map[string]*pack{}
	for _, p := range s.packs {
		known[p.base] = p
	}
	var packs []*pack
	var failed error
	for i, dir := range append([]string{s.root}, s.alternatesLocked()...) {
		names, err := packNames(s.fs, dir)
		if err != nil && i == 0 {
			failed = err
		}
		for _, base := range names {
			p := known[base]
			if p == nil || p.broken() {
				p = &pack{fs: s.fs, base: base}
			}
			packs = append(packs, p)
		}
	}
	s.packs, s.looked = packs, true
	return packs, failed
}

// prefer moves the pack to the front: neighbours in history lie together.
func (s *objects) prefer(p *pack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.packs {
		if q == p && i > 0 {
			packs := append([]*pack{p}, s.packs[:i]...)
			s.packs = append(packs, s.packs[i+1:]...)
			return
		}
	}
}

func (s *objects) alternates() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alternatesLocked()
}

func (s *objects) alternatesLocked() []string {
	if s.dirs == nil {
		s.dirs = []string{s.root}
		s.addAlternates(s.root, 0)
	}
	return s.dirs[1:]
}

func (s *objects) addAlternates(dir string, depth int) {
	data, err := s.fs.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil || depth > 5 {
		return
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		s.dirs = append(s.dirs, line)
		s.addAlternates(line, depth+1)
	}
}

// has reports whether an object is there, without reading it.
func (s *objects) has(h Hash) bool {
	for try := range 2 {
		for _, dir := range append([]string{s.root}, s.alternates()...) {
			if _, err := s.fs.Lstat(loosePath(dir, h)); err == nil {
				return true
			}
		}
		packs, err := s.list(try > 0)
		if err != nil {
			return false
		}
		for _, p := range packs {
			if at, err := s.findIn(p, h); err == nil && at >= 0 {
				return true
			}
		}
	}
	return false
}

// expand finds the objects whose names begin with these hexadecimal digits (at
// least 4), at most max of them.
func (s *objects) expand(prefix string, max int) ([]Hash, error) {
	even := prefix
	if len(even)%2 == 1 {
		even += "0"
	}
	first, err := hex.DecodeString(even)
	if err != nil || len(prefix) < 4 || len(prefix) > 40 {
		return nil, nil
	}
	var from Hash
	copy(from[:], first)
	seen := map[Hash]bool{}
	for _, dir := range append([]string{s.root}, s.alternates()...) {
		list, err := s.fs.ReadDir(filepath.Join(dir, prefix[:2]))
		if err != nil && !isNotExist(err) {
			return nil, err
		}
		for _, e := range list {
			if h, ok := ParseHash(prefix[:2] + e.Name()); ok && strings.HasPrefix(h.String(), prefix) {
				seen[h] = true
			}
		}
	}
	packs, err := s.list(true)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if p.open() != nil {
			continue
		}
		i, err := p.search(from)
		if err != nil {
			return nil, err
		}
		for ; i < p.n && len(seen) <= max; i++ {
			h, err := p.name(i)
			if err != nil {
				return nil, p.damaged(err)
			}
			if !strings.HasPrefix(h.String(), prefix) {
				break
			}
			seen[h] = true
		}
	}
	var found []Hash
	for h := range seen {
		found = append(found, h)
	}
	sort.Slice(found, func(i, j int) bool { return bytes.Compare(found[i][:], found[j][:]) < 0 })
	return found, nil
}

func (s *objects) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs, s.looked = nil, false
}

func (s *objects) commit(h Hash) (*Commit, error) {
	t, data, err := s.read(h)
	if err != nil {
		return nil, err
	}
	if t != TypeCommit {
		return nil, fail(ErrCorrupt, "object %s is a %s where a commit must be", h, t)
	}
	c, err := decodeCommit(h, data)
	if err == nil && s.isCut(h) {
		c.Parents = nil
	}
	return c, err
}

// isCut reports whether a shallow clone ends at this commit.
func (s *objects) isCut(h Hash) bool {
	s.cut.Do(func() {
		data, err := s.fs.ReadFile(filepath.Join(filepath.Dir(s.root), "shallow"))
		if err != nil {
			return
		}
		s.shallow = map[Hash]bool{}
		for line := range strings.Lines(string(data)) {
			if h, ok := ParseHash(strings.TrimSpace(line)); ok {
				s.shallow[h] = true
			}
		}
	})
	return s.shallow[h]
}

// forgetCut has the end of a shallow clone looked up anew.
func (s *objects) forgetCut() { s.cut, s.shallow = sync.Once{}, nil }

func (s *objects) tree(h Hash) ([]TreeEntry, error) {
	if h == emptyTree {
		return nil, nil
	}
	t, data, err := s.read(h)
	if err != nil {
		return nil, err
	}
	if t != TypeTree {
		return nil, fail(ErrCorrupt, "object %s is a %s where a tree must be", h, t)
	}
	return decodeTree(h, data)
}

func (s *objects) blob(h Hash) ([]byte, error) {
	t, data, err := s.read(h)
	if err != nil {
		return nil, err
	}
	if t != TypeBlob {
		return nil, fail(ErrCorrupt, "object %s is a %s where a file must be", h, t)
	}
	return data, nil
}

var emptyTree = HashOf(TypeTree, nil)
