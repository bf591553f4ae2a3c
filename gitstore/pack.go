package gitstore

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"gitvault/internal/fsys"
)

// pack is one pack file and its index. The index is searched where it lies on
// the disk, so that opening a large pack costs the same as a small one.
type pack struct {
	fs   fsys.FS
	base string // path without .pack and .idx

	mu     sync.Mutex
	opened bool
	err    error

	idx  fsys.File
	data fsys.File
	size int64 // of the pack file
	fan  [256]uint32
	n    int64
}

const idxHead = 8 + 256*4

func (p *pack) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		p.opened, p.err = true, p.load()
	}
	return p.err
}

// broken reports whether an attempt to open it failed.
func (p *pack) broken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

func (p *pack) load() error {
	idx, err := p.fs.Open(p.base + ".idx")
	if err != nil {
		return err
	}
	data, err := p.fs.Open(p.base + ".pack")
	if err != nil {
		return errors.Join(err, idx.Close())
	}
	if err := p.check(idx, data); err != nil {
		return errors.Join(err, idx.Close(), data.Close())
	}
	p.idx, p.data = idx, data
	return nil
}

func (p *pack) check(idx, data fsys.File) error {
	var head [idxHead]byte
	if _, err := idx.ReadAt(head[:], 0); err != nil {
		return p.damaged(err)
	}
	if string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return p.damaged(errors.New("index of an unknown version"))
	}
	for i := range p.fan {
		p.fan[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fan[i] < p.fan[i-1] {
			return p.damaged(errors.New("index out of order"))
		}
	}
	p.n = int64(p.fan[255])
	fi, err := idx.Stat()
	if err != nil {
		return err
	}
	if fi.Size() < idxHead+p.n*28+40 {
		return p.damaged(errors.New("index cut off"))
	}
	di, err := data.Stat()
	if err != nil {
		return err
	}
	p.size = di.Size()
	var start [12]byte
	if _, err := data.ReadAt(start[:], 0); err != nil {
		return p.damaged(err)
	}
	if string(start[:4]) != "PACK" || p.size < 32 {
		return p.damaged(errors.New("not a pack"))
	}
	return nil
}

func (p *pack) damaged(err error) error {
	return fail(ErrCorrupt, "pack %s is damaged (%v): 'vault doctor' says what can be done", filepath.Base(p.base), err)
}

func (p *pack) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idx != nil { // they stay set, for whoever is just reading
		p.idx.Close()
		p.data.Close()
	}
	p.opened, p.err = true, errors.New("closed")
}

func (p *pack) name(i int64) (Hash, error) {
	var h Hash
	_, err := p.idx.ReadAt(h[:], idxHead+20*i)
	return h, err
}

