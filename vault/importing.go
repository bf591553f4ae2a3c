package vault

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
	"gitvault/internal/safetext"
	"gitvault/internal/secrets"
	"gitvault/internal/workspace"
)

// MaxHeld is how many records an import may hold for review at once.
const MaxHeld = MaxCards

// An Import says what to bring in.
type Import struct {
	Format string   // see ImportFormats
	Paths  []string // files and folders
	Scope  string   // where all of it goes; by default each record to where its source says, else by its kind
	Kind   Kind     // of all records; by default what each format says
	Hold   bool     // as cards, for review; an agent's import always is
	DryRun bool     // only say what would become what

	brought map[string]bool // what was brought in before, by what it says, and is not to be again
}

// An Imported is what an import did, or with DryRun would do.
type Imported struct {
	Added   []Entry         `json:"added"`
	Updated []Entry         `json:"updated,omitempty"` // those of an earlier import that the source has more, or something else, to say of
	Known   int             `json:"known"`             // records that are there already
	Refused []RefusedImport `json:"refused"`           // records not taken, each with its reason
	Notes   []string        `json:"notes,omitempty"`
	Commits []string        `json:"commits,omitempty"` // one a scope
	Pending bool            `json:"pending"`           // all of it waits for review
	Held    int             `json:"held"`              // of those added, how many wait for review

	keys []string // of what was added, by what it says
}

// A RefusedImport is something an import did not take in.
type RefusedImport struct {
	Where  string `json:"where"` // file and line
	Title  string `json:"title,omitempty"`
	Reason string `json:"reason"`
}

// refuse names what is not taken in, without the secret it may have for a
// name, or hold.
func (d *Imported) refuse(r RefusedImport) {
	d.Refused = append(d.Refused, RefusedImport{secrets.Redact(r.Where), secrets.Redact(r.Title), oneLine(secrets.Redact(r.Reason))})
}

func (d *Imported) note(where, note string) {
	d.Notes = append(d.Notes, secrets.Redact(where+": "+note))
}

// An ImportFormat is a format that Import reads.
type ImportFormat struct {
	Name string
	What string // what it reads, on one line
}

// ImportFormats lists the formats that Import reads.
func ImportFormats() []ImportFormat {
	var out []ImportFormat
	for _, f := range importers.Formats() {
		out = append(out, ImportFormat{f.Name, f.What})
	}
	return out
}

// Import brings another system's memories in, in one commit a scope, and
// leaves their source as it is. What is there already is not added again; what
// is refused is named in the answer, and the rest goes in.
func (h *Home) Import(ctx context.Context, in Import) (Imported, error) {
	out := Imported{Added: []Entry{}, Refused: []RefusedImport{}}
	in.Hold = in.Hold || h.opt.Writer.IsAgent()
	out.Pending = in.Hold
	records, err := h.readRecords(ctx, in, &out)
	if err != nil {
		return out, err
	}
	if in.Hold && len(records) > MaxHeld {
		return out, refused("import part of it, or without --hold", "%d records are more than the %d that can wait for review", len(records), MaxHeld)
	}
	var order []*Scope
	groups := map[string][]importers.Record{}
	named := map[string]*Scope{}
	for _, r := range records {
		place := r.Scope + "\x00" + string(r.Entry.Kind)
		s, err := named[place], error(nil)
		if s == nil {
			s, err = h.importScope(in.Scope, r)
			named[place] = s
		}
		if err != nil && in.Scope == "" && (CodeOf(err) == Invalid || CodeOf(err) == Refused) {
			out.refuse(RefusedImport{r.Where, r.Entry.Title, err.Error()})
			continue
		}
		if err != nil {
			return out, err
		}
		if groups[s.dir] == nil {
			order = append(order, s)
		}
		groups[s.dir] = append(groups[s.dir], r)
	}
	for _, s := range order {
		if err := s.importRecords(ctx, in, groups[s.dir], &out); err != nil {
			return out, err
		}
	}
	for _, e := range out.Added {
		if in.Scope == "" && !in.DryRun && e.Scope == UserScope && e.Kind != Preference {
			h.noteNoProject(e.Kind, h.userScope())
			break
		}
	}
	return out, nil
}

