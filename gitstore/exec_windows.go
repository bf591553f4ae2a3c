package gitstore

func (r *Repo) hasExecBits() bool { return false }
