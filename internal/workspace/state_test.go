package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gitvault/internal/fsys"
)

func (s *sandbox) link(dir, key string) Identity {
	s.t.Helper()
	id, err := Link(s.path(dir), key, s.options)
	require.NoError(s.t, err)
	return id
}

func notes(id Identity) string { return strings.Join(id.Notes, "\n") }

func TestARenamedRemoteKeepsItsMemory(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/acme/widget")
	s.git("repo", "worktree", "add", "-q", "../linked")
	s.used("repo")
	s.git("repo", "remote", "set-url", "origin", "https://new.example/acme/gadget")
	for range 2 { // the second time from what was remembered
		for _, dir := range []string{"repo", "linked"} {
			id := s.find(dir)
			require.Equal(t, "example.com/acme/widget", id.Key)
			require.Equal(t, ByHistory, id.FoundBy)
			require.Equal(t, "new.example/acme/gadget", id.Remote)
			require.Contains(t, notes(id), "new.example/acme/gadget")
			require.Contains(t, notes(id), "vault link")
		}
	}
	// And again, and back.
	s.git("repo", "remote", "remove", "origin")
	require.Equal(t, "example.com/acme/widget", s.find("repo").Key)
	s.git("repo", "remote", "add", "origin", "git@example.com:acme/widget")
	id := s.find("repo")
	require.Equal(t, ByRemote, id.FoundBy)
	require.Empty(t, id.Notes)

	// A fresh clone from the new place starts anew, and is told what looks alike.
	s.git("", "clone", "-q", "repo", "fresh")
	s.git("fresh", "remote", "set-url", "origin", "https://new.example/acme/widget")
	id = s.find("fresh")
	require.Equal(t, "new.example/acme/widget", id.Key)
	known := []string{"example.com/acme/widget", "example.com/else/widget", "example.com/other", id.Key}
	require.Equal(t, []Match{
		{"example.com/acme/widget", "same root commit"}, {"example.com/else/widget", "same name"},
	}, Alike(id, known, s.options))
}

func TestAFirstRemoteKeepsTheMemory(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	before := s.used("repo")
	s.git("repo", "remote", "add", "origin", "https://example.com/acme/widget")
	require.Equal(t, before.Key, s.find("repo").Key)

	// The person may change over.
	id := s.link("repo", "")
	require.Equal(t, "example.com/acme/widget", id.Key)
	require.Equal(t, ByLink, id.FoundBy)
}

func TestAnotherRepositoryAtTheSamePlaceIsAnother(t *testing.T) {
	s := newSandbox(t)
	for _, history := range []string{"same", "other"} {
		for _, first := range []string{"https://example.com/one", ""} {
			require.NoError(t, os.RemoveAll(s.path("repo")))
			if first == "" {
				s.mkdir("repo")
				s.git("repo", "init", "-q", "-b", "main")
			} else {
				s.clone("repo", first)
			}
			old := s.used("repo")
			require.NoError(t, os.RemoveAll(s.path("repo")))
			s.mkdir("repo")
			s.git("repo", "init", "-q", "-b", "main")
			s.commit("repo", map[string]string{"same": "repo", "other": "other"}[history])
			s.git("repo", "remote", "add", "origin", "https://example.com/two")
			id := s.find("repo")
			require.Equal(t, "example.com/two", id.Key, "%s %q", history, first)
			require.NotEqual(t, old.Key, id.Key)
			s.used("repo")
		}
	}
}

// The git folder is the same, and what is in it is not.
func TestAnotherHistoryInTheSameFolderIsAnother(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/one")
	s.used("repo")
	s.git("repo", "remote", "set-url", "origin", "https://example.com/two")
	s.git("repo", "checkout", "-q", "--orphan", "new")
	s.commit("repo", "unrelated")
	s.git("repo", "branch", "-D", "-q", "main")
	s.git("repo", "reflog", "expire", "--expire=now", "--all")
	s.git("repo", "gc", "-q", "--prune=now")
	require.Equal(t, "example.com/two", s.find("repo").Key)
}

// What was never kept under the old name does not hold the new one back.
func TestOnlyAScopeThatExistsIsKept(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/one")
	require.NoError(t, Use(s.find("repo"), s.options))
	s.git("repo", "remote", "set-url", "origin", "https://example.com/two")
	require.Equal(t, "example.com/two", s.find("repo").Key)
}

