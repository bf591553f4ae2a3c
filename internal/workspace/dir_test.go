package workspace

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDir(t *testing.T) {
	for key, want := range map[string]string{
		"github.com/acme/widget":      "github.com+acme+widget",
		"widget@3f9c2d1ab4c5":         "widget@3f9c2d1ab4c5",
		"git.example.com/~me/x":       "git.example.com+-me+x~" + hash("git.example.com/~me/x", 12),
		"git.example.com/Acme/Widget": "git.example.com+acme+widget~" + hash("git.example.com/Acme/Widget", 12),
		"/home/me/notes":              "home+me+notes~" + hash("/home/me/notes", 12),
		"":                            "_~" + hash("", 12),
	} {
		require.Equal(t, want, Dir(key), key)
	}
}

var portable = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.@+~-]*$`)

// Keys that are near each other, and what file systems cannot hold.
func TestDirsNeverCollide(t *testing.T) {
	keys := []string{
		"a/b/c", "a+b/c", "a-b/c", "a/b-c", "A/b/c", "a/B/c", "a b/c", "a_b/c", "a//b/c", "/a/b/c", "a/b/c/", "a/b/c.", "a/b/c ",
		"con", "con/x", "con.example/x", "CON", "aux.git/x", "nul", "com1/x", "com1.example.com/x", "lpt9", "com10/x", "console/x", "com", "conin$",
		".hidden/x", "-rf/x", "..", ".", "../x", "a/../b", "a/./b", "/", "//server/share", "C:/x", "c:/x", "[::1]:22/x",
		"日本/語", "日本/吾", "ünï", "u\u0308ni\u0308", "a~b", "a~" + hash("x", 12), "a\x00b", "a\nb", "\xff\xfe", "ß", "SS", "ſ", "s", "K", "K", "k",
		strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("x/", 60), strings.Repeat("ü", 99), strings.Repeat("y", 5000) + "/a", strings.Repeat("y", 5000) + "/b",
		"widget@3f9c2d1ab4c5", "Widget@3f9c2d1ab4c5", "a/b/c?0123456789ab", "keybase://private/x",
	}
	seen := map[string]string{}
	for _, key := range keys {
		if _, twice := seen[key]; twice {
			continue
		}
		dir := Dir(key)
		require.Equal(t, dir, Dir(key))
		require.LessOrEqual(t, len(dir), maxDir, "%q", key)
		require.Regexp(t, portable, dir, "%q", key)
		require.NotRegexp(t, `(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`, dir, "%q", key)
		require.False(t, strings.HasSuffix(dir, "."), "%q", key)
		folded := strings.ToLower(dir)
		for other, otherDir := range seen {
			if other != key {
				require.NotEqual(t, folded, strings.ToLower(otherDir), "%q and %q", key, other)
			}
		}
		seen[key] = dir
	}
}

func FuzzDir(f *testing.F) {
	f.Add("github.com/acme/widget", "github.com/Acme/widget")
	f.Add("con.x", "a+b")
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b {
			return
		}
		da, db := Dir(a), Dir(b)
		if strings.EqualFold(da, db) {
			t.Fatalf("%q and %q share %q", a, b, da)
		}
		if len(da) > maxDir || !portable.MatchString(da) {
			t.Fatalf("%q: %q", a, da)
		}
	})
}
