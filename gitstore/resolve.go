package gitstore

import (
	"bytes"
	"strconv"
	"strings"
)

// Resolve finds the commit that a person means: a full hash or at least 4
// digits of one, HEAD or @ (the newest commit of the served branch), a branch,
// a tag, a remote branch such as origin/main, or a full ref; behind it any
// number of ~N and ^N. ErrNotFound, or ErrAmbiguous.
func (r *Repo) Resolve(rev string) (Hash, error) {
	cut := strings.IndexAny(rev, "~^")
	base, steps := rev, ""
	if cut >= 0 {
		base, steps = rev[:cut], rev[cut:]
	}
	h, err := r.resolveName(base)
	if err != nil {
		return ZeroHash, err
	}
	if h, err = r.peel(h, 0); err != nil {
		return ZeroHash, err
	}
	for steps != "" {
		op := steps[0]
		end := 1
		for end < len(steps) && isDigit(steps[end]) {
			end++
		}
		n := 1
		if end > 1 {
			if n, err = strconv.Atoi(steps[1:end]); err != nil {
				return ZeroHash, noRevision(rev)
			}
		}
		if op != '~' && op != '^' {
			return ZeroHash, noRevision(rev)
		}
		if h, err = r.step(h, op, n); err != nil {
			return ZeroHash, err
		}
		if h.IsZero() {
			return ZeroHash, noRevision(rev)
		}
		steps = steps[end:]
	}
	return h, nil
}

func noRevision(rev string) error { return fail(ErrNotFound, "no commit %q", rev) }

func (r *Repo) step(h Hash, op byte, n int) (Hash, error) {
	if op == '^' {
		c, err := r.objects.commit(h)
		switch {
		case err != nil:
			return ZeroHash, err
		case n == 0:
			return h, nil
		case n > len(c.Parents):
			return ZeroHash, nil
		}
		return c.Parents[n-1], nil
	}
	for range n {
		c, err := r.objects.commit(h)
		if err != nil || len(c.Parents) == 0 {
			return ZeroHash, err
		}
		h = c.Parents[0]
	}
	return h, nil
}

func (r *Repo) resolveName(name string) (Hash, error) {
	if name == "HEAD" || name == "@" {
		h, err := r.Head()
		if err == nil && h.IsZero() {
			err = noRevision(name)
		}
		return h, err
	}
	if h, ok := ParseHash(name); ok {
		if !r.objects.has(h) {
			return ZeroHash, noRevision(name)
		}
		return h, nil
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		if prefix == "" && !strings.HasPrefix(name, "refs/") {
			continue
		}
		h, err := r.refs.read(prefix + name)
		if err != nil {
			return ZeroHash, err
		}
		if !h.IsZero() {
			return h, nil
		}
	}
	return r.resolveShort(name)
}

// resolveShort finds the one commit whose hash begins so; where several
// objects do, but only one of them is a commit, that is meant.
func (r *Repo) resolveShort(name string) (Hash, error) {
	const enough = 50
	name = strings.ToLower(name)
	found, err := r.objects.expand(name, enough)
	if err != nil {
		return ZeroHash, err
	}
	var commits []Hash
	for _, h := range found {
		if t, _, err := r.objects.lookup(h); err == nil && (t == TypeCommit || t == TypeTag) {
			commits = append(commits, h)
		}
	}
	switch {
	case len(commits) == 0:
		return ZeroHash, noRevision(name)
	case len(commits) > 1 || len(found) > enough:
		return ZeroHash, fail(ErrAmbiguous, "%q is the beginning of several commits: give more digits", name)
	}
	return commits[0], nil
}

// peel follows annotated tags to what they stand for.
func (r *Repo) peel(h Hash, depth int) (Hash, error) {
	t, data, err := r.objects.lookup(h)
	if err != nil {
		return ZeroHash, err
	}
	if t != TypeTag {
		if t != TypeCommit {
			return ZeroHash, fail(ErrNotFound, "%s is a %s, not a commit", h, t)
		}
		return h, nil
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	hex, ok := strings.CutPrefix(string(line), "object ")
	to, good := ParseHash(hex)
	if !ok || !good || depth > 10 {
		return ZeroHash, fail(ErrCorrupt, "tag %s is damaged: 'vault doctor' says what can be done", h)
	}
	return r.peel(to, depth+1)
}

// Refs lists the refs whose full name begins so, such as "refs/remotes/".
func (r *Repo) Refs(prefix string) (map[string]Hash, error) { return r.refs.list(prefix) }

// Ref gives the object that a full ref name stands for; ZeroHash: no such ref.
func (r *Repo) Ref(name string) (Hash, error) { return r.refs.read(name) }
