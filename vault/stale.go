package vault

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// stalePaths compares the workspace files that entries are about with what
// these were when the entries were made. Each file is read once.
type stalePaths struct {
	root *os.Root // nil where there is no workspace to look in
	seen map[string]fileNow
}

type fileNow struct {
	gone bool
	hash string // "" where it can't be told
}

// stalePaths looks in the folder's workspace, if the scope is its project's.
func (s *Scope) stalePaths() (*stalePaths, error) {
	out := &stalePaths{seen: map[string]fileNow{}}
	ws, err := s.home.Workspace()
	if err != nil || ws.Key != s.name || ws.Root == "" {
		return out, nil
	}
	if out.root, err = os.OpenRoot(ws.Root); err != nil {
		return nil, s.fail(err)
	}
	return out, nil
}

func (p *stalePaths) close() {
	if p.root != nil {
		_ = p.root.Close()
	}
}

// of lists an entry's paths that are gone, and those whose files are not what
// they were.
func (p *stalePaths) of(e entryfile.Entry) (gone, changed []string) {
	if p.root == nil {
		return nil, nil
	}
	for _, path := range e.Paths {
		name, was := splitPath(path)
		now := p.look(name)
		switch {
		case now.gone:
			gone = append(gone, name)
		case was != "" && now.hash != "" && !strings.HasPrefix(now.hash, was):
			changed = append(changed, name)
		}
	}
	return gone, changed
}

func (p *stalePaths) look(name string) fileNow {
	now, ok := p.seen[name]
	if !ok {
		now = p.read(filepath.FromSlash(name))
		p.seen[name] = now
	}
	return now
}

func (p *stalePaths) read(name string) fileNow {
	fi, err := p.root.Stat(name)
	if err != nil {
		return fileNow{gone: errors.Is(err, fs.ErrNotExist)}
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxSeen {
		return fileNow{}
	}
	f, err := p.root.Open(name)
	if err != nil {
		return fileNow{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSeen+1))
	if err != nil || len(data) > maxSeen {
		return fileNow{}
	}
	return fileNow{hash: gitstore.BlobHash(data).String()}
}
