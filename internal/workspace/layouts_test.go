package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRootCommitAndFolderName(t *testing.T) {
	s := newSandbox(t)
	s.repo("work/widget")
	root := s.git("work/widget", "rev-parse", "HEAD")
	s.commit("work/widget", "more")
	id := s.find("work/widget")
	require.Equal(t, "widget@"+root[:12], id.Key)
	require.Equal(t, ByRootCommit, id.FoundBy)
	require.Empty(t, id.Remote)

	// A branch of its own root, an older one merged in or checked out elsewhere: no matter.
	s.git("work/widget", "checkout", "-q", "--orphan", "pages")
	s.env["GIT_COMMITTER_DATE"] = "2027-01-01T00:00:00Z"
	s.commit("work/widget", "pages")
	require.Equal(t, id.Key, s.find("work/widget").Key)
	s.options.Home = "" // nor what was remembered
	require.Equal(t, id.Key, s.find("work/widget").Key)
	s.git("work/widget", "pack-refs", "--all")
	s.git("work/widget", "gc", "-q")
	require.Equal(t, id.Key, s.find("work/widget").Key)
}

func TestSharedRootCommitIsNotSharedMemory(t *testing.T) {
	s := newSandbox(t)
	s.repo("work/template")
	s.git("", "clone", "-q", "work/template", "work/copy")
	s.git("work/copy", "remote", "remove", "origin")
	require.NotEqual(t, s.find("work/template").Key, s.find("work/copy").Key)

	s.git("", "clone", "-q", "work/template", "work/fork")
	s.git("work/fork", "remote", "set-url", "origin", "git@github.com:me/widget")
	s.git("", "clone", "-q", "work/template", "work/upstream")
	s.git("work/upstream", "remote", "set-url", "origin", "git@github.com:acme/widget")
	s.git("work/fork", "remote", "add", "upstream", "git@github.com:acme/widget")
	require.Equal(t, "github.com/me/widget", s.find("work/fork").Key)
	require.Equal(t, "github.com/acme/widget", s.find("work/upstream").Key)
}

func TestRemotes(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	s.git("repo", "remote", "add", "upstream", "https://example.com/up")
	require.Equal(t, "example.com/up", s.find("repo").Key, "the only remote")
	s.git("repo", "remote", "add", "mine", "https://example.com/mine")
	id := s.find("repo")
	require.Equal(t, ByRootCommit, id.FoundBy, "several, and no origin")
	require.Contains(t, strings.Join(id.Notes, "\n"), "several remotes")
	s.git("repo", "remote", "add", "origin", "https://example.com/origin")
	require.Equal(t, "example.com/origin", s.find("repo").Key)

	// Remotes that every repository has are nobody's identity.
	s.write("home/.gitconfig", "[remote \"origin\"]\nurl=https://example.com/all\n")
	s.repo("plain")
	require.Equal(t, ByRootCommit, s.find("plain").FoundBy)

	s.git("repo", "config", "remote.origin.url", "https://me:secret@host:port/x")
	id = s.find("repo")
	require.Equal(t, ByRootCommit, id.FoundBy)
	require.NotContains(t, strings.Join(id.Notes, "\n"), "secret")
}

func TestInsteadOf(t *testing.T) {
	s := newSandbox(t)
	s.write("home/.gitconfig", "[url \"git@github.com:\"]\ninsteadOf=gh:\n[includeIf \"gitdir:"+filepath.ToSlash(s.dir)+"/\"]\npath=more\n")
	s.write("home/more", "[url \"ssh://git@mirror.example/\"]\ninsteadOf=m:\n")
	s.clone("a", "gh:acme/widget")
	s.clone("b", "m:acme/widget.git")
	require.Equal(t, "github.com/acme/widget", s.find("a").Key)
	require.Equal(t, "mirror.example/acme/widget", s.find("b").Key)
}

