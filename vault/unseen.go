package vault

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
)

// Where review.remote is hold, what other people's commits brought is not
// offered on this machine before the person has looked at it. That is a mark
// of this machine's alone: the entries stand in their files as they came.

// unseenState is what is known of it.
type unseenState struct {
	Known   string              `json:"known"`   // the commit up to which others' changes are marked
	Entries map[string]unseenID `json:"entries"` // by id
}

// unseenID is one mark: it holds as long as the entry is what came.
type unseenID struct {
	Hash   string    `json:"hash"` // of the entry
	Commit string    `json:"commit"`
	Author string    `json:"author"`
	Time   time.Time `json:"time"`
}

func (s *Scope) unseenFile() string {
	return filepath.Join(s.dir, ".git", "vault", "state", "unseen.json")
}

// markUnseen fills in what of a tree has come from others and was not looked at.
func (s *Scope) markUnseen(ctx context.Context, r *gitstore.Repo, t *tree) error {
	c, err := s.home.Config()
	if err != nil || c.Review.Remote != string(Hold) || t.head.IsZero() {
		return err
	}
	state := s.readUnseen()
	known, ok := gitstore.ParseHash(state.Known)
	if !ok || !r.Has(known) {
		state.Known = t.head.String() // all that is here was here before
		t.unseen = state.Entries
		s.keepUnseen(state)
		return nil
	}
	if known != t.head {
		if err := s.markSince(ctx, r, t, &state, known); err != nil {
			return err
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
		s.home.notice("what others have brought can't be marked: " + oneLine(err.Error()))
	}
}

// markSince marks what others have changed since a commit.
func (s *Scope) markSince(ctx context.Context, r *gitstore.Repo, t *tree, state *unseenState, known gitstore.Hash) error {
	me, err := s.signature()
	if err != nil {
		return err
	}
	commits, err := r.Beyond(ctx, t.head, known)
	if err != nil {
		return err
	}
	for i := len(commits) - 1; i >= 0; i-- {
		c := commits[i]
		if c.Author.Email == me.Email {
			continue
		}
		changes, err := s.commitChanges(ctx, r, c, "")
		if err != nil {
			return err
		}
		for _, ch := range changes {
			if ch.After == nil || ch.Op == merge.Moved {
				continue
			}
			now, err := t.current(ch.ID)
			if err != nil || now == nil {
				continue
			}
			state.Entries[ch.ID] = unseenID{entryfile.Hash(now.Entry), c.Hash.String(), c.Author.Name, c.Author.When.UTC()}
		}
	}
	return nil
}

// readUnseen reads the marks; a file that can't be read holds none.
func (s *Scope) readUnseen() unseenState {
	var out unseenState
	if data, err := os.ReadFile(s.unseenFile()); err != nil || json.Unmarshal(data, &out) != nil {
		out = unseenState{}
	}
	if out.Entries == nil {
		out.Entries = map[string]unseenID{}
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

// isUnseen reports whether an entry is what others made of it, and nobody has
// looked at that here.
func (t *tree) isUnseen(e entryfile.Entry) bool {
	mark, ok := t.unseen[e.ID]
	return ok && mark.Hash == entryfile.Hash(e)
}

// hides reports whether an entry is nothing for an agent.
func (t *tree) hides(e entryfile.Entry) bool { return t.isUnseen(e) || hasSecret(e) }

// An UnseenChange is an entry as others made it, which is not offered here
// before the person has looked at it.
type UnseenChange struct {
	Scope  string    `json:"scope"`
	Commit string    `json:"commit"`
	Author string    `json:"author"`
	Time   time.Time `json:"time"`
	Before *Entry    `json:"before,omitempty"`
	After  *Entry    `json:"after"`
}

// Unseen lists what others' commits brought and the person has not looked at.
func (h *Home) Unseen(ctx context.Context, scope string) ([]UnseenChange, error) {
	if err := h.personOnly("reviewing"); err != nil {
		return nil, err
	}
	scopes, err := h.selected(scope)
	if err != nil {
		return nil, err
	}
	out := []UnseenChange{}
	for _, s := range scopes {
		t, err := s.read(ctx)
		if err != nil {
			return out, err
		}
		for _, id := range sortedKeys(t.unseen) {
			now, err := t.current(id)
			if err != nil {
				return out, s.fail(err)
			}
			if now == nil || !t.isUnseen(now.Entry) {
				continue
			}
			u, err := s.unseenChange(ctx, t, *now)
			if err != nil {
				return out, s.fail(err)
			}
			out = append(out, u)
		}
	}
	return out, nil
}

func (s *Scope) unseenChange(ctx context.Context, t *tree, now located) (UnseenChange, error) {
	mark := t.unseen[now.ID]
	after := present(s.name, now)
	out := UnseenChange{Scope: s.name, Commit: mark.Commit, Author: mark.Author, Time: mark.Time, After: &after}
	r, c, err := s.resolveCommit(mark.Commit)
	if err != nil {
		return out, nil // it was rewritten since; the entry is what counts
	}
	changes, err := s.commitChanges(ctx, r, c, now.ID)
	for _, ch := range changes {
		if ch.ID == now.ID && ch.Before != nil {
			e := present(s.name, located{entryfile.Section{Entry: *ch.Before}, ch.BeforePath})
			out.Before = &e
		}
	}
	return out, err
}

// look takes the marks off the named entries, or off all, and reports which
// those were. Names that mean none are given back.
func (h *Home) look(ctx context.Context, names []string, o DecideOptions) (done []Change, rest []string, err error) {
	list, err := h.Unseen(ctx, o.Scope)
	if err != nil || len(list) == 0 {
		return nil, names, err
	}
	looked := map[string]bool{}
	for _, name := range names {
		p, err := idPrefix(name)
		found := false
		for _, u := range list {
			if err == nil && len(u.After.ID) >= len(p) && u.After.ID[:len(p)] == p {
				looked[u.Scope+"/"+u.After.ID], found = true, true
			}
		}
		if !found {
			rest = append(rest, name)
		}
	}
	scopes, err := h.selected(o.Scope)
	if err != nil {
		return nil, rest, err
	}
	for _, s := range scopes {
		state := s.readUnseen()
		for _, u := range list {
			if u.Scope == s.name && (o.All || looked[u.Scope+"/"+u.After.ID]) {
				delete(state.Entries, u.After.ID)
				done = append(done, Change{Entry: *u.After})
			}
		}
		if err := s.writeUnseen(state); err != nil {
			return done, rest, err
		}
	}
	return done, rest, nil
}

// isUnseenLine is isUnseen for an entry of which only its line is known.
func (t *tree) isUnseenLine(l indexLine) (bool, error) {
	if _, ok := t.unseen[l.ID]; !ok {
		return false, nil
	}
	e, err := t.whole(l.ID, l.Path)
	return err == nil && t.isUnseen(e), err
}
