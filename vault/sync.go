package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"gitvault/gitstore"
	"gitvault/internal/merge"
)

// Bounds of a sync. Between two tries it waits for a random time, up to
// firstPause at first and up to lastPause in the end.
const (
	maxBeaten  = 250                     // pushes that somebody else was before
	maxUnmoved = 10                      // pushes in a row refused as if somebody was, while the branch stays where it is
	maxCut     = 25                      // connections in a row that were cut
	maxSilent  = 2                       // waits for an answer that never came
	maxDoubted = 3                       // passwords in a row that were not taken
	firstPause = 50 * time.Millisecond   // doubled with each try ...
	lastPause  = 1500 * time.Millisecond // ... up to this
)

// SyncQuery says what to sync.
type SyncQuery struct {
	Scope  string // each scope of the folder that has a remote, by default
	Remote string // every remote by default
	Purge  bool   // also purge here what a remote has purged
	Take   bool   // take what is new in a shared scope, see SharedUpdate
}

// A Synced is what syncing a scope with one remote came to.
type Synced struct {
	Scope     string `json:"scope"`
	Remote    string `json:"remote"`
	URL       string `json:"url"` // without credentials
	Branch    string `json:"branch"`
	Commit    string `json:"commit,omitempty"` // where both are now; where the scope is, if it failed
	Received  int    `json:"received"`         // commits
	Sent      int    `json:"sent"`             // commits, merges among them
	Added     int    `json:"added"`            // entries that came ...
	Edited    int    `json:"edited"`           // ... were changed ...
	Forgotten int    `json:"forgotten"`        // ... and went here
	Conflicts int    `json:"conflicts"`        // entries and files kept beside one another
	Tries     int    `json:"tries"`
	Error     string `json:"error,omitempty"`
}

// Sync fetches, merges by entry, and pushes, again when somebody else was
// quicker. It reports on each scope and remote, also where it fails; the error
// is the first one's. Conflicts are no error: both versions are kept. Invalid:
// no scope has a remote. Busy: beaten to the bound, and what came is merged.
func (h *Home) Sync(ctx context.Context, q SyncQuery) ([]Synced, error) {
	if err := h.personOnly("syncing"); err != nil {
		return nil, err
	}
	scopes, err := h.selected(q.Scope)
	if err != nil {
		return nil, err
	}
	out := []Synced{}
	var failed error
	for _, s := range scopes {
		list, err := s.remotes(ctx)
		if err != nil {
			return out, err
		}
		for _, m := range list {
			if q.Remote != "" && m.Name != q.Remote {
				continue
			}
			done, err := s.sync(ctx, m, q)
			if err != nil {
				done.Error = told(err)
				if failed == nil {
					failed = err
				}
			}
			out = append(out, done)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
		}
	}
	if len(out) == 0 {
		if q.Remote != "" {
			return nil, invalid("'vault remote list' lists them", "no remote %s", q.Remote)
		}
		return nil, invalid("'vault remote add URL' gives it one", "%s has no remote", namesOf(scopes))
	}
	return out, failed
}

func namesOf(scopes []*Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, s.name)
	}
	if len(names) == 0 {
		return "this folder"
	}
	return "scope " + strings.Join(names, ", ")
}

// wire is how the person reaches remotes.
func (h *Home) wire() (gitstore.Wire, error) {
	c, err := h.Config()
	if err != nil {
		return gitstore.Wire{}, err
	}
	w := gitstore.Wire{Git: h.opt.Git, Environ: h.opt.Environ, Home: h.opt.UserHome, Progress: h.opt.Progress}
	switch {
	case c.Git == "builtin":
		w.Git = ""
	case c.Git == "system" && w.Git == "":
		return w, &Error{Code: Failed, Message: "git is not installed", Hint: "install it, or set git: builtin in config.yaml"}
	}
	return w, nil
}

// wire adds the ssh command that the scope's and the person's configuration
// name.
func (s *Scope) wire() (gitstore.Wire, error) {
	w, err := s.home.wire()
	if err != nil {
		return w, err
	}
	if w.SSH, _ = s.home.opt.Env("GIT_SSH_COMMAND"); w.SSH == "" {
		if cfg, err := s.gitConfig(); err == nil {
			w.SSH, _ = cfg.Get("core.sshcommand")
		}
	}
	return w, nil
}

