package gitstore

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// packs looks whether packs and their indexes are what was written. An index
// is made again from its pack.
func (x *examination) packs(context.Context) error {
	r := x.repo
	if x.look.Quick {
		return nil
	}
	list, err := r.fs.ReadDir(r.packDir())
	if err != nil {
		if isNotExist(err) || isDirErr(err) || refused(err) {
			return nil
		}
		return err
	}
	for _, e := range list {
		name, isPack := strings.CutSuffix(e.Name(), ".pack")
		if isPack && strings.HasPrefix(name, "pack-") && e.Type().IsRegular() {
			x.pack(filepath.Join(r.packDir(), name))
		}
		if base, ok := strings.CutSuffix(e.Name(), ".idx"); ok {
			if _, err := r.fs.Lstat(filepath.Join(r.packDir(), base+".pack")); isNotExist(err) {
				path := filepath.Join(r.packDir(), e.Name())
				x.mendable(DamagedPack, x.rel(path), "its pack is not there", "move it aside", func(context.Context) (string, error) { return r.aside(path) })
			}
		}
	}
	return nil
}

func (x *examination) pack(base string) {
	r := x.repo
	whole, sum, err := r.summed(base + ".pack")
	if refused(err) {
		return
	}
	if err != nil || !whole {
		x.add(DamagedPack, x.rel(base+".pack"), "the pack is damaged: what can be read of it serves; %s brings the rest back from a remote that has it", r.refetch())
		return
	}
	whole, _, err = r.summed(base + ".idx")
	if err == nil && whole || refused(err) {
		return
	}
	x.mendable(DamagedPack, x.rel(base+".idx"), "the pack's index is damaged or missing: its objects can't be found", "make it again from the pack", func(ctx context.Context) (string, error) {
		index, err := r.reindex(base, sum)
		if err != nil {
			return "", err
		}
		defer r.objects.close() // they are looked at anew
		return r.replaceFile(ctx, base+".idx", index)
	})
}

// summed reports whether a file ends with the checksum of what comes before.
func (r *Repo) summed(path string) (whole bool, sum []byte, err error) {
	f, err := r.fs.Open(path)
	if err != nil {
		return false, nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < 32 {
		return false, nil, errors.Join(err, fs.ErrInvalid)
	}
	h := sha1.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, fi.Size()-20)); err != nil {
		return false, nil, err
	}
	var end [20]byte
	if _, err := f.ReadAt(end[:], fi.Size()-20); err != nil {
		return false, nil, err
	}
	return bytes.Equal(end[:], h.Sum(nil)), end[:], nil
}

// reindex makes the index of a sound pack.
func (r *Repo) reindex(base string, sum []byte) ([]byte, error) {
	f, err := r.fs.Open(base + ".pack")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := &pack{fs: r.fs, base: base, data: f, size: fi.Size()}
	if p.size > 1<<31 {
		return nil, fmt.Errorf("the pack is larger than 2 GiB: git -C '%s' index-pack '%s.pack' makes its index", r.dir, base)
	}
	entries, err := scanPack(p)
	if err != nil {
		return nil, err
	}
	at := map[Hash]int64{}
	done := make([]bool, len(entries))
	whole := func(h Hash) (Type, []byte, error) { return r.objects.read(h) }
	inPack := func(h Hash) (Type, []byte, error) {
		if offset, ok := at[h]; ok {
			return p.read(offset, whole)
		}
		return whole(h)
	}
	for left := len(entries); left > 0; {
		before := left
		var failed error
		for i := range entries { // a delta's base may come after it
			if done[i] {
				continue
			}
			t, data, err := p.read(entries[i].at, inPack)
			if err != nil {
				failed = err
				continue
			}
			entries[i].hash, done[i] = HashOf(t, data), true
			at[entries[i].hash] = entries[i].at
			left--
		}
		if left == before {
			return nil, failed
		}
	}
	return packIndex(entries, sum), nil
}

// scanPack finds where the objects of a pack begin.
func scanPack(p *pack) ([]packEntry, error) {
	var head [12]byte
	if _, err := p.data.ReadAt(head[:], 0); err != nil || string(head[:4]) != "PACK" {
		return nil, p.damaged(errors.Join(err, errors.New("not a pack")))
	}
	count := int64(binary.BigEndian.Uint32(head[8:]))
	if count > p.size {
		return nil, p.damaged(errors.New("more objects than bytes"))
	}
	var entries []packEntry
	at := int64(12)
	for range count {
		o, err := p.header(at)
		if err != nil {
			return nil, err
		}
		body := &countedReader{r: bufio.NewReader(io.NewSectionReader(p.data, o.body, p.size-20-o.body))}
		z, err := zlib.NewReader(body)
		if err == nil {
			_, err = io.Copy(io.Discard, io.LimitReader(z, maxObject))
		}
		if err != nil {
			return nil, p.damaged(err)
		}
		end := o.body + body.n
		crc := crc32.NewIEEE()
		if _, err := io.Copy(crc, io.NewSectionReader(p.data, at, end-at)); err != nil {
			return nil, p.damaged(err)
		}
		entries = append(entries, packEntry{at: at, crc: crc.Sum32()})
		at = end
	}
	return entries, nil
}

// countedReader counts the bytes that the inflater, which takes no more than
// it needs of a reader of bytes, has taken.
type countedReader struct {
	r *bufio.Reader
	n int64
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *countedReader) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
