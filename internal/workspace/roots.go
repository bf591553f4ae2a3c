package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Bounds on one question to git, where Options has none: for what decides the
// identity, and for what is only good to know.
const (
	gitTimeout   = 5 * time.Second
	gitShortTime = time.Second
)

var errSlow = errors.New("git took too long")

// git runs the person's git on a repository and gives what it printed. It
// asks nothing, fetches nothing, runs nothing that the repository names, and
// knows neither the environment nor the person's configuration. Naming the
// git folder, instead of having it found, is what makes git not mind whose it
// is.
func (o Options) git(gitDir string, args ...string) (string, error) {
	var out bytes.Buffer
	err := o.gitInto(&capped{&out}, gitDir, args...)
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

// gitInto is git for an answer of any length.
func (o Options) gitInto(answer io.Writer, gitDir string, args ...string) error {
	if o.Git == "" {
		return exec.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout())
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Git, append([]string{
		"--no-replace-objects", "--git-dir=" + gitDir,
	}, args...)...)
	cmd.Dir = gitDir
	cmd.Env = []string{
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	}
	for _, name := range []string{"PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := o.env(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = answer, &capped{&complaint}
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errSlow
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return exec.ErrNotFound
	}
	line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
	return fmt.Errorf("git says: %s (%w)", line, err)
}

// capped takes what fits into a megabyte.
type capped struct{ buf *bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 1<<20 - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// root finds the repository's root commit: of those its branches reach the
// oldest, so that neither the branch that is checked out nor one without
// common history changes it. It is "" for a repository without commits, and
// for a shallow one that does not reach back that far.
func (o Options) root(r *repository) (string, error) {
	if r.isEmpty() {
		return "", nil
	}
	for _, which := range []string{"--branches", "--all"} {
		out, err := o.git(r.CommonDir, "rev-list", "--max-parents=0", "--timestamp", which)
		if errors.Is(err, exec.ErrNotFound) {
			return o.rootBuiltin(r)
		}
		if err != nil {
			return "", err
		}
		shallow := r.shallow()
		var best string
		var bestTime int64
		for line := range strings.Lines(out) {
			when, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
			t, err := strconv.ParseInt(when, 10, 64)
			if err != nil || !isHash(commit) || shallow[commit] {
				continue
			}
			if best == "" || t < bestTime || t == bestTime && commit < best {
				best, bestTime = commit, t
			}
		}
		if best != "" || len(shallow) > 0 {
			return best, nil
		}
	}
	return "", nil
}

// isEmpty tells, where plain files can, that no commit was ever made.
func (r *repository) isEmpty() bool {
	ref, commit := r.head()
	if commit != "" || isReftable(ref) {
		return false
	}
	if info, err := os.Stat(filepath.Join(r.CommonDir, "packed-refs")); err == nil && info.Size() > 0 {
		return false
	}
	heads, err := os.ReadDir(filepath.Join(r.CommonDir, "refs", "heads"))
	if err != nil && !missing(err) || len(heads) > 0 {
		return false
	}
	remotes, err := os.ReadDir(filepath.Join(r.CommonDir, "refs", "remotes"))
	return (err == nil || missing(err)) && len(remotes) == 0
}

// shallow lists the commits at which a shallow clone ends: they look like
// roots and are none.
func (r *repository) shallow() map[string]bool {
	data, err := readRegular(filepath.Join(r.CommonDir, "shallow"), maxRefs)
	if err != nil {
		return nil
	}
	ends := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		ends[strings.TrimSpace(line)] = true
	}
	return ends
}

// has tells whether the repository holds a commit. An error means that it
// could not be found out.
func (o Options) has(r *repository, commit string) (bool, error) {
	_, err := o.git(r.CommonDir, "cat-file", "-e", commit)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, exec.ErrNotFound):
		return o.hasBuiltin(r, commit)
	case errors.As(err, &exit) && exit.ExitCode() == 1: // git's silent no
		return false, nil
	}
	return false, err
}