// A syncing is one sync of a scope with one remote.
type syncing struct {
	scope *Scope
	repo  *gitstore.Repo
	wire  gitstore.Wire
	at    gitstore.Remote
	there gitstore.Hash // where the remote's branch was when last fetched
	out   Synced
	purge bool // the person lets it purge what the remote has purged
}

func (s *Scope) sync(ctx context.Context, m Remote, q SyncQuery) (Synced, error) {
	out := Synced{Scope: s.name, Remote: m.Name, URL: m.URL, Branch: m.Branch}
	r, err := s.open()
	if err != nil {
		return out, err
	}
	w, err := s.wire()
	if err != nil {
		return out, err
	}
	lock := flock.New(filepath.Join(r.StateDir(), "sync"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return out, s.fail(err)
	}
	defer func() { _ = lock.Unlock() }()
	run := &syncing{scope: s, repo: r, wire: w, at: m.at, out: out, purge: q.Purge}
	if s.shared {
		err = run.update(ctx, q.Take)
	} else {
		err = run.run(ctx)
	}
	err = s.failRemote(err)
	if head, herr := r.Head(); herr == nil {
		run.out.Commit = head.String()
	}
	run.note(err)
	return run.out, err
}

// note remembers how it went, for status.
func (y *syncing) note(err error) {
	state := readSyncState(y.repo.StateDir())
	known := state[y.at.Name]
	known.Tried = y.scope.home.opt.Now().UTC().Truncate(time.Second)
	if known.Error = ""; err != nil {
		known.Error = told(err)
	} else {
		known.Synced = known.Tried
	}
	state[y.at.Name] = known
	if werr := writeSyncState(y.repo.StateDir(), state); werr != nil && err == nil {
		y.scope.home.notice("how the sync went could not be noted: " + oneLine(werr.Error()))
	}
}

// failRemote gives what went wrong with a remote its code.
func (s *Scope) failRemote(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	code := CodeOf(err)
	hint := ""
	switch {
	case errors.Is(err, gitstore.ErrBeaten):
		code, hint = Busy, "try again"
	case errors.Is(err, gitstore.ErrUnreachable), errors.Is(err, gitstore.ErrCut):
		hint = "nothing is lost; try again when it can be reached"
	}
	return &Error{Code: code, Message: told(err), Hint: hint, Err: err}
}

// run syncs until both sides are the same, or a bound is reached.
func (y *syncing) run(ctx context.Context) error {
	if err := y.scope.setUpDriver(ctx); err != nil {
		return err
	}
	if err := y.settleBranch(ctx); err != nil {
		return err
	}
	unmoved := 0
	for beaten := 1; ; beaten++ {
		before := y.there
		y.out.Tries++
		err := y.once(ctx)
		if !errors.Is(err, gitstore.ErrBeaten) {
			return err
		}
		if unmoved++; y.there != before {
			unmoved = 1
		}
		switch {
		case beaten == maxBeaten:
			return &Error{Code: Busy, Message: fmt.Sprintf("%s: others pushed first %d times in a row; what they pushed is merged here, and nothing of yours is there yet", y.at.Name, beaten), Hint: "try again", Err: err}
		case unmoved == maxUnmoved:
			return &Error{Code: Busy, Message: fmt.Sprintf("%s: its branch %s could not be moved %d times in a row, though nobody else moved it; nothing of yours is there yet", y.at.Name, y.at.Branch, unmoved), Hint: "try again; a lock file may have been left there", Err: err}
		}
		if err := y.scope.home.pause(ctx, beaten); err != nil {
			return err
		}
	}
}

// pause waits for a random time, longer with each try.
func (h *Home) pause(ctx context.Context, try int) error {
	limit := min(firstPause<<min(try, 10), lastPause)
	var b [8]byte
	if _, err := h.opt.Random.Read(b[:]); err != nil {
		return err
	}
	timer := time.NewTimer(time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(limit)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once fetches, merges and pushes.
func (y *syncing) once(ctx context.Context) error {
	there, err := y.fetch(ctx)
	if err != nil {
		return err
	}
	y.there = there
	theirs, err := y.agreePurges(ctx, there)
	if err != nil {
		return err
	}
	err = y.join(ctx, there, theirs)
	if there != theirs {
		err = errors.Join(err, y.dropFetched(ctx))
	}
	return err
}

// join merges and pushes: there is the remote's commit, and theirs what it
// becomes without what was purged here.
func (y *syncing) join(ctx context.Context, there, theirs gitstore.Hash) error {
	if err := y.unchanged(ctx, theirs); err != nil {
		return err
	}
	head, err := y.merge(ctx, theirs)
	if err != nil {
		return err
	}
	if head == there {
		return y.seen(ctx, theirs)
	}
	if err := y.send(ctx, head, there, theirs); err != nil {
		_ = y.seen(ctx, theirs) // an older commit there does as well
		return err
	}
	return y.seen(ctx, head)
}

// send pushes what the scope has come to, and counts it.
func (y *syncing) send(ctx context.Context, head, there, theirs gitstore.Hash) error {
	if err := y.scope.CheckOutgoing(ctx, head, known(theirs)...); err != nil {
		return err
	}
	sent, _, err := y.repo.AheadBehind(ctx, head, theirs)
	if err != nil {
		return err
	}
	// One that went through although its answer was cut counts as beaten, and
	// the next look finds it there.
	if err := y.scope.home.persist(ctx, func() error { return y.repo.Push(ctx, y.wire, y.at, head, there) }); err != nil {
		return y.refused(err)
	}
	y.out.Sent = sent
	return nil
}

func known(h gitstore.Hash) []gitstore.Hash {
	if h.IsZero() {
		return nil
	}
	return []gitstore.Hash{h}
}

// refused says what holds although a push was not let in.
func (y *syncing) refused(err error) error {
	if !errors.Is(err, gitstore.ErrRejected) && !errors.Is(err, gitstore.ErrDenied) {
		return err
	}
	return &Error{Code: Failed, Message: told(err), Hint: "what was there is merged here; what is new here was not sent", Err: err}
}

// fetch gives the remote's commit, zero where it has no such branch.
func (y *syncing) fetch(ctx context.Context) (gitstore.Hash, error) {
	var h gitstore.Hash
	err := y.scope.home.persist(ctx, func() (err error) {
		h, err = y.repo.Fetch(ctx, y.wire, y.at)
		return err
	})
	if errors.Is(err, gitstore.ErrNoBranch) {
		return gitstore.Hash{}, nil
	}
	return h, err
}

// persist does one step again where the connection was cut in its midst, or
// may have been: git takes an answer for a wrong password that came after one
// was cut.
func (h *Home) persist(ctx context.Context, step func() error) error {
	cut, silent, doubted := 0, 0, 0
	for {
		err := step()
		switch {
		case errors.Is(err, gitstore.ErrSilent):
			silent++
		case errors.Is(err, gitstore.ErrCut):
			cut, doubted = cut+1, 0
		case errors.Is(err, gitstore.ErrPassword):
			doubted++
		default:
			return err
		}
		if cut == maxCut || silent == maxSilent || doubted == maxDoubted {
			return err
		}
		if err := h.pause(ctx, cut+silent+doubted); err != nil {
			return err
		}
	}
}

// unchanged stops where what was seen at the remote is no longer in its
// history.
func (y *syncing) unchanged(ctx context.Context, theirs gitstore.Hash) error {
	seen, err := y.scope.lastSeen(y.repo, y.at)
	if err != nil || seen.IsZero() {
		return err
	}
	again := fmt.Sprintf("all that was there is kept here; to go on from what is there now, 'vault remote remove %s' and add it again", y.at.Name)
	if y.scope.shared {
		again = "all that was there is kept here; to go on from what is there now, move " + y.scope.dir + " away and clone it again"
	}
	if theirs.IsZero() {
		return conflict(again, "branch %s is gone from %s, though it was there", y.at.Branch, y.at.Name)
	}
	kept, err := y.repo.IsAncestor(ctx, seen, theirs)
	if err != nil || kept {
		return err
	}
	lost, _, err := y.repo.AheadBehind(ctx, seen, theirs)
	if err != nil {
		return err
	}
	return conflict(again, "%s was rewritten: %d commits that were on its branch %s are no longer there", y.at.Name, lost, y.at.Branch)
}

// merge brings the remote's commit into the scope.
func (y *syncing) merge(ctx context.Context, theirs gitstore.Hash) (gitstore.Hash, error) {
	if theirs.IsZero() {
		var head gitstore.Hash
		err := y.scope.write(ctx, func(t *txn) error { // adopts what was edited by hand
			var err error
			head, err = t.repo.Head()
			return err
		})
		return head, err
	}
	if y.repo.Shallow() {
		return theirs, &Error{Code: Failed, Message: y.at.Name + ": only a part of the history is there, on both sides",
			Hint: "fetch the whole of it from another copy with git fetch --unshallow"}
	}
	if err := y.scope.isVault(y.repo, theirs, y.at); err != nil {
		return theirs, err
	}
	var in mergeIn
	received := 0
	err := y.scope.write(ctx, func(t *txn) error {
		head, err := t.repo.Head()
		if err != nil {
			return err
		}
		if _, received, err = t.repo.AheadBehind(ctx, head, theirs); err != nil {
			return err
		}
		in, err = t.mergeIn(theirs, y.at.Name)
		return err
	})
	if err != nil {
		return theirs, err
	}
	y.out.Received += received
	y.count(in)
	return y.repo.Head()
}

func (y *syncing) count(in mergeIn) {
	for _, c := range in.changes {
		switch c.Op {
		case merge.Added:
			y.out.Added++
		case merge.Edited:
			y.out.Edited++
		case merge.Removed:
			y.out.Forgotten++
		}
	}
	for _, c := range in.conflicts {
		if c.Kept == "" {
			continue
		}
		y.out.Conflicts++
		what, how := c.Path, ": join them in an editor"
		if c.ID != "" {
			what, how = c.ID, "; 'vault settle' shows them"
		}
		y.scope.home.notice(what + " was changed on both sides: one version stands, the other is kept as " + c.Kept + how)
	}
}

// isVault refuses to merge what is no vault, or one of a newer format.
func (s *Scope) isVault(r *gitstore.Repo, h gitstore.Hash, m gitstore.Remote) error {
	_, ok, err := manifestAt(r, h)
	if err != nil {
		return &Error{Code: Failed, Message: m.Name + ": " + told(err), Err: err}
	}
	if !ok {
		return refused("name another branch, or an empty repository", "branch %s of %s holds no vault", m.Branch, m.Name)
	}
	return nil
}

// manifestAt reads vault.yaml in a commit; false: there is none.
func manifestAt(r *gitstore.Repo, h gitstore.Hash) (manifest, bool, error) {
	at, err := fileAt(r, h, manifestFile)
	if err != nil || at.IsZero() {
		return manifest{}, false, err
	}
	data, err := r.Blob(at)
	if err != nil {
		return manifest{}, false, err
	}
	m, err := parseManifest(data)
	return m, true, err
}

// setSeen notes where the remote's branch is.
func (t *txn) setSeen(m gitstore.Remote, h gitstore.Hash) error {
	if err := moveRef(t.repo, t.tx, "refs/remotes/"+m.Name+"/"+m.Branch, h); err != nil {
		return err
	}
	return moveRef(t.repo, t.tx, seenRef(m), h)
}

func (y *syncing) seen(ctx context.Context, h gitstore.Hash) error {
	if h.IsZero() {
		return nil
	}
	if was, err := y.repo.Ref(seenRef(y.at)); err != nil || was == h {
		return err
	}
	return y.scope.withTx(ctx, func(r *gitstore.Repo, tx *gitstore.Tx) error {
		t := &txn{repo: r, tx: tx}
		return t.setSeen(y.at, h)
	})
}
