package vault

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// A rewriter makes history anew without some entries. What becomes of a commit
// depends on it, its past and the ids alone, so that all clones of a scope come
// to the same commits.
type rewriter struct {
	ctx  context.Context
	repo *gitstore.Repo
	ids  map[string]bool
	emit func(gitstore.Object) error // is given what is new; nil to only look

	commits map[gitstore.Hash]gitstore.Hash
	trees   map[placeInTree]rewritten
	files   map[placeInTree]rewritten

	versions []entryfile.Entry        // that went
	changed  int                      // commits that are another now
	holding  int                      // commits in whose files the entries stood
	said     map[gitstore.Hash]string // commits' messages as they become, while only looking
	quotes   []string                 // what of the versions is told in other texts, the longest first ...
	quoted   int                      // ... of so many of them
}

// placeInTree is an object where it stands: the same bytes mean other things
// elsewhere.
type placeInTree struct {
	path string
	hash gitstore.Hash
}

// rewritten is what became of a tree or a file.
type rewritten struct {
	hash   gitstore.Hash // zero: gone
	ids    []string      // that went
	titles []string      // of what went
}

func newRewriter(ctx context.Context, r *gitstore.Repo, ids []string, emit func(gitstore.Object) error) *rewriter {
	w := &rewriter{ctx: ctx, repo: r, ids: map[string]bool{}, emit: emit,
		commits: map[gitstore.Hash]gitstore.Hash{}, trees: map[placeInTree]rewritten{}, files: map[placeInTree]rewritten{},
		said: map[gitstore.Hash]string{}}
	for _, id := range ids {
		w.ids[id] = true
	}
	return w
}

func (w *rewriter) put(t gitstore.Type, data []byte) (gitstore.Hash, error) {
	h := gitstore.HashOf(t, data)
	if w.emit == nil {
		return h, nil
	}
	return h, w.emit(gitstore.Object{Type: t, Data: data})
}

// refs gives what the objects of refs become, those first of which tags and
// notes speak.
func (w *rewriter) refs(refs map[string]gitstore.Hash) (map[string]gitstore.Hash, error) {
	out := map[string]gitstore.Hash{}
	for _, name := range sortedKeys(refs) {
		h, err := w.peel(refs[name])
		if err != nil {
			return nil, err
		}
		if t, _, err := w.repo.Object(h); err != nil || t != gitstore.TypeCommit || isNotes(name) {
			if err != nil {
				return nil, err
			}
			continue
		}
		if _, err := w.commit(h); err != nil {
			return nil, err
		}
	}
	for _, name := range sortedKeys(refs) {
		do := w.ref
		if isNotes(name) {
			do = w.notes
		}
		now, err := do(refs[name])
		if err != nil {
			return nil, err
		}
		out[name] = now
	}
	return out, nil
}

// peel follows tags to what they are of.
func (w *rewriter) peel(h gitstore.Hash) (gitstore.Hash, error) {
	for {
		t, data, err := w.repo.Object(h)
		if err != nil || t != gitstore.TypeTag {
			return h, err
		}
		line, _, _ := bytes.Cut(data, []byte("\n"))
		to, ok := gitstore.ParseHash(strings.TrimPrefix(string(line), "object "))
		if !ok {
			return h, nil
		}
		h = to
	}
}

// ref gives what a ref's object becomes: a commit, or a tag of one.
func (w *rewriter) ref(h gitstore.Hash) (gitstore.Hash, error) {
	t, data, err := w.repo.Object(h)
	if err != nil {
		return h, err
	}
	switch t {
	case gitstore.TypeCommit:
		return w.commit(h)
	case gitstore.TypeTag:
		return w.tag(h, data)
	case gitstore.TypeTree:
		out, err := w.tree("", h)
		return out.hash, err
	}
	return h, nil
}

