package vault

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// Where review.remote is hold, what other people's commits did to entries does
// not count for agents on this machine before the person has looked at it:
// these get what stood before. That is a mark of this machine's alone: in the
// files the entries stand as they came.

// unseenState is what is known of it.
type unseenState struct {
	Known   string                `json:"known"`   // the commit up to which others' changes are marked
	Entries map[string]unseenMark `json:"entries"` // by id
}

// An unseenMark says what others made of an entry, and what it was before. It
// holds as long as that stands.
type unseenMark struct {
	Texts  []string  `json:"texts"`         // what it says, see said; none where it was forgotten
	In     []string  `json:"in,omitempty"`  // the files that came to say it
	Path   string    `json:"path"`          // where it stood before
	Was    []byte    `json:"was,omitempty"` // a file like that one with nothing but what stood before; none of an add
	Commit string    `json:"commit"`
	Author string    `json:"author"`
	Time   time.Time `json:"time"`
}

// said stands for what an entry says, whatever its id, and whoever is said to
// have written it when.
func said(e entryfile.Entry) string {
	e.ID, e.Created, e.Updated, e.Source, e.Code, e.Session = "", "", "", "", "", ""
	return entryfile.Hash(e)
}

// before is the entry as it was before others changed it, nil if they added it.
func (m unseenMark) before(id string) *located {
	kind, ok := entryfile.KindOf(m.Path)
	if !ok || len(m.Was) == 0 {
		return nil
	}
	list := entryfile.Parse(kind, m.Path, m.Was).Sections()
	if len(list) != 1 || list[0].Err != nil {
		return nil
	}
	list[0].ID = id
	return &located{list[0], m.Path}
}

// remember notes what an entry was; one that can't be written again is gone for
// agents until the person has looked.
func (m *unseenMark) remember(e entryfile.Entry, path string) {
	doc := entryfile.Parse(e.Kind, path, nil)
	m.Path, m.Was = path, nil
	if doc.Append(e) == nil {
		m.Was = doc.Bytes()
	}
}

// A held change is one of others' that counts for nobody but the person yet.
type held struct {
	theirs []located // the entry as they made it; nothing where they forgot it
	beside bool      // it also stands as the person has it
	was    *located  // what it was before
}

// held is what a mark holds back of a tree, nil if nothing: the entry is no
// longer as others made it.
func (t *tree) held(id string) (*held, error) {
	m, ok := t.unseen[id]
	if !ok {
		return nil, nil
	}
	found, err := t.find(id)
	if err != nil {
		return nil, err
	}
	for _, p := range m.In { // the id may not be written down there
		f := t.files[p]
		if f == nil || slices.ContainsFunc(found, func(l located) bool { return l.path == p }) {
			continue
		}
		doc, err := f.document()
		if err != nil {
			return nil, err
		}
		if s, ok := doc.Get(id); ok && s.Err == nil {
			found = append(found, located{s, p})
		}
	}
	out := &held{was: m.before(id)}
	for _, l := range found {
		if slices.Contains(m.Texts, said(l.Entry)) {
			out.theirs = append(out.theirs, l)
		} else {
			out.beside = true
		}
	}
	if len(out.theirs) > 0 || len(m.Texts) == 0 && !out.beside {
		return out, nil
	}
	return nil, nil
}

func (s *Scope) unseenFile() string {
	return filepath.Join(s.dir, ".git", "vault", "state", "unseen.json")
}

// holdsRemote reports whether others' changes wait for a look.
func (s *Scope) holdsRemote() (bool, error) {
	c, err := s.home.Config()
	return err == nil && c.Review.Remote == string(Hold), err
}

// markUnseen fills in what of a tree has come from others and was not looked at.
func (s *Scope) markUnseen(ctx context.Context, r *gitstore.Repo, t *tree) error {
	holds, err := s.holdsRemote()
	if err != nil || !holds || t.head.IsZero() {
		return err
	}
	state := s.readUnseen()
	if state.Known != t.head.String() {
		if state.Known != "" { // else all that is here was here before
			if err := s.markSince(ctx, r, t.head, &state); err != nil {
				return err
			}
		}
		state.Known = t.head.String()
		s.keepUnseen(state)
	}
	t.unseen = state.Entries
	return nil
}

// keepUnseen writes the marks as part of reading, which goes on without.
func (s *Scope) keepUnseen(state unseenState) {
	if err := s.writeUnseen(state); err != nil {
		s.home.notice("what others have brought can't be marked: " + told(err))
	}
}

