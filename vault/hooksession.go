package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gitvault/internal/fsys"
)

// What is known of agents' sessions, so that nothing is given or asked twice.
// It is kept on this machine only, a small file for each.
const (
	sessionsDir     = "sessions"
	sessionLifetime = 7 * 24 * time.Hour // after which a session that has not been heard of is forgotten
	mostSessions    = 400                // files past which the old ones are looked for
	maxGivenKept    = 1_000
	receiptsLooked  = 64 << 10 // bytes of a scope's receipts, for what the agent has asked for
)

// hookData is what is kept of a session.
type hookData struct {
	Given     []string  `json:"given,omitempty"` // entries that were given whole or brought up, as scope/id
	Since     time.Time `json:"since,omitzero"`  // what was given before that, the model has no more
	Block     string    `json:"block,omitempty"` // which context block was given last
	Prompts   int       `json:"prompts,omitempty"`
	Commits   bool      `json:"commits,omitempty"`   // the agent has committed to the workspace
	Compacted bool      `json:"compacted,omitempty"` // since then nothing was given
	Offered   bool      `json:"offered,omitempty"`   // the agent was asked to record the session
}

func (d hookData) clone() hookData {
	d.Given = slices.Clone(d.Given)
	return d
}

func (d *hookData) has(scope, id string) bool { return slices.Contains(d.Given, scope+"/"+id) }

func (d *hookData) give(scope, id string) {
	if !d.has(scope, id) && len(d.Given) < maxGivenKept {
		d.Given = append(d.Given, scope+"/"+id)
	}
}

// forget notes that the model no longer has what it was given.
func (k *hookSession) forget() {
	k.data.Given, k.data.Block = nil, ""
	k.data.Since = k.now.UTC().Truncate(time.Second)
}

// recalled notes what the agent was given because it asked.
func (k *hookSession) recalled(s *Scope, session string) {
	for _, r := range s.lastReceipts(receiptsLooked) {
		if r.Op == "recall" && r.Session == session && r.Time.After(k.data.Since) {
			for _, id := range r.IDs {
				k.data.give(s.name, id)
			}
		}
	}
}

// A hookSession is what is known of a session, and where that is kept.
type hookSession struct {
	path string // "" where the client gives the session no id
	data hookData
	now  time.Time
}

func (h *Home) hookSession(id string) (*hookSession, error) {
	k := &hookSession{now: h.opt.Now()}
	if strings.TrimSpace(id) == "" {
		return k, nil
	}
	sum := sha256.Sum256([]byte(id))
	k.path = filepath.Join(h.dir, "state", sessionsDir, hex.EncodeToString(sum[:16])+".json")
	data, err := fsys.ReadPlain(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, &Error{Code: Failed, Message: "what is known of the session can't be read", Hint: err.Error(), Err: err}
	}
	if json.Unmarshal(data, &k.data) != nil {
		k.data = hookData{} // as if it had just begun
	}
	return k, nil
}

// twiceWithin is the time in which a second start of the same session, for the
// same reason, is the same start: a client that is wired up for the person and
// for the project calls the hook of each.
const twiceWithin = 3 * time.Second

// startsTwice reports whether another hook has answered this start already. Of
// several at once one is the first.
func (k *hookSession) startsTwice(client, source string) bool {
	if k.path == "" || os.MkdirAll(filepath.Dir(k.path), 0o700) != nil {
		return false
	}
	sum := sha256.Sum256([]byte(client + "\x00" + source))
	claim := strings.TrimSuffix(k.path, ".json") + "." + hex.EncodeToString(sum[:4]) + ".start"
	f, err := os.CreateTemp(filepath.Dir(k.path), ".new-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	if errors.Join(f.Close(), os.Chtimes(f.Name(), k.now, k.now)) != nil {
		return false
	}
	if err := os.Link(f.Name(), claim); !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Stat(claim)
	if err == nil && k.now.Sub(info.ModTime()).Abs() < twiceWithin {
		return true
	}
	_ = os.Chtimes(claim, k.now, k.now)
	return false
}

// save keeps what has changed since before. Whoever finds the file sees all of
// it or all of what was there.
func (k *hookSession) save(before hookData) error {
	if k.path == "" || reflect.DeepEqual(before, k.data) {
		return nil
	}
	data, err := json.Marshal(k.data)
	if err == nil {
		err = replacePrivate(k.path, data)
	}
	if err != nil {
		return &Error{Code: Failed, Message: "what is known of the session can't be kept", Hint: err.Error(), Err: err}
	}
	k.prune()
	return nil
}

// prune forgets sessions that have not been heard of for long.
func (k *hookSession) prune() {
	dir := filepath.Dir(k.path)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) <= mostSessions {
		return
	}
	for _, f := range list {
		if info, err := f.Info(); err == nil && k.now.Sub(info.ModTime()) > sessionLifetime {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// replacePrivate puts a file that only the person may read in place of another.
func replacePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
