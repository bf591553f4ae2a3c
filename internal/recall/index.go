package recall

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"gitvault/internal/fsys"
)

// Options of Open.
type Options struct {
	// Dir is a folder for the index, made if need be. Anything in it may be
	// deleted, cut short or overwritten at any time. Without one, or where it
	// cannot be written, the index is built in memory each time.
	Dir string

	// Progress, if set, is told how many of the files that had to be analysed
	// are done. It is not called when there are none.
	Progress func(done, total int)
}

// An Index makes the entries of one scope searchable. It stands for the files
// as they were given to Open, and may be used by several goroutines.
type Index struct {
	scope   string
	files   []FileRef
	options Options

	mu       sync.Mutex
	segments []*segment
	failures []error
}

const (
	segmentSuffix = ".recall"
	batchBytes    = 4 << 20 // text analysed into one segment
	mergeCount    = 8       // segments of about one size before they are merged
)

// Open brings the index of a scope in line with its files: what is in the
// cache under the same path and hash is used as it is, the rest is analysed.
// A file that cannot be loaded is left out; Failures names it.
func Open(ctx context.Context, scope string, files []FileRef, o Options) (*Index, error) {
	ix := &Index{scope: scope, files: files, options: o}
	if err := ix.load(ctx); err != nil {
		ix.Close()
		return nil, err
	}
	return ix, nil
}

// Close releases the index's files.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, s := range ix.segments {
		s.release()
	}
	ix.segments = nil
	return nil
}

// Failures says which files could not be loaded.
func (ix *Index) Failures() []error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.failures
}

func (s *segment) release() {
	if s.close != nil {
		_ = s.close() // what was only read
	}
}

// load makes ix.segments hold each file exactly once.
func (ix *Index) load(ctx context.Context) error {
	ix.failures = nil
	ix.openCached()
	missing := ix.assign()
	if len(missing) > 0 {
		if err := ix.analyse(ctx, missing); err != nil {
			return err
		}
	}
	ix.dropDead()
	return ix.compact(ctx)
}

func (ix *Index) openCached() {
	if ix.options.Dir == "" {
		return
	}
	names, _ := filepath.Glob(filepath.Join(globEscape(ix.options.Dir), "*"+segmentSuffix))
	sort.Strings(names)
	for _, name := range names {
		s, err := openFile(name)
		if err != nil {
			os.Remove(name)
			continue
		}
		ix.segments = append(ix.segments, s)
	}
}

// globEscape makes a folder's name mean itself in a pattern.
func globEscape(dir string) string {
	if os.PathSeparator == '\\' {
		return dir // no escapes there, and no such characters in names but [
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func openFile(name string) (*segment, error) {
	f, err := fsys.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	s, err := openSegment(f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	s.name, s.close = name, f.Close
	return s, nil
}

type fileKey struct{ path, hash string }

// assign marks which files of the segments are live and returns those that no
// segment has.
func (ix *Index) assign() []FileRef {
	wanted := make(map[fileKey]bool, len(ix.files))
	for _, f := range ix.files {
		wanted[fileKey{f.Path, f.Hash}] = true
	}
	for _, s := range ix.segments {
		s.live = make([]bool, len(s.files))
		for i, f := range s.files {
			k := fileKey{f.path, f.hash}
			if wanted[k] {
				s.live[i] = true
				delete(wanted, k)
			}
		}
	}
	var missing []FileRef
	for _, f := range ix.files {
		k := fileKey{f.Path, f.Hash}
		if wanted[k] {
			missing = append(missing, f)
			delete(wanted, k)
		}
	}
	return missing
}

func (ix *Index) analyse(ctx context.Context, files []FileRef) error {
	b := newBuilder()
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := f.Load()
		if err != nil {
			ix.failures = append(ix.failures, fmt.Errorf("%s: %w", f.Path, err))
			continue
		}
		b.addFile(f.Path, f.Hash, entries)
		if b.texts >= batchBytes {
			if err := ix.add(b); err != nil {
				return err
			}
			b = newBuilder()
		}
		if ix.options.Progress != nil {
			ix.options.Progress(i+1, len(files))
		}
	}
	if len(b.files) == 0 {
		return nil
	}
	return ix.add(b)
}

func (ix *Index) add(b *builder) error {
	s, err := ix.store(b.files, b.write)
	if err != nil {
		return err
	}
	ix.segments = append(ix.segments, s)
	return nil
}

// store writes a segment into the cache, or failing that into memory, and
// opens it with all its files live.
func (ix *Index) store(files []fileRecord, write func(io.Writer) error) (*segment, error) {
	s, err := ix.storeFile(files, write)
	if err != nil {
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			return nil, err
		}
		if s, err = openSegment(bytes.NewReader(buf.Bytes()), int64(buf.Len())); err != nil {
			return nil, err
		}
	}
	s.live = make([]bool, len(s.files))
	for i := range s.live {
		s.live[i] = true
	}
	return s, nil
}

func (ix *Index) storeFile(files []fileRecord, write func(io.Writer) error) (*segment, error) {
	dir := ix.options.Dir
	if dir == "" {
		return nil, os.ErrNotExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "new-*.tmp")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, segmentName(files))
	if err := os.Rename(f.Name(), name); err != nil {
		return nil, err
	}
	return openFile(name)
}

