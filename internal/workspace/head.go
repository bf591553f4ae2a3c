package workspace

import (
	"bytes"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
)

// Code is where the workspace's own history stands.
type Code struct {
	Commit string // full hash; "" before the first commit
	Branch string // short name; "" where HEAD is detached
	abbrev int
}

// String is the form of the Code-Commit trailer: "3f9c2d1 (main)". It is ""
// before the first commit.
func (c Code) String() string {
	if c.Commit == "" || c.Branch == "" {
		return c.Short()
	}
	return c.Short() + " (" + c.Branch + ")"
}

// Short is the commit's hash, as short as git itself would print it.
func (c Code) Short() string { return c.Commit[:min(len(c.Commit), max(c.abbrev, 7))] }

// Code reads commit and branch of the workspace, now, from a few small files;
// only a repository whose refs are no files is asked through git. It is the
// zero Code outside a repository.
func (id Identity) Code() Code {
	if id.repo == nil {
		return Code{}
	}
	ref, commit := id.repo.head()
	if isReftable(ref) {
		return id.options.codeThroughGit(id.repo)
	}
	if commit == "" {
		commit = id.repo.resolve(ref)
	}
	return Code{Commit: commit, Branch: branchOf(ref), abbrev: id.repo.abbrev()}
}

// isReftable knows the name that stands in HEAD for old readers' sake.
func isReftable(ref string) bool { return ref == "refs/heads/.invalid" }

func branchOf(ref string) string {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

func (o Options) codeThroughGit(r *repository) Code {
	var c Code
	if out, err := o.git(r.GitDir, "symbolic-ref", "-q", "HEAD"); err == nil {
		c.Branch = branchOf(strings.TrimSpace(out))
	}
	if out, err := o.git(r.GitDir, "rev-parse", "-q", "--verify", "HEAD^{commit}"); err == nil && isHash(strings.TrimSpace(out)) {
		c.Commit = strings.TrimSpace(out)
	}
	c.abbrev = r.abbrev()
	return c
}

// head reads HEAD: the ref it stands for, or the commit where it is detached.
func (r *repository) head() (ref, commit string) {
	file := filepath.Join(r.GitDir, "HEAD")
	if to, err := os.Readlink(file); err == nil { // as git once wrote it
		return filepath.ToSlash(to), ""
	}
	data, err := readRegular(file, maxPointer)
	if err != nil {
		return "", ""
	}
	if to, ok := strings.CutPrefix(string(data), "ref:"); ok {
		return strings.TrimSpace(to), ""
	}
	if commit = strings.TrimSpace(string(data)); isHash(commit) {
		return "", commit
	}
	return "", ""
}

// resolve follows a ref to its commit: a file of its own, else a line of
// packed-refs. "" where there is none.
func (r *repository) resolve(ref string) string {
	for range 5 { // as deep as git follows symbolic refs
		if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(filepath.FromSlash(ref)) {
			return ""
		}
		data, err := readRegular(filepath.Join(r.CommonDir, filepath.FromSlash(ref)), maxPointer)
		if err != nil {
			return r.packed(ref)
		}
		text := strings.TrimSpace(string(data))
		if to, ok := strings.CutPrefix(text, "ref:"); ok {
			ref = strings.TrimSpace(to)
			continue
		}
		if isHash(text) {
			return text
		}
		return ""
	}
	return ""
}

func (r *repository) packed(ref string) string {
	data, err := readRegular(filepath.Join(r.CommonDir, "packed-refs"), maxRefs)
	if err != nil {
		return ""
	}
	for rest := data; ; {
		i := bytes.Index(rest, []byte(" "+ref+"\n"))
		if i < 0 {
			return ""
		}
		start := bytes.LastIndexByte(rest[:i], '\n') + 1
		if hash := string(rest[start:i]); isHash(hash) {
			return hash
		}
		rest = rest[i+1:]
	}
}

// abbrev is the length git shortens hashes to, which grows with the number of
// packed objects; their index files' sizes tell that.
func (r *repository) abbrev() int {
	dir := filepath.Join(r.CommonDir, "objects", "pack")
	files, _ := os.ReadDir(dir)
	var objects uint64
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".idx" {
			continue
		}
		const fixed, each = 8 + 256*4 + 2*20, 20 + 4 + 4
		if info, err := file.Info(); err == nil && info.Size() > fixed {
			objects += uint64(info.Size()-fixed) / each
		}
	}
	return max(7, (bits.Len64(objects)+1)/2)
}

func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
