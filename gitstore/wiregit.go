package gitstore

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	defaultSilence = 60 * time.Second
	waitDelay      = 3 * time.Second // for git to clear up after itself when it was stopped
	maxOutput      = 1 << 20
)

func (r *Repo) fetchByGit(ctx context.Context, w Wire, m Remote) error {
	args := []string{"fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--force"}
	if r.Shallow() {
		args = append(args, "--unshallow")
	}
	_, err := r.runGit(ctx, w, append(args, "--", m.Name, "+"+m.ref()+":"+m.fetchedRef())...)
	return err
}

func (r *Repo) branchesByGit(ctx context.Context, w Wire, m Remote) (map[string]Hash, error) {
	out, err := r.runGit(ctx, w, "ls-remote", "--heads", "--", m.Name)
	if err != nil {
		return nil, err
	}
	list := map[string]Hash{}
	for line := range strings.Lines(out) {
		hex, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		h, ok := ParseHash(hex)
		name, isHead := strings.CutPrefix(ref, "refs/heads/")
		if ok && isHead && validRef(ref) {
			list[name] = h
		}
	}
	return list, nil
}

func (r *Repo) pushByGit(ctx context.Context, w Wire, m Remote, commit, expect Hash) error {
	was := ""
	if !expect.IsZero() {
		was = expect.String()
	}
	out, err := r.runGit(ctx, w, "push", "--porcelain", "--progress", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
		"--force-with-lease="+m.ref()+":"+was, "--", m.Name, commit.String()+":"+m.ref())
	if err == nil {
		return nil
	}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) < 3 || fields[0] != "!" {
			continue
		}
		why := strings.Trim(strings.TrimPrefix(fields[2], "[remote rejected] "), "()")
		if isBeaten(why) {
			return fail(ErrBeaten, "somebody else pushed to %s meanwhile", m.Branch)
		}
		var said *problem
		if errors.As(err, &said) && said.remote != "" {
			why += ": " + said.remote
		}
		return fail(ErrRejected, "the push was refused: %s", why)
	}
	return err
}

// runGit runs the person's git on the repository, for the wire only: no prompt
// on the terminal, no hooks but the repository's own, no side jobs. What it
// prints is given back; where it fails, the error tells what it said.
func (r *Repo) runGit(ctx context.Context, w Wire, args ...string) (string, error) {
	ctx, watch := w.watch(ctx)
	defer watch.stop()
	cmd := exec.CommandContext(ctx, w.Git, append([]string{
		"-C", r.dir, "--no-replace-objects",
		"-c", "core.hooksPath=" + filepath.Join(r.git, "hooks"), "-c", "safe.directory=" + r.dir,
		"-c", "core.fsmonitor=false", "-c", "core.logAllRefUpdates=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.writeCommitGraph=false",
		"-c", "fetch.fsckObjects=true", "-c", "fetch.fsck.missingSpaceBeforeDate=ignore", "-c", "fetch.fsck.zeroPaddedFilemode=ignore", "-c", "fetch.fsck.badTimezone=ignore",
		"-c", "fetch.unpackLimit=" + strconv.Itoa(fetchUnpack), "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=" + strconv.Itoa(max(1, int(watch.silence/time.Second))),
		"-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch", "-c", "submodule.recurse=false", "-c", "credential.interactive=false",
	}, args...)...)
	cmd.Env = append(GitEnv(w.Environ), "GIT_SSH_COMMAND="+w.sshCommand(), "GCM_INTERACTIVE=never")
	if w.ownSSH() {
		cmd.Env = GitEnv(w.Environ)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{buf: &out}, watch
	cmd.WaitDelay = waitDelay
	stopGently(cmd)
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return out.String(), fail(ErrSilent, "no answer for %s", watch.silence)
	case ctx.Err() != nil:
		return out.String(), ctx.Err()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return out.String(), fail(ErrUnreachable, "git can't be run: %v", err)
	}
	return out.String(), complaint(watch.text())
}

// fetchUnpack is up to how many objects a fetch leaves loose.
const fetchUnpack = 100

var errSilent = errors.New("silent for too long")

// ownSSH reports whether the person reaches hosts by a program of their own
// that need not know OpenSSH's options.
func (w Wire) ownSSH() bool {
	first, _, _ := strings.Cut(strings.TrimSpace(w.SSH), " ")
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(strings.Trim(first, `"'`))), ".exe")
	return w.SSH != "" && base != "ssh"
}

