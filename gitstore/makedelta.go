package gitstore

import (
	"encoding/binary"
	"math/bits"
)

// makeDelta describes target as pieces of base and new bytes, in git's delta
// format; nil if that takes more than limit bytes.
func makeDelta(base, target []byte, limit int) []byte {
	d := &deltaMaker{base: base, target: target, limit: limit}
	d.out = appendVarint(d.out, uint64(len(base)))
	d.out = appendVarint(d.out, uint64(len(target)))
	// Versions of one text share most of their beginning and end.
	head := commonPrefix(base, target)
	tail := commonSuffix(base[head:], target[head:])
	d.copy(0, head)
	d.middle(head, len(base)-tail, head, len(target)-tail)
	d.copy(len(base)-tail, tail)
	d.flush()
	if len(d.out) > limit {
		return nil
	}
	return d.out
}

type deltaMaker struct {
	base, target []byte
	out          []byte
	limit        int
	lit          []byte // bytes to insert, not yet written
}

const deltaBlock = 16

// middle covers target[t:tend] with pieces of base[b:bend].
func (d *deltaMaker) middle(b, bend, t, tend int) {
	if bend-b < deltaBlock || tend-t < deltaBlock {
		d.lit = append(d.lit, d.target[t:tend]...)
		return
	}
	size := 1 << bits.Len(uint((bend-b)/deltaBlock*2))
	table := make([]int32, size)
	slot := func(p []byte) uint64 {
		x := binary.LittleEndian.Uint64(p)*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(p[8:])*0xc2b2ae3d27d4eb4f
		return (x ^ x>>29) * 0x165667b19e3779f9 >> 32 & uint64(size-1)
	}
	for i := bend - deltaBlock; i >= b; i -= deltaBlock {
		table[slot(d.base[i:])] = int32(i + 1)
	}
	start := t
	for t <= tend-deltaBlock {
		if len(d.out)+(t-start) > d.limit {
			break // hopeless: the rest as it is, and makeDelta gives up
		}
		at := int(table[slot(d.target[t:])]) - 1
		if at < 0 {
			t++
			continue
		}
		n := commonPrefix(d.base[at:bend], d.target[t:tend])
		if n < deltaBlock {
			t++
			continue
		}
		back := commonSuffix(d.base[b:at], d.target[start:t])
		d.lit = append(d.lit, d.target[start:t-back]...)
		d.copy(at-back, n+back)
		t += n
		start = t
	}
	d.lit = append(d.lit, d.target[start:tend]...)
}

func (d *deltaMaker) flush() {
	for len(d.lit) > 0 {
		n := min(len(d.lit), 127)
		d.out = append(d.out, byte(n))
		d.out = append(d.out, d.lit[:n]...)
		d.lit = d.lit[n:]
	}
	d.lit = nil
}

func (d *deltaMaker) copy(at, n int) {
	if n == 0 {
		return
	}
	d.flush()
	for n > 0 {
		// 0x10000 is what git writes at most, though more could be said.
		k := min(n, 0x10000)
		op, pos := byte(0x80), len(d.out)
		d.out = append(d.out, 0)
		for i := range 4 {
			if c := byte(at >> (8 * i)); c != 0 {
				op |= 1 << i
				d.out = append(d.out, c)
			}
		}
		if k != 0x10000 {
			for i := range 2 {
				if c := byte(k >> (8 * i)); c != 0 {
					op |= 0x10 << i
					d.out = append(d.out, c)
				}
			}
		}
		d.out[pos] = op
		at, n = at+k, n-k
	}
}

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[len(a)-i-8:]) ^ binary.LittleEndian.Uint64(b[len(b)-i-8:]); x != 0 {
			return i + bits.LeadingZeros64(x)/8
		}
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
