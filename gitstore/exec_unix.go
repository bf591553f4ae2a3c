//go:build unix

package gitstore

func (r *Repo) hasExecBits() bool { return true }
