package gitstore

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
)

// maxObject bounds what is read into memory for one object, so that a damaged
// size cannot exhaust it.
const maxObject = 1 << 31

// storeBelow is the size up to which a loose object is stored without
// compression: it is soon packed as a delta, and compressing it first would
// cost more time than writing it.
const storeBelow = 1 << 20

func loosePath(objects string, h Hash) string {
	s := h.String()
	return filepath.Join(objects, s[:2], s[2:])
}

// encodeLoose gives the content of the file that holds the object.
func encodeLoose(t Type, data []byte) []byte {
	head := objectHeader(t, len(data))
	if len(head)+len(data) > storeBelow {
		var b bytes.Buffer
		z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed) // fails only for a level that is none
		_, _ = z.Write(head)                            // nor can these: they write to memory
		_, _ = z.Write(data)
		_ = z.Close()
		return b.Bytes()
	}
	return storeZlib(head, data)
}

// storeZlib wraps the concatenation of the parts as a zlib stream of stored
// blocks.
func storeZlib(parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	const block = 0xffff
	out := make([]byte, 0, size+5*(size/block+1)+6)
	out = append(out, 0x78, 0x01)
	sum := adler32.New()
	room, left := 0, size
	if size == 0 {
		out = append(out, 1, 0, 0, 0xff, 0xff)
	}
	for _, p := range parts {
		sum.Write(p)
		for len(p) > 0 {
			if room == 0 {
				room = min(left, block)
				left -= room
				final := byte(0)
				if left == 0 {
					final = 1
				}
				out = append(out, final)
				out = binary.LittleEndian.AppendUint16(out, uint16(room))
				out = binary.LittleEndian.AppendUint16(out, ^uint16(room))
			}
			n := min(room, len(p))
			out = append(out, p[:n]...)
			p, room = p[n:], room-n
		}
	}
	return sum.Sum(out)
}

// unstore is the content of a zlib stream of stored blocks, as storeZlib writes
// it. It reports false for any other, and for one that is damaged.
func unstore(file []byte) ([]byte, bool) {
	const head, block, tail = 2, 5, 4
	if len(file) < head+block+tail || file[0] != 0x78 || file[1] != 0x01 {
		return nil, false
	}
	sum := binary.BigEndian.Uint32(file[len(file)-tail:])
	out := make([]byte, 0, len(file))
	for in := file[head : len(file)-tail]; len(in) >= block; {
		final, n := in[0], int(binary.LittleEndian.Uint16(in[1:]))
		if final > 1 || ^uint16(n) != binary.LittleEndian.Uint16(in[3:]) || len(in) < block+n {
			return nil, false
		}
		out = append(out, in[block:block+n]...)
		if in = in[block+n:]; final == 1 {
			return out, len(in) == 0 && adler32.Checksum(out) == sum
		}
	}
	return nil, false
}

// decodeLoose reads an object from the content of its file, and checks that it
// is the one its name promises.
func decodeLoose(h Hash, file []byte) (Type, []byte, error) {
	t, data, err := inflateLoose(file)
	if err != nil {
		return 0, nil, fail(ErrCorrupt, "object %s is damaged (%v): 'vault doctor' says what can be done", h, err)
	}
	if HashOf(t, data) != h {
		return 0, nil, fail(ErrCorrupt, "object %s is damaged (its content has another name): 'vault doctor' says what can be done", h)
	}
	return t, data, nil
}

func inflateLoose(file []byte) (Type, []byte, error) {
	if whole, ok := unstore(file); ok {
		t, size, body, err := cutHeader(whole)
		if err == nil && int64(len(body)) != size {
			err = errors.New("not as long as its header says")
		}
		return t, body, err
	}
	z, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		return 0, nil, err
	}
	defer z.Close()
	var first [64]byte
	n, err := io.ReadFull(z, first[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, nil, err
	}
	t, size, body, err := cutHeader(first[:n])
	if err != nil {
		return 0, nil, err
	}
	if size < int64(len(body)) {
		return 0, nil, errors.New("longer than its header says")
	}
	data := make([]byte, 0, min(size, 1<<26))
	data = append(data, body...)
	buf := bytes.NewBuffer(data)
	got, err := io.Copy(buf, io.LimitReader(z, size-int64(len(body))+1))
	if err != nil {
		return 0, nil, err
	}
	if got+int64(len(body)) != size {
		return 0, nil, errors.New("not as long as its header says")
	}
	return t, buf.Bytes(), nil
}

func cutHeader(b []byte) (Type, int64, []byte, error) {
	head, body, ok := bytes.Cut(b, []byte{0})
	name, num, sp := bytes.Cut(head, []byte(" "))
	t, known := parseType(string(name))
	size, err := strconv.ParseInt(string(num), 10, 64)
	if !ok || !sp || !known || err != nil || size < 0 || size > maxObject {
		return 0, 0, nil, errors.New("unreadable header")
	}
	return t, size, body, nil
}

// readLoose reads a loose object; the error is fs.ErrNotExist where there is none.
func (s *objects) readLoose(dir string, h Hash) (Type, []byte, error) {
	file, err := s.fs.ReadFile(loosePath(dir, h))
	if err != nil {
		return 0, nil, err
	}
	return decodeLoose(h, file)
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
