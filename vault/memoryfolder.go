package vault

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"gitvault/internal/entryfile"
)

// fileKey is the field in which an entry keeps its name below MemoryRoot, where
// the memory tool gave it one.
const fileKey = "file"

// maxMemoryPath bounds such a name, in characters.
const maxMemoryPath = 1024

// A memoryFile is an entry as the memory tool sees it.
type memoryFile struct {
	name  string          // below MemoryRoot
	own   bool            // the tool made it: its text is the body alone
	at    located         // the entry
	shown entryfile.Entry // with what its agent has proposed for it
}

// text is the file's contents: of a file of the tool's own the very text it was
// given, of any other entry its title as a heading and the body.
func (f *memoryFile) text() string {
	e := f.shown
	switch {
	case !f.own && e.Body == e.Title:
		return "# " + e.Title
	case !f.own:
		return "# " + e.Title + "\n\n" + e.Body
	case e.Body == e.Title && e.Title == path.Base(f.name):
		return ""
	}
	return e.Body
}

// changed is the edit that gives the file another text.
func (f *memoryFile) changed(text string) Edit {
	text = entryfile.TrimBody(text)
	if f.own {
		if text == "" {
			title := path.Base(f.name)
			return Edit{Title: &title, Text: &text}
		}
		return Edit{Text: &text}
	}
	heading, rest, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(heading, "# ")
	if title = strings.TrimSpace(title); !ok || title == "" {
		return Edit{Text: &text}
	}
	return Edit{Title: &title, Text: &rest}
}

// A memoryFolder is a scope as the memory tool sees it.
type memoryFolder struct {
	t     *txn
	files map[string]*memoryFile
	done  []outcome
}

// memoryFolder lists what counts in the scope, and to an agent what it has
// proposed itself in this session, as if that were made. What another session
// proposed is nobody's to read before a person has seen it, and what looks like
// a secret is not for agents at all.
func (t *txn) memoryFolder() (*memoryFolder, error) {
	m := &memoryFolder{t: t, files: map[string]*memoryFile{}}
	seen, err := t.sight()
	if err != nil {
		return nil, err
	}
	found, err := seen.entries(t.ctx)
	if err != nil {
		return nil, t.scope.fail(err)
	}
	list := make([]*Entry, len(found))
	for i, l := range found {
		e := t.present(l)
		list[i] = &e
	}
	if err := seen.relate(t.ctx, t.scope.home, list); err != nil {
		return nil, t.scope.fail(err)
	}
	proposed, err := t.thisSession()
	if err != nil {
		return nil, err
	}
	for i, l := range found {
		c, changed := proposed[l.ID]
		delete(proposed, l.ID)
		switch {
		case list[i].Closed(), l.Conflict != "", changed && c.Op == entryfile.OpForget:
		case changed:
			m.add(l, c.proposed().Entry)
		default:
			m.add(l, l.Entry)
		}
	}
	for _, id := range sortedKeys(proposed) {
		if c := proposed[id]; c.Op == entryfile.OpAdd {
			m.add(c.proposed(), c.proposed().Entry)
		}
	}
	return m, nil
}

// thisSession are the held changes that the writer asks for in its session, by
// entry. An agent without a session has none.
func (t *txn) thisSession() (map[string]card, error) {
	out := map[string]card{}
	who := t.scope.home.opt.Writer
	if !who.IsAgent() || who.Session == "" {
		return out, nil
	}
	list, err := t.tree.cards()
	if err != nil {
		return nil, t.scope.fail(err)
	}
	for _, c := range list {
		if c.Source == who.source() && c.Session == who.Session && !c.isApplied() {
			out[c.EntryID] = c
		}
	}
	return out, nil
}

func (m *memoryFolder) add(l located, shown entryfile.Entry) {
	if m.t.scope.home.opt.Writer.IsAgent() && hasSecret(shown) {
		return
	}
	f := &memoryFile{at: l, shown: shown}
	f.name, f.own = memoryName(shown)
	for m.files[f.name] != nil { // two that were made apart
		dir, base := path.Split(f.name)
		ext := path.Ext(base)
		if ext == base {
			ext = ""
		}
		f.name = dir + strings.TrimSuffix(base, ext) + "-" + l.ID + ext
	}
	m.files[f.name] = f
}

// memoryName is an entry's name below MemoryRoot, and whether the tool gave it.
func memoryName(e entryfile.Entry) (string, bool) {
	for _, x := range e.Extra {
		var name string
		if x.Key == fileKey && yaml.Unmarshal([]byte(x.Value), &name) == nil {
			if _, err := memoryPath(MemoryRoot + "/" + name); err == nil && name != "" {
				return name, true
			}
		}
	}
	return e.Kind.Dir() + "/" + entryfile.FileName(e), false
}

