package vault

import (
	"fmt"
	"slices"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
	"gitvault/internal/merge"
)

// importedKey is a trace's further key that says which part of its text an
// import wrote: up to when the session went, how long the part is, and its hash.
const importedKey = "imported"

// decided takes in what a card of an addition proposes already: who imports it
// says the same, and so keeps it.
func (im *importing) decided(r importers.Record, c card) error {
	e := r.Entry
	e.ID = c.EntryID
	if e.Created == "" {
		e.Created = orDefault(c.Entry.Created, im.now)
	}
	if r.Ended != "" && e.Expires == "" {
		e.Expires = im.now
	}
	if err := im.check(&e, nil); err != nil {
		im.refuse(r, err.Error())
		return nil
	}
	im.dropCard(c)
	l, err := im.add(e)
	if err != nil {
		return err
	}
	delete(im.held, l.ID)
	im.ids[r.Key] = l.ID
	im.called(r.Entry.ID, l.ID)
	im.out.keys = append(im.out.keys, textKey(e).String())
	im.added = append(im.added, l)
	return nil
}

// sameSource takes in a record of something that an earlier import has brought
// in, where that has changed since in its source. It reports false where the
// record is none of these.
func (im *importing) sameSource(r importers.Record, id string, key gitstore.Hash) (bool, error) {
	switch e := r.Entry; {
	case e.ID != "" || r.Proposal != nil:
		return false, nil
	case e.Kind == SessionTrace && e.Session != "":
		return im.session(r)
	case r.Revises:
		return im.revised(r, id, key)
	}
	return false, nil
}

// session brings the one trace of a session up to what its file says now. What
// others have added to the trace stays.
func (im *importing) session(r importers.Record) (bool, error) {
	mark := markOf(r.Entry)
	at, err := im.traceOf(r.Entry.Session)
	if err != nil {
		return false, err
	}
	if at == nil && !im.in.Hold {
		for _, c := range im.held {
			if c.Kind == SessionTrace && c.Entry.Session == r.Entry.Session {
				r.Entry.Body = grown(c.Entry, r.Entry)
				r.Entry.Extra = withMark(c.Entry.Extra, mark)
				return true, im.decided(r, c)
			}
		}
	}
	if at == nil {
		r.Entry.Extra = withMark(r.Entry.Extra, mark)
		return true, im.fresh(r, im.in.Hold)
	}
	im.ids[r.Key] = at.ID
	now, _, err := im.latest(*at)
	if err != nil {
		return false, err
	}
	body := grown(now, r.Entry)
	if body == now.Body {
		im.out.Known++
		return true, nil
	}
	after := now.Clone()
	after.Body, after.Extra, after.Updated = body, withMark(now.Extra, mark), later(im.now, now)
	return true, im.change(r, *at, now, after)
}

// markOf is what an import writes down of the text it brings.
func markOf(e entryfile.Entry) string {
	body := entryfile.TrimBody(e.Body)
	return fmt.Sprintf("%s %d %s", e.Changed(), len(body), gitstore.BlobHash([]byte(body)).String()[:12])
}

func withMark(extra []entryfile.Field, mark string) []entryfile.Field {
	extra = slices.DeleteFunc(slices.Clone(extra), func(f entryfile.Field) bool { return f.Key == importedKey })
	return append(extra, entryfile.TextField(importedKey, mark))
}

// grown is a trace's text with what its session's file says now: in place of
// what an earlier import wrote, where that stands as it was, else after all
// that is there.
func grown(now, next entryfile.Entry) string {
	body, text := now.Body, entryfile.TrimBody(next.Body)
	if strings.Contains("\n\n"+body+"\n\n", "\n\n"+text+"\n\n") {
		return body
	}
	var until, hash string
	var size int
	for _, f := range now.Extra {
		if f.Key == importedKey {
			// A mark that a person has changed is none.
			_, _ = fmt.Sscan(strings.Trim(f.Value, `"'`), &until, &size, &hash)
		}
	}
	if from, ok := partOf(body, size, hash); ok {
		switch older := body[from : from+size]; {
		case continues(older, text) && next.Changed() >= until:
			return body[:from] + text + body[from+size:]
		case continues(text, older) && next.Changed() <= until:
			return body
		}
	}
	if body == now.Title {
		return text
	}
	return body + "\n\n" + text
}

// partOf finds the paragraphs of a text that have a size and a hash.
func partOf(body string, size int, hash string) (int, bool) {
	for from := 0; size > 0 && from+size <= len(body); {
		if gitstore.BlobHash([]byte(body[from : from+size])).String()[:12] == hash {
			return from, true
		}
		next := strings.Index(body[from:], "\n\n")
		if next < 0 {
			break
		}
		from += next + len("\n\n")
	}
	return 0, false
}

