package gitstore

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"

	"gitvault/internal/fsys"
)

// refs reads the names of commits.
type refs struct {
	fs  fsys.FS
	git string // the .git folder
}

// head reads .git/HEAD: the ref it points to, or the commit it is detached at.
func (r *refs) head() (ref string, at Hash, err error) {
	data, err := r.fs.ReadFile(filepath.Join(r.git, "HEAD"))
	if err != nil {
		return "", ZeroHash, fail(ErrCorrupt, "cannot read .git/HEAD: %v", err)
	}
	s := strings.TrimSpace(string(data))
	if name, ok := strings.CutPrefix(s, "ref:"); ok {
		return strings.TrimSpace(name), ZeroHash, nil
	}
	at, ok := ParseHash(s)
	if !ok {
		return "", ZeroHash, fail(ErrCorrupt, ".git/HEAD names no branch and no commit: 'vault doctor --fix' has it name its branch again")
	}
	return "", at, nil
}

// read gives the commit a full ref name stands for; ZeroHash: there is no such
// ref.
func (r *refs) read(name string) (Hash, error) {
	for range 5 {
		if !validRef(name) {
			return ZeroHash, nil
		}
		h, next, err := r.readOnce(name)
		if err != nil || next == "" {
			return h, err
		}
		name = next
	}
	return ZeroHash, fail(ErrCorrupt, "ref %s leads in a circle", name)
}

func (r *refs) readOnce(name string) (h Hash, next string, err error) {
	for range 2 {
		h, next, err = r.loose(name)
		if err != nil || next != "" || !h.IsZero() {
			return h, next, err
		}
		if h, err = r.packed(name); err != nil || !h.IsZero() {
			return h, "", err
		}
		// git moves refs into packed-refs and back: look twice before
		// saying that there is none.
	}
	return ZeroHash, "", nil
}

func (r *refs) loose(name string) (h Hash, next string, err error) {
	data, err := r.fs.ReadFile(filepath.Join(r.git, filepath.FromSlash(name)))
	if err != nil {
		if isNotExist(err) || isDirErr(err) {
			return ZeroHash, "", nil
		}
		return ZeroHash, "", err
	}
	s := strings.TrimSpace(string(data))
	if next, ok := strings.CutPrefix(s, "ref:"); ok {
		return ZeroHash, strings.TrimSpace(next), nil
	}
	h, ok := ParseHash(s)
	if !ok {
		return ZeroHash, "", fail(ErrCorrupt, ".git/%s names no commit: 'vault doctor' says what can be done", name)
	}
	return h, "", nil
}

// packed looks a ref up in packed-refs.
func (r *refs) packed(name string) (Hash, error) {
	data, err := r.fs.ReadFile(filepath.Join(r.git, "packed-refs"))
	if err != nil {
		if isNotExist(err) {
			return ZeroHash, nil
		}
		return ZeroHash, err
	}
	for line := range strings.Lines(string(data)) {
		hex, ref, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if !ok || ref != name {
			continue
		}
		if h, ok := ParseHash(hex); ok {
			return h, nil
		}
	}
	return ZeroHash, nil
}

// list gives every ref under a prefix such as "refs/".
func (r *refs) list(prefix string) (map[string]Hash, error) {
	found := map[string]Hash{}
	data, err := r.fs.ReadFile(filepath.Join(r.git, "packed-refs"))
	if err != nil && !isNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		hex, ref, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if h, good := ParseHash(hex); ok && good && strings.HasPrefix(ref, prefix) && validRef(ref) {
			found[ref] = h
		}
	}
	err = r.walk(strings.TrimSuffix(prefix, "/"), func(name string) error {
		h, err := r.read(name)
		if err == nil && !h.IsZero() {
			found[name] = h
		}
		return nil
	})
	return found, err
}

func (r *refs) walk(dir string, visit func(name string) error) error {
	list, err := r.fs.ReadDir(filepath.Join(r.git, filepath.FromSlash(dir)))
	if err != nil {
		if isNotExist(err) {
			return nil
		}
		return err
	}
	for _, e := range list {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			err = r.walk(name, visit)
		} else if !strings.HasSuffix(name, ".lock") {
			err = visit(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// validRef keeps a ref name inside the .git folder.
func validRef(name string) bool {
	if name != "HEAD" && !strings.HasPrefix(name, "refs/") && strings.ToUpper(name) != name {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.Contains(name, "..") && !strings.Contains(name, "@{") && !strings.ContainsAny(name, " ~^:?*[\\\x7f\x00\t\n\r")
}

func isDirErr(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR)
}