func setMemoryFile(e *entryfile.Entry, name string) {
	e.Extra = slices.DeleteFunc(slices.Clone(e.Extra), func(f entryfile.Field) bool { return f.Key == fileKey })
	e.Extra = append(e.Extra, entryfile.TextField(fileKey, name))
}

// memoryTitle is the title of a file's entry: none, for one that its text
// gives, or for an empty file its name.
func memoryTitle(name, text string) string {
	if entryfile.TrimBody(text) == "" {
		return path.Base(name)
	}
	return ""
}

// kindFolder is the kind whose folder a name is in.
func kindFolder(name string) (Kind, bool) {
	top, _, inside := strings.Cut(name, "/")
	for _, k := range Kinds() {
		if inside && top == k.Dir() {
			return k, true
		}
	}
	return "", false
}

// memoryKind is the kind of a new file: that of its folder, else a session's
// notes.
func memoryKind(name string) Kind {
	if k, ok := kindFolder(name); ok {
		return k
	}
	return SessionTrace
}

// memoryPath is a path of the tool's as a name below MemoryRoot, "" for the
// root itself. Whatever could lead anywhere else is refused.
func memoryPath(p string) (string, error) {
	wrong := func(why string) (string, error) {
		return "", memoryFault(Invalid, "Error: the path %s %s", oneLine(p), why)
	}
	name, ok := strings.CutPrefix(strings.TrimSuffix(p, "/"), MemoryRoot)
	switch {
	case !ok || name != "" && name[0] != '/':
		return wrong("is not in " + MemoryRoot)
	case name == "":
		return "", nil
	case !utf8.ValidString(p) || strings.IndexFunc(p, unicode.IsControl) >= 0 || strings.ContainsRune(p, '\\'):
		return wrong("has characters that no file's name may have")
	case utf8.RuneCountInString(name) > maxMemoryPath:
		return wrong(fmt.Sprintf("is over %d characters", maxMemoryPath))
	}
	for _, part := range strings.Split(name[1:], "/") {
		lower := strings.ToLower(part)
		if part == "" || part == "." || part == ".." || strings.Contains(lower, "%2e") || strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") {
			return wrong("leads out of its folder")
		}
	}
	return name[1:], nil
}