func (w *rewriter) tag(h gitstore.Hash, data []byte) (gitstore.Hash, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	to, ok := gitstore.ParseHash(strings.TrimPrefix(string(line), "object "))
	if !ok {
		return h, nil
	}
	now, err := w.ref(to)
	if err != nil {
		return h, err
	}
	head, message, _ := bytes.Cut(rest, []byte("\n\n"))
	said := w.redact(message)
	if now == to && bytes.Equal(said, message) {
		return h, nil
	}
	rest = slices.Concat(head, []byte("\n\n"), said)
	if i := bytes.Index(rest, []byte("-----BEGIN ")); i >= 0 {
		rest = rest[:i] // a signature of what is no longer so
	}
	return w.put(gitstore.TypeTag, append([]byte("object "+now.String()+"\n"), rest...))
}

// commit gives what a commit becomes, and with it all of its past.
func (w *rewriter) commit(from gitstore.Hash) (gitstore.Hash, error) {
	stack := []gitstore.Hash{from}
	for len(stack) > 0 {
		h := stack[len(stack)-1]
		if _, done := w.commits[h]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		if err := w.ctx.Err(); err != nil {
			return from, err
		}
		c, err := w.repo.Commit(h)
		if err != nil {
			return from, err
		}
		waiting := false
		for _, p := range c.Parents {
			if _, done := w.commits[p]; !done {
				stack, waiting = append(stack, p), true
			}
		}
		if waiting {
			continue
		}
		if w.commits[h], err = w.one(c); err != nil {
			return from, err
		}
		stack = stack[:len(stack)-1]
	}
	return w.commits[from], nil
}

// one makes one commit anew, whose parents have been.
func (w *rewriter) one(c *gitstore.Commit) (gitstore.Hash, error) {
	tree, err := w.tree("", c.Tree)
	if err != nil {
		return c.Hash, err
	}
	if len(tree.ids) > 0 {
		w.holding++
	}
	ids, titles := slices.Clone(tree.ids), slices.Clone(tree.titles)
	same := tree.hash == c.Tree
	for _, p := range c.Parents {
		same = same && w.commits[p] == p
		before, err := w.repo.Commit(p)
		if err != nil {
			return c.Hash, err
		}
		was, err := w.tree("", before.Tree)
		if err != nil {
			return c.Hash, err
		}
		ids, titles = append(ids, was.ids...), append(titles, was.titles...)
	}
	message := w.message(c.Message, ids, titles)
	if w.emit == nil {
		w.said[c.Hash] = message
	}
	if same && message == c.Message {
		return c.Hash, nil
	}
	_, raw, err := w.repo.Object(c.Hash)
	if err != nil {
		return c.Hash, err
	}
	w.changed++
	return w.put(gitstore.TypeCommit, w.header(raw, tree.hash, message))
}

// header prints a commit with another tree, its parents as they are now, and
// another message. Author, committer and dates stay byte for byte; signatures
// go, which would no longer hold.
func (w *rewriter) header(raw []byte, tree gitstore.Hash, message string) []byte {
	head, _, _ := bytes.Cut(raw, []byte("\n\n"))
	var out bytes.Buffer
	dropping := false
	for line := range bytes.Lines(append(slices.Clone(head), '\n')) {
		key, value, _ := strings.Cut(strings.TrimRight(string(line), "\n"), " ")
		if strings.HasPrefix(string(line), " ") {
			if !dropping {
				out.Write(line)
			}
			continue
		}
		dropping = key == "gpgsig" || key == "gpgsig-sha256" || key == "mergetag"
		switch {
		case dropping:
		case key == "tree":
			out.WriteString("tree " + tree.String() + "\n")
		case key == "parent":
			p, _ := gitstore.ParseHash(value)
			out.WriteString("parent " + w.commits[p].String() + "\n")
		default:
			out.Write(line)
		}
	}
	out.WriteString("\n" + message)
	return out.Bytes()
}

const purgedTitle = "(purged)"

var (
	countTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+ entr(y|ies)( |$)`) })
	fullHash   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{40}\b`) })
)

