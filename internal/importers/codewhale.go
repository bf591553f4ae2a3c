package importers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// CodeWhale keeps bullets in memory.md (dated, older) and in
// memory/{global,workspace/<id>}/MEMORY.md, where the id is the SHA-256 of the
// origin's URL as it is written; JOURNAL.md tells what was revised and
// retired; newer versions export JSON Lines. Facts: Hmbown/CodeWhale,
// docs/MEMORY.md and crates/memory/src/{model,import,store}.rs.

// whale is one reading of CodeWhale's files, held whole since a journal and an
// older file say more about notes in others.
type whale struct {
	*source
	notes   []whaleNote
	journal []whaleChange
	rows    []whaleRow
}

type whaleNote struct {
	workspace string // "" for the user's
	text      string
	created   string
	where     string
}

type whaleChange struct {
	op, workspace           string
	at                      string
	before, after, evidence string
	where                   string
}

func readCodewhale(s *source) error {
	w := &whale{source: s}
	isMemory := func(f file) bool {
		switch path.Base(f.rel) {
		case "memory.md", "MEMORY.md", "JOURNAL.md":
			return true
		}
		return strings.HasSuffix(f.rel, ".jsonl")
	}
	err := s.each(isMemory, func(f file) error {
		if strings.HasSuffix(f.rel, ".jsonl") {
			return w.readExport(f)
		}
		text, ok := s.text(f)
		if !ok {
			return nil
		}
		workspace := whaleWorkspace(f.full)
		if path.Base(f.rel) == "JOURNAL.md" {
			w.readJournal(f, text)
			return nil
		}
		if workspace != "" && !s.isOurs(workspace) && !strings.Contains(f.root, workspace) {
			s.note(f.show, "it belongs to another project: name the file itself to import it here")
			return nil
		}
		for _, it := range items(text, 1) {
			created, note := leadingDate(it.text)
			w.notes = append(w.notes, whaleNote{workspace, note, created, at(f, it.line)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.emitNotes(); err != nil {
		return err
	}
	return w.emitRows()
}

// isOurs reports whether a workspace's id is the hash of one of the project's
// remotes, or the remote itself.
func (s *source) isOurs(workspace string) bool {
	for _, url := range s.in.Remotes {
		sum := sha256.Sum256([]byte(strings.TrimSpace(url)))
		if workspace == hex.EncodeToString(sum[:]) || workspace == url {
			return true
		}
	}
	return false
}

var workspacePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|/)workspace/([0-9a-fA-F]{16,64})(?:/|$)`)
})

// whaleWorkspace is the id of the workspace that a path is under.
func whaleWorkspace(p string) string {
	if m := workspacePattern().FindStringSubmatch(p); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// leadingDate takes a bracketed date off the front of a note.
func leadingDate(note string) (created, rest string) {
	if note == "" || note[0] != '(' && note[0] != '[' {
		return "", note
	}
	inside, rest, ok := strings.Cut(note[1:], map[byte]string{'(': ")", '[': "]"}[note[0]])
	if !ok {
		return "", note
	}
	if created = date(inside); created == "" {
		return "", note
	}
	return created, strings.TrimSpace(rest)
}

// readJournal reads lines such as
//
//   - **revise** `1784900000` memory/global/MEMORY.md
//   - before: …
//   - after: …
//   - evidence: …
//
// of which the last three are indented.
func (w *whale) readJournal(f file, text string) {
	for _, it := range items(text, 1) {
		lines := strings.Split(it.text, "\n")
		m := journalPattern().FindStringSubmatch(lines[0])
		if m == nil {
			w.note(at(f, it.line), "it is no revise or retire: passed over")
			continue
		}
		seconds, _ := strconv.ParseInt(m[2], 10, 64)
		c := whaleChange{op: strings.ToLower(m[1]), at: unixDate(seconds), workspace: whaleWorkspace(m[3]), where: at(f, it.line)}
		var field *string
		for _, l := range lines[1:] {
			name, value, ok := strings.Cut(bulletText(l), ":")
			switch {
			case ok && name == "before":
				field = &c.before
			case ok && name == "after":
				field = &c.after
			case ok && name == "evidence":
				field = &c.evidence
			case field != nil:
				*field += "\n" + strings.TrimPrefix(l, "  ")
				continue
			default:
				continue
			}
			*field = strings.TrimSpace(value)
		}
		if c.workspace != "" && !w.isOurs(c.workspace) && !strings.Contains(f.root, c.workspace) {
			continue
		}
		w.journal = append(w.journal, c)
	}
}

var journalPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\*\\*(\\w+)\\*\\*\\s+`?(\\d+)`?\\s*(\\S*)")
})

func (w *whale) emitNotes() error {
	type named struct{ workspace, text string }
	index := map[named]int{}
	var records []Record
	add := func(workspace, text, created, where string) int {
		id := named{workspace, text}
		if i, ok := index[id]; ok {
			if e := &records[i].Entry; e.Created == "" {
				e.Created = created
			}
			return i
		}
		r := Record{Scope: User, Key: "note/" + workspace + "/" + textHash(text), Where: where}
		r.Entry = entryfile.Entry{Kind: entryfile.Preference, Title: entryfile.DefaultTitle(text), Body: text, Created: created}
		if workspace != "" {
			r.Scope = Project
			r.Entry.Kind = guess(text, entryfile.Convention)
		}
		index[id] = len(records)
		records = append(records, r)
		return index[id]
	}
	for _, n := range w.notes {
		add(n.workspace, n.text, n.created, n.where)
	}
	for _, c := range w.journal {
		if c.before == "" {
			w.note(c.where, "it does not say what was there before: passed over")
			continue
		}
		old := add(c.workspace, c.before, "", c.where)
		switch {
		case c.op == "revise" && c.after != "":
			now := add(c.workspace, c.after, "", c.where)
			r := &records[now]
			if now != old && !slices.Contains(r.Supersedes, records[old].Key) {
				r.Supersedes = append(r.Supersedes, records[old].Key)
			}
			if r.Entry.Created == "" {
				r.Entry.Created = c.at
			}
			r.Entry.Evidence = c.evidence
			records[old].Entry.Kind = r.Entry.Kind
		case c.op == "retire":
			records[old].end("retired", c.at)
			records[old].Entry.Evidence = c.evidence
		default:
			w.note(c.where, "%s is nothing that is known: passed over", entryfile.Shorten(oneLine(c.op), 30))
		}
	}
	for _, r := range records {
		if err := w.emit(r); err != nil {
			return err
		}
	}
	return nil
}

func textHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// exportSchema marks a row of CodeWhale's export.
const exportSchema = "codewhale.memory.export.v1"

// A whaleRow is a line of CodeWhale's export.
type whaleRow struct {
	Schema string `json:"schema"`
	Memory struct {
		ID        string `json:"id"`
		Status    string `json:"status"`
		CreatedAt int64  `json:"created_at"`
		UpdatedAt int64  `json:"updated_at"`
		Draft     struct {
			Scope struct {
				Workspace string `json:"workspace"`
				Session   string `json:"session"`
				Agent     string `json:"agent"`
			} `json:"scope"`
			Kind     string   `json:"kind"`
			Title    string   `json:"title"`
			Body     string   `json:"body"`
			Key      string   `json:"key"`
			Tags     []string `json:"tags"`
			Evidence []struct {
				URI     string `json:"uri"`
				Locator string `json:"locator"`
			} `json:"evidence"`
			Revision     string                     `json:"repository_revision"`
			Dependencies map[string]json.RawMessage `json:"dependencies"`
			ExpiresAt    int64                      `json:"expires_at"`
			ValidUntil   int64                      `json:"valid_until"`
			Parents      []string                   `json:"parent_ids"`
		} `json:"draft"`
	} `json:"memory"`
	where string
	named bool
}

// whaleKinds says what CodeWhale's kinds become.
var whaleKinds = map[string]entryfile.Kind{
	"preference": entryfile.Preference, "decision": entryfile.Decision,
	"fact": entryfile.Convention, "constraint": entryfile.Convention, "procedure": entryfile.Convention,
	"lesson": entryfile.FailedPath, "commitment": entryfile.OpenThread, "handoff": entryfile.OpenThread,
	"episode": entryfile.SessionTrace,
}

// errNoExport ends the reading of a file that was not named and is something
// else.
var errNoExport = errors.New("no export")

func (w *whale) readExport(f file) error {
	seen := false
	err := w.jsonLines(f, func(n int, line []byte) error {
		var mark struct {
			Schema text `json:"schema"`
		}
		if err := json.Unmarshal(line, &mark); err != nil || mark.Schema != exportSchema {
			if !f.named() && !seen {
				return errNoExport
			}
			w.refuse(at(f, n), "it is no row of a %s", exportSchema)
			return nil
		}
		seen = true
		r := whaleRow{where: at(f, n), named: f.named()}
		if err := json.Unmarshal(line, &r); err != nil {
			w.refuse(r.where, "%s", plainJSONError(err))
			return nil
		}
		w.rows = append(w.rows, r)
		return nil
	})
	if errors.Is(err, errNoExport) {
		return nil // a log of some other kind
	}
	return err
}

func (w *whale) emitRows() error {
	workspaces := map[string]bool{}
	successors := map[string][]int{} // id of what was superseded -> rows that took its place
	byKey := map[string][]int{}
	for i, r := range w.rows {
		d := r.Memory.Draft
		workspaces[d.Scope.Workspace] = true
		for _, p := range d.Parents {
			successors[p] = append(successors[p], i)
		}
		if d.Key != "" {
			byKey[d.Scope.Workspace+"\x00"+d.Key] = append(byKey[d.Scope.Workspace+"\x00"+d.Key], i)
		}
	}
	delete(workspaces, "")
	superseded := map[string]bool{}
	supersedes := map[int][]string{}
	for i, r := range w.rows {
		if r.Memory.Status != "superseded" {
			continue
		}
		next := successors[r.Memory.ID]
		if d := r.Memory.Draft; len(next) == 0 && d.Key != "" {
			for _, j := range byKey[d.Scope.Workspace+"\x00"+d.Key] {
				if o := w.rows[j].Memory; j != i && (o.Status == "active" || o.Status == "stale") {
					next = append(next, j)
				}
			}
		}
		for _, j := range next {
			superseded[r.Memory.ID] = true
			supersedes[j] = append(supersedes[j], "memory/"+r.Memory.ID)
		}
	}
	for i, r := range w.rows {
		ws := r.Memory.Draft.Scope.Workspace
		if ws != "" && !w.isOurs(ws) && !(r.named && len(workspaces) == 1) {
			w.note(r.where, "it belongs to another project: passed over")
			continue
		}
		rec := r.record()
		rec.Supersedes = supersedes[i]
		if r.Memory.Status == "superseded" && !superseded[r.Memory.ID] {
			rec.end("superseded", rec.Entry.Changed())
		}
		if err := w.emit(rec); err != nil {
			return err
		}
	}
	return nil
}

func (r whaleRow) record() Record {
	m, d := r.Memory, r.Memory.Draft
	rec := Record{Scope: User, Key: "memory/" + m.ID, Where: r.where}
	if d.Scope.Workspace != "" {
		rec.Scope = Project
	}
	kind, ok := whaleKinds[d.Kind]
	if !ok {
		kind = entryfile.Convention
	}
	e := entryfile.Entry{
		Kind: kind, Title: d.Title, Body: plainLines(d.Body), Tags: d.Tags, Session: oneLine(d.Scope.Session), Code: oneLine(d.Revision),
		Created: unixDate(m.CreatedAt), Updated: unixDate(m.UpdatedAt),
	}
	for _, p := range sortedKeys(d.Dependencies) {
		if p = oneLine(p); p != "" {
			e.Paths = append(e.Paths, p)
		}
	}
	var evidence []string
	for _, ev := range d.Evidence {
		evidence = append(evidence, oneLine(ev.URI+" "+ev.Locator))
	}
	e.Evidence = strings.Join(nonEmpty(evidence...), "; ")
	for _, until := range []int64{d.ExpiresAt, d.ValidUntil} {
		if t := unixDate(until); t != "" && (e.Expires == "" || t < e.Expires) {
			e.Expires = t
		}
	}
	keep(&e, "codewhale-kind", d.Kind)
	if m.Status != "active" {
		keep(&e, "codewhale-status", m.Status)
	}
	rec.Entry = e
	switch m.Status {
	case "", "active", "superseded":
	case "rejected", "expired", "retired", "archived", "deleted":
		when := e.Changed()
		if e.Expires != "" {
			when = min(when, e.Expires)
		}
		rec.end(m.Status, when)
	case "candidate":
		rec.Proposal = &Proposal{Op: "add"}
	case "stale":
		rec.Entry.Tags = append(slices.Clone(e.Tags), "stale")
	default:
		rec.Notes = append(rec.Notes, "its status is taken as current: "+entryfile.Shorten(oneLine(m.Status), 40))
	}
	return rec
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