// segmentName is the same for the same files, so that processes that analyse
// them at once end with one segment.
func segmentName(files []fileRecord) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%s\n", f.path, f.hash)
	}
	return hex.EncodeToString(h.Sum(nil)[:10]) + segmentSuffix
}

// dropDead removes segments that hold nothing of the scope as it is.
func (ix *Index) dropDead() {
	kept := ix.segments[:0]
	for _, s := range ix.segments {
		if slices.Contains(s.live, true) {
			kept = append(kept, s)
			continue
		}
		s.remove()
	}
	ix.segments = kept
}

func (s *segment) liveEntries() int {
	n := 0
	for i, f := range s.files {
		if s.live[i] {
			n += f.entries
		}
	}
	return n
}

func (s *segment) remove() {
	s.release()
	if s.name != "" {
		os.Remove(s.name)
	}
}

// compact merges segments when there are many of about one size, so that
// their number stays small however often the scope changes, and rewrites
// those that are mostly dead.
func (ix *Index) compact(ctx context.Context) error {
	for {
		group := ix.crowded()
		if group == nil {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var files []fileRecord
		for _, s := range group {
			for i, f := range s.files {
				if s.live[i] {
					files = append(files, f)
				}
			}
		}
		merged, err := ix.store(files, func(w io.Writer) error { return merge(w, group) })
		if err != nil {
			return nil // as it was: slower, not wrong
		}
		kept := []*segment{merged}
		for _, s := range ix.segments {
			if !slices.Contains(group, s) {
				kept = append(kept, s)
				continue
			}
			if s.name != merged.name {
				s.remove()
			} else {
				s.release()
			}
		}
		ix.segments = kept
	}
}

// crowded finds segments to merge.
func (ix *Index) crowded() []*segment {
	tiers := map[int][]*segment{}
	for _, s := range ix.segments {
		live := s.liveEntries()
		if live*2 < len(s.entries) {
			return []*segment{s}
		}
		tier := 0
		for n := live; n > 64; n /= 4 {
			tier++
		}
		tiers[tier] = append(tiers[tier], s)
	}
	for tier := range 32 {
		if len(tiers[tier]) >= mergeCount {
			return tiers[tier]
		}
	}
	return nil
}

// repair gives up a damaged segment and brings the index in line again.
func (ix *Index) repair(ctx context.Context, bad *segment) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !slices.Contains(ix.segments, bad) {
		return nil
	}
	for _, s := range ix.segments {
		if s == bad {
			s.remove()
		} else {
			s.release()
		}
	}
	ix.segments = nil
	return ix.load(ctx)
}