// search gives the number of the first object whose name is not below h.
func (p *pack) search(h Hash) (int64, error) {
	lo, hi := int64(0), int64(p.fan[h[0]])
	if h[0] > 0 {
		lo = int64(p.fan[h[0]-1])
	}
	// The names are evenly spread: one read in the likely place serves small
	// fan-out buckets whole.
	const window = 256
	for hi-lo > window {
		mid := lo + (hi-lo)/2
		name, err := p.name(mid)
		if err != nil {
			return 0, p.damaged(err)
		}
		if bytes.Compare(name[:], h[:]) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	buf := make([]byte, 20*(hi-lo))
	if _, err := p.idx.ReadAt(buf, idxHead+20*lo); err != nil && len(buf) > 0 {
		return 0, p.damaged(err)
	}
	i, j := int64(0), hi-lo
	for i < j {
		mid := i + (j-i)/2
		if bytes.Compare(buf[20*mid:20*mid+20], h[:]) < 0 {
			i = mid + 1
		} else {
			j = mid
		}
	}
	return lo + i, nil
}

// find gives where in the pack the object begins; -1: it is not in this pack.
func (p *pack) find(h Hash) (int64, error) {
	if p.n == 0 {
		return -1, nil
	}
	i, err := p.search(h)
	if err != nil || i >= p.n {
		return -1, err
	}
	name, err := p.name(i)
	if err != nil {
		return -1, p.damaged(err)
	}
	if name != h {
		return -1, nil
	}
	return p.offset(i)
}

func (p *pack) offset(i int64) (int64, error) {
	var b [8]byte
	if _, err := p.idx.ReadAt(b[:4], idxHead+24*p.n+4*i); err != nil {
		return -1, p.damaged(err)
	}
	off := int64(binary.BigEndian.Uint32(b[:4]))
	if off&(1<<31) != 0 {
		if _, err := p.idx.ReadAt(b[:], idxHead+28*p.n+8*(off&^(1<<31))); err != nil {
			return -1, p.damaged(err)
		}
		off = int64(binary.BigEndian.Uint64(b[:]))
	}
	if off < 12 || off >= p.size-20 {
		return -1, p.damaged(errors.New("offset outside"))
	}
	return off, nil
}

const (
	ofsDelta = 6
	refDelta = 7
)

// packed is one object as it lies in a pack.
type packed struct {
	kind  byte  // a Type, ofsDelta or refDelta
	size  int64 // of what it inflates to
	at    int64 // where it begins
	body  int64 // where its zlib stream begins
	baseN int64 // ofsDelta: where its base begins
	baseH Hash  // refDelta: its base
}

func (p *pack) header(at int64) (packed, error) {
	var b [64]byte
	n, err := p.data.ReadAt(b[:], at)
	if n == 0 {
		return packed{}, p.damaged(err)
	}
	o, err := parseEntry(b[:n], at)
	if err != nil {
		return packed{}, p.damaged(err)
	}
	return o, nil
}

func parseEntry(b []byte, at int64) (packed, error) {
	bad := errors.New("unreadable entry")
	o := packed{at: at, kind: b[0] >> 4 & 7, size: int64(b[0] & 15)}
	i, shift := 0, 4
	for b[i]&0x80 != 0 {
		i++
		if i >= len(b) || shift > 50 {
			return o, bad
		}
		o.size |= int64(b[i]&0x7f) << shift
		shift += 7
	}
	i++
	switch o.kind {
	case byte(TypeCommit), byte(TypeTree), byte(TypeBlob), byte(TypeTag):
	case ofsDelta:
		var back int64
		for first := true; ; first = false {
			if i >= len(b) || back > 1<<50 {
				return o, bad
			}
			if !first {
				back++
			}
			back = back<<7 | int64(b[i]&0x7f)
			i++
			if b[i-1]&0x80 == 0 {
				break
			}
		}
		o.baseN = at - back
		if back <= 0 || o.baseN < 12 {
			return o, bad
		}
	case refDelta:
		if i+20 > len(b) {
			return o, bad
		}
		copy(o.baseH[:], b[i:])
		i += 20
	default:
		return o, bad
	}
	if o.size > maxObject {
		return o, bad
	}
	o.body = at + int64(i)
	return o, nil
}

func (p *pack) inflate(o packed) ([]byte, error) {
	z, err := zlib.NewReader(bufferedAt(p.data, o.body, p.size))
	if err != nil {
		return nil, p.damaged(err)
	}
	defer z.Close()
	if o.size > 1<<26 { // do not trust a large size before the bytes are there
		data, err := io.ReadAll(io.LimitReader(z, o.size+1))
		if err != nil || int64(len(data)) != o.size {
			return nil, p.damaged(errors.Join(err, errors.New("entry of another size")))
		}
		return data, nil
	}
	data := make([]byte, o.size)
	if _, err := io.ReadFull(z, data); err != nil {
		return nil, p.damaged(err)
	}
	var one [1]byte
	if n, err := z.Read(one[:]); n != 0 || err != io.EOF {
		return nil, p.damaged(errors.Join(err, errors.New("entry of another size")))
	}
	return data, nil
}

// read gives the object that begins at this place.
func (p *pack) read(at int64, whole func(Hash) (Type, []byte, error)) (Type, []byte, error) {
	var chain [][]byte
	for range 10000 {
		o, err := p.header(at)
		if err != nil {
			return 0, nil, err
		}
		data, err := p.inflate(o)
		if err != nil {
			return 0, nil, err
		}
		t := Type(o.kind)
		switch o.kind {
		case ofsDelta:
			chain = append(chain, data)
			at = o.baseN
			continue
		case refDelta:
			chain = append(chain, data)
			base, err := p.find(o.baseH)
			if err != nil {
				return 0, nil, err
			}
			if base >= 0 {
				at = base
				continue
			}
			if t, data, err = whole(o.baseH); err != nil {
				return 0, nil, err
			}
		}
		for i := len(chain) - 1; i >= 0; i-- {
			if data, err = applyDelta(data, chain[i]); err != nil {
				return 0, nil, p.damaged(err)
			}
		}
		return t, data, nil
	}
	return 0, nil, p.damaged(errors.New("endless chain of deltas"))
}

// bufferedAt reads a file from a place on; small objects take one read.
func bufferedAt(f io.ReaderAt, from, to int64) io.Reader {
	return &atReader{r: io.NewSectionReader(f, from, to-from)}
}

type atReader struct {
	r   *io.SectionReader
	buf []byte
	pos int
	big bool
}

func (a *atReader) fill() error {
	if a.pos < len(a.buf) {
		return nil
	}
	size := 1 << 10
	if a.big {
		size = 1 << 15
	}
	if cap(a.buf) < size {
		a.buf = make([]byte, size)
	}
	n, err := a.r.Read(a.buf[:size])
	a.buf, a.pos, a.big = a.buf[:n], 0, true
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

func (a *atReader) Read(b []byte) (int, error) {
	if err := a.fill(); err != nil {
		return 0, err
	}
	n := copy(b, a.buf[a.pos:])
	a.pos += n
	return n, nil
}

// ReadByte keeps the inflater from wrapping the reader in a buffer of its own.
func (a *atReader) ReadByte() (byte, error) {
	if err := a.fill(); err != nil {
		return 0, err
	}
	a.pos++
	return a.buf[a.pos-1], nil
}

func packNames(f fsys.FS, objects string) ([]string, error) {
	list, err := f.ReadDir(filepath.Join(objects, "pack"))
	if isNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range list {
		if base, ok := strings.CutSuffix(e.Name(), ".idx"); ok && strings.HasPrefix(base, "pack-") {
			names = append(names, filepath.Join(objects, "pack", base))
		}
	}
	return names, nil
}
