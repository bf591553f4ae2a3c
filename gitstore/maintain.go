package gitstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"gitvault/internal/fsys"
)

// How objects are packed. A commit leaves a handful of loose objects; every
// packAfter of them become a small pack, every packFan packs of one size one
// of the next size. So each object is moved a few times in its life, a step
// never costs more than maxMerge allows, and there are never many packs.
const (
	packAfter = 128      // loose objects that make a pack
	packFan   = 6        // packs of one size that become one
	maxBatch  = 48 << 20 // bytes of loose objects in one pack
	maxMerge  = 6 << 20  // bytes of a pack that is still merged with others
	gcRuns    = 12 * time.Hour
)

// Maintain does one bounded step of tidying up, if there is anything to do:
// it packs loose objects, or merges a few small packs. It is meant to be called
// after each write and takes a few microseconds when nothing is due. Writers
// and readers need not wait for it, and it does nothing while git gc, or
// another Maintain, is at work. more: another call would find work to do.
func (r *Repo) Maintain(ctx context.Context) (more bool, err error) {
	fi, err := r.fs.Lstat(r.looseNote())
	if err != nil || fi.Size() < int64(r.packAfter) {
		return false, nil
	}
	return r.maintain(ctx, r.packAfter)
}

// Pack does all that Maintain would ever do, however few objects there are.
func (r *Repo) Pack(ctx context.Context) error {
	for {
		more, err := r.maintain(ctx, 1)
		if err != nil || !more {
			return err
		}
	}
}

func (r *Repo) maintain(ctx context.Context, atLeast int) (more bool, err error) {
	if err := r.makeStateDirs(); err != nil {
		return false, err
	}
	lock := r.lock.file("packing")
	if ok, err := lock.TryLock(); !ok || err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if r.gcAtWork() {
		return false, nil
	}
	p := &packing{repo: r, ctx: ctx, dir: filepath.Join(r.StateDir(), "packs")}
	if err := p.prepare(); err != nil {
		return false, err
	}
	left, err := p.packLoose(atLeast)
	if err != nil {
		return false, err
	}
	if left < r.packAfter {
		_ = r.fs.Remove(r.looseNote())
	}
	merged, err := p.mergeSome()
	return left >= r.packAfter || merged, err
}

// looseNote is a file that grows by a byte with each loose object that is
// written, so that nobody has to count them.
func (r *Repo) looseNote() string { return filepath.Join(r.CacheDir(), "loose") }

// noteLoose counts; that it is lost or wrong only delays packing.
func (r *Repo) noteLoose(n int) {
	f, err := r.fs.Append(r.looseNote())
	if isNotExist(err) {
		f, err = r.fs.Create(r.looseNote(), 0o666)
	}
	if err != nil {
		return
	}
	_ = writeAll(f, bytes.Repeat([]byte{'.'}, n))
	_ = f.Close()
}

// gcAtWork reports whether git gc says it is running, as git itself judges it.
func (r *Repo) gcAtWork() bool {
	fi, err := r.fs.Lstat(filepath.Join(r.git, "gc.pid"))
	if err != nil {
		return false
	}
	now, err := r.fs.Lstat(r.looseNote())
	return err != nil || now.ModTime().Sub(fi.ModTime()) < gcRuns
}

// packing is one step of tidying up, done under the lock for it.
type packing struct {
	repo *Repo
	ctx  context.Context
	dir  string // for unfinished packs
}

// prepare clears away what a crash left.
func (p *packing) prepare() error {
	f := p.repo.fs
	if _, err := fsys.MkdirAll(f, p.dir, 0o777); err != nil {
		return writeError(p.dir, err)
	}
	left, err := f.ReadDir(p.dir)
	if err != nil {
		return err
	}
	if err := p.repo.dropHalfPacks(p.dir, left); err != nil {
		return err
	}
	for _, e := range left {
		if err := f.Remove(filepath.Join(p.dir, e.Name())); err != nil && !isNotExist(err) {
			return writeError(p.dir, err)
		}
	}
	return nil
}

