package gitstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// What can be wrong with a remote, beside what can be wrong here.
var (
	ErrUnreachable = errors.New("remote can't be reached")              // no network, no such host, no such repository
	ErrCut         = errors.New("connection was cut")                   // the server or the network failed in the midst: try again
	ErrSilent      = fmt.Errorf("no answer: %w", ErrCut)                // no sign of life for too long
	ErrDenied      = errors.New("remote denies access")                 // no, or wrong, credentials; or they don't allow this
	ErrPassword    = fmt.Errorf("password not accepted: %w", ErrDenied) // git also says so of some connections that were cut
	ErrNoBranch    = errors.New("remote has no such branch")            // nor anything to fetch, where it is empty
	ErrRejected    = errors.New("remote rejected the push")             // a hook, a quota, a protected branch
	ErrBeaten      = errors.New("somebody else pushed before")          // the branch is not where it was expected: fetch again
)

// A Wire says how remotes are reached. The zero Wire uses the built-in client.
type Wire struct {
	Git      string        // the git program, "" for the built-in client
	Environ  []string      // the environment that git runs in; see GitEnv
	SSH      string        // the person's ssh command, as core.sshCommand or GIT_SSH_COMMAND say it; "" for ssh
	Home     string        // the person's home folder, for the built-in client's keys
	Silence  time.Duration // how long a transfer may show no sign of life; 0: 60 s
	Progress func(what string, done, of int)
}

// A Remote is one branch of a remote repository.
type Remote struct {
	Name   string // as the repository's configuration has it
	URL    string
	Branch string // short name there
}

func (m Remote) ref() string { return "refs/heads/" + m.Branch }

// fetchedRef is where what was fetched is held until it was looked at.
func (m Remote) fetchedRef() string { return "refs/vault/fetched/" + m.Name + "/" + m.Branch }

// Fetch gets the remote's branch, all objects that its commit needs, and makes
// sure that they are whole. No ref of the repository moves but a private one.
// A shallow repository is made whole, where the remote is.
func (r *Repo) Fetch(ctx context.Context, w Wire, m Remote) (Hash, error) {
	if err := m.check(); err != nil {
		return ZeroHash, err
	}
	before, err := r.packFiles()
	if err != nil {
		return ZeroHash, err
	}
	if w.Git != "" {
		err = r.fetchByGit(ctx, w, m)
	} else {
		err = r.fetchBuiltin(ctx, w, m)
	}
	if err != nil {
		return ZeroHash, m.describe(ctx, err)
	}
	r.objects.forgetCut()
	h, err := r.refs.read(m.fetchedRef())
	if err != nil {
		return ZeroHash, err
	}
	if h.IsZero() {
		return ZeroHash, fail(ErrNoBranch, "%s has no branch %s", m.Name, m.Branch)
	}
	if w.Git != "" {
		return h, r.verifyFiles(h) // git itself has looked at all that it fetched
	}
	if err := r.syncPacks(before); err != nil {
		return ZeroHash, err
	}
	return h, r.verify(ctx, h)
}

// Branches lists the branches of a remote by short name. None: it is empty.
func (r *Repo) Branches(ctx context.Context, w Wire, m Remote) (map[string]Hash, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var list map[string]Hash
	var err error
	if w.Git != "" {
		list, err = r.branchesByGit(ctx, w, m)
	} else {
		list, err = r.branchesBuiltin(ctx, w, m)
	}
	return list, m.describe(ctx, err)
}

// Push moves the remote's branch to a commit if it still is where it is
// expected to be; ZeroHash: not there. ErrBeaten: it is not.
func (r *Repo) Push(ctx context.Context, w Wire, m Remote, commit, expect Hash) error {
	if err := m.check(); err != nil {
		return err
	}
	if w.Git != "" {
		return m.describe(ctx, r.pushByGit(ctx, w, m, commit, expect))
	}
	return m.describe(ctx, r.pushBuiltin(ctx, w, m, commit, expect))
}

// check refuses what git would take for an option, a program to run, or
// several things.
func (m Remote) check() error {
	switch {
	case m.Name == "" || !validRef("refs/remotes/"+m.Name) || m.Name[0] == '-':
		return fail(ErrPath, "remote name %q is not allowed: use letters, digits and dashes", m.Name)
	case !validRef(m.ref()):
		return fail(ErrPath, "branch name %q is not allowed", m.Branch)
	case m.URL == "" || m.URL[0] == '-' || strings.ContainsAny(m.URL, "\n\r\x00") || helperURL.MatchString(m.URL):
		return fail(ErrPath, "url %q is not allowed", Redact(m.URL))
	}
	return nil
}

// helperURL is a URL that names a program to run, like ext::sh -c.
var helperURL = regexp.MustCompile(`^[A-Za-z0-9+.-]+::`)

// describe says which remote an error is about, and keeps credentials out.
func (m Remote) describe(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return errors.Join(err, ctx.Err())
	}
	var p *problem
	if !errors.As(err, &p) {
		return err
	}
	text := p.text
	if p.kind == ErrNoBranch {
		text = "it has no branch " + m.Branch
	}
	if user := userinfo(m.URL); user != "" {
		text = strings.ReplaceAll(text, user+"@", "")
	}
	return &problem{kind: p.kind, text: m.Name + ": " + Redact(text)}
}

var credentials = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/@\s'"]*(?::[^/@\s'"]*)?@`)

// Redact takes user names and passwords out of all URLs in a text.
func Redact(text string) string { return credentials.ReplaceAllString(text, "$1") }

// userinfo is what stands before the host of a URL that has a password.
func userinfo(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	i := strings.LastIndexByte(host, '@')
	if !ok || i < 0 {
		return ""
	}
	return host[:i]
}
