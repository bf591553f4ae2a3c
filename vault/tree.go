package vault

import (
	"bytes"
	"context"
	"runtime"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

const indexFile = "INDEX.md"

// A tree is what a scope holds at one moment: the files of a commit, with the
// person's hand edits since on top, as if they were adopted.
type tree struct {
	head    gitstore.Hash
	files   map[string]*file
	facts   map[string]facts      // what is known of files by their content, once it was needed
	unseen  map[string]unseenMark // what others did to entries, and nobody looked at, by id
	blocked map[string]string     // files whose state on disk can't be taken, and why; the committed version stands here
}

// A file is loaded and parsed when it is first asked for.
type file struct {
	path string
	kind Kind          // "" where the file holds no entries
	hash gitstore.Hash // of its committed bytes; zero where they are not committed
	load func() ([]byte, error)

	data   []byte
	loaded bool
	doc    *entryfile.Document
	prev   *entryfile.Document // an earlier state of it, as it was parsed; may be nil
}

// located is an entry and the file it stands in.
type located struct {
	entryfile.Section
	path string
}

func newFile(path string, hash gitstore.Hash, load func() ([]byte, error)) *file {
	f := &file{path: path, hash: hash, load: load}
	if kind, ok := entryfile.KindOf(path); ok {
		f.kind = kind
	}
	return f
}

func textFile(path string, data []byte) *file {
	f := newFile(path, gitstore.Hash{}, nil)
	f.data, f.loaded = data, true
	return f
}

func (f *file) bytes() ([]byte, error) {
	if f.loaded {
		return f.data, nil
	}
	data, err := f.load()
	if err != nil {
		return nil, err
	}
	f.data, f.loaded = data, true
	return data, nil
}

// printed is the file with its pending edits.
func (f *file) printed() ([]byte, error) {
	if f.doc != nil && f.kind != "" {
		return f.doc.Bytes(), nil
	}
	return f.bytes()
}

func (f *file) document() (*entryfile.Document, error) {
	if f.doc != nil {
		return f.doc, nil
	}
	data, err := f.bytes()
	if err != nil {
		return nil, err
	}
	f.doc = entryfile.ParseAgain(f.prev, f.kind, f.path, data)
	return f.doc, nil
}

// editable is the document to make edits in. What was parsed is kept, for the
// file to be read again once it is printed.
func (f *file) editable() (*entryfile.Document, error) {
	doc, err := f.document()
	if err == nil && f.kind.IsLedger() && !doc.Edited() {
		f.prev, f.doc = doc, doc.Clone()
	}
	return f.doc, err
}

// rolled reports whether the file is one that a ledger or folder has rolled
// its oldest entries into.
func (f *file) rolled() bool {
	if f.kind.IsLedger() {
		return f.path != f.kind.Ledger()
	}
	return strings.Count(f.path, "/") > 1
}

// paths lists the files that hold entries of the kinds, current ones first,
// in an order that does not change from call to call.
func (t *tree) paths(kinds ...Kind) []string {
	var out []string
	for _, k := range kinds {
		start := len(out)
		for p, f := range t.files {
			if f.kind == k {
				out = append(out, p)
			}
		}
		part := out[start:]
		sort.Slice(part, func(i, j int) bool {
			a, b := t.files[part[i]], t.files[part[j]]
			if a.rolled() != b.rolled() {
				return b.rolled()
			}
			return part[i] < part[j]
		})
	}
	return out
}

// entries returns every readable entry of the kinds (of all kinds by default).
func (t *tree) entries(ctx context.Context, kinds ...Kind) ([]located, error) {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	paths := t.paths(kinds...)
	if err := t.parse(ctx, paths); err != nil {
		return nil, err
	}
	n := 0
	for _, p := range paths {
		n += t.files[p].doc.Len()
	}
	out := make([]located, 0, n)
	for _, p := range paths {
		for s := range t.files[p].doc.All() {
			if s.Err == nil {
				out = append(out, located{s, p})
			}
		}
	}
	return out, nil
}

// parse reads the files one after another and parses them on all processors.
func (t *tree) parse(ctx context.Context, paths []string) error {
	var parsing errgroup.Group
	parsing.SetLimit(runtime.GOMAXPROCS(0))
	defer func() { _ = parsing.Wait() }()
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := t.files[p]
		if f.doc != nil {
			continue
		}
		if _, err := f.bytes(); err != nil {
			return err
		}
		parsing.Go(func() error {
			_, err := f.document()
			return err
		})
	}
	return parsing.Wait()
}

// find returns the entries whose id begins with the prefix. A committed file
// that has its ids written down, and does not hold the prefix, is not parsed.
func (t *tree) find(prefix string) ([]located, error) {
	var out []located
	needle := []byte(prefix)
	for _, p := range t.paths(Kinds()...) {
		f := t.files[p]
		data, err := f.bytes()
		if err != nil {
			return nil, err
		}
		if !f.hash.IsZero() && !bytes.Contains(data, needle) && !mayLackIDs(f.kind, data) {
			continue
		}
		doc, err := f.document()
		if err != nil {
			return nil, err
		}
		for s := range doc.All() {
			if s.Err == nil && strings.HasPrefix(s.ID, prefix) {
				out = append(out, located{s, p})
			}
		}
	}
	return out, nil
}

// read returns the scope as it is now, without taking its lock; an agent gets
// what is offered of it.
func (s *Scope) read(ctx context.Context) (*tree, error) {
	if s.home.opt.Writer.IsAgent() {
		return s.readOffered(ctx)
	}
	return s.readAll(ctx)
}

// readAll is read whoever asks.
func (s *Scope) readAll(ctx context.Context) (*tree, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	if s.shared {
		return s.readPinned(r)
	}
	v, err := r.View(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	t, _, err := s.treeOf(ctx, r, v)
	return t, err
}

// mayLackIDs reports whether a file may hold entries whose ids are not written
// down.
func mayLackIDs(kind Kind, data []byte) bool {
	if !kind.IsLedger() {
		return !bytes.Contains(data, []byte("id:"))
	}
	headings := bytes.Count(data, []byte("\n## ")) + bytes.Count(data, []byte("\r## "))
	if bytes.HasPrefix(data, []byte("## ")) {
		headings++
	}
	return headings > bytes.Count(data, []byte("<!-- vault:"))
}

// contentHash names the file's content, committed or not.
func (f *file) contentHash() (string, error) {
	if !f.hash.IsZero() {
		return f.hash.String(), nil
	}
	if f.doc != nil && f.kind != "" {
		return gitstore.BlobHash(f.doc.Bytes()).String(), nil
	}
	data, err := f.bytes()
	return gitstore.BlobHash(data).String(), err
}

// entries lists the file's readable entries. What had to be read for that is
// not kept: indexing asks this of every file of a scope.
func (f *file) entries() ([]entryfile.Entry, error) {
	once := *f
	doc, err := once.document()
	if err != nil {
		return nil, err
	}
	var out []entryfile.Entry
	for s := range doc.All() {
		if s.Err == nil {
			out = append(out, s.Entry)
		}
	}
	return out, nil
}