// dropHalfPacks removes packs that a crash of ours left without an index. They
// are known as ours because they are the same files as some in our own folder.
func (r *Repo) dropHalfPacks(dir string, temps []os.DirEntry) error {
	ours := temps[:0:0]
	for _, t := range temps {
		if t.Name() == "pack" || strings.HasPrefix(t.Name(), "old") {
			ours = append(ours, t)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	list, err := r.fs.ReadDir(r.packDir())
	if err != nil && !isNotExist(err) {
		return err
	}
	for _, e := range list {
		base, ok := strings.CutSuffix(e.Name(), ".pack")
		if !ok {
			continue
		}
		if _, err := r.fs.Lstat(filepath.Join(r.packDir(), base+".idx")); err == nil {
			continue
		}
		fi, err := e.Info()
		if err != nil {
			continue
		}
		for _, t := range ours {
			if ti, err := r.fs.Lstat(filepath.Join(dir, t.Name())); err != nil || !os.SameFile(ti, fi) {
				continue
			}
			if err := r.fs.Remove(filepath.Join(r.packDir(), e.Name())); err != nil && !isNotExist(err) {
				return writeError(r.packDir(), err)
			}
		}
	}
	return nil
}

func (r *Repo) packDir() string { return filepath.Join(r.objects.root, "pack") }

// writePack makes a pack, durably and at once.
func (r *Repo) writePack(dir string, count int, fill func(w *packWriter) error) (base string, err error) {
	temp, tempIdx := filepath.Join(dir, "pack"), filepath.Join(dir, "idx")
	b := &batch{repo: r}
	defer b.close()
	if err := b.add(temp, nil, 0o444); err != nil {
		return "", err
	}
	w := newPackWriter(b.files[0], count)
	if err := fill(w); err != nil {
		return "", err
	}
	name, idx, err := w.finish()
	if err != nil {
		return "", writeError(temp, err)
	}
	if err := b.add(tempIdx, idx, 0o444); err != nil {
		return "", err
	}
	if err := b.sync(); err != nil {
		return "", writeError(temp, err)
	}
	dirs := map[string]bool{r.packDir(): true}
	changed, err := fsys.MkdirAll(r.fs, r.packDir(), 0o777)
	for _, d := range changed {
		dirs[d] = true
	}
	if err != nil {
		return "", writeError(r.packDir(), err)
	}
	base = filepath.Join(r.packDir(), "pack-"+name)
	// Its own file must be known for ours before a power cut can leave half
	// of it.
	if err := r.syncDirs(map[string]bool{dir: true}); err != nil {
		return "", writeError(dir, err)
	}
	for _, step := range [][2]string{{temp, base + ".pack"}, {tempIdx, base + ".idx"}} {
		if err := r.putPack(step[0], step[1]); err != nil {
			return "", writeError(step[1], err)
		}
	}
	if err := r.syncDirs(dirs); err != nil {
		return "", writeError(r.packDir(), err)
	}
	_ = r.fs.Remove(temp)
	_ = r.fs.Remove(tempIdx)
	return base, nil
}

// putPack puts a file of a pack in its place. One that is there already has
// the same content, because it has the same name.
func (r *Repo) putPack(temp, path string) error {
	err := r.fs.Link(temp, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	if isNotExist(err) || isReadOnly(err) {
		return err
	}
	return r.fs.Rename(temp, path) // no second names here
}

// packLoose packs loose objects, if there are enough, and says how many are
// left.
func (p *packing) packLoose(atLeast int) (left int, err error) {
	r := p.repo
	keep, err := p.fresh()
	if err != nil {
		return 0, err
	}
	names, err := r.objects.looseNames()
	if err != nil {
		return 0, err
	}
	todo := names[:0]
	for _, h := range names {
		if !keep[h] {
			todo = append(todo, h)
		}
	}
	if len(todo) < atLeast {
		return 0, nil
	}
	var list []newObject
	size := 0
	for i, h := range todo {
		if size > maxBatch {
			left = len(todo) - i
			break
		}
		if err := p.ctx.Err(); err != nil {
			return 0, err
		}
		t, data, err := r.objects.readLoose(r.objects.root, h)
		if err != nil {
			continue // gone by now, or damaged: doctor's business
		}
		size += len(data)
		list = append(list, newObject{h, t, data})
	}
	if len(list) == 0 {
		return 0, nil
	}
	if _, err := r.writePack(p.dir, len(list), func(w *packWriter) error { return addAlike(w, list) }); err != nil {
		return 0, err
	}
	if _, err := r.objects.list(true); err != nil {
		return 0, err
	}
	for _, o := range list {
		if err := r.fs.Remove(loosePath(r.objects.root, o.hash)); err != nil && !isNotExist(err) {
			return 0, writeError(r.objects.root, err)
		}
	}
	return left, nil
}

// fresh gives the objects that stay loose, because every command reads them.
func (p *packing) fresh() (map[Hash]bool, error) {
	r := p.repo
	head, err := r.Head()
	if err != nil || head.IsZero() {
		return nil, err
	}
	c, err := r.objects.commit(head)
	if err != nil {
		return nil, err
	}
	keep := map[Hash]bool{head: true, c.Tree: true}
	entries, err := r.objects.tree(c.Tree)
	for _, e := range entries {
		if e.Mode == ModeDir {
			keep[e.Hash] = true
		}
	}
	return keep, err
}

// looseNames lists the loose objects.
func (s *objects) looseNames() ([]Hash, error) {
	dirs, err := s.fs.ReadDir(s.root)
	if err != nil {
		return nil, err
	}
	var names []Hash
	for _, d := range dirs {
		if len(d.Name()) != 2 || !d.IsDir() {
			continue
		}
		list, err := s.fs.ReadDir(filepath.Join(s.root, d.Name()))
		if err != nil {
			if isNotExist(err) {
				continue
			}
			return nil, err
		}
		for _, e := range list {
			if h, ok := ParseHash(d.Name() + e.Name()); ok {
				names = append(names, h)
			}
		}
	}
	return names, nil
}

// addAlike writes objects, the largest first, each as a delta of one that is
// like it where there is one. A ledger's older versions are mostly pieces of
// its newest, so they take a few bytes each.
func addAlike(w *packWriter, list []newObject) error {
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].kind != list[j].kind {
			return list[i].kind < list[j].kind
		}
		return len(list[i].data) > len(list[j].data)
	})
	a := &anchors{}
	for _, o := range list {
		if _, err := a.write(w, o, func() (int64, error) { return w.add(o.hash, o.kind, o.data, 0) }); err != nil {
			return err
		}
	}
	return nil
}

