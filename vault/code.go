package vault

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gitvault/gitstore"
)

// maxSeen is how large a workspace file may be for its hash to be taken.
const maxSeen = 16 << 20

// codeCommit is the workspace's commit and branch, as entries and commits
// carry them: "3f9c2d1 (main)"; "" where there is none.
func (s *Scope) codeCommit() string {
	if s.workspace != nil {
		return s.workspace.Code().String()
	}
	if id, err := s.home.Workspace(); err == nil {
		return id.Code().String()
	}
	return ""
}

// pathSeen names a workspace file as entries do: from the workspace's root,
// with the blob hash it has now.
func (s *Scope) pathSeen(p string) (string, error) {
	name, abs, err := s.home.pathHere(p)
	if err != nil || abs == "" {
		return name, err
	}
	if fi, err := os.Stat(abs); err == nil && fi.Mode().IsRegular() && fi.Size() <= maxSeen {
		if data, err := os.ReadFile(abs); err == nil {
			return name + "@" + gitstore.BlobHash(data).String()[:12], nil
		}
	}
	return name, nil
}

// pathHere names a workspace file from the workspace's root, and absolutely;
// where there is no workspace, as it is.
func (h *Home) pathHere(p string) (name, abs string, err error) {
	name, _ = splitPath(filepath.ToSlash(strings.TrimSpace(p)))
	if name == "" {
		return "", "", invalid("name a file of the workspace", "a path is empty")
	}
	root := ""
	if ws, err := h.Workspace(); err == nil {
		root = ws.Root
	}
	if root == "" {
		return name, "", nil
	}
	abs = filepath.FromSlash(name)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(h.opt.Dir, abs)
		// A path that was copied from elsewhere counts from the root.
		if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
			abs = filepath.Join(root, filepath.FromSlash(name))
		}
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "", invalid("name a file below "+root, "path %q is outside the workspace", p)
	}
	return filepath.ToSlash(rel), abs, nil
}

// pathOf is a path that entries of a scope are asked for by, as they have it;
// "" for none. Those of another project are not named from this workspace.
func (h *Home) pathOf(scope, p string) (string, error) {
	if p == "" {
		return "", nil
	}
	ws, _ := h.Workspace()
	if scope != "" && scope != UserScope && scope != ProjectScope && scope != ws.Key {
		return path.Clean(filepath.ToSlash(strings.TrimSpace(p))), nil
	}
	name, _, err := h.pathHere(p)
	return name, err
}