func (h *Home) readRecords(ctx context.Context, in Import, out *Imported) ([]importers.Record, error) {
	if !slices.ContainsFunc(ImportFormats(), func(f ImportFormat) bool { return f.Name == in.Format }) {
		return nil, invalid("'vault import --help' lists them", "unknown format %q", in.Format)
	}
	input := importers.Input{Kind: in.Kind}
	for _, p := range in.Paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(h.opt.Dir, p)
		}
		if _, err := os.Stat(p); err != nil {
			return nil, invalid(told(err), "nothing to import from %s", p)
		}
		input.Paths = append(input.Paths, p)
	}
	if ws, err := h.Workspace(); err == nil {
		input.Project = ws.Root
		input.Remotes = ws.RemoteURLs()
	}
	var records []importers.Record
	err := importers.Read(ctx, in.Format, input, importers.Sink{
		Record: func(r importers.Record) error {
			records = append(records, r)
			h.opt.Progress("reading", len(records), 0)
			for _, n := range r.Notes {
				out.note(r.Where, n)
			}
			return nil
		},
		Refuse: func(where, why string) {
			out.refuse(RefusedImport{Where: where, Reason: why})
		},
		Note: out.note,
	})
	if err != nil && ctx.Err() == nil {
		err = invalid("", "%s", told(err))
	}
	return records, err
}

func (h *Home) importScope(name string, r importers.Record) (*Scope, error) {
	fromSource := name == ""
	if fromSource {
		name = r.Scope
	}
	if name == ProjectScope {
		if s, err := h.project(); CodeOf(err) != NotFound {
			return s, err
		}
		name = ""
	}
	s, err := h.scopeFor(name, r.Entry.Kind)
	if fromSource && CodeOf(err) == NotFound {
		return h.scopeOf(name)
	}
	return s, err
}

// scopeOf is the scope of a project that an export names: of the folder's, if
// that is the one, else made anew.
func (h *Home) scopeOf(key string) (*Scope, error) {
	if s, err := h.project(); err == nil && s.name == key {
		return s, nil
	}
	if h.opt.Writer.IsAgent() {
		return nil, refused("the person can import it", "the source names the scope %q, which is not here", shortened(key))
	}
	if key == "" || len(key) > 1024 || safetext.Line(key) != key || strings.TrimSpace(key) != key {
		return nil, invalid("name one with --scope", "the source names the scope %q, which can be none", shortened(key))
	}
	return h.newScope(key, filepath.Join(h.dir, "projects", workspace.Dir(key))), nil
}

func (s *Scope) importRecords(ctx context.Context, in Import, records []importers.Record, out *Imported) error {
	var done Imported
	work := func(t *txn) error {
		done = Imported{}
		im := &importing{txn: t, in: in, out: &done, ids: map[string]string{}, renamed: map[string]string{}, drawn: map[string]bool{},
			held: map[string]card{}, again: map[string]entryfile.Entry{}, files: map[string]int{}, earlier: map[string][]string{}}
		if err := im.run(records); err != nil || in.DryRun {
			return err
		}
		if len(im.added)+im.marks == 0 && !im.changed {
			t.reset()
			return nil
		}
		return im.commit()
	}
	do := s.write
	if in.DryRun {
		do = s.rehearse
	}
	err := do(ctx, work)
	out.Added = append(out.Added, done.Added...)
	out.Updated = append(out.Updated, done.Updated...)
	out.Refused = append(out.Refused, done.Refused...)
	out.Known += done.Known
	out.Held += done.Held
	out.Commits = append(out.Commits, done.Commits...)
	out.keys = append(out.keys, done.keys...)
	out.Notes = append(out.Notes, done.Notes...)
	return err
}

// importing is one import into one scope.
type importing struct {
	*txn
	in    Import
	out   *Imported
	known map[gitstore.Hash]string   // ids by what entries say
	here  map[gitstore.Hash][]string // the same, without what this import has added
	ids   map[string]string          // ids by the records' own keys
	inUse map[string]bool            // ids of entries and cards
	drawn map[string]bool            // ids made for this import
	gone  func(id string) bool       // whether an id was purged; nil where none was
	added []located
	marks int // how many changes that count already are to be looked at

	held    map[string]card            // cards of additions that wait, by their entries' ids
	again   map[string]entryfile.Entry // entries of an earlier import among those added, as they were
	files   map[string]int             // how many records of a file have a title
	earlier map[string][]string        // ids of entries that an import made, by file and title
	changed bool                       // an entry that was there already is changed

	renamed map[string]string // ids by those that entries had in the source
}

func (im *importing) run(records []importers.Record) error {
	if err := im.lookAround(); err != nil {
		return err
	}
	im.known = make(map[gitstore.Hash]string, len(im.here)+len(records))
	for key, ids := range im.here {
		im.known[key] = ids[0]
	}
	for _, r := range records {
		if r.Revises {
			im.files[placeOf(r.Entry)]++
		}
	}
	for i, r := range records {
		if err := im.ctx.Err(); err != nil {
			return err
		}
		im.scope.home.opt.Progress("import", i+1, len(records))
		var err error
		if r.Proposal != nil {
			err = im.proposed(r)
		} else {
			err = im.one(r, im.in.Hold)
		}
		if err != nil {
			return err
		}
	}
	if err := im.ctx.Err(); err != nil {
		return err // before anything is written
	}
	return im.chain(records)
}

