package gitconfig

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is a person's home and a repository, seen by this package and by
// git alike.
type machine struct {
	t    *testing.T
	git  string
	dir  string // real
	env  map[string]string
	repo string // relative; "" for none
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	git, err := exec.LookPath("git")
	require.NoError(t, err, "these tests need git")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m := &machine{t: t, git: git, dir: dir, env: map[string]string{
		"PATH": os.Getenv("PATH"), "SystemRoot": os.Getenv("SystemRoot"), "LC_ALL": "C",
		"HOME": filepath.Join(dir, "home"), "GIT_CONFIG_SYSTEM": filepath.Join(dir, "system"),
	}}
	require.NoError(t, os.Mkdir(m.env["HOME"], 0o755))
	return m
}

func (m *machine) write(path, content string) {
	m.t.Helper()
	path = filepath.Join(m.dir, path)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m.t, os.WriteFile(path, []byte(content), 0o644))
}

func (m *machine) run(dir string, args ...string) (string, error) {
	cmd := exec.Command(m.git, args...)
	cmd.Dir = filepath.Join(m.dir, dir)
	for name, value := range m.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if err != nil {
		err = errors.New(complaint.String())
	}
	return out.String(), err
}

func (m *machine) mustRun(dir string, args ...string) string {
	m.t.Helper()
	out, err := m.run(dir, args...)
	require.NoError(m.t, err, "git %v", args)
	return strings.TrimSpace(out)
}

func (m *machine) init(dir string) {
	m.t.Helper()
	m.mustRun("", "init", "-q", "-b", "main", dir)
	m.repo = dir
}

func (m *machine) options() Options {
	m.t.Helper()
	o := Options{
		UserHome: m.env["HOME"],
		Env:      func(name string) (string, bool) { value, ok := m.env[name]; return value, ok },
	}
	if m.repo != "" {
		ask := *m // about the layout only: the person's files may be broken
		ask.env = maps.Clone(m.env)
		ask.env["GIT_CONFIG_GLOBAL"] = os.DevNull
		o.GitDir = ask.mustRun(m.repo, "rev-parse", "--absolute-git-dir")
		o.CommonDir = ask.mustRun(m.repo, "rev-parse", "--git-common-dir")
		if !filepath.IsAbs(o.CommonDir) {
			o.CommonDir = filepath.Join(m.dir, m.repo, o.CommonDir)
		}
		branch, _ := ask.run(m.repo, "symbolic-ref", "--short", "HEAD")
		o.Branch = func() string { return strings.TrimSpace(branch) }
	}
	return o
}

