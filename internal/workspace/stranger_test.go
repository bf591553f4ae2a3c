package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standIn puts a git in place that does something first.
func (s *sandbox) standIn(script string) {
	s.t.Helper()
	s.write("stand-in", "#!/bin/sh\n"+script+"\nexec '"+s.options.Git+"' \"$@\"\n")
	require.NoError(s.t, os.Chmod(s.path("stand-in"), 0o755))
	s.options.Git = s.path("stand-in")
}

func TestSomebodyElsesRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script that stands in for git")
	}
	s := newSandbox(t)
	s.repo("repo")
	want := s.find("repo").Key
	require.NoError(t, os.RemoveAll(s.path("vault/state")))
	// As if it belonged to another user, which makes git refuse what it has
	// to find by itself.
	s.standIn("GIT_TEST_ASSUME_DIFFERENT_OWNER=1; export GIT_TEST_ASSUME_DIFFERENT_OWNER")
	require.Equal(t, want, s.find("repo").Key)
}

func TestGitSeesNothingOfThePerson(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script that stands in for git")
	}
	s := newSandbox(t)
	s.repo("repo")
	s.env["GIT_DIR"], s.env["SECRET"], s.env["GIT_CONFIG_GLOBAL"] = "/x", "x", s.path("home/.gitconfig")
	s.write("home/.gitconfig", "[user]\nname=x\n")
	s.standIn("env > '" + s.path("seen") + "'")
	s.find("repo")
	seen, err := os.ReadFile(s.path("seen"))
	require.NoError(t, err)
	for _, line := range []string{"GIT_DIR=", "SECRET", "HOME=", ".gitconfig"} {
		require.NotContains(t, string(seen), line)
	}
	require.Contains(t, string(seen), "GIT_TERMINAL_PROMPT=0")
}

// A folder of this machine that stands in for a host is not the project's name.
func TestMirrorOnThisMachine(t *testing.T) {
	s := newSandbox(t)
	s.repo("src")
	s.git("", "clone", "-q", "--bare", "src", "mirror/acme/widget.git")
	s.git("mirror/acme/widget.git", "remote", "set-url", "origin", "https://github.com/acme/widget.git")
	s.clone("repo", "https://github.com/acme/widget")
	s.clone("alias", "m:acme/widget")
	s.write("home/.gitconfig", "[url \""+filepath.ToSlash(s.path("mirror"))+"/\"]\ninsteadOf=https://github.com/\ninsteadOf=m:\n")
	for _, dir := range []string{"repo", "alias", "mirror/acme/widget.git"} {
		require.Equal(t, "github.com/acme/widget", s.find(dir).Key, dir)
	}
}

func TestRelativeRemoteIsTheMainWorktrees(t *testing.T) {
	s := newSandbox(t)
	s.clone("up", "https://example.com/up")
	s.clone("repo", "../up")
	s.mkdir("far/away")
	s.git("repo", "worktree", "add", "-q", "../far/away/linked")
	require.Equal(t, "example.com/up", s.find("repo").Key)
	require.Equal(t, "example.com/up", s.find("far/away/linked").Key)
}

func TestHashesGetLongerWithTheRepository(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	index := s.path("repo/.git/objects/pack/pack-x.idx")
	require.NoError(t, os.MkdirAll(filepath.Dir(index), 0o755))
	for objects, want := range map[int64]int{0: 7, 1000: 7, 1 << 13: 7, 1 << 14: 8, 1_000_000: 10, 10_000_000: 12} {
		f, err := os.Create(index)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(1072+objects*28)) // sparse
		require.NoError(t, f.Close())
		require.Len(t, s.find("repo").Code().Short(), want, "%d objects", objects)
	}
}

func TestSubmodulesAndNestedClonesStayApart(t *testing.T) {
	s := newSandbox(t)
	s.clone("outer", "https://example.com/outer")
	s.clone("outer/vendor/inner", "https://example.com/inner")
	s.mkdir("outer/vendor/inner/sub")
	s.mkdir("outer/vendor/other")
	require.Equal(t, "example.com/inner", s.find("outer/vendor/inner/sub").Key)
	require.Equal(t, "example.com/outer", s.find("outer/vendor/other").Key)
}

func TestManyRemembersAtOnce(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/repo")
	done := make(chan error)
	for range 10 {
		go func() {
			id, err := Find(s.path("repo"), s.options)
			if err == nil {
				err = Use(id, s.options)
			}
			done <- err
		}()
	}
	for range 10 {
		require.NoError(t, <-done)
	}
	require.True(t, s.find("repo").known)
}

// Whatever a stranger's repository holds: an answer, and one line.
func FuzzRepository(f *testing.F) {
	f.Add("ref: refs/heads/main", "[remote \"origin\"]\nurl=https://example.com/x\n", "", "gitdir: ../repo/.git")
	f.Add("0123456789012345678901234567890123456789", "[core]\nworktree=..\n", "0123456789012345678901234567890123456789 refs/heads/main\n", "gitdir: /")
	f.Add("ref: refs/heads/../x", "[include]\npath=config\n", "^\n", "")
	s := newSandbox(f)
	s.mkdir("repo/.git/objects")
	s.mkdir("repo/.git/refs")
	s.options.Git = ""
	f.Fuzz(func(t *testing.T, head, config, packed, dotGit string) {
		s.t = t
		s.write("repo/.git/HEAD", head)
		s.write("repo/.git/config", config)
		s.write("repo/.git/packed-refs", packed)
		s.write("linked/.git", dotGit)
		for _, dir := range []string{"repo", "repo/.git", "linked"} {
			id, err := Find(s.path(dir), s.options)
			text := fmt.Sprint(err) + id.Key + strings.Join(id.Notes, "") + id.Code().String()
			if strings.ContainsAny(text, "\n\r\x00") {
				t.Fatalf("%q", text)
			}
			if err == nil && (id.Key == "" || id.Dir != Dir(id.Key)) {
				t.Fatalf("%+v", id)
			}
		}
	})
}
