package workspace

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// trusting has Find ask what state says.
func (s *sandbox) trusting() {
	o := s.options
	s.options.Trusted = func(vault string) bool { return IsTrusted(vault, o) }
}

func TestTrustIsOfOneFolder(t *testing.T) {
	s := newSandbox(t)
	s.trusting()
	s.repo("repo")
	s.write("repo/.vault/vault.yaml", "format: 1\n")
	id := s.find("repo")
	require.Equal(t, s.path("repo/.vault"), id.Here)
	require.False(t, id.HereTrusted)
	require.NotEqual(t, ByHere, id.FoundBy)

	require.NoError(t, Trust(id.Here, true, s.options))
	s.git("repo", "worktree", "add", "-q", "../linked")
	for _, dir := range []string{"repo", "repo/.vault", "linked"} {
		require.Equal(t, ByHere, s.find(dir).FoundBy, dir)
		require.Equal(t, id.Here, s.find(dir).Here)
	}
	require.NoError(t, Trust(id.Here, false, s.options))
	require.False(t, s.find("repo").HereTrusted)

	// Another vault at the same place is another.
	require.NoError(t, Trust(id.Here, true, s.options))
	require.NoError(t, os.RemoveAll(id.Here))
	s.write("other", "")
	s.write("repo/.vault/vault.yaml", "format: 1\n")
	if stamp(id.Here) != "" {
		require.False(t, s.find("repo").HereTrusted)
	}
}

func TestTrustToleratesDamage(t *testing.T) {
	s := newSandbox(t)
	s.trusting()
	s.repo("one")
	s.repo("two")
	for _, dir := range []string{"one", "two"} {
		s.write(dir+"/.vault/vault.yaml", "format: 1\n")
	}
	require.NoError(t, Trust(s.path("one/.vault"), true, s.options))
	data, err := os.ReadFile(s.options.trustFile())
	require.NoError(t, err)
	s.write("vault/state/trust", "{\"path\":\"rel\"}\nnonsense\n"+string(data)+"{\"pa")
	require.True(t, s.find("one").HereTrusted)
	require.False(t, s.find("two").HereTrusted)
	require.NoError(t, Trust(s.path("two/.vault"), true, s.options))
	require.True(t, s.find("one").HereTrusted)
	require.True(t, s.find("two").HereTrusted)
	data, err = os.ReadFile(s.options.trustFile())
	require.NoError(t, err)
	require.Contains(t, string(data), "nonsense\n")

	// A file that can't be read trusts nothing.
	require.NoError(t, os.Remove(s.options.trustFile()))
	s.mkdir("vault/state/trust")
	require.False(t, s.find("one").HereTrusted)
	require.Error(t, Trust(s.path("two/.vault"), true, s.options))
}

func TestAVaultIsHiddenFromTheCode(t *testing.T) {
	s := newSandbox(t)
	s.repo("repo")
	s.git("repo", "worktree", "add", "-q", "../linked")
	for range 2 {
		require.NoError(t, HideHere(s.find("linked"), s.options))
	}
	require.Equal(t, s.path("repo/.vault"), HereDir(s.find("linked")))
	require.False(t, TracksHere(s.find("repo")))
	s.write("repo/.vault/vault.yaml", "format: 1\n")
	require.Empty(t, s.git("repo", "status", "--porcelain"))
	s.git("repo", "add", "-f", ".vault/vault.yaml")
	require.True(t, TracksHere(s.find("repo")))
}