// continues reports whether the notes of a session begin as others do: what was
// asked in the older ones was asked in the newer ones too.
func continues(older, newer string) bool {
	asked := func(notes string) string {
		_, after, _ := strings.Cut(notes, "\n## Requests\n\n")
		list, _, _ := strings.Cut(after, "\n\n## ")
		return list
	}
	return strings.HasPrefix(asked(newer), asked(older))
}

// placeOf stands for the file that an import took an entry from, and its title.
func placeOf(e entryfile.Entry) string {
	where, _, _ := strings.Cut(e.Evidence, "; ")
	if i := strings.LastIndexByte(where, ':'); i > 0 {
		where = where[:i]
	}
	return e.Source + "\x00" + where + "\x00" + strings.TrimSpace(e.Title)
}

// revised brings an entry that an earlier import made of a file up to what the
// file says now, unless somebody has changed it here.
func (im *importing) revised(r importers.Record, id string, key gitstore.Hash) (bool, error) {
	place := placeOf(r.Entry)
	if id == "" && len(im.earlier[place]) == 1 && im.files[place] == 1 {
		id = im.earlier[place][0]
	}
	if id == "" {
		return false, nil
	}
	at, err := im.tree.current(id)
	if err != nil || at == nil {
		return false, im.scope.fail(err)
	}
	if at.Source != r.Entry.Source {
		return false, nil
	}
	now, after := at.Entry, at.Entry.Clone()
	after.Body, after.Description, after.Tags, after.Extra = r.Entry.Body, r.Entry.Description, r.Entry.Tags, r.Entry.Extra
	switch {
	case r.Ended == "":
		after.Expires = r.Entry.Expires
	case now.Expires == "":
		after.Expires = orDefault(r.Entry.Expires, im.now)
	}
	im.ids[r.Key] = id
	if entryfile.Hash(now) == entryfile.Hash(after) && !im.adds(now, r.Supersedes) {
		im.out.Known++
		return true, nil
	}
	if own, err := im.isAsImported(id); err != nil || !own {
		if err == nil {
			im.out.Known++
			im.out.note(r.Where, "it says something else now, and "+id+" was changed here since it was imported: left as it is")
		}
		return true, err
	}
	if entryfile.Hash(now) != entryfile.Hash(after) {
		after.Updated = later(im.now, now)
		return true, im.change(r, *at, now, after)
	}
	if im.in.Hold {
		im.out.Known++
		return true, nil
	}
	im.put(*at, now)
	return true, nil
}

// adds reports whether records by these keys may be superseded by an entry that
// does not say so yet.
func (im *importing) adds(e entryfile.Entry, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		id := im.ids[key]
		return id == "" || !slices.Contains(e.Supersedes, id)
	})
}

// isAsImported reports whether an import was the last to change an entry.
func (im *importing) isAsImported(id string) (bool, error) {
	own := false
	if im.repo == nil {
		return false, nil
	}
	err := im.scope.versions(im.ctx, im.repo, im.tree.head, id, func(c *gitstore.Commit, ch merge.Change) bool {
		if ch.Before != nil && ch.After != nil && ch.Before.Equal(*ch.After) {
			return true // moved
		}
		op := parseMessage(c.Message).op
		own = op == "import" || op == "keep"
		return false
	})
	return own, err
}

// change makes a change of an entry that is here, or holds it for review.
func (im *importing) change(r importers.Record, at located, now, after entryfile.Entry) error {
	if err := im.check(&after, &now); err != nil {
		im.refuse(r, err.Error())
		return nil
	}
	p := proposal{op: entryfile.OpEdit, before: &at, after: after, bulk: true}
	o, err := outcome{}, error(nil)
	switch {
	case entryfile.IsCard(at.path):
		o, err = im.changeHeld(p)
	case im.in.Hold:
		o, err = im.holdOnce(p)
	default:
		o.at, err = im.make(p)
	}
	if err != nil {
		return err
	}
	if o.unchanged {
		im.out.Known++
		return nil
	}
	im.put(o.at, now)
	return nil
}

// put notes that an entry which was here before is brought up to date.
func (im *importing) put(l located, was entryfile.Entry) {
	for i := range im.added {
		if im.added[i].ID == l.ID {
			im.added[i] = l
			return
		}
	}
	im.again[l.ID] = was
	im.added = append(im.added, l)
}

// holdOnce holds a change for review, on the card that asks for it already where
// there is one.
func (im *importing) holdOnce(p proposal) (outcome, error) {
	list, err := im.tree.cards()
	if err != nil {
		return outcome{}, im.scope.fail(err)
	}
	for _, c := range list {
		if c.EntryID == p.after.ID && c.Op == entryfile.OpEdit && !c.isApplied() && sameBut(c.proposed().Entry, p.after) {
			return outcome{unchanged: true}, nil
		}
	}
	if mine, err := im.ownCard(p.after.ID); err != nil || mine != nil {
		if err != nil {
			return outcome{}, err
		}
		return im.holdAgain(p, *mine)
	}
	return im.hold(p)
}