// list is what git says, as "scope key=value" or "scope key".
func (m *machine) list() ([]string, error) {
	out, err := m.run(m.repo, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var all []string
	for i := 0; i+1 < len(fields); i += 2 {
		all = append(all, fields[i]+" "+strings.Replace(fields[i+1], "\n", "=", 1))
	}
	return all, nil
}

// agree holds the package to git's answer.
func (m *machine) agree() *Config {
	m.t.Helper()
	want, gitErr := m.list()
	c, err := Load(m.options())
	if gitErr != nil {
		require.Error(m.t, err, "git says: %v", gitErr)
		return c
	}
	require.NoError(m.t, err)
	var got []string
	for _, e := range c.Entries() {
		line := []string{"system", "global", "local", "worktree"}[e.Scope] + " " + e.Key
		if !e.Bare {
			line += "=" + e.Value
		}
		got = append(got, line)
	}
	require.Equal(m.t, want, got)
	return c
}

func TestSyntaxIsGits(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                  "",
		"plain":                  "[user]\n\tname = A B\n\temail=a@b\n",
		"same line":              "[user] name = A\n[a]b=c\n",
		"case":                   "[USER]\nNaMe = A\n[Url \"MixedCase\"]\nInsteadOf = x\n",
		"old subsection":         "[Branch.Main]\nremote=x\n",
		"subsection escapes":     "[a \"b\\\"c\\\\d\\te.f]g\"]\nx = 1\n",
		"empty subsection":       "[a \"\"]\nx = 1\n",
		"subsection after tabs":  "[a \t \"b\"]\nx = 1\n",
		"bare":                   "[a]\nb\nc \nd = \ne\n",
		"comments":               "# one\n; two\n[a] # three\nb = c # four\nd = e;five\nf = \"# no; no\" ; yes\n",
		"quotes":                 "[a]\nb = \"  x  \"\nc = x\"y z\"w\nd = \"\"\ne = \"\" x\nf = x \"\"  \n",
		"escapes":                "[a]\nb = a\\tb\\nc\\\\d\\\"e\\bf\n",
		"continuation":           "[a]\nb = one \\\n  two\\\n\\\nthree\nc = \"x\\\ny\"\nd = e # comment \\\nf = g\n",
		"continuation at end":    "[a]\nb = c\\",
		"no final newline":       "[a]\nb = c",
		"crlf":                   "[a]\r\nb = c\r\nd = \"e\"\r\nf = g\\\r\nh\r\n",
		"bom":                    "\xef\xbb\xbf[a]\nb = c\n",
		"digits and dashes":      "[a-1]\nb-2 = c\n",
		"several spaces":         "[a]\nb = c  d   e   \n",
		"unicode":                "[user]\nname = Zoë 名前\n[a \"ключ\"]\nx = é\n",
		"section twice":          "[a]\nb=1\n[c]\nd=2\n[a]\nb=3\n",
		"value before section":   "a = b\n",
		"unclosed section":       "[a\nb = c\n",
		"unclosed at end":        "[a",
		"unclosed subsection":    "[a \"b\nc = d\n",
		"unquoted subsection":    "[a b]\nc = d\n",
		"junk after subsection":  "[a \"b\" ]\nc = d\n",
		"empty section":          "[]\na = b\n",
		"unclosed quote":         "[a]\nb = \"c\nd = e\n",
		"unknown escape":         "[a]\nb = c\\d\n",
		"underscore":             "[a]\nb_c = d\n",
		"name starts with digit": "[a]\n1b = c\n",
		"no equals":              "[a]\nb c\n",
		"comment after bare":     "[a]\nb ; c\n",
		"partial bom":            "\xef\xbb[a]\nb = c\n",
		"junk":                   "}{\n",
		"include without path":   "[include]\npath\n",
		"include with empty":     "[include]\npath =\n[a]\nb=c\n",
		"escaped newline in [":   "[a \"b\\\nc\"]\nx=1\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("home/.gitconfig", text)
			m.agree()
		})
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for text, line := range map[string]int{
		"[a]\n = b\n":                     2,
		"[a]\nb = c\n[d\ne=f\n":           3,
		"[a]\nb = \"c\nd=e\n":             2,
		"\n\n[a]\nb = x\\\n  \\q\n":       5,
		"[a]\r\nb = c\r\n_\r\n":           3,
		"[a \"b\nc = d\n":                 1,
		"[a]\nx=1\n[include]\npath = ~/b": 1,
	} {
		m := newMachine(t)
		m.write("home/.gitconfig", text)
		m.write("home/b", "non sense\n")
		_, err := Load(m.options())
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, "%q", text)
		require.Equal(t, line, syntax.Line, "%q", text)
		want := filepath.Join(m.dir, "home", ".gitconfig")
		if strings.Contains(text, "include") {
			want = filepath.Join(m.dir, "home", "b")
		}
		require.Equal(t, want, syntax.File)
		require.NotContains(t, err.Error(), "\n")
		_, gitErr := m.list()
		require.Error(t, gitErr, "%q", text)
	}
}

func TestSourcesInOrder(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.write("system", "[user]\nname=system\n[a]\nx=s\n")
	m.write("home/.config/git/config", "[user]\nname=xdg\n")
	m.write("home/.gitconfig", "[user]\nname=home\n")
	c := m.agree()
	name, _ := c.Get("user.name")
	require.Equal(t, "home", name)

	m.mustRun("repo", "config", "user.name", "local")
	c = m.agree()
	require.Equal(t, []string{"system", "xdg", "home", "local"}, c.All("user.name"))

	m.write("xdg/git/config", "[user]\nname=other xdg\n")
	m.env["XDG_CONFIG_HOME"] = filepath.Join(m.dir, "xdg")
	c = m.agree()
	require.Equal(t, []string{"system", "other xdg", "home", "local"}, c.All("user.name"))

	m.write("global", "[user]\nname=named\n")
	m.env["GIT_CONFIG_GLOBAL"] = filepath.Join(m.dir, "global")
	c = m.agree()
	require.Equal(t, []string{"system", "named", "local"}, c.All("user.name"))

	m.env["GIT_CONFIG_GLOBAL"] = os.DevNull
	m.env["GIT_CONFIG_NOSYSTEM"] = "1"
	c = m.agree()
	require.Equal(t, []string{"local"}, c.All("user.name"))

	m.env["GIT_CONFIG_GLOBAL"] = ""
	m.env["GIT_CONFIG_NOSYSTEM"] = "false"
	delete(m.env, "GIT_CONFIG_SYSTEM")
	o := m.options()
	o.System = filepath.Join(m.dir, "system")
	c, err := Load(o)
	require.NoError(t, err)
	require.Equal(t, []string{"system", "local"}, c.All("user.name"))
}

