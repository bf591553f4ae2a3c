package gitstore

import (
	"fmt"
	"path/filepath"
)

// maxReflog is the size from which on a reflog is left alone: git expires old
// lines, we only add.
const maxReflog = 1 << 20

// appendReflog notes the move of the branch where git keeps such notes. They
// are a help for people; that one is missing is no failure.
func (r *Repo) appendReflog(old, new Hash, who Signature, subject string) {
	line := fmt.Sprintf("%s %s %s\tcommit: %s\n", old, new, who, subject)
	for _, name := range []string{"HEAD", r.branch} {
		path := filepath.Join(r.git, "logs", filepath.FromSlash(name))
		fi, err := r.fs.Lstat(path)
		if err != nil || fi.Size() > maxReflog {
			continue
		}
		f, err := r.fs.Append(path)
		if err != nil {
			continue
		}
		_ = writeAll(f, []byte(line))
		_ = f.Close()
	}
}
