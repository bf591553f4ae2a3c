package fsys

import "io/fs"

// ID is what tells one file, in one state, from another without reading it:
// the stat data that git's index keeps.
type ID struct {
	MTime, CTime       int64 // nanoseconds since 1970
	Dev, Ino, UID, GID uint32
	Size               int64
	Mode               fs.FileMode
}

// Identify takes the ID out of what Stat or Lstat said.
func Identify(fi fs.FileInfo) ID {
	id := ID{MTime: fi.ModTime().UnixNano(), Size: fi.Size(), Mode: fi.Mode()}
	sysStat(fi.Sys(), &id)
	return id
}