func TestWithoutGit(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	s.commit("repo", "second")
	s.git("repo", "tag", "-a", "-m", "x", "v1")
	s.clone("moved", "https://example.com/one")
	want := s.find("repo").Key
	require.NoError(t, os.RemoveAll(s.path("vault/state")))
	for _, program := range []string{"", s.path("no-such-git"), "no-such-git-anywhere"} {
		s.options.Git = program
		require.NoError(t, os.RemoveAll(s.path("vault/state")))
		require.Equal(t, want, s.find("repo").Key)
		s.git("repo", "pack-refs", "--all")
		s.git("repo", "gc", "-q")

		s.git("moved", "remote", "set-url", "origin", "https://example.com/one")
		s.used("moved")
		s.git("moved", "remote", "set-url", "origin", "https://example.com/two")
		require.Equal(t, "example.com/one", s.find("moved").Key)
	}
}

func TestGitIsAskedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script that stands in for git")
	}
	s := newSandbox(t)
	s.repo("repo")
	counted := s.path("git-counted")
	s.write("git-counted", fmt.Sprintf("#!/bin/sh\necho >> '%s'\nexec '%s' \"$@\"\n", s.path("count"), s.options.Git))
	require.NoError(t, os.Chmod(counted, 0o755))
	calls := func() int {
		data, _ := os.ReadFile(s.path("count"))
		return strings.Count(string(data), "\n")
	}
	s.options.Git = counted
	for range 3 {
		s.find("repo")
	}
	require.Equal(t, 1, calls())
	s.git("repo", "remote", "add", "origin", "https://example.com/x")
	s.used("repo")
	s.find("repo")
	require.Equal(t, 1, calls(), "a repository with a remote needs no git")
}

func TestAGitThatHangsIsGivenUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script that stands in for git")
	}
	s := newSandbox(t)
	s.repo("repo")
	s.write("hangs", "#!/bin/sh\necho >> '"+s.path("count")+"'\nexec sleep 600\n")
	require.NoError(t, os.Chmod(s.path("hangs"), 0o755))
	s.options.Git, s.options.Timeout = s.path("hangs"), 1
	for range 2 {
		id := s.find("repo")
		require.Equal(t, pathKey(s.path("repo")), id.Key)
		require.Contains(t, notes(id), "too long")
	}
	data, _ := os.ReadFile(s.path("count"))
	require.LessOrEqual(t, strings.Count(string(data), "\n"), 1, "and not asked again")
}

func TestLinks(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/repo")
	s.mkdir("repo/sub")
	s.git("repo", "worktree", "add", "-q", "../linked")
	s.mkdir("plain/sub/deep")
	s.clone("plain/sub/repo", "https://example.com/inner")

	// From a subfolder of a repository: all of it.
	id := s.link("repo/sub", "example.com/shared")
	require.Equal(t, ByLink, id.FoundBy)
	for _, dir := range []string{"repo", "repo/sub", "linked"} {
		require.Equal(t, "example.com/shared", s.find(dir).Key)
		require.Equal(t, "example.com/repo", s.find(dir).Remote)
	}
	// A plain folder with all below it, but for repositories.
	s.link("plain", "example.com/shared")
	require.Equal(t, "example.com/shared", s.find("plain/sub/deep").Key)
	require.Equal(t, s.path("plain"), s.find("plain/sub/deep").Root)
	require.Equal(t, "example.com/inner", s.find("plain/sub/repo").Key)
	// The nearer one counts, and the last word.
	s.link("plain/sub", "near")
	s.link("plain/sub", "nearer")
	require.Equal(t, "nearer", s.find("plain/sub/deep").Key)

	all, notes, err := Bindings(s.options)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, []Binding{
		{Path: s.path("repo/.git"), Key: "example.com/shared", Git: true},
		{Path: s.path("plain"), Key: "example.com/shared"},
		{Path: s.path("plain/sub"), Key: "nearer"},
	}, all)

	taken, err := Unlink(s.path("plain/sub/deep"), s.options)
	require.NoError(t, err)
	require.Equal(t, "nearer", taken.Key)
	require.Equal(t, "example.com/shared", s.find("plain/sub/deep").Key)
	_, err = Unlink(s.path("linked"), s.options)
	require.NoError(t, err)
	require.Equal(t, "example.com/repo", s.find("repo").Key)
	_, err = Unlink(s.path("repo"), s.options)
	require.ErrorContains(t, err, "not linked")

	for _, key := range []string{"a\nb", " x", "x ", "\x00", strings.Repeat("x", 1025)} {
		_, err := Link(s.path("plain"), key, s.options)
		require.Error(t, err, "%q", key)
	}
	_, err = Link(s.path("missing"), "x", s.options)
	require.Error(t, err)
	_, err = Link(s.path("plain"), "x", Options{})
	require.Error(t, err)
}

