package workspace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// stamp tells a folder from any other that was, or will be, at the same path:
// when it was born, or where the file system does not say, its number there.
// "" if it cannot be told.
func stamp(dir string) string {
	var s unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME|unix.STATX_INO, &s) != nil {
		return ""
	}
	if s.Mask&unix.STATX_BTIME != 0 {
		return fmt.Sprintf("born %d.%09d", s.Btime.Sec, s.Btime.Nsec)
	}
	return fmt.Sprintf("inode %d:%d:%d", s.Dev_major, s.Dev_minor, s.Ino)
}
