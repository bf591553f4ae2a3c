package vault

import (
	"context"
	"slices"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// Who wrote what an entry says is told by where its text came from: a commit
// that only writes an id down, moves entries about, or merges, wrote nothing.

// author is whose doing something was.
type author int

const (
	nobody   author = iota // it was there before
	person                 // the person whose vault it is
	stranger               // somebody else
)

// An origin is where something came from.
type origin struct {
	who    author
	commit string
	author string
	time   time.Time
}

// A saying is what an entry of a tree says.
type saying struct {
	entry entryfile.Entry
	path  string
	said  string
}

// idSaying tells sayings apart.
type idSaying struct{ id, said string }

func (s saying) key() idSaying { return idSaying{s.entry.ID, s.said} }

// origins tells where the texts of entries came from, in a span of history.
type origins struct {
	ctx   context.Context
	repo  *gitstore.Repo
	me    string                // the person's address
	marks map[string]unseenMark // what was there before the span and came from others
	span  map[gitstore.Hash]*gitstore.Commit

	strange bool   // others have a part in it ...
	one     origin // ... and this is their newest commit

	files map[placeInTree][]saying
	steps map[[2]gitstore.Hash]*step
	done  map[asked]origin
}

type asked struct {
	commit gitstore.Hash
	key    idSaying
}

// A step is what differs between a commit and one of its parents.
type step struct {
	came map[idSaying]bool
	left map[string]bool     // ids that are not there any more
	went map[string][]saying // by id, as they stood in the parent
	ids  map[string][]string // of what went, by what it said
}

func (s *Scope) originsOf(ctx context.Context, r *gitstore.Repo, known, head gitstore.Hash, marks map[string]unseenMark) (*origins, error) {
	me, err := s.signature()
	if err != nil {
		return nil, err
	}
	o := &origins{ctx: ctx, repo: r, me: me.Email, marks: marks, span: map[gitstore.Hash]*gitstore.Commit{},
		files: map[placeInTree][]saying{}, steps: map[[2]gitstore.Hash]*step{}, done: map[asked]origin{}}
	note := func(c *gitstore.Commit) {
		o.span[c.Hash] = c
		if !o.strange && (c.Author.Email != o.me || byNotice(parseMessage(c.Message))) {
			o.strange, o.one = true, from(c, stranger)
		}
	}
	if !known.IsZero() {
		list, err := r.Beyond(ctx, head, known)
		for _, c := range list {
			note(c)
		}
		return o, err
	}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, err
		}
		note(c)
	}
	return o, nil
}

func from(c *gitstore.Commit, who author) origin {
	return origin{who, c.Hash.String(), c.Author.Name, c.Author.When.UTC()}
}

// between lists what is said in one tree and not in the other; the zero hash is
// a tree without files.
func (o *origins) between(a, b gitstore.Hash) (came, went []saying, err error) {
	if err := o.ctx.Err(); err != nil {
		return nil, nil, err
	}
	paths, err := o.repo.DiffTrees(a, b)
	if err != nil {
		return nil, nil, err
	}
	var before, after []saying
	count := map[idSaying]int{}
	for _, p := range paths {
		old, err := o.sayings(p.Path, p.Old)
		if err != nil {
			return nil, nil, err
		}
		now, err := o.sayings(p.Path, p.New)
		if err != nil {
			return nil, nil, err
		}
		before, after = append(before, old...), append(after, now...)
	}
	for _, s := range before {
		count[s.key()]++
	}
	for _, s := range after {
		if count[s.key()]--; count[s.key()] < 0 {
			came = append(came, s)
		}
	}
	for _, s := range before {
		if count[s.key()]--; count[s.key()] >= 0 {
			went = append(went, s)
		}
	}
	return came, went, nil
}

// sayings reads one file of a tree.
func (o *origins) sayings(path string, at gitstore.TreeEntry) ([]saying, error) {
	kind, ok := entryfile.KindOf(path)
	if !ok || at.Hash.IsZero() || at.Mode == gitstore.ModeSubmodule {
		return nil, nil
	}
	key := placeInTree{path, at.Hash}
	if list, ok := o.files[key]; ok {
		return list, nil
	}
	data, err := o.repo.Blob(at.Hash)
	if err != nil {
		return nil, err
	}
	var out []saying
	for _, s := range entryfile.Parse(kind, path, data).Sections() {
		if s.Err == nil {
			out = append(out, saying{s.Entry, path, said(s.Entry)})
		}
	}
	o.files[key] = out
	return out, nil
}

