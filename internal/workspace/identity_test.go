package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiveClonesAreOneProject(t *testing.T) {
	s := newSandbox(t)
	for dir, remote := range map[string]string{
		"work/widget":  "git@github.com:acme/widget.git",
		"work/widget2": "https://github.com/acme/widget",
		"w":            "ssh://git@github.com:22/acme/widget.git/",
		"other/name":   "https://user:secret@GitHub.com/acme/widget.git",
		"x y/ünï":      "git://github.com/acme/widget",
	} {
		s.clone(dir, remote)
		s.mkdir(dir + "/deep/down")
		for _, at := range []string{dir, dir + "/deep/down"} {
			id := s.find(at)
			require.Equal(t, "github.com/acme/widget", id.Key)
			require.Equal(t, ByRemote, id.FoundBy)
			require.Equal(t, s.path(dir), id.Root)
			require.Equal(t, "github.com+acme+widget", id.Dir)
			require.Empty(t, id.Notes)
		}
	}
}