func TestWhatGitHandsToHooksDoesNotCount(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	o := m.options()
	for name, value := range map[string]string{
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x",
		"GIT_CONFIG_PARAMETERS": "'user.name=x'", "GIT_AUTHOR_NAME": "x", "GIT_DIR": "/nowhere", "GIT_CONFIG": "/nowhere",
	} {
		m.env[name] = value
	}
	c, err := Load(o)
	require.NoError(t, err)
	_, found := c.Get("user.name")
	require.False(t, found)
}

func TestWorktreeConfig(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.mustRun("repo", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	m.mustRun("repo", "worktree", "add", "-q", "../linked")
	m.mustRun("repo", "config", "user.name", "shared")
	m.write("repo/.git/worktrees/linked/config.worktree", "[user]\nname=never\n")
	m.repo = "linked"
	m.agree()

	m.mustRun("repo", "config", "extensions.worktreeConfig", "true")
	m.mustRun("repo", "config", "--worktree", "user.name", "main")
	m.mustRun("linked", "config", "--worktree", "user.name", "linked")
	for _, repo := range []string{"repo", "linked"} {
		m.repo = repo
		name, _ := m.agree().Get("user.name")
		require.Equal(t, strings.Replace(repo, "repo", "main", 1), name)
	}
}

func TestIncludes(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.write("home/.gitconfig", "[a]\nb=1\n[include]\npath=sub/one\npath=~/two\npath=missing\npath=.gitconfig/not-a-dir\n[a]\nb=4\n")
	m.write("home/sub/one", "[a]\nb=2\n[include]\npath=three # next to this file\n")
	m.write("home/sub/three", "[a]\nb=2.5\n")
	m.write("home/two", "[a]\nb=3\n")
	c := m.agree()
	require.Equal(t, []string{"1", "2", "2.5", "3", "4"}, c.All("a.b"))

	m.mustRun("repo", "config", "include.path", "../extra")
	m.write("repo/extra", "[a]\nb=5\n")
	m.agree()
}

func TestIncludesThatNeverEnd(t *testing.T) {
	m := newMachine(t)
	m.write("home/.gitconfig", "[include]\npath=.gitconfig\n")
	m.agree()

	m.write("home/.gitconfig", "[include]\npath=x1\n")
	for i := 1; i < 10; i++ { // as deep as git goes
		m.write("home/x"+string(rune('0'+i)), "[include]\npath=x"+string(rune('0'+i+1))+"\n")
	}
	m.write("home/x:", "[a]\nb=c\n")
	require.NotEmpty(t, m.agree().All("a.b"))
	m.write("home/x:", "[include]\npath=last\n")
	m.write("home/last", "")
	m.agree()

	// Not endless, but with ten to the power of ten files.
	m.write("home/.gitconfig", strings.Repeat("[include]\npath=x1\n", 10))
	for i := 1; i < 10; i++ {
		m.write("home/x"+string(rune('0'+i)), strings.Repeat("[include]\npath=x"+string(rune('0'+i+1))+"\n", 10))
	}
	m.write("home/x:", "")
	_, err := Load(m.options())
	require.ErrorContains(t, err, "more than 1000 files")
}

func TestStrangeFiles(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	for _, path := range []string{"/dev/zero", m.dir} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		m.write("home/.gitconfig", "[include]\npath="+filepath.ToSlash(path)+"\n")
		_, err := Load(m.options())
		require.ErrorContains(t, err, "not a regular file")
	}
	m.write("home/big", strings.Repeat("# comment\n", maxBytes/10+1))
	m.write("home/.gitconfig", "[include]\npath=big\n")
	_, err := Load(m.options())
	require.ErrorContains(t, err, "larger than 8 MiB")

	m.write("home/.gitconfig", "[include]\npath=~nobody-of-that-name/x\n")
	_, err = Load(m.options())
	require.ErrorContains(t, err, "line 2")
	o := m.options()
	o.HomeOf = func(string) (string, error) { return filepath.Join(m.dir, "other"), nil }
	m.write("other/x", "[a]\nb=c\n")
	c, err := Load(o)
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, c.All("a.b"))
}

