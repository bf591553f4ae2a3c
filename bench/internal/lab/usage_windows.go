package lab

import "os"

// peak is unknown here.
func peak(*os.ProcessState) int64 { return 0 }

// Settle has no system-wide sync to call here.
func Settle() {}
