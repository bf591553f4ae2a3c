package vault

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"gitvault/internal/fsys"
	"gitvault/internal/safetext"
	"gitvault/internal/secrets"
)

// Failures of hooks are kept for the person to look up, since a hook itself
// may not show them.
const (
	hookLogFile   = "hooks.log"
	maxHookLog    = 64 << 10 // bytes, past which the older half goes
	maxHookReason = 500      // bytes
)

// A HookFailure is one time that a hook had to answer with nothing.
type HookFailure struct {
	Time   time.Time `json:"time"`
	Client string    `json:"client"`
	Event  string    `json:"event"`
	Error  string    `json:"error"` // one line
}

// NoteHookFailure keeps a failure under the home folder dir, which may be
// missing or broken itself; that it can't is no error. What is wrong may quote
// no text of the session.
func NoteHookFailure(dir string, f HookFailure) {
	f.Time = f.Time.UTC().Truncate(time.Second)
	f.Client, f.Event, f.Error = shortened(safetext.Line(f.Client)), shortened(safetext.Line(f.Event)), safetext.Line(secrets.Redact(f.Error))
	if len(f.Error) > maxHookReason {
		f.Error = safetext.Line(f.Error[:maxHookReason]) + "…"
	}
	line, err := json.Marshal(f)
	if err != nil {
		return
	}
	path := hookLogPath(dir)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if fi, err := os.Stat(path); err == nil && fi.Size() > maxHookLog {
		halveLines(path)
	}
	log, err := fsys.AppendPlain(path, 0o600)
	if err != nil {
		return
	}
	_, _ = log.Write(append(line, '\n'))
	_ = log.Close()
}

// HookFailures lists the failures that are kept, the newest first, at most so
// many. A line that can't be read is passed over.
func (h *Home) HookFailures(most int) ([]HookFailure, error) {
	f, err := fsys.OpenPlain(hookLogPath(h.dir))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Code: Failed, Message: "the log of hooks can't be read", Hint: err.Error(), Err: err}
	}
	defer f.Close()
	var all []HookFailure
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var failure HookFailure
		if json.Unmarshal(lines.Bytes(), &failure) == nil {
			all = append(all, failure)
		}
	}
	var out []HookFailure
	for i := len(all) - 1; i >= 0 && len(out) < most; i-- {
		out = append(out, all[i])
	}
	return out, nil
}

func hookLogPath(dir string) string { return filepath.Join(dir, "state", hookLogFile) }
