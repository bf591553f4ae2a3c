package workspace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// stamp tells a folder from any other that was, or will be, at the same path:
// when it was born. "" if it cannot be told.
func stamp(dir string) string {
	var s unix.Stat_t
	if unix.Stat(dir, &s) != nil {
		return ""
	}
	return fmt.Sprintf("born %d.%09d", s.Btim.Sec, s.Btim.Nsec)
}
