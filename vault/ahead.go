package vault

import (
	"os"
	"path/filepath"

	"gitvault/internal/entryfile"
)

// maxAhead bounds the ledgers that are read ahead, in bytes.
const maxAhead = 1 << 20

// readAhead parses the ledger of a kind before the scope is locked, so that a
// writer who has to wait has less left to do while others wait for it. Only
// what the locked file turns out to share with it is used.
func (s *Scope) readAhead(kind Kind) {
	path := kind.Ledger()
	if path == "" {
		return
	}
	name := filepath.Join(s.dir, path)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxAhead {
		return
	}
	// One at a time: those who come meanwhile use what that one finds.
	if !s.aheadBusy.TryLock() {
		return
	}
	defer s.aheadBusy.Unlock()
	data, err := os.ReadFile(name)
	if err != nil {
		return
	}
	s.mu.Lock()
	prev := s.ahead[path]
	s.mu.Unlock()
	doc := entryfile.ParseAgain(prev, kind, path, data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ahead == nil {
		s.ahead = map[string]*entryfile.Document{}
	}
	s.ahead[path] = doc
}

// foresee gives a tree's files what was read ahead of them.
func (s *Scope) foresee(t *tree) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, doc := range s.ahead {
		if f, ok := t.files[path]; ok && f.doc == nil {
			f.prev = doc
		}
	}
}
