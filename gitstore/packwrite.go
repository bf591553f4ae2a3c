package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"sort"

	"gitvault/internal/fsys"
)

// packWriter writes a pack and its index.
type packWriter struct {
	file    fsys.File
	buf     []byte
	sum     hash.Hash
	at      int64
	count   int
	entries []packEntry

	small, large *zlib.Writer
	deflated     bytes.Buffer
}

type packEntry struct {
	hash Hash
	at   int64
	crc  uint32
}

// maxPack keeps offsets within 31 bits, so that the index needs no second
// table.
const maxPack = 1 << 30

func newPackWriter(file fsys.File, count int) *packWriter {
	w := &packWriter{file: file, sum: sha1.New(), count: count}
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	w.write(binary.BigEndian.AppendUint32(head, uint32(count)))
	return w
}

func (w *packWriter) write(b []byte) {
	w.sum.Write(b)
	w.buf = append(w.buf, b...)
	w.at += int64(len(b))
}

func (w *packWriter) flush(above int) error {
	if len(w.buf) <= above {
		return nil
	}
	err := writeAll(w.file, w.buf)
	w.buf = w.buf[:0]
	return err
}

// add writes an object: whole, or as a delta of the one at offset base (>0).
func (w *packWriter) add(h Hash, kind Type, data []byte, base int64) (int64, error) {
	k := byte(kind)
	if base > 0 {
		k = ofsDelta
	}
	return w.addRaw(h, packHeader(k, len(data), w.at-base), w.deflate(data))
}

// addRaw writes an entry whose body is deflated already.
func (w *packWriter) addRaw(h Hash, head, body []byte) (int64, error) {
	if w.at > maxPack {
		return 0, errors.New("pack too large")
	}
	at := w.at
	crc := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, body)
	w.write(head)
	w.write(body)
	w.entries = append(w.entries, packEntry{h, at, crc})
	return at, w.flush(1 << 18)
}

// deflate compresses large content fast, because it will be a delta of
// something newer before long.
func (w *packWriter) deflate(data []byte) []byte {
	w.deflated.Reset()
	z := &w.small
	level := zlib.DefaultCompression
	if len(data) > 1<<13 {
		z, level = &w.large, zlib.BestSpeed
	}
	if *z == nil {
		*z, _ = zlib.NewWriterLevel(&w.deflated, level) // fails only for a level that is none
	} else {
		(*z).Reset(&w.deflated)
	}
	_, _ = (*z).Write(data) // to memory
	(*z).Close()
	return w.deflated.Bytes()
}

func packHeader(kind byte, size int, back int64) []byte {
	c := kind<<4 | byte(size&15)
	size >>= 4
	var head []byte
	for size > 0 {
		head = append(head, c|0x80)
		c = byte(size & 0x7f)
		size >>= 7
	}
	head = append(head, c)
	if kind != ofsDelta {
		return head
	}
	var b [10]byte
	i := len(b) - 1
	b[i] = byte(back & 0x7f)
	for back >>= 7; back > 0; back >>= 7 {
		back--
		i--
		b[i] = 0x80 | byte(back&0x7f)
	}
	return append(head, b[i:]...)
}

// finish ends the pack and gives its index and the name of both.
func (w *packWriter) finish() (name string, index []byte, err error) {
	if len(w.entries) != w.count {
		return "", nil, errors.New("pack with another number of objects than it says")
	}
	sum := w.sum.Sum(nil)
	w.buf = append(w.buf, sum...)
	if err := w.flush(0); err != nil {
		return "", nil, err
	}
	return hex.EncodeToString(sum), packIndex(w.entries, sum), nil
}

// packIndex is the index of a pack with this checksum.
func packIndex(list []packEntry, sum []byte) []byte {
	sort.Slice(list, func(i, j int) bool { return bytes.Compare(list[i].hash[:], list[j].hash[:]) < 0 })
	b := make([]byte, 0, idxHead+28*len(list)+40)
	b = append(b, "\xfftOc\x00\x00\x00\x02"...)
	n := 0
	for first := range 256 {
		for n < len(list) && int(list[n].hash[0]) <= first {
			n++
		}
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for i := range list {
		b = append(b, list[i].hash[:]...)
	}
	for i := range list {
		b = binary.BigEndian.AppendUint32(b, list[i].crc)
	}
	for i := range list {
		b = binary.BigEndian.AppendUint32(b, uint32(list[i].at))
	}
	b = append(b, sum...)
	own := sha1.Sum(b)
	return append(b, own[:]...)
}