func TestWorktrees(t *testing.T) {
	for _, worktreeConfig := range []bool{false, true} {
		s := newSandbox(t)
		s.clone("main", "https://example.com/acme/widget")
		s.repo("local")
		for _, repo := range []string{"main", "local"} {
			if worktreeConfig {
				s.git(repo, "config", "extensions.worktreeConfig", "true")
				s.git(repo, "config", "core.repositoryFormatVersion", "1")
			}
			s.git(repo, "worktree", "add", "-q", "-b", "topic", "../"+repo+"-linked")
			s.git(repo, "worktree", "add", "-q", "-b", "inner", ".worktrees/inner")
			s.mkdir(repo + "-linked/sub")
			want := s.find(repo)
			for _, dir := range []string{repo + "-linked", repo + "-linked/sub", repo + "/.worktrees/inner", repo + "/.git", repo + "/.git/worktrees/inner", repo + "/.git/objects"} {
				id := s.find(dir)
				require.Equal(t, want.Key, id.Key, dir)
				require.Equal(t, want.FoundBy, id.FoundBy)
			}
			require.Equal(t, s.path(repo+"-linked"), s.find(repo+"-linked/sub").Root)
			require.Equal(t, s.path(repo), s.find(repo+"/.git/objects").Root)
			require.Equal(t, s.path(repo+"/.worktrees/inner"), s.find(repo+"/.git/worktrees/inner").Root)
			require.Equal(t, "topic", s.find(repo+"-linked").Code().Branch)
			require.Equal(t, "main", s.find(repo).Code().Branch)

			// A worktree that is gone takes nothing with it.
			s.git(repo, "worktree", "remove", "../"+repo+"-linked")
			require.Equal(t, want.Key, s.find(repo).Key)
		}
		if worktreeConfig { // a remote of one worktree's own
			s.git("main/.worktrees/inner", "config", "--worktree", "remote.origin.url", "https://example.com/other")
			require.Equal(t, "example.com/acme/widget", s.find("main/.worktrees/inner").Key,
				"of two URLs git fetches from the first")
		}
	}
}

func TestWorktreesThatMoved(t *testing.T) {
	s := newSandbox(t)
	s.clone("main", "https://example.com/acme/widget")
	s.git("main", "worktree", "add", "-q", "../linked")

	require.NoError(t, os.Rename(s.path("linked"), s.path("moved")))
	require.Equal(t, "example.com/acme/widget", s.find("moved").Key, "the worktree moved")

	require.NoError(t, os.Rename(s.path("main"), s.path("main2")))
	_, err := Find(s.path("moved"), s.options)
	require.ErrorContains(t, err, "git worktree repair")
	require.ErrorContains(t, err, s.path("main"))
	require.NotErrorIs(t, err, ErrNoProject)
	require.NotContains(t, err.Error(), "\n")

	s.git("main2", "worktree", "repair", "../moved")
	require.Equal(t, "example.com/acme/widget", s.find("moved").Key, "repaired")
}

func TestBrokenDotGit(t *testing.T) {
	s := newSandbox(t)
	s.clone("outer", "https://example.com/outer")
	for name, content := range map[string]string{
		"nowhere": "gitdir: ../nothing\n", "empty": "", "binary": "\x00\x01", "words": "hello\n", "lines": "gitdir: a\nb\n", "other key": "dir: ../.git\n", "no repository": "gitdir: ..\n",
		"huge": "gitdir: " + strings.Repeat("x", maxPointer+1),
	} {
		s.write("outer/"+name+"/.git", content)
		s.mkdir("outer/" + name + "/sub")
		for _, dir := range []string{"", "/sub"} {
			id, err := Find(s.path("outer", name+dir), s.options)
			require.Error(t, err, name)
			require.NotErrorIs(t, err, ErrNoProject)
			require.Empty(t, id.Key, "never the repository around it")
			require.NotContains(t, err.Error(), "\n")
		}
		// A person may still say whose it is.
		_, err := Link(s.path("outer", name), "mine", s.options)
		require.NoError(t, err)
		require.Equal(t, "mine", s.find("outer/"+name+"/sub").Key)
		_, err = Unlink(s.path("outer", name), s.options)
		require.NoError(t, err)
	}
	if runtime.GOOS != "windows" {
		s.mkdir("outer/symlink")
		require.NoError(t, os.Symlink("/nowhere/at/all", s.path("outer/symlink/.git")))
		_, err := Find(s.path("outer/symlink"), s.options)
		require.ErrorContains(t, err, "leads nowhere")
	}
	// A folder of that name that git does not take for a repository, either.
	s.mkdir("outer/folder/.git")
	require.Equal(t, "example.com/outer", s.find("outer/folder").Key)
}

