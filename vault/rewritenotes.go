package vault

import (
	"bytes"
	"slices"
	"strings"

	"gitvault/gitstore"
)

// Git keeps notes on commits in trees whose files are called as the commits
// are, with a slash here and there.

func isNotes(ref string) bool { return strings.HasPrefix(ref, "refs/notes/") }

// notes gives what a history of notes becomes: on the commits as they are
// called now, and without what has gone.
func (w *rewriter) notes(h gitstore.Hash) (gitstore.Hash, error) {
	t, _, err := w.repo.Object(h)
	if err != nil || t != gitstore.TypeCommit {
		return h, err
	}
	var line []*gitstore.Commit // the oldest last
	seen := map[gitstore.Hash]bool{}
	for c, err := range w.repo.Log(w.ctx, h) {
		if err != nil {
			return h, err
		}
		line = append(line, c)
		seen[c.Hash] = true
	}
	for len(line) > 0 {
		rest := line[:0:0]
		for _, c := range slices.Backward(line) {
			if slices.ContainsFunc(c.Parents, func(p gitstore.Hash) bool { return seen[p] && w.commits[p].IsZero() }) {
				rest = append(rest, c)
				continue
			}
			if w.commits[c.Hash], err = w.notesCommit(c); err != nil {
				return h, err
			}
		}
		slices.Reverse(rest)
		if len(rest) == len(line) {
			break
		}
		line = rest
	}
	return w.commits[h], nil
}

func (w *rewriter) notesCommit(c *gitstore.Commit) (gitstore.Hash, error) {
	files := map[string]gitstore.TreeEntry{}
	changed, err := w.notesIn(c.Tree, "", files)
	if err != nil {
		return c.Hash, err
	}
	tree := c.Tree
	if changed {
		if tree, err = w.folderOf(files); err != nil {
			return c.Hash, err
		}
	}
	message := string(w.redact([]byte(c.Message)))
	same := tree == c.Tree && message == c.Message
	for _, p := range c.Parents {
		same = same && w.commits[p] == p
	}
	if same {
		return c.Hash, nil
	}
	_, raw, err := w.repo.Object(c.Hash)
	if err != nil {
		return c.Hash, err
	}
	return w.put(gitstore.TypeCommit, w.header(raw, tree, message))
}

// notesIn collects the notes of a folder under their paths from now on.
func (w *rewriter) notesIn(tree gitstore.Hash, dir string, files map[string]gitstore.TreeEntry) (changed bool, err error) {
	entries, err := w.repo.Folder(tree)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		path := dir + e.Name
		if e.Mode == gitstore.ModeDir {
			inner, err := w.notesIn(e.Hash, path+"/", files)
			if err != nil {
				return false, err
			}
			changed = changed || inner
			continue
		}
		if e.Mode == gitstore.ModeFile || e.Mode == gitstore.ModeExec {
			data, err := w.repo.Blob(e.Hash)
			if err != nil {
				return false, err
			}
			if kept := w.redact(data); !bytes.Equal(kept, data) {
				if e.Hash, err = w.put(gitstore.TypeBlob, kept); err != nil {
					return false, err
				}
				changed = true
			}
		}
		now := w.nowOn(path)
		changed = changed || now != path
		files[now] = e
	}
	return changed, nil
}

// nowOn is the path of a note on the commit as it is called now.
func (w *rewriter) nowOn(path string) string {
	h, ok := gitstore.ParseHash(strings.ReplaceAll(path, "/", ""))
	if !ok || w.commits[h].IsZero() {
		return path
	}
	name, out := w.commits[h].String(), ""
	for _, c := range path {
		if c == '/' {
			out += "/"
			continue
		}
		out, name = out+name[:1], name[1:]
	}
	return out
}

// folderOf makes a tree of files by path.
func (w *rewriter) folderOf(files map[string]gitstore.TreeEntry) (gitstore.Hash, error) {
	var entries []gitstore.TreeEntry
	inner := map[string]map[string]gitstore.TreeEntry{}
	for path, e := range files {
		dir, rest, nested := strings.Cut(path, "/")
		if !nested {
			e.Name = path
			entries = append(entries, e)
			continue
		}
		if inner[dir] == nil {
			inner[dir] = map[string]gitstore.TreeEntry{}
		}
		inner[dir][rest] = e
	}
	for _, dir := range sortedKeys(inner) {
		h, err := w.folderOf(inner[dir])
		if err != nil {
			return h, err
		}
		entries = append(entries, gitstore.TreeEntry{Name: dir, Mode: gitstore.ModeDir, Hash: h})
	}
	o := gitstore.TreeObject(entries)
	return w.put(o.Type, o.Data)
}