func (o *origins) step(parent, commit gitstore.Hash) (*step, error) {
	key := [2]gitstore.Hash{parent, commit}
	if st := o.steps[key]; st != nil {
		return st, nil
	}
	came, went, err := o.between(parent, commit)
	if err != nil {
		return nil, err
	}
	st := &step{map[idSaying]bool{}, map[string]bool{}, map[string][]saying{}, map[string][]string{}}
	for _, w := range went {
		id := w.entry.ID
		st.left[id] = true
		st.went[id] = append(st.went[id], w)
		st.ids[w.said] = append(st.ids[w.said], id)
	}
	for _, c := range came {
		st.came[c.key()] = true
		delete(st.left, c.entry.ID)
	}
	o.steps[key] = st
	return st, nil
}

// of tells where it came from that an entry says something at a commit, or ""
// for that it is not there.
func (o *origins) of(at gitstore.Hash, id, text string) (origin, error) {
	first := asked{at, idSaying{id, text}}
	for {
		key := asked{at, idSaying{id, text}}
		if out, ok := o.done[key]; ok {
			o.done[first] = out
			return out, nil
		}
		c := o.span[at]
		var next *asked
		out := o.earlier(id, text)
		if c != nil {
			var err error
			if out, next, err = o.at(c, id, text); err != nil {
				return out, err
			}
		}
		if next == nil {
			o.done[key], o.done[first] = out, out
			return out, nil
		}
		at, id = next.commit, next.key.id
	}
}

// earlier is the origin of what was there before the span.
func (o *origins) earlier(id, text string) origin {
	m, ok := o.marks[id]
	if ok && (slices.Contains(m.Texts, text) || text == "" && len(m.Texts) == 0) {
		return origin{stranger, m.Commit, m.Author, m.Time}
	}
	return origin{}
}

// at is of for one commit; where that took it over from its only parent, it
// says what to ask there.
func (o *origins) at(c *gitstore.Commit, id, text string) (origin, *asked, error) {
	mine := c.Author.Email == o.me
	var holding []asked // where the parents have it
	var steps []*step
	for _, p := range c.Parents {
		st, err := o.step(p, c.Hash)
		if err != nil {
			return origin{}, nil, err
		}
		steps = append(steps, st)
		switch {
		case text == "" && !st.left[id], text != "" && !st.came[idSaying{id, text}]:
			holding = append(holding, asked{p, idSaying{id, text}})
		case text != "" && mine && len(st.ids[text]) > 0: // it got another id
			holding = append(holding, asked{p, idSaying{st.ids[text][0], text}})
		}
	}
	if len(c.Parents) == 0 && text == "" {
		return origin{}, nil, nil
	}
	if len(holding) == 0 {
		out, err := o.made(c, steps, id)
		return out, nil, err
	}
	if len(c.Parents) == 1 {
		return origin{}, &holding[0], nil
	}
	if !mine && len(holding) < len(c.Parents) {
		fair, err := o.fair(c, holding, steps, id)
		if err != nil || !fair {
			return from(c, stranger), nil, err
		}
	}
	var best origin
	for _, h := range holding {
		out, err := o.of(h.commit, h.key.id, text)
		if err != nil {
			return origin{}, nil, err
		}
		if out.who == person {
			return out, nil, nil
		}
		if out.who == stranger {
			best = out
		}
	}
	return best, nil, nil
}

// made is the origin of what no parent of a commit has. What a person's
// program made of others' texts is others'.
func (o *origins) made(c *gitstore.Commit, steps []*step, id string) (origin, error) {
	if c.Author.Email != o.me {
		return from(c, stranger), nil
	}
	m := parseMessage(c.Message)
	switch {
	case byNotice(m):
		return o.one, nil
	case len(c.Parents) < 2 && m.op != "merge" && m.op != "roll" && m.op != "restore":
		return from(c, person), nil
	}
	known := false
	for i, st := range steps {
		for _, w := range st.went[id] {
			known = true
			out, err := o.of(c.Parents[i], id, w.said)
			if err != nil || out.who == stranger {
				return out, err
			}
		}
	}
	if !known && o.strange && m.op != "restore" {
		return o.one, nil
	}
	return from(c, person), nil
}

// byNotice reports whether a commit takes out what a notice of purged ids names
// that came along with others' commits.
func byNotice(m parsedMessage) bool { return m.op == "purge" && m.source == sourceVault }

// fair reports whether somebody's merge took a text over because the other
// side had left it alone.
func (o *origins) fair(c *gitstore.Commit, holding []asked, steps []*step, id string) (bool, error) {
	for _, p := range c.Parents {
		if slices.ContainsFunc(holding, func(h asked) bool { return h.commit == p }) {
			continue
		}
		bases, err := o.repo.MergeBases(o.ctx, p, holding[0].commit)
		if err != nil || len(bases) != 1 {
			return false, err
		}
		st, err := o.step(bases[0], p)
		if err != nil {
			return false, err
		}
		touched := len(st.went[id]) > 0
		for k := range st.came {
			touched = touched || k.id == id
		}
		if touched {
			return false, nil
		}
	}
	return true, nil
}
