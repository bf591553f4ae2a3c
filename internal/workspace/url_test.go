package workspace

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestOneRepositoryManySpellings(t *testing.T) {
	for want, urls := range map[string][]string{
		"github.com/acme/widget": {
			"git@github.com:acme/widget.git", "git@github.com:acme/widget", "github.com:acme/widget.git/",
			"git@github.com:/acme/widget.git", "git@GitHub.COM:acme/widget.git", "git@github.com.:acme/widget",
			"me@[github.com]:acme/widget", "[me@github.com:22]:acme/widget.git",
			"ssh://git@github.com/acme/widget.git", "ssh://github.com:22/acme/widget", "SSH://git@github.com/acme/widget",
			"git+ssh://git@github.com/acme/widget", "ssh://git@ssh.github.com:443/acme/widget.git",
			"https://github.com/acme/widget", "https://github.com/acme/widget.git", "https://github.com/acme/widget/",
			"https://github.com/acme/widget.git/", "https://github.com:443/acme/widget", "https://github.com:0443/acme/widget",
			"https://github.com:/acme/widget", "http://github.com:80/acme/widget", "https://www.github.com/acme/widget",
			"https://me@github.com/acme/widget", "https://me:p%40ss@github.com/acme/widget", "https://me:p@ss@github.com/acme/widget",
			"https://x-access-token:ghs_0123@github.com/acme/widget.git", "https://github.com//acme///widget",
			"https://github.com/./acme/x/../widget", "https://github.com/%61cme/widget", "https://github.com/acme/widget#readme",
			"https://github.com/Acme/Widget", "git://github.com/acme/widget.git", "git://github.com:9418/acme/widget",
			"https://github.com/acme/widget/.git", "  https://github.com/acme/widget  ", "hg::https://github.com/acme/widget",
		},
		"git.example.com/Acme/Widget":      {"git@git.example.com:Acme/Widget.git", "https://GIT.example.com/Acme/Widget/"},
		"git.example.com/acme/widget":      {"git@git.example.com:acme/widget.git"},
		"git.example.com:2222/acme/widget": {"ssh://git@git.example.com:2222/acme/widget", "ssh://git.example.com:02222/acme/widget.git"},
		"git.example.com/2222/acme/widget": {"git@git.example.com:2222/acme/widget"},
		"git.example.com:22/acme/widget":   {"https://git.example.com:22/acme/widget"},
		"git.example.com:443/acme/widget":  {"http://git.example.com:443/acme/widget", "ssh://git.example.com:443/acme/widget"},
		"git.example.com/group/sub/widget": {"https://git.example.com/group/sub/widget.git"},
		"git.example.com/~me/widget":       {"git.example.com:~me/widget.git", "ssh://git.example.com/~me/widget.git"},
		"git.example.com/widget.git.x":     {"https://git.example.com/widget.git.x"},
		"git.example.com/a b/ü":            {"https://git.example.com/a%20b/%C3%BC", "git@git.example.com:a b/ü.git"},
		"git.example.com/a%2Fb":            {"https://git.example.com/a%2Fb"},
		"git.example.com/a%FFb":            {"https://git.example.com/a%FFb"},
		"git.example.com/a%zz%":            {"https://git.example.com/a%zz%"},
		"git.example.com/a%20b":            {"git.example.com:a%20b", "https://git.example.com/a%2520b"},
		"git.example.com/.git":             {"https://git.example.com/.git"},
		"git.example.com":                  {"https://git.example.com", "https://git.example.com/", "git.example.com:"},
		"git.example.com/a#b?c":            {"ssh://git.example.com/a#b?c"},
		"git.example.com/x":                {"https://git.example.com/../../x"},
		"[::1]/acme/widget":                {"ssh://git@[::1]/acme/widget", "git@[::1]:acme/widget.git", "[::1]:acme/widget", "ssh://[0:0:0:0:0:0:0:1]:22/acme/widget"},
		"[::1]:2222/acme/widget":           {"ssh://git@[::1]:2222/acme/widget.git"},
		"[fe80::1%eth0]/x":                 {"ssh://[fe80::1%25eth0]/x"},
		"127.0.0.1/x":                      {"git@127.0.0.1:x"},
		"host/x":                           {"host:x", "me@host:x.git", "ssh://me@host/x"},
		"dev.azure.com/org/proj/repo": {
			"https://org@dev.azure.com/org/proj/_git/repo", "git@ssh.dev.azure.com:v3/org/proj/repo",
			"https://org.visualstudio.com/proj/_git/repo", "https://org.visualstudio.com/DefaultCollection/proj/_git/repo",
			"org@vs-ssh.visualstudio.com:v3/org/proj/repo",
		},
		"dev.azure.com/org/my proj/my proj":    {"https://dev.azure.com/org/_git/my%20proj", "git@ssh.dev.azure.com:v3/org/My%20Proj/My%20Proj"},
		"keybase://private/me/widget":          {"keybase://private/me/widget"},
		"codecommit::us-east-1://widget":       {"codecommit::us-east-1://profile@widget"},
		"ext::" + hash("ssh me@host %S x", 12): {"ext::ssh me@host %S x"},
		"s3://bucket/widget":                   {"s3://bucket/widget.git"},
	} {
		for _, url := range urls {
			a, err := parseURLOn("linux", url)
			require.NoError(t, err, url)
			require.Equal(t, address{Key: want}, a, url)
		}
	}
}

