package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"path"
	"path/filepath"
	"slices"
	"sort"

	"gitvault/generate"
	"gitvault/internal/entryfile"
	"gitvault/internal/fsys"
	"gitvault/internal/secrets"
)

// facts is what INDEX.md needs of one file, or of one folder that entry files
// have been rolled into. They are kept from write to write by content, so that
// a change costs what its own file costs.
type facts struct {
	count       int
	first, last string      // created of the oldest and the newest
	lines       []indexLine // of a rolled file only those listed all the same
	supersedes  [][2]string // superseded id, id of the entry that names it
	unwritten   bool        // holds entries whose ids are not written down
	ended       int         // of count: resolved threads and conflict siblings
	expires     []string    // of the entries that have a date for it
	secrets     int         // of count: entries that hold what looks like a secret
}

// An indexLine is a line of INDEX.md, and a sum of the text that it was made
// from. It knows nothing yet of what supersedes it.
type indexLine struct {
	generate.IndexLine
	sum    uint64
	secret bool // the entry holds what looks like a secret; the line does not
}

// lineOf makes the index line of an entry.
func lineOf(e entryfile.Entry, path string) indexLine {
	l := indexLine{secret: hasSecret(e)}
	if l.secret {
		e.Title, e.Description, e.Body = secrets.Redact(e.Title), secrets.Redact(e.Line()), ""
	}
	l.IndexLine = generate.Line(e, path, "", 0, "")
	return l
}

// factsOf reads a file. Lines of entries whose text is still the same are taken
// from what was known before, by id.
func factsOf(f *file, known map[string]indexLine) (facts, error) {
	doc, err := f.document()
	if err != nil {
		return facts{}, err
	}
	var out facts
	if !f.rolled() {
		out.lines = make([]indexLine, 0, doc.Len())
	}
	var anchors map[int]string
	if f.kind.IsLedger() {
		anchors = generate.Anchors(doc.Bytes())
	}
	for s := range doc.All() {
		if s.Err != nil {
			continue
		}
		out.count++
		out.unwritten = out.unwritten || !s.Written
		if s.Status == entryfile.StatusResolved || s.Conflict != "" {
			out.ended++
		} else if s.Expires != "" {
			out.expires = append(out.expires, s.Expires)
		}
		out.span(s.Created, s.Created)
		for _, old := range s.Supersedes {
			out.supersedes = append(out.supersedes, [2]string{old, s.ID})
		}
		if f.rolled() && !listedWhenRolled(s.Entry) {
			if hasSecret(s.Entry) {
				out.secrets++
			}
			continue
		}
		sum := maphash64(doc.Source(s))
		line, ok := known[s.ID]
		if !ok || line.sum != sum || line.Path != f.path {
			line = lineOf(s.Entry, f.path)
			line.sum = sum
		}
		line.Anchor, line.Order = anchors[s.Line], s.Line
		if line.secret {
			out.secrets++
		}
		out.lines = append(out.lines, line)
	}
	return out, nil
}

// maphash64 is a sum that tells texts apart, the same in every process.
func maphash64(data []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(data)
	return h.Sum64()
}

// listedWhenRolled reports whether an entry keeps its index line after it has
// been rolled away.
func listedWhenRolled(e entryfile.Entry) bool {
	return e.Pinned || e.Kind == OpenThread && e.Status != entryfile.StatusResolved
}

func (f *facts) span(first, last string) {
	if first != "" && (f.first == "" || first < f.first) {
		f.first = first
	}
	f.last = max(f.last, last)
}

func (f *facts) merge(g facts) {
	f.count += g.count
	f.span(g.first, g.last)
	f.lines = append(f.lines, g.lines...)
	f.supersedes = append(f.supersedes, g.supersedes...)
	f.unwritten = f.unwritten || g.unwritten
	f.ended += g.ended
	f.expires = append(f.expires, g.expires...)
	f.secrets += g.secrets
}

// unit is what facts are kept for: a file, or a folder of rolled entry files.
func (f *file) unit() string {
	if f.rolled() && !f.kind.IsLedger() {
		return path.Dir(f.path) + "/"
	}
	return f.path
}

// units groups the files of a kind.
func (t *tree) units(k Kind) ([]string, map[string][]*file) {
	groups := map[string][]*file{}
	var order []string
	for _, p := range t.paths(k) {
		f := t.files[p]
		u := f.unit()
		if groups[u] == nil {
			order = append(order, u)
		}
		groups[u] = append(groups[u], f)
	}
	return order, groups
}

