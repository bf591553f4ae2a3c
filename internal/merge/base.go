package merge

// A History tells how commits come from one another.
type History[C any] interface {
	// MergeBases are the best common ancestors of two commits, always in the
	// same order whichever of the two comes first.
	MergeBases(a, b C) ([]C, error)
	// Files are those of a commit. All commits must have the same paths left
	// out: those that are the same in all of them.
	Files(c C) (Files, error)
}

// Base is what two commits that are to be merged have in common. Where both
// sides merged the same lines of history before, there are several merge bases;
// then it is what merging those gives, since with one of them alone what was
// forgotten could come back. What such a merge would keep beside what stands is
// not in it: neither side need have had that, and what only one of them has
// must not look as if the other had taken it out. Without a common ancestor it
// is empty.
func Base[C any](h History[C], a, b C) (Files, error) {
	bases, err := h.MergeBases(a, b)
	if err != nil || len(bases) == 0 {
		return Files{}, err
	}
	merged, err := h.Files(bases[0])
	if err != nil {
		return nil, err
	}
	for _, c := range bases[1:] {
		under, err := Base(h, bases[0], c)
		if err != nil {
			return nil, err
		}
		files, err := h.Files(c)
		if err != nil {
			return nil, err
		}
		merged = Trees(under, merged, files, Options{virtual: true}).Files
	}
	return merged, nil
}
