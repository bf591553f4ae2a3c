package vault

import (
	"os"
	"path"
	"path/filepath"

	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// MergeFile merges one file of a scope by entry, as git has its merge drivers
// do it: it writes the outcome over the file ours. name is the file's path in
// the scope, dir the scope's folder. It leaves no conflict markers: what of a
// person's text does not stand is written beside the file.
func MergeFile(base, ours, theirs, name, dir string) error {
	var files [3]merge.Files
	for i, p := range []string{base, ours, theirs} {
		data, err := os.ReadFile(p)
		if err != nil {
			return &Error{Code: Failed, Message: told(err), Err: err}
		}
		files[i] = merge.Files{}
		if i > 0 || len(data) > 0 {
			files[i][name] = data
		}
	}
	name = path.Clean(filepath.ToSlash(name))
	if name == indexFile {
		return nil // the next change generates it
	}
	res := merge.Trees(files[0], files[1], files[2], merge.Options{Purged: purgedOnDisk(dir)})
	kind, authored := entryfile.KindOf(name)
	for p, data := range res.Files {
		if p == name || entryfile.IsCard(p) || authored && kind.IsLedger() && isKind(p, kind) || !filepath.IsLocal(filepath.FromSlash(p)) {
			continue
		}
		beside := filepath.Join(dir, filepath.FromSlash(p))
		if _, err := os.Lstat(beside); err == nil {
			continue
		}
		if err := os.WriteFile(beside, data, 0o644); err != nil {
			return &Error{Code: Failed, Message: told(err), Err: err}
		}
	}
	merged, ok := res.Files[name]
	if !ok {
		merged = files[1][name]
	}
	if err := os.WriteFile(ours, merged, 0o644); err != nil {
		return &Error{Code: Failed, Message: told(err), Err: err}
	}
	return nil
}

// isKind reports whether a path holds entries of a kind: an entry that was moved
// there is put right when the merge is known as a whole.
func isKind(p string, kind Kind) bool {
	k, ok := entryfile.KindOf(p)
	return ok && k == kind
}
