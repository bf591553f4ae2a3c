package vault

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gitvault/internal/entryfile"
	"gitvault/internal/exporters"
	"gitvault/internal/importers"
	"gitvault/internal/secrets"
	"gitvault/internal/workspace"
)

// An Export says what to write out.
type Export struct {
	Format string // see ExportFormats
	Scope  string // which scope; by default those of the folder
}

// Exported is an export that was made, and not yet put anywhere.
type Exported struct {
	Format  string             `json:"format"`
	Entries int                `json:"entries"`            // how many are in it
	Files   int                `json:"files"`              // of which it consists
	Lost    []exporters.Loss   `json:"lost,omitempty"`     // fields that the format can't hold
	LeftOut []exporters.Reason `json:"left_out,omitempty"` // entries that are not in it
	Out     string             `json:"out,omitempty"`      // where it was put

	format exporters.Format
	files  []exporters.File
}

// An ExportFormat is a format that Export writes.
type ExportFormat struct {
	Name string
	What string // what it makes, on one line
	File string // the name of its only file; "" for a format that is a folder
}

// ExportFormats lists the formats that Export writes.
func ExportFormats() []ExportFormat {
	var out []ExportFormat
	for _, f := range exporters.Formats() {
		out = append(out, ExportFormat{f.Name, f.What, f.File})
	}
	return out
}

// Export writes the entries of the folder's scopes in a format, and what waits
// for review where the format can hold that. It changes nothing. What looks
// like a secret stays out, but for the rules that a person allows; an agent gets
// only what it may see.
func (h *Home) Export(ctx context.Context, e Export) (Exported, error) {
	out := Exported{Format: e.Format}
	for _, f := range exporters.Formats() {
		if f.Name == e.Format {
			out.format = f
		}
	}
	if out.format.Name == "" {
		return out, invalid("'vault export --help' lists them", "unknown format %q", e.Format)
	}
	scopes, err := h.selected(e.Scope)
	if err != nil {
		return out, err
	}
	var items []exporters.Item
	withSecrets, unseen := 0, 0
	for _, s := range scopes {
		list, hidden, waiting, err := s.exportItems(ctx)
		if err != nil {
			return out, err
		}
		unseen += waiting
		items = append(items, list...)
		withSecrets += hidden
	}
	exporters.Order(items)
	made, err := exporters.Write(e.Format, items)
	if err != nil {
		return out, &Error{Code: Failed, Message: "the export failed: " + told(err), Err: err}
	}
	out.Entries, out.Files, out.Lost, out.LeftOut, out.files = made.Entries, len(made.Files), made.Lost, made.Left, made.Files
	if unseen > 0 && !h.opt.Writer.IsAgent() {
		out.LeftOut = append(out.LeftOut, exporters.Reason{Reason: "what others changed and nobody has looked at ('vault review')", Entries: unseen})
	}
	if withSecrets > 0 && !h.opt.Writer.IsAgent() {
		out.LeftOut = append(out.LeftOut, exporters.Reason{Reason: "what looks like a secret ('vault check' says where)", Entries: withSecrets})
	}
	return out, nil
}

// exportItems are a scope's entries and, for a person, the changes that wait;
// hidden counts those left out for a secret. An export may be made for an
// agent's eyes: of what others changed and nobody has looked at, which unseen
// counts, it has what stood before.
func (s *Scope) exportItems(ctx context.Context) (items []exporters.Item, hidden, unseen int, err error) {
	all, err := s.readAll(ctx)
	if err != nil {
		return nil, 0, 0, err
	}
	waiting, err := all.unseenChanges(s.name)
	if err != nil {
		return nil, 0, 0, s.fail(err)
	}
	t, err := all.offered()
	if err != nil {
		return nil, 0, 0, s.fail(err)
	}
	list, err := t.entries(ctx)
	if err != nil {
		return nil, 0, 0, s.fail(err)
	}
	successors, err := t.successors(ctx)
	if err != nil {
		return nil, 0, 0, s.fail(err)
	}
	remote := s.remoteURL()
	agent := s.home.opt.Writer.IsAgent()
	add := func(e entryfile.Entry, p *importers.Proposal) {
		if s.holdsBack(e) {
			hidden++
			return
		}
		it := exporters.Item{Entry: e, Scope: s.name, Dir: workspace.Dir(s.name), Remote: remote, Proposal: p}
		if p == nil {
			it.SupersededBy, it.Expired = successors[e.ID], expired(e.Expires, s.home.opt.Now())
		}
		items = append(items, it)
	}
	for _, l := range list {
		if !agent || !hasSecret(l.Entry) {
			add(l.Entry, nil)
		}
	}
	if agent {
		return items, hidden, 0, nil
	}
	cards, err := t.cards()
	if err != nil {
		return nil, 0, 0, s.fail(err)
	}
	byID := make(map[string]entryfile.Entry, len(list))
	for _, l := range list {
		byID[l.ID] = l.Entry
	}
	for _, c := range cards {
		e, ok := c.proposed().Entry, c.HasEntry()
		if !ok {
			e, ok = byID[c.EntryID]
		}
		if ok {
			add(e, &importers.Proposal{ID: c.ID, Op: c.Op, Base: c.Base, Applied: c.isApplied(),
				Source: c.Source, Session: c.Session, Created: c.Created, Code: c.Code, Reason: c.Reason})
		}
	}
	return items, hidden, len(waiting), nil
}

// holdsBack reports whether an entry holds what looks like a secret, and is not
// of the rules that the person allows.
func (s *Scope) holdsBack(e entryfile.Entry) bool {
	return len(secrets.ScanEntry(e, append(allowedIn(e), s.home.opt.AllowSecrets...)...)) > 0
}

// remoteURL is the URL of the project's remote as it is written, where the
// scope is that of the folder's project.
func (s *Scope) remoteURL() string {
	if ws, err := s.home.Workspace(); err == nil && ws.Key == s.name {
		if urls := ws.RemoteURLs(); len(urls) > 0 {
			return urls[0]
		}
	}
	return ""
}

// IsFolder reports whether the export consists of files in a folder.
func (e Exported) IsFolder() bool { return e.format.File == "" }

// WriteTo writes an export that is one file.
func (e Exported) WriteTo(w io.Writer) (int64, error) {
	if e.IsFolder() {
		return 0, invalid("name one with --out", "%s makes a folder", e.Format)
	}
	n, err := w.Write(e.files[0].Data)
	return int64(n), err
}

// Save puts the export at a path: its only file, into that folder or as that
// file, or the folder. What is there and was not written by an export before,
// or was changed since, is overwritten only with force.
func (e *Exported) Save(path string, force bool) error {
	var err error
	if e.IsFolder() {
		err = exporters.SaveFolder(path, e.Format, e.files, force)
	} else {
		if fi, statErr := os.Stat(path); statErr == nil && fi.IsDir() {
			path = filepath.Join(path, e.format.File)
		}
		err = exporters.SaveFile(path, e.files[0].Data, force)
	}
	e.Out = path
	switch {
	case errors.Is(err, exporters.ErrNotOurs):
		return &Error{Code: Refused, Message: told(err), Hint: "name another place, or overwrite it with --force", Err: err}
	case err != nil:
		return &Error{Code: Failed, Message: "the export can't be written: " + told(err), Err: err}
	}
	return nil
}

// Summary says in a line what the export is.
func (e Exported) Summary() string {
	text := countEntries(e.Entries) + " as " + e.Format
	if e.IsFolder() {
		text += ", " + strconv.Itoa(e.Files) + " files"
	}
	return text
}