func (im *importing) refuse(r importers.Record, why string) {
	im.out.refuse(RefusedImport{r.Where, r.Entry.Title, why})
}

// one takes one record in, or says why not.
func (im *importing) one(r importers.Record, hold bool) error {
	e := r.Entry
	key := textKey(e)
	id := im.sameAs(e.ID, key)
	if c, waits := im.held[id]; waits && !hold {
		return im.decided(r, c)
	}
	if done, err := im.sameSource(r, id, key); done || err != nil {
		return err
	}
	if id != "" {
		im.out.Known++
		im.ids[r.Key] = id
		im.called(e.ID, id)
		return nil
	}
	if im.in.brought[key.String()] {
		im.out.Known++
		return nil
	}
	return im.fresh(r, hold)
}

// fresh takes in a record that is not here yet.
func (im *importing) fresh(r importers.Record, hold bool) error {
	e := r.Entry
	key := textKey(e)
	if im.wasPurged(e.ID) || im.wasPurged(e.Conflict) {
		im.refuse(r, e.ID+" was purged here; 'vault remember' takes its text in anew, if you mean it")
		return nil
	}
	if e.Created == "" {
		e.Created = im.now
	}
	if r.Ended != "" && e.Expires == "" {
		e.Expires = im.now
	}
	if e.ID == "" || im.isTaken(e.ID) {
		id, err := im.freeID()
		if err != nil {
			return err
		}
		e.ID = id
	}
	if err := im.check(&e, nil); err != nil {
		im.refuse(r, err.Error())
		return nil
	}
	var l located
	var err error
	if hold {
		var o outcome
		o, err = im.hold(proposal{op: entryfile.OpAdd, after: e, bulk: true, from: r.Proposal})
		l = o.at
	} else {
		l, err = im.add(e)
	}
	if err != nil {
		return err
	}
	im.known[key], im.ids[r.Key], im.inUse[l.ID] = l.ID, l.ID, true
	im.out.keys = append(im.out.keys, key.String())
	im.called(r.Entry.ID, l.ID)
	im.added = append(im.added, l)
	return nil
}

// called notes what an entry of the source is called here. Of two with one id
// there, others mean the first.
func (im *importing) called(there, here string) {
	if there != "" && im.renamed[there] == "" {
		im.renamed[there] = here
	}
}

// chain turns what records say of each other's keys into ids.
func (im *importing) chain(records []importers.Record) error {
	fresh := map[string]int{}
	for i, l := range im.added {
		fresh[l.ID] = i
	}
	linked := make([]entryfile.Entry, len(im.added))
	for i, l := range im.added {
		linked[i] = l.Entry.Clone()
	}
	where := map[string]string{}
	for _, r := range records {
		i, ok := fresh[im.ids[r.Key]]
		if !ok {
			continue
		}
		e := linked[i]
		if where[e.ID] == "" {
			where[e.ID] = r.Where
		}
		if r.Entry.ID != "" {
			im.rename(&e)
		}
		for _, key := range r.Supersedes {
			if id := im.ids[key]; id != "" && id != e.ID && !slices.Contains(e.Supersedes, id) {
				e.Supersedes = append(e.Supersedes, id)
			}
		}
		if was, again := im.again[e.ID]; again && !slices.Equal(was.Supersedes, e.Supersedes) {
			e.Updated = later(im.now, was)
		}
		linked[i] = e
	}
	if err := im.straighten(linked, where); err != nil {
		return err
	}
	for i := range im.added {
		l := &im.added[i]
		if linked[i].Equal(l.Entry) {
			continue
		}
		if err := im.supersede(*l, linked[i]); err != nil {
			return err
		}
		l.Entry = linked[i]
	}
	for _, l := range im.added {
		was, again := im.again[l.ID]
		if again && was.Equal(l.Entry) {
			im.out.Known++
			continue
		}
		e := im.present(l)
		if entryfile.IsCard(l.path) {
			c, err := im.tree.cardAt(l.path)
			if err != nil {
				return im.scope.fail(err)
			}
			e = im.scope.presentCard(c, nil)
			im.out.Held++
		}
		if im.in.DryRun {
			im.forgetDrawn(&e)
		}
		if again {
			im.changed = true
			im.out.Updated = append(im.out.Updated, e)
			continue
		}
		im.out.Added = append(im.out.Added, e)
	}
	return nil
}