// anchors are the objects of a pack that can be the base of others: those that
// stand whole, and those of which much is new. Without the latter all that
// comes after a ledger has rolled would repeat what is new in each of its
// versions.
type anchors struct {
	similar similar
	list    []anchor
	size    int
}

type anchor struct {
	kind  Type
	data  []byte
	at    int64
	depth int // how many deltas lead to it
}

const (
	anchorBytes = 64 << 20 // bounds the memory for them
	anchorNew   = 1 << 10  // so many bytes that are new make a delta an anchor
	anchorDepth = 32       // bounds how many deltas have to be put together
)

// write puts an object into a pack, as a delta of the anchor most like it, if
// that is worth it, or whole.
func (a *anchors) write(w *packWriter, o newObject, whole func() (int64, error)) (at int64, err error) {
	features := sketch(o.kind, o.data)
	base, delta := a.delta(o.kind, o.data, features)
	if delta == nil {
		if at, err = whole(); err == nil {
			a.add(anchor{o.kind, o.data, at, 0}, features)
		}
		return at, err
	}
	at, err = w.add(o.hash, o.kind, delta, base.at)
	if err == nil && len(delta) > anchorNew {
		a.add(anchor{o.kind, o.data, at, base.depth + 1}, features)
	}
	return at, err
}

func (a *anchors) add(o anchor, features []uint64) {
	if len(features) == 0 || a.size+len(o.data) > anchorBytes {
		return
	}
	a.size += len(o.data)
	a.similar.add(len(a.list), features)
	a.list = append(a.list, o)
}

func (a *anchors) delta(kind Type, data []byte, features []uint64) (base anchor, delta []byte) {
	i := a.similar.best(features)
	if i < 0 || a.list[i].kind != kind || a.list[i].depth >= anchorDepth {
		return anchor{}, nil
	}
	return a.list[i], makeDelta(a.list[i].data, data, len(data)*3/4)
}

// mergeSome merges the smallest packs of which there are too many.
func (p *packing) mergeSome() (merged bool, err error) {
	r := p.repo
	packs, err := p.candidates()
	if err != nil {
		return false, err
	}
	levels := map[int][]*pack{}
	lowest := -1
	for _, q := range packs {
		level := 0
		for n := q.n / int64(r.packAfter); n >= packFan; n /= packFan {
			level++
		}
		levels[level] = append(levels[level], q)
		if len(levels[level]) >= packFan && (lowest < 0 || level < lowest) {
			lowest = level
		}
	}
	if lowest < 0 {
		return false, nil
	}
	list := levels[lowest]
	base, err := p.merge(list)
	if err != nil {
		return false, err
	}
	if _, err := r.objects.list(true); err != nil {
		return false, err
	}
	old := list[:0]
	for _, q := range list {
		if q.base != base {
			old = append(old, q)
		}
	}
	if err := p.drop(old); err != nil {
		return false, writeError(r.packDir(), err)
	}
	_, err = r.objects.list(true)
	return true, err
}