func TestSubmoduleIsItsOwnProject(t *testing.T) {
	s := newSandbox(t)
	s.repo("lib")
	s.clone("outer", "https://example.com/outer")
	s.git("outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("lib"), "deps/lib")
	id := s.find("outer/deps/lib")
	require.Equal(t, s.find("lib").Key, id.Key, "its remote is on this machine")
	require.Equal(t, s.path("outer/deps/lib"), id.Root)
	s.git("outer/deps/lib", "remote", "set-url", "origin", "https://example.com/lib")
	require.Equal(t, "example.com/lib", s.find("outer/deps/lib").Key)
	require.Equal(t, "example.com/lib", s.find("outer/.git/modules/deps/lib").Key)
	require.Equal(t, s.path("outer/deps/lib"), s.find("outer/.git/modules/deps/lib").Root)
	require.Equal(t, "example.com/outer", s.find("outer").Key)
	require.Equal(t, "example.com/outer", s.find("outer/deps").Key)
	s.git("outer/deps/lib", "remote", "remove", "origin")
	id = s.find("outer/deps/lib")
	require.Equal(t, ByRootCommit, id.FoundBy)
	require.True(t, strings.HasPrefix(id.Key, "lib@"), id.Key)
}

func TestBareRepositories(t *testing.T) {
	s := newSandbox(t)
	s.repo("widget")
	s.git("", "clone", "-q", "--bare", "widget", "srv/widget.git")
	s.git("srv/widget.git", "remote", "remove", "origin")
	want := s.find("widget").Key
	for _, dir := range []string{"srv/widget.git", "srv/widget.git/refs/heads"} {
		id := s.find(dir)
		require.Equal(t, want, id.Key)
		require.Equal(t, s.path("srv/widget.git"), id.Root)
		require.Equal(t, "main", id.Code().Branch)
	}
	s.git("srv/widget.git", "worktree", "add", "-q", "../tree")
	require.Equal(t, want, s.find("srv/tree").Key)

	// A bare repository beside its worktrees.
	s.git("", "clone", "-q", "--bare", "widget", "proj/.bare")
	s.git("proj/.bare", "remote", "remove", "origin")
	s.write("proj/.git", "gitdir: ./.bare\n")
	s.git("proj", "worktree", "add", "-q", "topic")
	require.True(t, strings.HasPrefix(s.find("proj").Key, "proj@"))
	require.Equal(t, s.find("proj").Key, s.find("proj/topic").Key)
}

func TestSeparateGitDir(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("work")
	s.git("work", "init", "-q", "-b", "main", "--separate-git-dir", s.path("elsewhere.git"))
	s.commit("work", "x")
	id := s.find("work")
	require.Equal(t, s.path("work"), id.Root)
	s.git("work", "worktree", "add", "-q", "../linked")
	require.Equal(t, id.Key, s.find("linked").Key)
}

func TestNoCommitYet(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("new/sub")
	s.git("new", "init", "-q", "-b", "main")
	id := s.used("new/sub")
	require.Equal(t, pathKey(s.path("new")), id.Key)
	require.Equal(t, ByPath, id.FoundBy)
	require.Contains(t, strings.Join(id.Notes, "\n"), "no commit yet")
	require.Equal(t, "", id.Code().String())
	require.Equal(t, "main", id.Code().Branch)

	s.commit("new", "first")
	after := s.find("new")
	require.Equal(t, id.Key, after.Key, "what was remembered before the first commit is not lost by it")
	require.Equal(t, ByHistory, after.FoundBy)
}

func TestLocalRemotes(t *testing.T) {
	s := newSandbox(t)
	s.clone("up", "https://example.com/acme/widget")
	s.git("", "clone", "-q", "up", "one")
	s.git("", "clone", "-q", "one", "two")
	for _, dir := range []string{"one", "two"} {
		id := s.find(dir)
		require.Equal(t, "example.com/acme/widget", id.Key, dir)
		require.Equal(t, ByRemote, id.FoundBy)
	}
	s.git("one", "remote", "set-url", "origin", "../up")
	require.Equal(t, "example.com/acme/widget", s.find("one").Key)
	s.git("one", "remote", "set-url", "origin", "file://"+filepath.ToSlash(s.path("up"))+"/.git")
	require.Equal(t, "example.com/acme/widget", s.find("one").Key)

	s.git("", "init", "-q", "--bare", "srv/fresh.git")
	s.git("", "clone", "-q", "srv/fresh.git", "fresh")
	s.git("fresh", "remote", "set-url", "origin", "../srv/fresh") // git adds the .git
	empty := s.find("fresh")
	require.Equal(t, pathKey(s.path("srv/fresh.git")), empty.Key)
	s.commit("fresh", "first")
	s.git("fresh", "push", "-q", s.path("srv/fresh.git"), "HEAD:main")
	require.True(t, strings.HasPrefix(s.find("fresh").Key, "fresh@"))

	s.git("fresh", "bundle", "create", "-q", s.path("x.bundle"), "HEAD")
	s.git("", "clone", "-q", "x.bundle", "bundled")
	require.Equal(t, pathKey(s.path("x.bundle")), s.find("bundled").Key)

	s.git("one", "remote", "set-url", "origin", "../gone")
	id := s.find("one")
	require.Equal(t, ByRootCommit, id.FoundBy)
	require.Contains(t, strings.Join(id.Notes, "\n"), "not there")

	// The project of a linked upstream is that of its clones.
	_, err := Link(s.path("up"), "chosen", s.options)
	require.NoError(t, err)
	s.git("two", "remote", "set-url", "origin", "../up")
	require.Equal(t, "chosen", s.find("two").Key)
}

func TestRemotesInACircle(t *testing.T) {
	s := newSandbox(t)
	s.repo("self")
	s.git("self", "remote", "add", "origin", ".")
	require.Equal(t, ByRootCommit, s.find("self").FoundBy)

	s.repo("a")
	s.git("", "clone", "-q", "a", "b")
	s.git("", "clone", "-q", "b", "c")
	s.git("a", "remote", "add", "origin", "../c")
	s.git("", "clone", "-q", "a", "outside")
	key := s.find("a").Key
	require.True(t, strings.HasPrefix(key, "a@"), key)
	for _, dir := range []string{"b", "c", "outside"} {
		require.Equal(t, key, s.find(dir).Key, dir)
	}
}

func TestSHA256(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("big")
	s.git("big", "init", "-q", "-b", "main", "--object-format=sha256")
	root := s.commit("big", "x")
	require.Len(t, root, 64)
	id := s.find("big")
	require.Equal(t, "big@"+root[:12], id.Key)
	require.Equal(t, root, id.Code().Commit)
	s.git("big", "remote", "add", "origin", "https://example.com/big")
	require.Equal(t, "example.com/big", s.find("big").Key)
}

// A repository as git from 2.45 on makes it with --ref-format=reftable; the
// git of the tests may not know it.
func TestReftable(t *testing.T) {
	s := newSandbox(t)
	s.clone("rt", "https://example.com/rt")
	s.git("rt", "config", "core.repositoryFormatVersion", "1")
	s.git("rt", "config", "extensions.refStorage", "reftable")
	require.NoError(t, os.RemoveAll(s.path("rt/.git/refs/heads")))
	s.write("rt/.git/HEAD", "ref: refs/heads/.invalid\n")
	s.write("rt/.git/refs/heads", "this repository uses the reftable format\n")
	s.write("rt/.git/reftable/tables.list", "0x000000000001-0x000000000002-0e8ed1a2.ref\n")
	require.Equal(t, "example.com/rt", s.find("rt").Key)
	s.find("rt").Code()

	s.git("rt", "config", "-f", ".git/config", "--unset", "remote.origin.url")
	id := s.find("rt")
	require.Contains(t, []string{ByPath, ByRootCommit}, id.FoundBy)
	if id.FoundBy == ByPath {
		require.Contains(t, strings.Join(id.Notes, "\n"), "root commit is not known")
	}
}

func TestShallowAndPartialClones(t *testing.T) {
	s := newSandbox(t)
	s.repo("full")
	s.commit("full", "second")
	s.commit("full", "third")
	s.git("full", "config", "uploadpack.allowFilter", "true")
	url := "file://" + filepath.ToSlash(s.path("full"))
	s.git("", "clone", "-q", "--depth", "1", url, "shallow")
	s.git("", "clone", "-q", "--filter=tree:0", "--no-checkout", url, "partial")
	for _, dir := range []string{"shallow", "partial"} {
		require.Equal(t, s.find("full").Key, s.find(dir).Key)
	}
	for _, dir := range []string{"shallow", "partial"} {
		s.git(dir, "remote", "remove", "origin")
	}
	require.Equal(t, ByRootCommit, s.find("partial").FoundBy)
	id := s.find("shallow")
	require.Equal(t, pathKey(s.path("shallow")), id.Key)
	require.Contains(t, strings.Join(id.Notes, "\n"), "shallow")
	for _, dir := range []string{"shallow", "partial"} {
		s.git(dir, "remote", "add", "origin", "https://example.com/full")
		require.Equal(t, "example.com/full", s.find(dir).Key)
		require.Equal(t, s.git("full", "rev-parse", "main"), s.find(dir).Code().Commit)
	}
}

func TestPlainFoldersAreNoProject(t *testing.T) {
	s := newSandbox(t)
	s.mkdir("plain/sub")
	require.ErrorContains(t, s.none("plain/sub"), "vault link")
	s.none("home")
	s.none("")
	_, err := Find(string(filepath.Separator), s.options)
	if _, statErr := os.Stat("/.git"); statErr != nil {
		require.ErrorIs(t, err, ErrNoProject)
	}
	for _, dir := range []string{"missing", "home/missing/deeper"} {
		_, err := Find(s.path(dir), s.options)
		require.ErrorContains(t, err, s.path(dir))
		require.NotErrorIs(t, err, ErrNoProject)
	}
	s.write("file", "x")
	_, err = Find(s.path("file"), s.options)
	require.ErrorContains(t, err, "not a folder")
}

func TestDotfilesInHome(t *testing.T) {
	s := newSandbox(t)
	s.clone("home", "https://example.com/me/dotfiles")
	s.mkdir("home/notes")
	s.clone("home/src/widget", "https://example.com/acme/widget")
	s.none("home")
	s.none("home/notes")
	require.Equal(t, "example.com/acme/widget", s.find("home/src/widget").Key)

	_, err := Link(s.path("home/notes"), "", s.options)
	require.NoError(t, err)
	require.Equal(t, pathKey(s.path("home/notes")), s.find("home/notes").Key)
	s.none("home")

	_, err = Link(s.path("home"), "", s.options)
	require.NoError(t, err)
	id := s.find("home")
	require.Equal(t, "example.com/me/dotfiles", id.Key)
	require.Equal(t, ByLink, id.FoundBy)
	require.Equal(t, "example.com/acme/widget", s.find("home/src/widget").Key)

	// A bare one whose worktree is the home.
	s2 := newSandbox(t)
	s2.git("", "init", "-q", "--bare", "home/.dotfiles")
	s2.git("home/.dotfiles", "config", "core.bare", "false")
	s2.git("home/.dotfiles", "config", "core.worktree", "../")
	s2.git("home/.dotfiles", "remote", "add", "origin", "https://example.com/me/dotfiles")
	s2.none("home")
	s2.none("home/.dotfiles")
}

func TestHomeBehindASymlink(t *testing.T) {
	s := newSandbox(t)
	s.clone("home", "https://example.com/me/dotfiles")
	require.NoError(t, os.Symlink(s.path("home"), s.path("alias")))
	s.options.UserHome = s.path("alias")
	s.none("home")
	s.none("alias")
}

func TestSymlinks(t *testing.T) {
	s := newSandbox(t)
	s.clone("real/widget", "https://example.com/acme/widget")
	s.mkdir("real/widget/sub")
	s.mkdir("outside")
	require.NoError(t, os.Symlink(s.path("real/widget/sub"), s.path("in")))
	require.NoError(t, os.Symlink(s.path("outside"), s.path("real/widget/out")))
	require.NoError(t, os.Symlink(s.path("loop"), s.path("loop")))
	id := s.find("in")
	require.Equal(t, "example.com/acme/widget", id.Key)
	require.Equal(t, s.path("real/widget"), id.Root)
	s.none("real/widget/out")
	_, err := Find(s.path("loop"), s.options)
	require.Error(t, err)
}

func TestOddNames(t *testing.T) {
	s := newSandbox(t)
	names := []string{"a b", "ünï", "日本", "-rf", "$(x)", "a'b\"c", "#h;x", "x@y", "con.x"}
	if runtime.GOOS == "linux" {
		names = append(names, "new\nline", "\xff\xfe", "back\\slash", "colon:x")
	}
	keys := map[string]bool{}
	for _, name := range names {
		s.repo("w/" + name + "/r")
		s.git("w/"+name+"/r", "worktree", "add", "-q", "../linked")
		id := s.find("w/" + name + "/r")
		require.Equal(t, id.Key, s.find("w/"+name+"/linked").Key)

		s.mkdir("w/" + name + "/plain")
		linked, err := Link(s.path("w", name, "plain"), "", s.options)
		require.NoError(t, err)
		require.NotContains(t, linked.Key, "\n")
		require.False(t, keys[linked.Dir])
		keys[linked.Dir] = true
		require.Equal(t, linked.Key, s.find("w/"+name+"/plain").Key)
		require.Equal(t, ByPath, s.find("w/"+name+"/plain").FoundBy)
	}
	all, notes, err := Bindings(s.options)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, all, len(names))
}

