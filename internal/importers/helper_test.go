package importers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

// A reading is all that a sink was given.
type reading struct {
	records []Record
	refused []string
	notes   []string
}

func (r reading) byTitle(t *testing.T, title string) Record {
	t.Helper()
	for _, rec := range r.records {
		if rec.Entry.Title == title {
			return rec
		}
	}
	t.Fatalf("no record is called %q; there are %s", title, r.titles())
	return Record{}
}

func (r reading) titles() string {
	var all []string
	for _, rec := range r.records {
		all = append(all, fmt.Sprintf("%s %q", rec.Entry.Kind, rec.Entry.Title))
	}
	return strings.Join(all, ", ")
}

func read(t *testing.T, format string, in Input) reading {
	t.Helper()
	r, err := tryRead(format, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range r.records {
		checkRecord(t, format, rec)
	}
	return r
}

func tryRead(format string, in Input) (reading, error) {
	var r reading
	err := Read(context.Background(), format, in, Sink{
		Record: func(rec Record) error { r.records = append(r.records, rec); return nil },
		Refuse: func(where, why string) { r.refused = append(r.refused, where+": "+why) },
		Note:   func(where, note string) { r.notes = append(r.notes, where+": "+note) },
	})
	return r, err
}

// checkRecord holds a record to what every one must be: an entry that can be
// written and read back the same, with its provenance.
func checkRecord(t *testing.T, format string, r Record) {
	t.Helper()
	e := r.Entry
	if err := entryfile.Check(e); err != nil {
		t.Errorf("%s: %v", r.Where, err)
	}
	if r.Key == "" || r.Where == "" {
		t.Errorf("%s: no provenance: key %q", r.Where, r.Key)
	}
	if e.ID == "" {
		if e.Source != "import:"+format || !strings.HasPrefix(e.Evidence, r.Where) {
			t.Errorf("%s: source %q, evidence %q", r.Where, e.Source, e.Evidence)
		}
		e.ID = "g0000000"
	}
	path := e.Kind.Ledger()
	if path == "" {
		path = e.Kind.Dir() + "/" + entryfile.FileName(e)
	}
	printed, err := entryfile.Print(e)
	if err != nil {
		t.Errorf("%s: cannot be written: %v", r.Where, err)
		return
	}
	back := entryfile.Parse(e.Kind, path, printed).Sections()
	if len(back) != 1 || back[0].Err != nil || entryfile.Hash(back[0].Entry) != entryfile.Hash(e) {
		t.Errorf("%s: does not read back the same:\n%s", r.Where, printed)
	}
}

// tree writes files, by slash path, into a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "source")
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func in(paths ...string) Input { return Input{Paths: paths} }

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