// forgetDrawn takes out of what an import would bring in the ids that the
// import itself would draw anew.
func (im *importing) forgetDrawn(e *Entry) {
	isDrawn := func(id string) bool { return im.drawn[id] }
	if isDrawn(e.ID) {
		e.File = "" // it may be named by the id
	}
	for _, id := range []*string{&e.ID, &e.Card, &e.Conflict} {
		if isDrawn(*id) {
			*id = ""
		}
	}
	for _, ids := range []*[]string{&e.Supersedes, &e.SupersededBy, &e.DerivedFrom, &e.Cards} {
		*ids = slices.DeleteFunc(slices.Clone(*ids), isDrawn)
	}
}

// rename has an entry refer to others by what they are called here.
func (im *importing) rename(e *entryfile.Entry) {
	for _, ids := range [][]string{e.Supersedes, e.DerivedFrom} {
		for i, id := range ids {
			if now := im.renamed[id]; now != "" {
				ids[i] = now
			}
		}
	}
	if now := im.renamed[e.Conflict]; now != "" {
		e.Conflict = now
	}
}

// supersede puts an entry down again, on its card where it is on one, with what
// it takes the place of.
func (im *importing) supersede(l located, e entryfile.Entry) error {
	if !entryfile.IsCard(l.path) {
		return im.overwrite(l, e)
	}
	c, err := im.tree.cardAt(l.path)
	if err != nil {
		return im.scope.fail(err)
	}
	c.Entry = e
	return im.writeCard(c.Card)
}

func (im *importing) commit() error {
	from := im.in.Format
	if len(im.in.Paths) > 0 {
		from = filepath.Base(im.in.Paths[0])
	}
	source := "import:" + im.in.Format
	if im.scope.home.opt.Writer.IsAgent() {
		source = im.scope.home.opt.Writer.source()
	}
	h, err := im.txn.commit(message{op: "import", title: fmt.Sprintf("%s from %s", countEntries(len(im.out.Added)+len(im.out.Updated)), from),
		source: source, session: im.scope.home.opt.Writer.Session}, nil)
	if err != nil {
		return err
	}
	im.out.Commits = []string{h.String()}
	for i := range im.out.Added {
		im.out.Added[i].Commit = h.String()
	}
	for i := range im.out.Updated {
		im.out.Updated[i].Commit = h.String()
	}
	return nil
}

// lookAround finds out what each entry and card says and is called, rolled ones
// included.
func (im *importing) lookAround() error {
	list, err := im.tree.entries(im.ctx)
	if err != nil {
		return im.scope.fail(err)
	}
	im.here, im.inUse = make(map[gitstore.Hash][]string, len(list)), make(map[string]bool, len(list))
	for _, l := range list {
		key := textKey(l.Entry)
		im.here[key] = append(im.here[key], l.ID)
		im.inUse[l.ID] = true
		if strings.HasPrefix(l.Source, "import:") {
			place := placeOf(l.Entry)
			im.earlier[place] = append(im.earlier[place], l.ID)
		}
	}
	im.gone = im.tree.isPurged()
	cards, err := im.tree.cards()
	if err != nil {
		return im.scope.fail(err)
	}
	for _, c := range cards {
		im.inUse[c.ID], im.inUse[c.EntryID] = true, true
		if c.Op == entryfile.OpAdd && c.HasEntry() {
			key := textKey(c.Entry)
			im.here[key] = append(im.here[key], c.EntryID)
			if !c.isApplied() {
				im.held[c.EntryID] = c
			}
		}
	}
	return nil
}

// sameAs is the id of what says the same already, "" for nothing. Entries of
// our own export that say the same are not one entry: id is what one was called
// there.
func (im *importing) sameAs(id string, key gitstore.Hash) string {
	switch {
	case id == "":
		return im.known[key]
	case slices.Contains(im.here[key], id):
		return id
	case len(im.here[key]) > 0:
		return im.here[key][0]
	}
	return ""
}

// isTaken reports whether an id stands for something here already, or did
// before it was purged.
func (im *importing) isTaken(id string) bool { return im.inUse[id] || im.wasPurged(id) }

func (im *importing) wasPurged(id string) bool { return id != "" && im.gone != nil && im.gone(id) }

func (im *importing) freeID() (string, error) {
	for {
		id, err := entryfile.NewID(im.scope.home.opt.Random)
		if err != nil {
			return "", &Error{Code: Failed, Message: "no random numbers for an id", Hint: err.Error(), Err: err}
		}
		if !im.isTaken(id) {
			im.drawn[id] = true
			return id, nil
		}
	}
}

// textKey stands for what an entry says, whoever says it and when.
func textKey(e entryfile.Entry) gitstore.Hash {
	body := e.Body
	if body == "" {
		body = e.Title
	}
	return gitstore.BlobHash([]byte(string(e.Kind) + "\x00" + strings.TrimSpace(e.Title) + "\x00" + entryfile.TrimBody(body)))
}