func TestALinkedFolderMayBecomeARepository(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("proj/sub/deep")
	proj, sub := s.link("proj", ""), s.link("proj/sub", "")
	s.repo("proj")
	s.git("proj", "remote", "add", "origin", "https://example.com/proj")
	s.git("proj", "worktree", "add", "-q", "../linked")
	for _, dir := range []string{"proj", "linked"} {
		id := s.find(dir)
		require.Equal(t, proj.Key, id.Key)
		require.Equal(t, ByPath, id.FoundBy)
		require.Equal(t, "main", s.find("proj").Code().Branch)
	}
	require.Equal(t, sub.Key, s.find("proj/sub/deep").Key)
	require.Equal(t, s.path("proj/sub"), s.find("proj/sub/deep").Root)
	require.Equal(t, "example.com/proj", s.link("proj/sub", "").Key, "now the repository is what is linked")
	require.Equal(t, "example.com/proj", s.find("linked").Key)
}

func TestDamagedBindingsAreKept(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("a")
	s.mkdir("b")
	s.link("a", "one")
	file := s.path("vault/state/bindings.jsonl")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	damage := "{\"path\":\"/half\n\n<<<<<<<\n{\"path\":\"relative\",\"key\":\"x\"}\n{\"path\":\"/x\"}\n"
	require.NoError(t, os.WriteFile(file, append([]byte(damage), data...), 0o600))

	id := s.find("a")
	require.Equal(t, "one", id.Key)
	require.Len(t, id.Notes, 4)
	require.Contains(t, notes(id), "line 1 of "+file)
	s.link("b", "two")
	s.link("a", "three")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(after), damage), "%s", after)
	require.Equal(t, "three", s.find("a").Key)
	require.Equal(t, "two", s.find("b").Key)

	// One that cannot be read at all stops both.
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Mkdir(file, 0o700))
	_, err = Find(s.path("a"), s.options)
	require.Error(t, err)
	_, err = Link(s.path("a"), "x", s.options)
	require.Error(t, err)
	require.DirExists(t, file)
}

func TestDamagedRecordsAreSaid(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/one")
	s.used("repo")
	file := s.options.recordFile(s.path("repo/.git"))
	require.FileExists(t, file)
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	id := s.find("repo")
	require.Equal(t, "example.com/one", id.Key)
	require.Contains(t, notes(id), "cannot be read")
	require.NoError(t, Use(id, s.options))
	require.Empty(t, s.find("repo").Notes)
}

func TestManyLinkAtOnce(t *testing.T) {
	s := newSandbox(t)
	var wait sync.WaitGroup
	failed := make(chan error, 100)
	for i := range 20 {
		dir := s.mkdir(fmt.Sprintf("d%d", i))
		wait.Go(func() {
			if _, err := Link(dir, fmt.Sprintf("key%d", i), s.options); err != nil {
				failed <- err
			}
			if _, err := Find(dir, s.options); err != nil {
				failed <- err
			}
		})
	}
	wait.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	all, _, err := Bindings(s.options)
	require.NoError(t, err)
	require.Len(t, all, 20)
	require.NoFileExists(t, s.path("vault/state/bindings.jsonl.new"))
}

// failing fails the nth operation that changes the disk, and all later ones.
type failing struct {
	fsys.OS
	left int
}

func (f *failing) step() error {
	if f.left--; f.left < 0 {
		return errors.New("disk full")
	}
	return nil
}

func (f *failing) Create(name string, perm fs.FileMode) (fsys.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := f.OS.Create(name, perm)
	return failingFile{file, f}, err
}

func (f *failing) Mkdir(name string, perm fs.FileMode) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.OS.Mkdir(name, perm)
}

func (f *failing) Rename(old, name string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.OS.Rename(old, name)
}

func (f *failing) Remove(name string) error {
	if f.left < 0 { // as if the machine had stopped
		return errors.New("disk full")
	}
	return f.OS.Remove(name)
}

func (f *failing) SyncDir(string) error { return f.step() }

type failingFile struct {
	fsys.File
	fs *failing
}

func (f failingFile) Write(p []byte) (int, error) {
	if err := f.fs.step(); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f failingFile) Sync() error { return f.fs.step() }

