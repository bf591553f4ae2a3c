package importers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gitvault/internal/marked"
)

// Bounds of what is read.
const (
	maxFile  = 4 << 20  // bytes of a file that is read whole
	maxLine  = 8 << 20  // bytes of a line of JSON
	maxFiles = 50_000   // files in a folder
	maxDepth = 32       // folders below one another
	maxGraph = 64 << 20 // bytes of a graph, which is read whole
)

// A file is one that a path named or holds.
type file struct {
	show string // how people are told of it: the path's own name, then the way below it
	rel  string // slash path below the folder that was named; the name, for a named file
	full string // absolute slash path
	root string // absolute slash path that was named: the file's own, or that of a folder above it
	size int64
	open func() (io.ReadCloser, error)
}

// named reports whether the file itself was named, not a folder above it.
func (f file) named() bool { return f.full == f.root }

// dir is the slash path of the file's folder, absolute.
func (f file) dir() string { return path.Dir(f.full) }

// stem is the file's name without its extension.
func (f file) stem() string {
	name := path.Base(f.rel)
	return strings.TrimSuffix(name, path.Ext(name))
}

// isMarkdown reports whether a file is Markdown by its name.
func (f file) isMarkdown() bool {
	switch strings.ToLower(path.Ext(f.rel)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// each calls read for every regular file that the input's paths name or hold,
// in the order of their names, where want says so. A file that was named is
// always wanted.
func (s *source) each(want func(file) bool, read func(file) error) error {
	for _, p := range s.in.Paths {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return err
		}
		info, err := os.Stat(abs)
		if err != nil {
			s.refuse(p, "%s", plainError(err))
			continue
		}
		found := false
		once := func(f file) error {
			found = true
			return read(f)
		}
		switch {
		case info.Mode().IsRegular():
			err = once(file{
				show: filepath.Base(abs), rel: filepath.Base(abs), full: filepath.ToSlash(abs), root: filepath.ToSlash(abs), size: info.Size(),
				open: func() (io.ReadCloser, error) { return os.Open(abs) },
			})
		case info.IsDir():
			err = s.walk(abs, want, once)
		default:
			s.refuse(p, "it is neither a file nor a folder")
			continue
		}
		if err != nil {
			return err
		}
		if !found {
			s.refuse(p, "it holds nothing that %s reads", s.format)
		}
	}
	return nil
}

// walk goes through a folder without leaving it: symlinks are named, not
// followed.
func (s *source) walk(dir string, want func(file) bool, read func(file) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		s.refuse(filepath.Base(dir), "%s", plainError(err))
		return nil
	}
	defer root.Close()
	base := filepath.Base(dir)
	count := 0
	return fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		if ctxErr := s.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		show := path.Join(base, rel)
		if err != nil {
			s.refuse(show, "%s", plainError(err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if rel != "." && skipped(d.Name()) {
				return fs.SkipDir
			}
			if strings.Count(rel, "/") >= maxDepth {
				s.refuse(show, "it is more than %d folders deep", maxDepth)
				return fs.SkipDir
			}
			return nil
		}
		f := file{show: show, rel: rel, full: path.Join(filepath.ToSlash(dir), rel), root: filepath.ToSlash(dir)}
		f.open = func() (io.ReadCloser, error) { return openRegular(root, rel) }
		if !want(f) {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			s.refuse(show, "it is a symlink: name the file it points to, if you want it")
			return nil
		}
		if !d.Type().IsRegular() {
			s.refuse(show, "it is not a regular file")
			return nil
		}
		if count++; count > maxFiles {
			s.refuse(base, "it holds more than %d files: import its folders one by one", maxFiles)
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			f.size = info.Size()
		}
		return read(f)
	})
}

// skipped reports whether a folder of that name is never a memory's.
func skipped(name string) bool {
	switch name {
	case ".git", "node_modules", ".obsidian", ".trash", "__pycache__", ".venv":
		return true
	}
	return false
}

func openRegular(root *os.Root, rel string) (io.ReadCloser, error) {
	f, err := root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.New("it is not a regular file")
	}
	return f, nil
}

// text reads a whole file as text, or refuses it.
func (s *source) text(f file) (string, bool) {
	data, err := readBounded(f, maxFile)
	if err != nil {
		s.refuse(f.show, "%s", plainError(err))
		return "", false
	}
	text, err := decode(data)
	if err != nil {
		s.refuse(f.show, "%s", err)
		return "", false
	}
	if own := marked.Strip(text); own != text {
		if text = own; isFrontOnly(text) {
			return "", false
		}
	}
	if strings.TrimSpace(text) == "" {
		s.note(f.show, "it is empty")
		return "", false
	}
	clean := strings.ToValidUTF8(text, "\uFFFD")
	if clean != text {
		s.note(f.show, "bytes that are no UTF-8 became \uFFFD")
	}
	return clean, true
}

// isFrontOnly reports whether a text says nothing besides its front matter.
func isFrontOnly(text string) bool {
	_, rest, _ := takeFront(text)
	return strings.TrimSpace(rest) == ""
}

func readBounded(f file, limit int) ([]byte, error) {
	if f.size > int64(limit) {
		return nil, tooBig(limit)
	}
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = tooBig(limit)
	}
	return data, err
}

func tooBig(limit int) error {
	return fmt.Errorf("it is larger than %d MiB", limit>>20)
}

// plainError says what went wrong without the path, which is said beside it.
func plainError(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file or folder"
	}
	return err.Error()
}

// at names a line of a file.
func at(f file, line int) string { return fmt.Sprintf("%s:%d", f.show, line) }

func fileExists(slash string) bool {
	info, err := os.Lstat(filepath.FromSlash(slash))
	return err == nil && info.Mode().IsRegular()
}

func dirExists(slash string) bool {
	info, err := os.Lstat(filepath.FromSlash(slash))
	return err == nil && info.IsDir()
}
