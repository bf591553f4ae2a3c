package gitstore

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
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
		if auth, err = w.keys(at.User); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, fail(ErrUnreachable, "the built-in client knows https and ssh, not %s: install git", at.Protocol)
	}
	store := filesystem.NewStorage(osfs.New(r.git), cache.NewObjectLRUDefault())
	return gogit.NewRemote(store, &config.RemoteConfig{Name: m.Name, URLs: []string{m.URL}}), auth, nil
}

// keys are the agent's, else those in the person's home that need no
// passphrase.
func (w Wire) keys(user string) (transport.AuthMethod, error) {
	if user == "" {
		user = "git"
	}
	if auth, err := ssh.NewSSHAgentAuth(user); err == nil {
		return auth, nil
	}
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		file := filepath.Join(w.Home, ".ssh", name)
		if _, err := os.Stat(file); err != nil || w.Home == "" {
			continue
		}
		if auth, err := ssh.NewPublicKeysFromFile(user, file, ""); err == nil {
			return auth, nil
		}
	}
	return nil, fail(ErrDenied, "no ssh agent runs and no key in ~/.ssh can be used without a passphrase: start an agent, or install git")
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
	err = remote.FetchContext(ctx, &gogit.FetchOptions{
		RemoteName: m.Name, Auth: auth, Tags: gogit.NoTags, Force: true, Progress: watch,
		RefSpecs: []config.RefSpec{config.RefSpec("+" + m.ref() + ":" + m.fetchedRef())},
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
	refs, err := remote.ListContext(ctx, &gogit.ListOptions{Auth: auth})
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
	err = remote.PushContext(ctx, o)
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

// builtinError gives an error of the built-in client its kind.
func builtinError(ctx context.Context, err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errSilent):
		return fail(ErrCut, "no answer for too long")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, gogit.NoMatchingRefSpecError{}), errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fail(ErrNoBranch, "no such branch")
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		strings.Contains(err.Error(), "unable to authenticate"), strings.Contains(err.Error(), "knownhosts:"):
		return fail(ErrDenied, "access denied (%s): the built-in client knows no credential helpers; install git to use them", oneLine(err.Error()))
	case errors.Is(err, transport.ErrRepositoryNotFound), errors.As(err, &dns), errors.As(err, &op) && op.Op == "dial":
		return fail(ErrUnreachable, "can't be reached (%s)", oneLine(err.Error()))
	}
	return fail(ErrCut, "the connection was cut (%s)", oneLine(err.Error()))
}
