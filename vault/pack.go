package vault

import "encoding/binary"

// packer and unpacker write and read the fields of a cache file.
type packer struct{ buf []byte }

func (w *packer) int(n int) { w.buf = binary.AppendVarint(w.buf, int64(n)) }

func (w *packer) text(s string) {
	w.int(len(s))
	w.buf = append(w.buf, s...)
}

func (w *packer) bool(b bool) {
	if b {
		w.int(1)
	} else {
		w.int(0)
	}
}

type unpacker struct {
	buf string
	bad bool // the data ended or made no sense; what was read is worthless
}

func (r *unpacker) int() int {
	n, size := varint(r.buf)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.buf = r.buf[size:]
	return int(n)
}

func (r *unpacker) text() string {
	n := r.int()
	if n < 0 || n > len(r.buf) {
		r.bad = true
		return ""
	}
	s := r.buf[:n]
	r.buf = r.buf[n:]
	return s
}

func (r *unpacker) bool() bool { return r.int() != 0 }

func varint(s string) (int64, int) {
	return binary.Varint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
}
