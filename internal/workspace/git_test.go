package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sandbox is a machine of its own: a person's home, a vault home, and git,
// which sees nothing else.
type sandbox struct {
	t       testing.TB
	dir     string // real
	options Options
	env     map[string]string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	program, err := exec.LookPath("git")
	require.NoError(t, err, "these tests need git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &sandbox{t: t, dir: dir, env: map[string]string{
		"PATH": os.Getenv("PATH"), "SystemRoot": os.Getenv("SystemRoot"), "HOME": filepath.Join(dir, "home"),
	}}
	for _, name := range []string{"home", "vault"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	s.options = Options{
		Home: s.path("vault"), UserHome: s.path("home"), Git: program, Timeout: time.Minute,
		Env: func(name string) (string, bool) { value, ok := s.env[name]; return value, ok },
	}
	return s
}

func (s *sandbox) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

func (s *sandbox) write(path, content string) {
	s.t.Helper()
	path = s.path(path)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte(content), 0o644))
}

func (s *sandbox) mkdir(path string) string {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(s.path(path), 0o755))
	return s.path(path)
}

// git runs git in a folder of the sandbox.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.path(dir)
	cmd.Env = []string{
		"GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	for name, value := range s.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "git %s: %s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// repo makes a repository with one commit whose message is its folder.
func (s *sandbox) repo(dir string) {
	s.t.Helper()
	s.mkdir(dir)
	s.git(dir, "init", "-q", "-b", "main")
	s.commit(dir, dir)
}

func (s *sandbox) commit(dir, message string) string {
	s.t.Helper()
	s.git(dir, "commit", "-q", "--allow-empty", "-m", message)
	return s.git(dir, "rev-parse", "HEAD")
}

func (s *sandbox) clone(dir, remote string) {
	s.t.Helper()
	s.repo(dir)
	s.git(dir, "remote", "add", "origin", remote)
}

func (s *sandbox) find(dir string) Identity {
	s.t.Helper()
	id, err := Find(s.path(dir), s.options)
	require.NoError(s.t, err)
	require.Equal(s.t, Dir(id.Key), id.Dir)
	return id
}

func (s *sandbox) none(dir string) error {
	s.t.Helper()
	id, err := Find(s.path(dir), s.options)
	require.ErrorIs(s.t, err, ErrNoProject)
	require.Empty(s.t, id.Key)
	return err
}

// used makes the scope of a folder's project, as its first entry would.
func (s *sandbox) used(dir string) Identity {
	s.t.Helper()
	id := s.find(dir)
	require.NoError(s.t, os.MkdirAll(filepath.Join(s.options.Home, "projects", id.Dir), 0o755))
	require.NoError(s.t, Use(id, s.options))
	return id
}
