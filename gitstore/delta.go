package gitstore

import (
	"errors"
)

var errDelta = errors.New("unreadable delta")

// applyDelta rebuilds an object from its base.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, delta, ok := cutVarint(delta)
	if !ok || from != uint64(len(base)) {
		return nil, errDelta
	}
	size, delta, ok := cutVarint(delta)
	if !ok || size > maxObject {
		return nil, errDelta
	}
	out := make([]byte, 0, min(size, 1<<26))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		switch {
		case op&0x80 != 0:
			var off, n uint32
			for i := range 7 {
				if op&(1<<i) == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errDelta
				}
				if i < 4 {
					off |= uint32(delta[0]) << (8 * i)
				} else {
					n |= uint32(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if n == 0 {
				n = 0x10000
			}
			if uint64(off)+uint64(n) > uint64(len(base)) || uint64(len(out))+uint64(n) > size {
				return nil, errDelta
			}
			out = append(out, base[off:uint64(off)+uint64(n)]...)
		case op != 0:
			if int(op) > len(delta) || uint64(len(out))+uint64(op) > size {
				return nil, errDelta
			}
			out = append(out, delta[:op]...)
			delta = delta[op:]
		default:
			return nil, errDelta
		}
	}
	if uint64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}

// cutVarint reads a number in git's little-endian base-128 form.
func cutVarint(b []byte) (uint64, []byte, bool) {
	var v uint64
	for i, c := range b {
		if i > 9 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}