// surveyor collects facts, from the cache where the content is known.
type surveyor struct {
	cache map[string]facts
	used  map[string]facts
	fresh bool // something had to be read anew
	known map[string]indexLine
}

func (v *surveyor) facts(unit string, files []*file) (facts, error) {
	key, err := unitKey(unit, files)
	if err != nil {
		return facts{}, err
	}
	if f, ok := v.cache[key]; ok {
		v.used[key] = f
		return f, nil
	}
	var out facts
	for i, f := range files {
		g, err := factsOf(f, v.lines())
		if err != nil {
			return out, err
		}
		if i == 0 {
			out = g
		} else {
			out.merge(g)
		}
	}
	v.used[key] = out
	v.fresh = true
	return out, nil
}

// lines are all lines that the cache knows, by id.
func (v *surveyor) lines() map[string]indexLine {
	if v.known == nil {
		n := 0
		for _, f := range v.cache {
			n += len(f.lines)
		}
		v.known = make(map[string]indexLine, n)
		for _, f := range v.cache {
			for _, l := range f.lines {
				v.known[l.ID] = l
			}
		}
	}
	return v.known
}

// unitKey names the content of a unit.
func unitKey(unit string, files []*file) (string, error) {
	h := sha256.New()
	h.Write([]byte(unit))
	for _, f := range files {
		hash, err := f.contentHash()
		if err != nil {
			return "", err
		}
		h.Write([]byte("\x00" + f.path + "\x00" + hash))
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// survey is the facts about all of a tree.
type survey struct {
	kinds      map[Kind][]unitFacts
	successors map[string]string
	unwritten  []string // units with entries whose ids are not written down
}

type unitFacts struct {
	unit   string
	rolled bool
	facts
}

func (t *tree) survey(cacheDir string) (survey, error) {
	if t.facts == nil {
		t.facts = readFacts(cacheDir)
	}
	v := surveyor{cache: t.facts, used: map[string]facts{}}
	out := survey{kinds: map[Kind][]unitFacts{}, successors: map[string]string{}}
	for _, k := range Kinds() {
		order, groups := t.units(k)
		for _, u := range order {
			f, err := v.facts(u, groups[u])
			if err != nil {
				return out, err
			}
			if f.unwritten {
				out.unwritten = append(out.unwritten, u)
			}
			for _, s := range f.supersedes {
				if s[0] != s[1] && s[1] > out.successors[s[0]] {
					out.successors[s[0]] = s[1]
				}
			}
			out.kinds[k] = append(out.kinds[k], unitFacts{u, groups[u][0].rolled(), f})
		}
	}
	out.withoutCircles()
	if v.fresh || len(v.used) != len(v.cache) {
		writeFacts(cacheDir, v.used)
		t.facts = v.used
	}
	return out, nil
}

// withoutCircles takes out of the successors what supersedes itself. Where none
// of them is superseded, as is most often so, nothing does.
func (s *survey) withoutCircles() {
	mayCircle := false
	for _, next := range s.successors {
		mayCircle = mayCircle || s.successors[next] != ""
	}
	if !mayCircle {
		return
	}
	by := map[string][]string{}
	for _, k := range Kinds() {
		for _, u := range s.kinds[k] {
			for _, pair := range u.supersedes {
				by[pair[0]] = append(by[pair[0]], pair[1])
			}
		}
	}
	entryfile.WithoutCircles(by)
	clear(s.successors)
	for old, list := range by {
		s.successors[old] = slices.Max(list)
	}
}

// index renders the INDEX.md of a tree.
func (t *tree) index(name, cacheDir string) ([]byte, error) {
	s, err := t.survey(cacheDir)
	if err != nil {
		return nil, err
	}
	in := generate.IndexInput{Name: name}
	for _, k := range Kinds() {
		kind := generate.IndexKind{Kind: k}
		for _, u := range s.kinds[k] {
			lines := make([]generate.IndexLine, len(u.lines))
			for i, l := range u.lines {
				lines[i] = l.IndexLine
				lines[i].SupersededBy = s.successors[l.ID]
			}
			switch {
			case u.rolled:
				kind.Rolled = append(kind.Rolled, generate.RolledFile{Path: u.unit, Count: u.count, First: u.first, Last: u.last, Lines: lines})
			case kind.Lines == nil:
				kind.Lines = lines
			default:
				kind.Lines = append(kind.Lines, lines...)
			}
		}
		in.Parts = append(in.Parts, generate.Part(kind))
	}
	return generate.Index(in), nil
}

func (s *Scope) cacheDir() string { return filepath.Join(s.dir, ".git", "vault", "cache") }

// factsFile is the cache of facts. It may vanish or be damaged at any moment.
const factsFile = "facts"

func readFacts(dir string) map[string]facts {
	data, err := fsys.ReadPlain(filepath.Join(dir, factsFile))
	if err != nil {
		return nil
	}
	return decodeFacts(data)
}

// writeFacts replaces the cache. It is written in place: one that is cut short
// or mixed with another is told by its checksum. That it can't be written is no
// error: it is only a cache.
func writeFacts(dir string, m map[string]facts) {
	_ = fsys.WritePlain(filepath.Join(dir, factsFile), encodeFacts(m), 0o600)
}

// The cache is a header with a checksum, then one record a unit, each field
// preceded by its length.
const factsHeader = "vault facts 4\n"

func encodeFacts(m map[string]facts) []byte {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	w := packer{buf: append(make([]byte, 0, factsSize(m)), factsHeader...)}
	w.buf = append(w.buf, make([]byte, sha256.Size)...)
	w.int(len(keys))
	for _, k := range keys {
		f := m[k]
		w.text(k)
		w.int(f.count)
		w.text(f.first)
		w.text(f.last)
		w.bool(f.unwritten)
		w.int(f.ended)
		w.int(f.secrets)
		w.int(len(f.expires))
		for _, date := range f.expires {
			w.text(date)
		}
		w.int(len(f.supersedes))
		for _, s := range f.supersedes {
			w.text(s[0])
			w.text(s[1])
		}
		w.int(len(f.lines))
		for _, l := range f.lines {
			for _, s := range []string{l.ID, l.Title, l.Text, l.Created, l.Expires, l.Path, l.Anchor, l.Conflict} {
				w.text(s)
			}
			w.int(l.Order)
			w.bool(l.Pinned)
			w.bool(l.Resolved)
			w.int(int(l.sum))
			w.bool(l.secret)
		}
	}
	sum := sha256.Sum256(w.buf[len(factsHeader)+sha256.Size:])
	copy(w.buf[len(factsHeader):], sum[:])
	return w.buf
}

// factsSize is about what encodeFacts needs, in bytes.
func factsSize(m map[string]facts) int {
	n := len(factsHeader) + sha256.Size
	for k, f := range m {
		n += len(k) + 128
		for _, l := range f.lines {
			n += len(l.ID) + len(l.Title) + len(l.Text) + len(l.Created) + len(l.Expires) + len(l.Path) + len(l.Anchor) + len(l.Conflict) + 32
		}
	}
	return n
}

func decodeFacts(data []byte) map[string]facts {
	body, ok := bytes.CutPrefix(data, []byte(factsHeader))
	if !ok || len(body) < sha256.Size || sha256.Sum256(body[sha256.Size:]) != [sha256.Size]byte(body[:sha256.Size]) {
		return nil
	}
	r := unpacker{buf: string(body[sha256.Size:])}
	n := r.int()
	m := make(map[string]facts, min(n, 1<<16))
	for range n {
		k := r.text()
		f := facts{count: r.int(), first: r.text(), last: r.text(), unwritten: r.bool(), ended: r.int(), secrets: r.int()}
		for i := r.int(); i > 0 && !r.bad; i-- {
			f.expires = append(f.expires, r.text())
		}
		for i := r.int(); i > 0 && !r.bad; i-- {
			f.supersedes = append(f.supersedes, [2]string{r.text(), r.text()})
		}
		lines := r.int()
		f.lines = make([]indexLine, 0, max(0, min(lines, 1<<16)))
		for ; lines > 0 && !r.bad; lines-- {
			var l indexLine
			for _, s := range []*string{&l.ID, &l.Title, &l.Text, &l.Created, &l.Expires, &l.Path, &l.Anchor, &l.Conflict} {
				*s = r.text()
			}
			l.Order, l.Pinned, l.Resolved, l.sum, l.secret = r.int(), r.bool(), r.bool(), uint64(r.int()), r.bool()
			f.lines = append(f.lines, l)
		}
		if r.bad {
			return nil
		}
		m[k] = f
	}
	return m
}