func TestUnreadableFiles(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("every file can be read here")
	}
	m := newMachine(t)
	m.init("repo")
	m.write("home/.gitconfig", "[user]\nname=x\n")
	require.NoError(t, os.Chmod(filepath.Join(m.dir, "home", ".gitconfig"), 0))
	m.agree()
	require.NoError(t, os.Chmod(filepath.Join(m.dir, "repo", ".git", "config"), 0))
	_, err := Load(m.options())
	require.Error(t, err)
}

func TestConditions(t *testing.T) {
	m := newMachine(t)
	m.init("work/acme/repo")
	m.write("inc", "[hit]\nx=y\n")
	m.mustRun(m.repo, "remote", "add", "fork", "https://example.com/me/widget.git")
	require.NoError(t, os.Symlink(filepath.Join(m.dir, "work"), filepath.Join(m.dir, "home", "link")))
	inc := filepath.ToSlash(filepath.Join(m.dir, "inc"))
	here := filepath.ToSlash(m.dir)
	for condition, want := range map[string]bool{
		"gitdir:" + here + "/work/":                     true,
		"gitdir:" + here + "/WORK/":                     false,
		"gitdir/i:" + here + "/WORK/":                   true,
		"gitdir:" + here + "/work":                      false,
		"gitdir:" + here + "/work/acme/repo/.git":       true,
		"gitdir:" + here + "/work/acme/repo":            false,
		"gitdir:" + here + "/work/*/repo/.git":          true,
		"gitdir:" + here + "/work/*/.git":               false,
		"gitdir:" + here + "/work/**/.git":              true,
		"gitdir:" + here + "/**/.git":                   true,
		"gitdir:acme/":                                  true,
		"gitdir:acme/repo":                              false,
		"gitdir:acme/repo/.git":                         true,
		"gitdir:cme/":                                   false,
		"gitdir:**/a?me/**":                             true,
		"gitdir:**/[a-c]c[!x-z]e/":                      true,
		"gitdir:**/[!a-c]cme/":                          false,
		"gitdir:**/[[:alpha:]]cme/":                     true,
		"gitdir:**/[[:digit:]]cme/":                     false,
		"gitdir:**/[[:nonsense:]]cme/":                  false,
		"gitdir:**/[acme/":                              false,
		"gitdir:~/":                                     false,
		"gitdir:~/../work/":                             false,
		"gitdir:./":                                     false,
		"gitdir:":                                       true,
		"gitdir:*":                                      true,
		"gitdir:**":                                     true,
		"gitdir:/":                                      true,
		"gitdir":                                        false,
		"onbranch:main":                                 true,
		"onbranch:ma*":                                  true,
		"onbranch:Main":                                 false,
		"onbranch:main/":                                false,
		"onbranch:":                                     false,
		"hasconfig:remote.*.url:https://example.com/**": true,
		"hasconfig:remote.*.url:https://example.com/*":  false,
		"hasconfig:remote.*.url:https://*/me/*":         true,
		"hasconfig:remote.*.url:**":                     true,
		"hasconfig:remote.*.url:**/*":                   true,
		"hasconfig:remote.*.url:https://other.com/**":   false,
		"hasconfig:branch.*.remote:*":                   false,
		"nonsense":                                      false,
		"nonsense:**":                                   false,
		"gitdir:" + strings.ReplaceAll(here, "/", "/**/") + "/work/":  true,
		"gitdir:" + strings.Repeat("*a", 60) + "/":                    false,
		"gitdir:" + here + "/work/acme/repo/.git/":                    false,
		"gitdir:" + here + "/work/acme/repo/**":                       true,
		"gitdir:" + here + "/work/acme/repo**":                        false,
		"gitdir:" + here + "/work/acme**/.git":                        false,
		"gitdir:" + here + "/work/acme/repo/\\.git":                   true,
		"gitdir/i:" + strings.ToUpper(here) + "/WORK/[A-C]CME/":       true,
		"gitdir:" + here + "/home/link/":                              false,
		"hasconfig:remote.*.url:https://example.com/me/widget.[!h]it": true,
	} {
		t.Run(condition, func(t *testing.T) {
			m.t = t
			quoted := strings.ReplaceAll(condition, `\`, `\\`)
			m.write("home/.gitconfig", "[includeIf \""+quoted+"\"]\npath="+inc+"\n")
			c := m.agree()
			_, got := c.Get("hit.x")
			require.Equal(t, want, got)
		})
	}
}

func TestConditionsFromFileAndHome(t *testing.T) {
	m := newMachine(t)
	m.init("home/work/repo")
	m.write("home/inc", "[hit]\nx=y\n")
	for condition, want := range map[string]bool{
		"gitdir:~/work/": true, "gitdir:~/": true, "gitdir:~/work/repo/.git": true, "gitdir:~/wor/": false,
		"gitdir:./work/": true, "gitdir:./": true, "gitdir:./work/*/.git": true, "gitdir/i:./WORK/": true,
	} {
		m.write("home/.gitconfig", "[includeIf \""+condition+"\"]\npath=inc\n")
		_, got := m.agree().Get("hit.x")
		require.Equal(t, want, got, condition)
	}
	// The real place of the home counts, and so does the one with a symlink.
	require.NoError(t, os.Symlink(filepath.Join(m.dir, "home"), filepath.Join(m.dir, "alias")))
	m.env["HOME"] = filepath.Join(m.dir, "alias")
	m.write("home/.gitconfig", "[includeIf \"gitdir:~/work/\"]\npath=inc\n")
	_, got := m.agree().Get("hit.x")
	require.True(t, got)
	m.repo = ""
	_, got = m.agree().Get("hit.x")
	require.False(t, got)
}

func TestFilesIncludedByRemoteMayNotNameOne(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.mustRun("repo", "remote", "add", "origin", "https://example.com/x")
	m.write("home/.gitconfig", "[includeIf \"hasconfig:remote.*.url:https://example.com/*\"]\npath=inc\n")
	m.write("home/inc", "[include]\npath=more\n")
	m.write("home/more", "[user]\nname=x\n")
	m.agree()
	m.write("home/more", "[remote \"y\"]\nurl=z\n")
	m.agree()
}

func TestDetachedHeadIsOnNoBranch(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.mustRun("repo", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	m.write("home/.gitconfig", "[includeIf \"onbranch:**\"]\npath=inc\n")
	m.write("home/inc", "[hit]\nx=y\n")
	require.NotEmpty(t, m.agree().All("hit.x"))
	m.mustRun("repo", "checkout", "-q", "--detach")
	require.Empty(t, m.agree().All("hit.x"))
}

func TestIdentity(t *testing.T) {
	fallback := Fallback("me", "box")
	for text, want := range map[string][2]Person{
		"":                          {{"vault", "me@box"}, {"vault", "me@box"}},
		"[user]\nname=N\nemail=e@x": {{"N", "e@x"}, {"N", "e@x"}},
		"[user]\nname=N":            {{"N", "me@box"}, {"N", "me@box"}},
		"[user]\nemail=e@x":         {{"vault", "e@x"}, {"vault", "e@x"}},
		"[user]\nname=N\nemail=e\n[author]\nname=A":             {{"A", "e"}, {"N", "e"}},
		"[user]\nname=N\nemail=e\n[committer]\nname=C\nemail=c": {{"N", "e"}, {"C", "c"}},
		"[user]\nname=N <x>\\ny\nemail=<e@x>":                   {{"N xy", "e@x"}, {"N xy", "e@x"}},
		"[user]\nname=\" .,;\"\nemail=\"\"":                     {{"vault", "me@box"}, {"vault", "me@box"}},
		"[user]\nname\nemail":                                   {{"vault", "me@box"}, {"vault", "me@box"}},
		"[user]\nname=Zoë 名":                                    {{"Zoë 名", "me@box"}, {"Zoë 名", "me@box"}},
	} {
		m := newMachine(t)
		m.write("home/.gitconfig", text)
		c, err := Load(m.options())
		require.NoError(t, err)
		require.Equal(t, want[0], Identity(c, fallback), text)
		require.Equal(t, want[1], Committer(c, fallback), text)
	}
	require.Equal(t, Person{"vault", "vault@localhost"}, Fallback("", ""))
	require.Equal(t, Person{"vault", "a-b@c-d"}, Fallback("a b", "c@d\n"))
	require.Equal(t, fallback, Identity(nil, fallback))
}

func TestRemotes(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.write("home/.gitconfig", "[remote \"origin\"]\nfetch=x\n[remote \"everywhere\"]\nurl=https://example.com/all\n")
	m.write("repo/.git/config", `[remote "b"]
	url = one
	url = two
[remote "a.b c"]
	url = three
	pushurl = four
[remote "no url"]
	fetch = x
[remote "taken back"]
	url = five
	url =
`)
	c, err := Load(m.options())
	require.NoError(t, err)
	require.Equal(t, []Remote{
		{Name: "b", URLs: []string{"one", "two"}},
		{Name: "a.b c", URLs: []string{"three"}, PushURLs: []string{"four"}},
	}, c.Remotes())
}

func TestInsteadOf(t *testing.T) {
	m := newMachine(t)
	m.init("repo")
	m.write("home/.gitconfig", `[url "git@github.com:"]
	insteadOf = gh:
	insteadOf = https://github.com/
[url "https://mirror.example/deep/"]
	insteadOf = https://github.com/deep/
[url "ssh://git@push.example/"]
	pushInsteadOf = https://github.com/pushed/
[url "https://first.example/"]
	insteadOf = same:
[url "https://second.example/"]
	insteadOf = same:
`)
	c, err := Load(m.options())
	require.NoError(t, err)
	for i, url := range []string{
		"gh:acme/widget", "https://github.com/acme/widget", "https://github.com/deep/x", "https://github.com/pushed/x",
		"same:x", "https://elsewhere.example/x", "GH:x", "git@github.com:x", "/local/path", "gh:",
	} {
		remote := "r" + string(rune('0'+i))
		m.mustRun("repo", "remote", "add", remote, url)
		require.Equal(t, m.mustRun("repo", "remote", "get-url", remote), c.Rewrite(url), url)
		require.Equal(t, m.mustRun("repo", "remote", "get-url", "--push", remote), c.RewritePush(url), url)
	}
}

func TestBool(t *testing.T) {
	m := newMachine(t)
	m.write("home/.gitconfig", "[b]\na\nb=\nc=true\nd=No\ne=1\nf=0\ng=YES\nh=off\ni=-1\nj=00\nk=on\n")
	c, err := Load(m.options())
	require.NoError(t, err)
	for _, name := range strings.Split("abcdefghijk", "") {
		require.Equal(t, m.mustRun("", "config", "--type=bool", "b."+name) == "true", c.Bool("b."+name), name)
	}
	require.False(t, c.Bool("b.missing"))
}

func TestKeysComeApart(t *testing.T) {
	for key, want := range map[string][3]string{
		"user.name": {"user", "", "name"}, "remote.a.b.url": {"remote", "a.b", "url"},
		"url.https://x.y/.insteadof": {"url", "https://x.y/", "insteadof"}, "a..b": {"a", "", "b"}, "x": {"", "", "x"},
	} {
		section, subsection, name := Entry{Key: key}.Split()
		require.Equal(t, want, [3]string{section, subsection, name}, key)
	}
}

// Whatever the pieces add up to, git and this package read it alike.
func TestRandomSyntaxIsGits(t *testing.T) {
	pieces := []string{"[a]", "[a \"b\"]", "[", "]", "\n", "\n", "\n", "\r\n", "x", "Y-1", " = ", "=", " ", `"`, `\`, `\n`, "#", ";", "c d", ".", "é", "[d.E]"}
	random := rand.New(rand.NewPCG(1, 2))
	m := newMachine(t)
	for range 300 {
		text := "[s]\n"
		for range 1 + random.IntN(12) {
			text += pieces[random.IntN(len(pieces))]
		}
		m.write("home/.gitconfig", text)
		t.Logf("%q", text)
		m.agree()
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"[a]\nb=c\\\n d", "[a \"b\"]c=\"d#\" ;e", "\xef\xbb\xbf[x]\r\ny\r\n", "[include]\npath=~/x", "[a.b] c = \\t"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Count(data, []byte("\n")) + 1
		err := parse("file", data, func(v variable) error {
			if v.line < 1 || v.line > lines || v.key == "" {
				t.Fatalf("%+v of %d lines", v, lines)
			}
			return nil
		})
		var syntax *SyntaxError
		if errors.As(err, &syntax) && (syntax.Line < 1 || syntax.Line > lines+1) {
			t.Fatalf("%v of %d lines", err, lines)
		}
	})
}

func FuzzWildmatch(f *testing.F) {
	f.Add("**/a*[b-d]/**", "x/ab/c")
	f.Add(strings.Repeat("*a", 40), strings.Repeat("a", 200))
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern)*len(text) > 1<<20 {
			return
		}
		got := wildmatch(pattern, text, false)
		if got && !wildmatch(pattern, text, true) && !strings.Contains(pattern, "[") {
			t.Fatal("folding case loses a match")
		}
		if !strings.ContainsAny(pattern, `*?[\`) && got != (pattern == text) {
			t.Fatal("a plain pattern is not its own text")
		}
	})
}
