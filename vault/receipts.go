package vault

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/secrets"
)

// Receipts say what went into which context or recall. They are kept on this
// machine only, may vanish at any moment, and are bounded.
const (
	receiptsFile = "receipts.jsonl"
	maxReceipts  = 512 << 10 // bytes, past which the older half goes
	maxQueryKept = 300       // bytes of a query that a receipt keeps
)

// A Receipt is one answer that was given to an agent or a person.
type Receipt struct {
	Time    time.Time `json:"time"`
	Scope   string    `json:"scope,omitempty"`
	Op      string    `json:"op"` // context or recall
	Session string    `json:"session,omitempty"`
	Query   string    `json:"query,omitempty"`
	IDs     []string  `json:"ids"`
	Omitted int       `json:"omitted"`
	Tokens  int       `json:"tokens"`
	Bytes   int       `json:"bytes,omitempty"`
}

// receive keeps a receipt. That it can't is no error.
func (s *Scope) receive(r Receipt) {
	r.Time = s.home.opt.Now().UTC().Truncate(time.Second)
	if r.Session == "" {
		r.Session = s.home.opt.Writer.Session
	}
	if len(r.Query) > maxQueryKept {
		r.Query = r.Query[:maxQueryKept]
	}
	if len(secrets.Scan(r.Query)) > 0 {
		r.Query = ""
	}
	line, err := json.Marshal(r)
	if err != nil {
		return
	}
	path := filepath.Join(s.cacheDir(), receiptsFile)
	if fi, err := os.Stat(path); err == nil && fi.Size() > maxReceipts {
		halveLines(path)
	}
	f, err := fsys.AppendPlain(path, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

// halveLines drops the older half of the file.
func halveLines(path string) {
	data, err := fsys.ReadPlain(path)
	if err != nil {
		return
	}
	half := data[len(data)/2:]
	if i := bytes.IndexByte(half, '\n'); i >= 0 {
		half = half[i+1:]
	}
	tmp := path + ".new"
	if fsys.WritePlain(tmp, half, 0o600) == nil {
		_ = os.Rename(tmp, path)
	}
}

// receipts reads what is kept, the oldest first; a line that can't be read is
// passed over.
func (s *Scope) receipts() []Receipt { return s.lastReceipts(2 * maxReceipts) }

// lastReceipts are the receipts in the last so many bytes of what is kept.
func (s *Scope) lastReceipts(size int64) []Receipt {
	f, err := fsys.OpenPlain(filepath.Join(s.cacheDir(), receiptsFile))
	if err != nil {
		return nil
	}
	defer f.Close()
	cut := false
	if info, err := f.Stat(); err == nil && info.Size() > size {
		_, err := f.Seek(-size, io.SeekEnd)
		cut = err == nil
	}
	var out []Receipt
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for lines.Scan() {
		if cut { // inside a line
			cut = false
			continue
		}
		var r Receipt
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			r.Scope = s.name
			out = append(out, r)
		}
	}
	return out
}

// uses counts how often each entry was given, as far as receipts are kept.
func (s *Scope) uses() map[string]int {
	out := map[string]int{}
	for _, r := range s.receipts() {
		if r.Op != "recall" {
			continue
		}
		for _, id := range r.IDs {
			out[id]++
		}
	}
	return out
}

// Receipts returns the last answers that were given from the folder's scopes,
// the newest first, at most so many a scope.
func (h *Home) Receipts(_ context.Context, most int) ([]Receipt, error) {
	scopes, err := h.Scopes()
	if err != nil && len(scopes) == 0 {
		return nil, err
	}
	var out []Receipt
	for _, s := range scopes {
		list := s.receipts()
		for i := len(list) - 1; i >= 0 && len(list)-i <= most; i-- {
			out = append(out, list[i])
		}
	}
	return out, nil
}