func (w Wire) sshCommand() string {
	ssh := w.SSH
	if ssh == "" {
		ssh = "ssh"
	}
	return ssh + " -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=3"
}

// complaint finds in what git said the line that tells what is wrong.
func complaint(said string) error {
	var fatal, remote []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "remote: "); ok {
			if text = strings.TrimSpace(text); text != "" {
				remote = append(remote, text)
			}
			continue
		}
		for _, mark := range []string{"fatal: ", "error: ", "ssh: ", "ERROR: "} {
			if text, ok := strings.CutPrefix(line, mark); ok {
				fatal = append(fatal, text)
				break
			}
		}
		if strings.Contains(line, "Permission denied") || strings.Contains(line, "Host key verification failed") {
			fatal = append(fatal, line)
		}
	}
	all := strings.ToLower(said)
	kind := kindOf(all)
	text := "git failed without a word"
	if len(fatal) > 0 {
		text = fatal[0]
	} else if said = strings.TrimSpace(said); said != "" {
		text = said[strings.LastIndexByte(said, '\n')+1:]
	}
	switch kind {
	case ErrDenied, ErrPassword:
		if err := hostKeyProblem(all); err != nil {
			return err
		}
		text = "access denied (" + text + "): check with git that your credentials or keys work there, and that they may write"
	case ErrCut, ErrSilent:
		text = "the connection was cut (" + text + ")"
	case ErrUnreachable:
		text = "can't be reached (" + text + ")"
	}
	p := fail(kind, "%s", oneLine(text)).(*problem)
	p.remote = strings.Join(remote, " ")
	return p
}

// kindOf finds what kind of failure it is from what was said, in lower case.
func kindOf(said string) error {
	for _, k := range signs {
		if strings.Contains(said, k.sign) {
			return k.kind
		}
	}
	return ErrUnreachable
}

// signs are what git says, in lower case, when something is wrong; the first
// that is found counts.
var signs = []struct {
	sign string
	kind error
}{
	{"couldn't find remote ref", ErrNoBranch},
	{"authentication failed", ErrPassword}, {"could not read username", ErrDenied}, {"could not read password", ErrDenied},
	{"terminal prompts disabled", ErrDenied}, {"permission denied", ErrDenied}, {"host key verification failed", ErrDenied},
	{"returned error: 401", ErrDenied}, {"returned error: 403", ErrDenied}, {"access denied", ErrDenied}, {"write access", ErrDenied}, {"not authorized", ErrDenied},
	{"could not resolve", ErrUnreachable}, {"connection refused", ErrUnreachable}, {"failed to connect", ErrUnreachable}, {"couldn't connect", ErrUnreachable},
	{"no route to host", ErrUnreachable}, {"network is unreachable", ErrUnreachable},
	{"returned error: 404", ErrUnreachable}, {"not found", ErrUnreachable}, {"does not appear to be a git repository", ErrUnreachable}, {"does not exist", ErrUnreachable},
	{"too slow", ErrSilent}, {"returned error: 5", ErrCut}, {"returned error: 429", ErrCut}, {"rpc failed", ErrCut}, {"hung up", ErrCut}, {"early eof", ErrCut}, {"unexpected disconnect", ErrCut},
	{"empty reply", ErrCut}, {"transfer closed", ErrCut}, {"connection reset", ErrCut}, {"recv failure", ErrCut}, {"send failure", ErrCut},
	{"invalid server response", ErrCut}, {"unexpected eof", ErrCut}, {"expected flush", ErrCut}, {"protocol error", ErrCut}, {"bad line length", ErrCut},
	{"too few bytes", ErrCut}, {"timed out", ErrCut}, {"invalid index-pack output", ErrCut}, {"unpack-objects failed", ErrCut},
	{"not valid: is this a git repository", ErrCut}, {"kex_exchange_identification", ErrCut}, {"connection closed", ErrCut}, {"ssl_", ErrCut},
	{"expected ack/nak", ErrCut}, {"unable to access", ErrUnreachable},
}

// limited keeps the beginning of what is written.
type limited struct{ buf *bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if room := maxOutput - l.buf.Len(); room > 0 {
		l.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}
