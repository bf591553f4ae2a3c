package workspace

import (
	"fmt"
	"os"
	"syscall"
)

// stamp tells a folder from any other that was, or will be, at the same path:
// when it was born. "" if it cannot be told.
func stamp(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return ""
	}
	return fmt.Sprintf("born %d", data.CreationTime.Nanoseconds())
}