func TestQueriesAreToldApartAndNotShown(t *testing.T) {
	one, err := parseURL("https://git.example.com/?p=one&token=secret")
	require.NoError(t, err)
	two, err := parseURL("https://git.example.com/?p=two&token=secret")
	require.NoError(t, err)
	require.NotEqual(t, one, two)
	require.NotContains(t, one.Key, "secret")
}

func TestLocalPaths(t *testing.T) {
	for url, want := range map[string]string{
		"/srv/git/widget.git":           "/srv/git/widget.git",
		"../widget":                     "../widget",
		"widget":                        "widget",
		".":                             ".",
		"./a:b":                         "./a:b",
		"/a:b/c":                        "/a:b/c",
		"file:///srv/git/widget.git":    "/srv/git/widget.git",
		"FILE:///srv/a%20b":             "/srv/a b",
		"file://localhost/srv/widget":   "/srv/widget",
		"file:///C:/git/widget":         "C:/git/widget",
		"file://C:/git/widget":          "C:/git/widget",
		"file://server/share/widget":    "//server/share/widget",
		"//server/share/widget":         "//server/share/widget",
		`C:\git\widget`:                 `C:\git\widget`,
		`\\server\share\widget`:         `\\server\share\widget`,
		"hg::file:///srv/widget":        "/srv/widget",
		"/srv/päth/with space":          "/srv/päth/with space",
		"user@dir/without-colon":        "user@dir/without-colon",
		"/x@[y]:z":                      "/x@[y]:z",
		"file:///srv/100%":              "/srv/100%",
		"file:///srv/%2e%2e/escape%2Fd": "/srv/../escape%2Fd",
	} {
		a, err := parseURLOn("linux", url)
		require.NoError(t, err, url)
		require.Equal(t, address{Local: want}, a, url)
	}
}

func TestDrives(t *testing.T) {
	for _, url := range []string{"C:/git/widget", "c:widget"} {
		a, err := parseURLOn("windows", url)
		require.NoError(t, err)
		require.Equal(t, address{Local: url}, a)
	}
	a, err := parseURLOn("linux", "h:acme/widget") // an ssh alias
	require.NoError(t, err)
	require.Equal(t, address{Key: "h/acme/widget"}, a)
}

func TestURLsThatSayNothing(t *testing.T) {
	for _, url := range []string{
		"", " ", "https://", "https:///x", "https://me:pa/ss@host/x", "ssh://host:port/x", "ssh://host:99999/x",
		"ssh://[::1/x", "ssh://[nonsense]/x", "ssh://[::1]x/y", "[::1]x:y", "me@[host:x", ":x", "@:x", "https://me@/x",
		"host:a\x00b", "host:a\nb", "file://nothing", "ssh://me@:22/x",
	} {
		a, err := parseURL(url)
		require.Error(t, err, "%q gives %+v", url, a)
		require.NotContains(t, err.Error(), "pa/ss")
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"git@github.com:acme/widget.git", "ssh://u:p@[::1]:22/x", "https://h:443/a%2Fb?q#f", "file:///C:/x", "[u@h:1]:p", "ext::sh -c x", `C:\x`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		for _, system := range []string{"linux", "windows"} {
			a, err := parseURLOn(system, url)
			if err != nil {
				continue
			}
			if (a.Key == "") == (a.Local == "") {
				t.Fatalf("%q: %+v", url, a)
			}
			if a.Key == "" {
				continue
			}
			if strings.HasPrefix(a.Key, "/") || strings.ContainsFunc(a.Key, unicode.IsControl) || !utf8.ValidString(a.Key) {
				t.Fatalf("%q: key %q", url, a.Key)
			}
			if host, _, _ := strings.Cut(a.Key, "/"); strings.Contains(host, "@") {
				t.Fatalf("%q: user name in key %q", url, a.Key)
			}
			if len(Dir(a.Key)) > maxDir {
				t.Fatalf("%q: folder %q", url, Dir(a.Key))
			}
			// The same, with what makes no difference.
			if rest, ok := strings.CutPrefix(url, "https://"); ok && !strings.ContainsAny(url, "@?# ") {
				other, err := parseURLOn(system, "https://me:secret@"+strings.TrimRight(rest, "/")+"//")
				if err != nil || other != a {
					t.Fatalf("%q: %+v, with a user %+v, %v", url, a, other, err)
				}
			}
		}
	})
}