// message takes the titles of what went out of a commit's message, and names
// other commits as they are called now.
func (w *rewriter) message(message string, ids, titles []string) string {
	m := parseMessage(message)
	switch {
	case m.op != "" && w.names(message, ids):
		verb, title, _ := strings.Cut(m.subject, ": ")
		if !countTitle().MatchString(title) {
			message = strings.Replace(message, m.subject, verb+": "+purgedTitle, 1)
		}
		if m.reason != "" {
			message = strings.Replace(message, "\n\n"+m.reason+"\n", "\n", 1)
		}
	case m.op == "":
		slices.SortFunc(titles, func(a, b string) int { return len(b) - len(a) })
		for _, title := range titles {
			if len(title) >= leastTitle {
				message = strings.ReplaceAll(message, title, purgedTitle)
			}
		}
	}
	return fullHash().ReplaceAllStringFunc(message, func(s string) string {
		if h, ok := gitstore.ParseHash(s); ok && !w.commits[h].IsZero() {
			return w.commits[h].String()
		}
		return s
	})
}

// names reports whether a commit's trailers name one of the entries, or one of
// those that go with them.
func (w *rewriter) names(message string, ids []string) bool {
	for line := range strings.Lines(message) {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "Vault-Entry: ")
		id := entry[strings.LastIndexByte(entry, '/')+1:]
		if ok && (w.ids[id] || slices.Contains(ids, id)) {
			return true
		}
	}
	return false
}

// tree gives what a folder becomes.
func (w *rewriter) tree(dir string, h gitstore.Hash) (rewritten, error) {
	key := placeInTree{dir, h}
	if out, ok := w.trees[key]; ok {
		return out, nil
	}
	entries, err := w.repo.Folder(h)
	if err != nil {
		return rewritten{}, err
	}
	out := rewritten{hash: h}
	var kept []gitstore.TreeEntry
	changed := false
	add := func(e gitstore.TreeEntry, r rewritten) {
		out.ids, out.titles = append(out.ids, r.ids...), append(out.titles, r.titles...)
		changed = changed || r.hash != e.Hash
		if e.Hash = r.hash; !r.hash.IsZero() {
			kept = append(kept, e)
		}
	}
	index := -1
	for i, e := range entries {
		r := rewritten{hash: e.Hash}
		path := strings.TrimPrefix(dir+"/"+e.Name, "/")
		switch {
		case dir == "" && e.Name == indexFile:
			index = i
			continue
		case e.Mode == gitstore.ModeDir:
			r, err = w.tree(path, e.Hash)
		case e.Mode == gitstore.ModeFile || e.Mode == gitstore.ModeExec:
			r, err = w.file(path, e.Hash)
		}
		if err != nil {
			return out, err
		}
		add(e, r)
	}
	if index >= 0 {
		r, err := w.index(entries[index].Hash, out.ids)
		if err != nil {
			return out, err
		}
		add(entries[index], r)
	}
	slices.Sort(out.ids)
	out.ids = slices.Compact(out.ids)
	if changed {
		out.hash = gitstore.Hash{}
		if o := gitstore.TreeObject(kept); len(kept) > 0 || dir == "" {
			if out.hash, err = w.put(o.Type, o.Data); err != nil {
				return out, err
			}
		}
	}
	w.trees[key] = out
	return out, nil
}

// index takes the lines of what went out of an INDEX.md.
func (w *rewriter) index(h gitstore.Hash, gone []string) (rewritten, error) {
	out := rewritten{hash: h}
	for id := range w.ids {
		gone = append(gone, id)
	}
	data, err := w.repo.Blob(h)
	if err != nil {
		return out, err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		if !slices.ContainsFunc(gone, func(id string) bool { return bytes.HasPrefix(line, []byte("- `"+id+"`")) }) {
			kept = append(kept, line...)
		}
	}
	if len(kept) != len(data) {
		out.hash, err = w.put(gitstore.TypeBlob, kept)
	}
	return out, err
}

// file gives what a file becomes.
func (w *rewriter) file(path string, h gitstore.Hash) (rewritten, error) {
	key := placeInTree{path, h}
	if out, ok := w.files[key]; ok {
		return out, nil
	}
	out, err := w.newFile(path, h)
	if err == nil {
		w.files[key] = out
	}
	return out, err
}

