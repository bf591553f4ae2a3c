//go:build unix

package workspace

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe that nobody writes to would be waited on for ever.
func TestPipesAreNotRead(t *testing.T) {
	s := newSandbox(t)
	s.clone("repo", "https://example.com/repo")
	for _, file := range []string{"packed-refs", "HEAD", "config", "commondir", "shallow"} {
		path := s.path("repo/.git", file)
		_ = os.Rename(path, path+".kept")
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		id, _ := Find(s.path("repo"), s.options)
		id.Code()
		require.NoError(t, os.Remove(path))
		_ = os.Rename(path+".kept", path)
	}
	s.mkdir("linked")
	require.NoError(t, syscall.Mkfifo(s.path("linked/.git"), 0o600))
	_, err := Find(s.path("linked"), s.options)
	require.Error(t, err)
}