func TestTheEnvironmentOfAHookHasNoSay(t *testing.T) {
	s := newSandbox(t)
	s.clone("a", "https://example.com/a")
	s.repo("b")
	s.mkdir("plain")
	want := s.find("b").Key
	for name, value := range map[string]string{
		"GIT_DIR": s.path("a/.git"), "GIT_WORK_TREE": s.path("a"), "GIT_COMMON_DIR": s.path("a/.git"), "GIT_INDEX_FILE": "/x",
		"GIT_OBJECT_DIRECTORY": "/x", "GIT_CEILING_DIRECTORIES": s.dir, "GIT_NAMESPACE": "x", "GIT_PREFIX": "x/",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "remote.origin.url", "GIT_CONFIG_VALUE_0": "https://example.com/env",
		"GIT_CONFIG_PARAMETERS": "'remote.origin.url=https://example.com/env'", "GIT_TRACE": "1",
	} {
		s.env[name] = value
		t.Setenv(name, value) // the process's own is never read
	}
	s.options.Home = ""
	require.Equal(t, want, s.find("b").Key)
	require.Equal(t, "example.com/a", s.find("a").Key)
	s.none("plain")
}

func TestVaultsOwnFoldersAreNoProject(t *testing.T) {
	s := newSandbox(t)
	s.clone("vault/user", "https://example.com/me/memory")
	s.clone("vault/projects/x", "https://example.com/me/x")
	s.mkdir("vault/projects/x/preferences")
	for _, dir := range []string{"vault/user", "vault/projects/x", "vault/projects/x/preferences", "vault/projects"} {
		s.none(dir)
		_, err := Link(s.path(dir), "", s.options)
		require.Error(t, err)
	}
	s.options.Home = s.path("nothing/there/yet")
	s.clone("repo", "https://example.com/repo")
	require.Equal(t, "example.com/repo", s.find("repo").Key)
	s.repo("local")
	require.Equal(t, ByRootCommit, s.find("local").FoundBy)
	require.NoDirExists(t, s.path("nothing"), "looking makes no home")
}

func TestMalformedConfiguration(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/repo")
	s.write("repo/.git/config", "[remote \"origin\"]\nurl = x\n[broken\n")
	_, err := Find(s.path("repo"), s.options)
	require.ErrorContains(t, err, "line 3")
	require.ErrorContains(t, err, s.path("repo", ".git", "config"))
}
