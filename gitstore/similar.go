package gitstore

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// similar finds, for an object, one that is like it, without knowing which
// path either stood at: versions of one file share most of their lines, and
// versions of one folder most of their names.
type similar struct {
	by map[uint64]int // feature -> the last object that has it
}

// sketchSize is how many features of an object are kept: those with the
// smallest hashes, so that alike objects keep mostly the same ones.
const sketchSize = 16

// sketch gives an object's features; none for what is not worth comparing.
func sketch(t Type, data []byte) []uint64 {
	var all []uint64
	switch {
	case t == TypeTree:
		entries, err := decodeTree(ZeroHash, data)
		if err != nil {
			return nil
		}
		for _, e := range entries {
			all = addFeature(all, []byte(e.Name), 1)
		}
	case t == TypeBlob && len(data) >= 256:
		for len(data) > 0 {
			line := data
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				line, data = data[:i], data[i+1:]
			} else {
				data = nil
			}
			for len(line) > 8 {
				n := min(len(line), 256)
				all = addFeature(all, line[:n], 2)
				line = line[n:]
			}
		}
	}
	return all
}

// addFeature keeps a sorted list of the smallest hashes.
func addFeature(list []uint64, b []byte, seed uint64) []uint64 {
	h := seed
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
		b = b[8:]
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	h ^= h >> 32
	if len(list) == sketchSize && h >= list[sketchSize-1] {
		return list
	}
	i, found := slices.BinarySearch(list, h)
	if found {
		return list
	}
	list = slices.Insert(list, i, h)
	return list[:min(len(list), sketchSize)]
}

// best gives the object that shares most features; -1: none shares enough.
func (s *similar) best(features []uint64) int {
	votes := map[int]int{}
	for _, f := range features {
		if i, ok := s.by[f]; ok {
			votes[i]++
		}
	}
	best, most := -1, len(features)/4
	for i, n := range votes {
		if n > most || n == most && best >= 0 && i > best {
			best, most = i, n
		}
	}
	return best
}

func (s *similar) add(i int, features []uint64) {
	if s.by == nil {
		s.by = map[uint64]int{}
	}
	for _, f := range features {
		s.by[f] = i
	}
}
