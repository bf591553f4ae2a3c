package workspace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"gitvault/internal/gitconfig"
)

// hereName is the folder of a vault that lives in its workspace.
const hereName = ".vault"

var compare = cmp.Compare[string]

// rootKey names a project that only its root commit and folder tell.
func rootKey(name, root string) string { return oneLine(name) + "@" + root[:12] }

// pathKey names a project by its place. It starts with a slash or a drive, as
// no host does.
func pathKey(path string) string {
	path = filepath.ToSlash(path)
	if share, ok := strings.CutPrefix(path, "//?/UNC/"); ok {
		path = "//" + share
	}
	path = strings.TrimPrefix(path, "//?/")
	if isDrive(path) {
		path = strings.ToUpper(path[:1]) + path[1:]
	}
	return oneLine(path)
}

// oneLine writes what is no printable text percent-encoded: keys stand in
// commits, in JSON and on terminals.
func oneLine(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) {
			for i := range n {
				fmt.Fprintf(&b, "%%%02X", s[i])
			}
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// place is the folder a person would name: the main worktree's where known.
func (r *repository) place() string {
	if root := r.mainRoot(); root != "" {
		return root
	}
	return r.CommonDir
}

// settle finds the worktree of a git folder that was entered directly, or
// whose place the configuration says (a submodule's, a dotfiles repository's).
func (r *repository) settle(cfg *gitconfig.Config) {
	if !r.Bare {
		return
	}
	if worktree, ok := cfg.Get("core.worktree"); ok && worktree != "" {
		if root, err := filepath.EvalSymlinks(within(r.GitDir, filepath.FromSlash(worktree))); err == nil {
			r.Root, r.Bare = root, false
		}
	}
}

// atRemote finds the repository that git would fetch from at a local path.
func atRemote(path string) (*repository, error) {
	for _, candidate := range []string{path, path + ".git"} {
		dir, err := filepath.EvalSymlinks(candidate)
		if err != nil {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if repo, err := at(dir); repo != nil || err != nil {
			return repo, err
		}
	}
	return nil, nil
}

// here looks for a vault in a workspace's root.
func (o Options) here(id *Identity, root string) bool {
	vault := filepath.Join(root, hereName)
	if !isVault(vault) {
		return false
	}
	id.Here = vault
	id.HereTrusted = o.Trusted != nil && o.Trusted(vault)
	return true
}

// isVault tells a scope's folder from any other of that name. A symlink is
// none: it could lead anywhere.
func isVault(dir string) bool {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, "vault.yaml"))
	return err == nil && info.Mode().IsRegular()
}