func (w *rewriter) newFile(path string, h gitstore.Hash) (rewritten, error) {
	out := rewritten{hash: h}
	name, _, _ := strings.Cut(path, ".conflict-") // a version that a merge kept beside it
	kind, authored := entryfile.KindOf(name)
	if !authored && !entryfile.IsCard(path) {
		return out, nil
	}
	data, err := w.repo.Blob(h)
	if err != nil || !w.concerns(kind, path, data) {
		return out, err
	}
	if !authored {
		if c, err := entryfile.ParseCard(data); err == nil && (w.ids[c.EntryID] || w.ids[c.Entry.Conflict]) {
			w.gone(&out, c.EntryID, c.Entry)
			out.hash = gitstore.Hash{}
		} else if err != nil && w.ids[cardID(path)] {
			out.hash = gitstore.Hash{}
		}
		return out, nil
	}
	kept := w.without(kind, name, data, &out)
	switch {
	case bytes.Equal(kept, data):
	case kept == nil:
		out.hash = gitstore.Hash{}
	default:
		out.hash, err = w.put(gitstore.TypeBlob, kept)
	}
	return out, err
}

func (w *rewriter) gone(out *rewritten, id string, e entryfile.Entry) {
	out.ids = append(out.ids, id)
	if e.Title == "" {
		return
	}
	out.titles = append(out.titles, e.Title)
	out.titles = append(out.titles, quotable(e)...)
	w.versions = append(w.versions, e)
}

// quotable are the lines of an entry that are told wherever they stand.
func quotable(e entryfile.Entry) []string {
	var out []string
	for _, text := range []string{e.Title, e.Description, e.Body, e.Outcome, e.Evidence} {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= leastText {
				out = append(out, line)
			}
		}
	}
	return out
}

// redact takes what has gone out of a text that is nobody's entry.
func (w *rewriter) redact(text []byte) []byte {
	if w.quotes == nil || w.quoted != len(w.versions) {
		w.quotes, w.quoted = []string{}, len(w.versions)
		for _, e := range w.versions {
			w.quotes = append(w.quotes, quotable(e)...)
			if len(e.Title) >= leastTitle {
				w.quotes = append(w.quotes, e.Title)
			}
		}
		slices.Sort(w.quotes)
		w.quotes = slices.Compact(w.quotes)
		slices.SortStableFunc(w.quotes, func(a, b string) int { return len(b) - len(a) })
	}
	for _, q := range w.quotes {
		text = bytes.ReplaceAll(text, []byte(q), []byte(purgedTitle))
	}
	return text
}

// leastTitle is the length from which on a title is told in a text.
const leastTitle = 4

// concerns reports whether a file may hold one of the entries: it has an id of
// theirs, or entries whose ids are not written down.
func (w *rewriter) concerns(kind Kind, path string, data []byte) bool {
	for id := range w.ids {
		if bytes.Contains(data, []byte(id)) || strings.Contains(path, id) {
			return true
		}
	}
	return kind != "" && mayLackIDs(kind, data)
}

// without cuts the entries out of a file; nil where nothing is left of it. An
// entry that can't be read goes where it names one of the ids.
func (w *rewriter) without(kind Kind, path string, data []byte, out *rewritten) []byte {
	var kept []byte
	at, cut := 0, false
	for _, s := range entryfile.Parse(kind, path, data).Sections() {
		ours := w.ids[s.ID] || w.ids[s.Conflict]
		if s.Err != nil {
			ours = slices.ContainsFunc(sortedKeys(w.ids), func(id string) bool { return bytes.Contains(data[s.Start:s.End], []byte(id)) })
		}
		if !ours {
			continue
		}
		w.gone(out, s.ID, s.Entry)
		if !kind.IsLedger() {
			return nil
		}
		end := s.End
		for end < len(data) && (data[end] == '\n' || data[end] == '\r') {
			end++ // blank lines belong to no entry
		}
		kept = append(kept, data[at:s.Start]...)
		at, cut = end, true
	}
	if !cut {
		return data
	}
	if kept = append(kept, data[at:]...); kept == nil {
		kept = []byte{}
	}
	return kept
}
