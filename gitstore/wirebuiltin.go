package gitstore

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// The built-in client serves where there is no git. It knows https with the
// credentials in the URL, and ssh with an agent or keys without passphrase; it
// knows no credential helpers, little of ssh's configuration, and cannot make a
// shallow repository whole.

func (r *Repo) builtin(w Wire, m Remote) (*gogit.Remote, transport.AuthMethod, error) {
	at, err := transport.NewEndpoint(m.URL)
	if err != nil {
		return nil, nil, fail(ErrUnreachable, "url %q can't be read", Redact(m.URL))
	}
	var auth transport.AuthMethod
	switch at.Protocol {
	case "http", "https", "file":
	case "ssh":
		if auth, err = w.keys(at); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, fail(ErrUnreachable, "the built-in client knows https and ssh, not %s: install git", at.Protocol)
	}
	store := filesystem.NewStorage(osfs.New(r.git), cache.NewObjectLRUDefault())
	return gogit.NewRemote(store, &config.RemoteConfig{Name: m.Name, URLs: []string{m.URL}}), auth, nil
}

func (r *Repo) fetchBuiltin(ctx context.Context, w Wire, m Remote) error {
	if r.Shallow() {
		return fail(ErrUnsupported, "%s is a shallow clone: the built-in client can't make it whole; install git", r.dir)
	}
	remote, auth, err := r.builtin(w, m)
	if err != nil {
		return err
	}
	ctx, watch := w.watch(ctx)
	defer watch.stop()
	err = await(ctx, func() error {
		return remote.FetchContext(ctx, &gogit.FetchOptions{
			RemoteName: m.Name, Auth: auth, Tags: gogit.NoTags, Force: true, Progress: watch,
			RefSpecs: []config.RefSpec{config.RefSpec("+" + m.ref() + ":" + m.fetchedRef())},
		})
	})
	if errors.Is(err, gogit.NoErrAlreadyUpToDate) {
		return nil
	}
	return builtinError(ctx, err)
}

func (r *Repo) branchesBuiltin(ctx context.Context, w Wire, m Remote) (map[string]Hash, error) {
	remote, auth, err := r.builtin(w, m)
	if err != nil {
		return nil, err
	}
	ctx, watch := w.watch(ctx)
	defer watch.stop()
	var refs []*plumbing.Reference
	err = await(ctx, func() (err error) {
		refs, err = remote.ListContext(ctx, &gogit.ListOptions{Auth: auth})
		return err
	})
	if ctx.Err() != nil { // it may still be at work
		return nil, builtinError(ctx, ctx.Err())
	}
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return map[string]Hash{}, nil
	}
	if err != nil {
		return nil, builtinError(ctx, err)
	}
	list := map[string]Hash{}
	for _, ref := range refs {
		name := ref.Name().String()
		if short, ok := strings.CutPrefix(name, "refs/heads/"); ok && ref.Type() == plumbing.HashReference && validRef(name) {
			list[short] = ref.Hash()
		}
	}
	return list, nil
}

func (r *Repo) pushBuiltin(ctx context.Context, w Wire, m Remote, commit, expect Hash) error {
	remote, auth, err := r.builtin(w, m)
	if err != nil {
		return err
	}
	ctx, watch := w.watch(ctx)
	defer watch.stop()
	o := &gogit.PushOptions{
		RemoteName: m.Name, Auth: auth, Progress: watch,
		RefSpecs: []config.RefSpec{config.RefSpec(commit.String() + ":" + m.ref())},
	}
	if !expect.IsZero() {
		o.RequireRemoteRefs = []config.RefSpec{config.RefSpec(expect.String() + ":" + m.ref())}
	}
	err = await(ctx, func() error { return remote.PushContext(ctx, o) })
	switch {
	case err == nil, errors.Is(err, gogit.NoErrAlreadyUpToDate):
		return nil
	case errors.Is(err, gogit.ErrForceNeeded), isBeaten(err.Error()):
		return fail(ErrBeaten, "somebody else pushed to %s meanwhile", m.Branch)
	case strings.HasPrefix(err.Error(), "command error on"):
		return fail(ErrRejected, "the push was refused: %s", oneLine(err.Error()))
	}
	return builtinError(ctx, err)
}

// isBeaten reports whether what a server or client said of a push means that
// the branch was not where it was expected.
func isBeaten(said string) bool {
	for _, sign := range []string{
		"stale info", "fetch first", "non-fast-forward", "failed to update ref", "failed to lock", "cannot lock ref",
		"incorrect old value", "reference already exists", "required to be",
	} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// await runs what does not always heed its context, such as a connection that
// is being made: it is left behind when it does not end soon after that.
func await(ctx context.Context, step func() error) error {
	done := make(chan error, 1)
	go func() { done <- step() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(waitDelay)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return ctx.Err()
	}
}

// builtinError gives an error of the built-in client its kind.
func builtinError(ctx context.Context, err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errSilent):
		return fail(ErrSilent, "no answer for too long")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, gogit.NoMatchingRefSpecError{}), errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fail(ErrNoBranch, "no such branch")
	case hostKeyProblem(err.Error()) != nil:
		return hostKeyProblem(err.Error())
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		strings.Contains(err.Error(), "unable to authenticate"):
		return fail(ErrDenied, "access denied (%s): the built-in client knows no credential helpers; install git to use them", oneLine(err.Error()))
	case errors.Is(kindOf(strings.ToLower(err.Error())), ErrDenied): // in the server's words
		return fail(ErrDenied, "access denied (%s)", oneLine(err.Error()))
	case errors.Is(err, transport.ErrRepositoryNotFound), errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return fail(ErrUnreachable, "can't be reached (%s)", oneLine(err.Error()))
	}
	return fail(ErrCut, "the connection was cut (%s)", oneLine(err.Error()))
}