// drop removes packs whose objects are all in another one. Without second
// names of our own, which have to be there for good before anything goes, a
// crash could leave a pack half there, and nobody would know whose it is.
func (p *packing) drop(packs []*pack) error {
	f := p.repo.fs
	var names, ours []string
	for i, q := range packs {
		q.close() // Windows removes no open file
		spare := filepath.Join(p.dir, "old"+strconv.Itoa(i))
		_ = f.Link(q.base+".pack", spare)
		ours = append(ours, spare)
		names = append(names, q.base+".idx", q.base+".rev", q.base+".pack")
	}
	for _, step := range []struct {
		dir  string
		then []string
	}{{p.dir, names}, {p.repo.packDir(), ours}} {
		if err := p.repo.syncDirs(map[string]bool{step.dir: true}); err != nil {
			return err
		}
		for _, name := range step.then {
			if err := f.Remove(name); err != nil && !isNotExist(err) {
				return err
			}
		}
	}
	return nil
}

// candidates lists the packs that may be merged, oldest first: not those that
// git has marked or built other files upon.
func (p *packing) candidates() ([]*pack, error) {
	r := p.repo
	packs, err := r.objects.list(true)
	if err != nil {
		return nil, err
	}
	midx, err := r.fs.ReadFile(filepath.Join(r.packDir(), "multi-pack-index"))
	if err != nil && !isNotExist(err) {
		return nil, err
	}
	age := map[*pack]time.Time{}
	var list []*pack
	for _, q := range packs {
		if filepath.Dir(q.base) != r.packDir() || bytes.Contains(midx, []byte(filepath.Base(q.base)+".")) || p.marked(q) || q.open() != nil || q.size > maxMerge {
			continue
		}
		fi, err := r.fs.Lstat(q.base + ".pack")
		if err != nil {
			continue
		}
		age[q] = fi.ModTime()
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool {
		if !age[list[i]].Equal(age[list[j]]) {
			return age[list[i]].Before(age[list[j]])
		}
		return list[i].base < list[j].base
	})
	return list, nil
}

func (p *packing) marked(q *pack) bool {
	for _, ext := range []string{".keep", ".bitmap", ".promisor", ".mtimes"} {
		if _, err := p.repo.fs.Lstat(q.base + ext); err == nil {
			return true
		}
	}
	return false
}

// source is a pack that is being merged, with its whole index.
type source struct {
	pack  *pack
	names []Hash
	crcs  []uint32
	ats   []int64
	order []int // numbers of the objects, as they lie in the pack
	byAt  map[int64]int

	window   []byte // a piece of the pack, which is read from front to back
	windowAt int64
}

func (q *pack) source() (*source, error) {
	idx := make([]byte, 28*q.n)
	if _, err := q.idx.ReadAt(idx, idxHead); err != nil && q.n > 0 {
		return nil, q.damaged(err)
	}
	s := &source{pack: q, byAt: map[int64]int{}}
	for i := range q.n {
		var h Hash
		copy(h[:], idx[20*i:])
		at := int64(binary.BigEndian.Uint32(idx[24*q.n+4*i:]))
		if at < 12 || at >= q.size-20 { // 64-bit offsets stand elsewhere, but such packs are not merged
			return nil, q.damaged(errors.New("offset outside"))
		}
		s.names = append(s.names, h)
		s.crcs = append(s.crcs, binary.BigEndian.Uint32(idx[20*q.n+4*i:]))
		s.ats = append(s.ats, at)
		s.order = append(s.order, int(i))
		s.byAt[at] = int(i)
	}
	sort.Slice(s.order, func(i, j int) bool { return s.ats[s.order[i]] < s.ats[s.order[j]] })
	return s, nil
}

