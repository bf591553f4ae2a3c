package gitstore

import "errors"

// A StagedFile is a file as the next commit by git itself would hold it.
type StagedFile struct {
	Path string
	Mode Mode
	Hash Hash
}

// Staged lists the files of a git index, which is the repository's own where
// the name is empty. What git was only told of with 'add --intent-to-add' is
// not among them. ErrUnfinished: a merge has left some of them undecided.
func (r *Repo) Staged(name string) ([]StagedFile, error) {
	if name == "" {
		name = r.indexPath()
	}
	data, _, err := readWhole(r.fs, name)
	if isNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := decodeIndex(data)
	switch {
	case errors.Is(err, errSparse):
		return nil, fail(ErrUnsupported, "the index is sparse: make it whole with git sparse-checkout disable")
	case err != nil:
		return nil, fail(ErrUnsupported, "the index can't be read: where it is split, git update-index --no-split-index makes it whole")
	}
	if p := x.unmerged(); p != "" {
		return nil, fail(ErrUnfinished, "%s is in conflict: decide that, and git add it", p)
	}
	var out []StagedFile
	for _, e := range x.entries {
		if !e.intentToAdd {
			out = append(out, StagedFile{e.path, e.mode, e.hash})
		}
	}
	return out, nil
}