func TestWritesThatFailHalfWay(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("a")
	s.mkdir("b")
	s.link("a", "old")
	failures := 0
	for n := 0; ; n++ {
		s.options.FS = &failing{left: n}
		_, err := Link(s.path("b"), "new", s.options)
		s.options.FS = nil
		require.Equal(t, "old", s.find("a").Key)
		if err == nil {
			require.Equal(t, "new", s.find("b").Key)
			break
		}
		failures++
		all, notes, listErr := Bindings(s.options)
		require.NoError(t, listErr)
		require.Empty(t, notes)
		if len(all) == 2 { // only its durability is in doubt
			require.ErrorContains(t, err, "durable")
		}
	}
	require.GreaterOrEqual(t, failures, 5)
}

func TestStateThatCannotBeWritten(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	s.write("vault/state", "a file, where a folder should be")
	require.Equal(t, ByRootCommit, s.find("repo").FoundBy, "looking needs no writing")
	_, err := Link(s.path("repo"), "x", s.options)
	require.Error(t, err)
	require.Error(t, Use(s.find("repo"), s.options))
}

func TestVaultInTheWorkspace(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/repo")
	s.git("repo", "worktree", "add", "-q", "../linked")
	s.mkdir("repo/.vault")
	require.Empty(t, s.find("repo").Here, "any folder of that name")
	s.repo("repo/.vault")
	s.write("repo/.vault/vault.yaml", "format: 1\n")
	s.mkdir("plain/sub")
	s.write("plain/.vault/vault.yaml", "format: 1\n")

	// It came with the folder: not offered.
	for _, dir := range []string{"repo", "linked", "repo/.vault"} {
		id := s.find(dir)
		require.Equal(t, "example.com/repo", id.Key)
		require.Equal(t, ByRemote, id.FoundBy)
		require.Equal(t, s.path("repo/.vault"), id.Here)
		require.False(t, id.HereTrusted)
	}
	id, err := Find(s.path("plain/sub"), s.options)
	require.ErrorIs(t, err, ErrNoProject)
	require.ErrorContains(t, err, "vault trust")
	require.Equal(t, s.path("plain/.vault"), id.Here)

	s.options.Trusted = func(vault string) bool { return strings.HasPrefix(vault, s.dir) }
	for _, dir := range []string{"repo", "linked", "repo/.vault"} {
		id := s.find(dir)
		require.Equal(t, "example.com/repo", id.Key)
		require.Equal(t, ByHere, id.FoundBy)
		require.True(t, id.HereTrusted)
	}
	id = s.find("plain/sub")
	require.Equal(t, ByHere, id.FoundBy)
	require.Equal(t, pathKey(s.path("plain")), id.Key)
	require.Equal(t, s.path("plain"), id.Root)

	// A link outranks it; a symlink is none.
	require.Equal(t, ByLink, s.link("repo", "other").FoundBy)
	s.mkdir("trap")
	require.NoError(t, os.Symlink(s.path("plain/.vault"), s.path("trap/.vault")))
	s.none("trap")
}

func TestCode(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	first := s.git("repo", "rev-parse", "HEAD")
	require.Equal(t, first[:7]+" (main)", s.find("repo").Code().String())
	require.Equal(t, s.git("repo", "rev-parse", "--short", "HEAD"), s.find("repo").Code().Short())

	s.git("repo", "checkout", "-q", "-b", "topic/deep")
	second := s.commit("repo", "second")
	id := s.find("repo")
	require.Equal(t, Code{Commit: second, Branch: "topic/deep", abbrev: 7}, id.Code())
	s.git("repo", "pack-refs", "--all")
	require.Equal(t, second, id.Code().Commit)
	third := s.commit("repo", "third") // loose again, beside the packed one
	require.Equal(t, third, id.Code().Commit, "as it is now")

	s.git("repo", "branch", "deep", first) // a name that ends another's
	s.git("repo", "pack-refs", "--all")
	s.git("repo", "checkout", "-q", "deep")
	require.Equal(t, first, id.Code().Commit)

	s.git("repo", "checkout", "-q", "--detach")
	require.Equal(t, Code{Commit: first, abbrev: 7}, id.Code())
	require.Equal(t, first[:7], id.Code().String())

	s.git("repo", "symbolic-ref", "refs/heads/alias", "refs/heads/topic/deep")
	s.git("repo", "symbolic-ref", "HEAD", "refs/heads/alias")
	require.Equal(t, third, id.Code().Commit)

	for _, head := range []string{"", "nonsense", "ref: refs/heads/../../config", "ref: refs/heads/none", "ref:", strings.Repeat("a", 41)} {
		s.write("repo/.git/HEAD", head)
		require.Empty(t, id.Code().Commit, "%q", head)
		require.Empty(t, id.Code().String())
	}
	s.mkdir("plain")
	require.Equal(t, Code{}, s.link("plain", "").Code())
}