// markSince marks what others have changed up to head. Where the commit that
// was known is gone, nothing is known of what came before.
func (s *Scope) markSince(ctx context.Context, r *gitstore.Repo, head gitstore.Hash, state *unseenState) error {
	known, ok := gitstore.ParseHash(state.Known)
	if !ok || !r.Has(known) {
		known = gitstore.Hash{}
	}
	o, err := s.originsOf(ctx, r, known, head, state.Entries)
	if err != nil || !o.strange && len(state.Entries) == 0 {
		return err
	}
	came, went, err := o.between(known, head)
	if err != nil {
		return err
	}
	byID := map[string][]saying{}
	for _, c := range came {
		byID[c.entry.ID] = append(byID[c.entry.ID], c)
	}
	lost := map[string]saying{} // what the person had, by id
	for _, w := range went {
		id := w.entry.ID
		if _, ok := byID[id]; !ok {
			byID[id] = nil
		}
		if _, ok := lost[id]; !ok && !slices.Contains(state.Entries[id].Texts, w.said) {
			lost[id] = w
		}
	}
	for _, id := range sortedKeys(byID) {
		if err := o.mark(head, id, byID[id], lost, state); err != nil {
			return err
		}
	}
	return nil
}

// mark marks an entry, of which some texts came or which went, where that was
// others' doing.
func (o *origins) mark(head gitstore.Hash, id string, came []saying, lost map[string]saying, state *unseenState) error {
	old := state.Entries[id]
	m := unseenMark{Path: old.Path, Was: old.Was}
	if w, ok := lost[id]; ok {
		m.remember(w.entry, w.path)
	}
	texts := []string{""}
	if len(came) > 0 {
		texts = nil
	}
	for _, c := range came {
		texts = append(texts, c.said)
		m.In = append(m.In, c.path)
	}
	before := ""
	if was := m.before(id); was != nil {
		before = said(was.Entry)
	}
	foreign, back := false, false
	for _, text := range texts {
		from, err := o.of(head, id, text)
		if err != nil {
			return err
		}
		switch {
		case from.who != stranger:
			continue
		case text == before:
			back = true // it is again what it was
			continue
		}
		foreign = true
		if m.Commit, m.Author, m.Time = from.commit, from.author, from.time; text != "" {
			m.Texts = append(m.Texts, text)
		}
	}
	switch {
	case foreign:
		if !slices.Contains(texts, "") {
			m.Texts, m.In = append(m.Texts, old.Texts...), append(m.In, old.In...)
		}
		state.Entries[id] = m
	case back:
		delete(state.Entries, id)
	}
	return nil
}

// unseenMarks are the marks as they were last written.
func (s *Scope) unseenMarks() map[string]unseenMark {
	if holds, err := s.holdsRemote(); err != nil || !holds {
		return nil
	}
	return s.readUnseen().Entries
}

// readUnseen reads the marks; a file that can't be read holds none.
func (s *Scope) readUnseen() unseenState {
	var out unseenState
	if data, err := os.ReadFile(s.unseenFile()); err != nil || json.Unmarshal(data, &out) != nil {
		out = unseenState{}
	}
	if out.Entries == nil {
		out.Entries = map[string]unseenMark{}
	}
	return out
}

func (s *Scope) writeUnseen(state unseenState) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.unseenFile()), 0o755); err != nil {
		return s.fail(err)
	}
	f, err := os.CreateTemp(filepath.Dir(s.unseenFile()), "unseen.*")
	if err != nil {
		return s.fail(err)
	}
	_, err = f.Write(data)
	if serr := f.Sync(); err == nil {
		err = serr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), s.unseenFile())
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return s.fail(err)
}

// rewriteUnseen takes purged entries out of the marks, and names commits as
// they are called since.
func (s *Scope) rewriteUnseen(ids []string, now map[gitstore.Hash]gitstore.Hash) error {
	state := s.readUnseen()
	if state.Known == "" {
		return nil
	}
	called := func(commit string) string {
		if h, ok := gitstore.ParseHash(commit); ok && !now[h].IsZero() {
			return now[h].String()
		}
		return commit
	}
	state.Known = called(state.Known)
	for id, m := range state.Entries {
		was := m.before(id)
		if slices.Contains(ids, id) || was != nil && slices.Contains(ids, was.Conflict) {
			delete(state.Entries, id)
			continue
		}
		m.Commit = called(m.Commit)
		state.Entries[id] = m
	}
	return s.writeUnseen(state)
}