// raw gives the bytes of the object that comes k-th in the pack, checked; they
// are valid until the next call.
func (s *source) raw(k int) ([]byte, error) {
	i := s.order[k]
	end := s.pack.size - 20
	if k+1 < len(s.order) {
		end = s.ats[s.order[k+1]]
	}
	if end <= s.ats[i] {
		return nil, s.pack.damaged(errors.New("offsets in disorder"))
	}
	raw, err := s.read(s.ats[i], end)
	if err != nil {
		return nil, s.pack.damaged(err)
	}
	if crc32.ChecksumIEEE(raw) != s.crcs[i] {
		return nil, s.pack.damaged(errors.New("object " + s.names[i].String() + " has changed on the disk"))
	}
	return raw, nil
}

// read gives a piece of the pack, valid until the next call.
func (s *source) read(from, to int64) ([]byte, error) {
	if end := s.windowAt + int64(len(s.window)); from < s.windowAt || to > end {
		size := min(max(to-from, 1<<20), s.pack.size-from)
		if int64(cap(s.window)) < size {
			s.window = make([]byte, size)
		}
		s.window, s.windowAt = s.window[:size], from
		if _, err := s.pack.data.ReadAt(s.window, from); err != nil && err != io.EOF {
			s.window = nil
			return nil, err
		}
	}
	return s.window[from-s.windowAt : to-s.windowAt], nil
}

// merge copies packs into one, the newest first.
func (p *packing) merge(packs []*pack) (base string, err error) {
	m := &merger{home: map[Hash]*source{}, placed: map[Hash]int64{}, lookup: p.repo.objects.read}
	sources, err := m.sources(packs, nil)
	if err != nil {
		return "", err
	}
	return p.repo.writePack(p.dir, len(m.home), func(w *packWriter) error {
		m.out = w
		return m.copyAll(p.ctx, sources)
	})
}

// merger copies objects from several packs into a new one. Deltas are copied
// as they are; what stands whole becomes a delta of what is like it, and was
// copied before.
type merger struct {
	out     *packWriter
	home    map[Hash]*source // which pack each object is taken from
	placed  map[Hash]int64
	anchors anchors
	lookup  func(Hash) (Type, []byte, error)
}

// sources reads the indexes of packs that are given oldest first, and decides
// which pack each object is taken from. Of a given set, only those are taken.
func (m *merger) sources(packs []*pack, only map[Hash]bool) ([]*source, error) {
	var list []*source
	for i := len(packs) - 1; i >= 0; i-- {
		s, err := packs[i].source()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		for _, h := range s.names {
			if m.home[h] == nil && (only == nil || only[h]) {
				m.home[h] = s
			}
		}
	}
	return list, nil
}

func (m *merger) copyAll(ctx context.Context, sources []*source) error {
	for _, s := range sources {
		for k, i := range s.order {
			if m.home[s.names[i]] != s {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.copy(s, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *merger) copy(s *source, k int) error {
	i := s.order[k]
	h := s.names[i]
	raw, err := s.raw(k)
	if err != nil {
		return err
	}
	o, err := parseEntry(raw, s.ats[i])
	if err != nil {
		return s.pack.damaged(err)
	}
	body := raw[o.body-o.at:]
	var at int64
	switch o.kind {
	case ofsDelta, refDelta:
		base := o.baseH
		if o.kind == ofsDelta {
			j, ok := s.byAt[o.baseN]
			if !ok {
				return s.pack.damaged(errors.New("delta of nothing"))
			}
			base = s.names[j]
		}
		if to, ok := m.placed[base]; ok {
			at, err = m.out.addRaw(h, packHeader(ofsDelta, int(o.size), m.out.at-to), body)
		} else if m.home[base] != nil {
			at, err = m.out.addRaw(h, append(packHeader(refDelta, int(o.size), 0), base[:]...), body)
		} else if kind, data, rerr := s.pack.read(s.ats[i], m.lookup); rerr == nil {
			at, err = m.out.add(h, kind, data, 0) // its base is not wanted
		} else {
			err = rerr
		}
	default:
		at, err = m.whole(s, o, h, raw, body)
	}
	m.placed[h] = at
	return err
}

// whole writes an object that is no delta yet.
func (m *merger) whole(s *source, o packed, h Hash, raw, body []byte) (int64, error) {
	kind := Type(o.kind)
	if kind == TypeCommit || kind == TypeTag {
		return m.out.addRaw(h, raw[:o.body-o.at], body)
	}
	data, err := s.pack.inflate(o)
	if err != nil {
		return 0, err
	}
	return m.anchors.write(m.out, newObject{h, kind, data}, func() (int64, error) {
		return m.out.addRaw(h, raw[:o.body-o.at], body)
	})
}