func (m *memoryFolder) isDir(name string) bool {
	for other := range m.files {
		if name == "" || strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

// blocked reports whether a file stands where a name needs a folder.
func (m *memoryFolder) blocked(name string) bool {
	for i, c := range name {
		if c == '/' && m.files[name[:i]] != nil {
			return true
		}
	}
	return false
}

// find returns a file. An entry that the tool did not make is found by the id
// in its name, also after its title has changed.
func (m *memoryFolder) find(name string) *memoryFile {
	if f := m.files[name]; f != nil {
		return f
	}
	dir, base := path.Split(strings.TrimSuffix(name, ".md"))
	id := base[strings.LastIndexByte(base, '-')+1:]
	for _, f := range m.files {
		if !f.own && f.at.ID == id && dir == f.at.Kind.Dir()+"/" {
			return f
		}
	}
	return nil
}

func (m *memoryFolder) file(p, missing string) (*memoryFile, error) {
	name, err := memoryPath(p)
	if err != nil {
		return nil, err
	}
	if f := m.find(name); f != nil {
		return f, nil
	}
	return nil, memoryFault(NotFound, missing, p)
}

// below lists a file, or the files of a folder, in the order of their names.
func (m *memoryFolder) below(name string) []*memoryFile {
	if f := m.find(name); f != nil {
		return []*memoryFile{f}
	}
	var out []*memoryFile
	for other, f := range m.files {
		if name == "" || strings.HasPrefix(other, name+"/") {
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

// Bounds of a view, past which it says how to see the rest.
const (
	maxMemoryList = 200      // lines of a folder
	maxMemoryView = 64 << 10 // bytes of a file
	maxMemoryLine = 999_999  // lines of a file that the tool can number

	maxMemoryAnswer = maxMemoryView + 8<<10 // bytes of any answer
)

func (s *Scope) memoryView(ctx context.Context, c MemoryCommand) (MemoryAnswer, error) {
	name, err := memoryPath(c.Path)
	if err != nil {
		return MemoryAnswer{}, err
	}
	if len(c.ViewRange) != 0 && len(c.ViewRange) != 2 {
		return MemoryAnswer{}, memoryFault(Invalid, "Error: Invalid `view_range`: give the first and the last line, -1 for the end")
	}
	var text string
	err = s.rehearse(ctx, func(t *txn) error {
		m, err := t.memoryFolder()
		if err != nil {
			return err
		}
		if f := m.find(name); f != nil && name != "" {
			text, err = viewFile(c.Path, f.text(), c.ViewRange)
			return err
		}
		if name != "" && !m.isDir(name) {
			return memoryFault(NotFound, "The path %s does not exist. Please provide a valid path.", c.Path)
		}
		text, err = viewFolder(strings.TrimSuffix(c.Path, "/"), m.listing(name), c.ViewRange)
		return err
	})
	return MemoryAnswer{Text: text}, err
}

// window is the part of so many lines that a view is to show, from first to
// last, both counted from 1.
func window(lines int, rng []int) (first, last int, err error) {
	first, last = 1, lines
	if len(rng) == 2 {
		first, last = rng[0], rng[1]
		if last == -1 {
			last = lines
		}
		if first < 1 || first > max(1, lines) || last < first && lines > 0 {
			return 0, 0, memoryFault(Invalid, "Error: Invalid `view_range`: [%d, %d]. It should be within the range of lines of the file: [1, %d]", rng[0], rng[1], lines)
		}
		last = min(last, lines)
	}
	return first, last, nil
}

func viewFile(p, text string, rng []int) (string, error) {
	lines := strings.Count(text, "\n") + 1
	if lines > maxMemoryLine {
		return "", memoryFault(Invalid, "File %s exceeds maximum line limit of 999,999 lines.", p)
	}
	first, last, err := window(lines, rng)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("Here's the content of %s with line numbers:\n", p)
	shown := numbered(text, first-1, last)
	if len(shown) <= maxMemoryView {
		return out + shown, nil
	}
	cut := strings.LastIndexByte(shown[:maxMemoryView], '\n')
	if cut < 0 {
		text := strings.ToValidUTF8(shown[:maxMemoryView], "") + fmt.Sprintf("\n(line %d goes on: its first 64 KiB are shown; break it up with str_replace to see the rest", first)
		if first < last {
			text += fmt.Sprintf("; %d more lines: view with view_range [%d, %d]", last-first, first+1, last)
		}
		return out + text + ")", nil
	}
	next := first + strings.Count(shown[:cut], "\n") + 1
	return out + shown[:cut] + fmt.Sprintf("\n(%d more lines: view with view_range [%d, %d])", last-next+1, next, last), nil
}

func viewFolder(p string, lines []string, rng []int) (string, error) {
	first, last, err := window(len(lines), rng)
	if err != nil {
		return "", err
	}
	last = min(last, first+maxMemoryList-1)
	out := fmt.Sprintf("Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n", p)
	out += strings.Join(lines[first-1:last], "\n")
	if last < len(lines) && (len(rng) == 0 || rng[1] == -1 || rng[1] > last) {
		out += fmt.Sprintf("\n(%d more: view with view_range [%d, -1])", len(lines)-last, last+1)
	}
	return out, nil
}

// listing is a folder, and what is in it to two levels, each with its size.
func (m *memoryFolder) listing(name string) []string {
	sizes := map[string]int{}
	dirs := map[string]bool{}
	for _, f := range m.below(name) {
		rel := strings.TrimPrefix(strings.TrimPrefix(f.name, name), "/")
		parts := strings.Split(rel, "/")
		if slices.ContainsFunc(parts, func(s string) bool { return strings.HasPrefix(s, ".") || s == "node_modules" }) {
			continue
		}
		n := len(f.text())
		sizes[""] += n
		for depth := 1; depth <= min(2, len(parts)); depth++ {
			at := strings.Join(parts[:depth], "/")
			sizes[at] += n
			dirs[at] = dirs[at] || depth < len(parts)
		}
	}
	root := strings.TrimSuffix(MemoryRoot+"/"+name, "/")
	out := []string{humanSize(sizes[""]) + "\t" + root}
	for _, at := range sortedKeys(sizes) {
		switch {
		case at == "":
		case dirs[at]:
			out = append(out, humanSize(sizes[at])+"\t"+root+"/"+at+"/")
		default:
			out = append(out, humanSize(sizes[at])+"\t"+root+"/"+at)
		}
	}
	return out
}

// humanSize writes a size as du -h would.
func humanSize(n int) string {
	const units = "BKMG"
	size, unit := float64(n), 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	text := fmt.Sprintf("%.1f", size)
	return strings.TrimSuffix(text, ".0") + units[unit:unit+1]
}
