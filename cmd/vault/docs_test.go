package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The guide is true: its sessions are run from beginning to end, and print what
// it says they print. Ids, hashes, times and sizes are each run's own.
func TestGuide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the guide's sessions are for a Unix shell")
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide.md"))
	require.NoError(t, err)
	s := newSession(t)
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		for _, step := range regexp.MustCompile(`(?m)^\$ `).Split(block[1], -1)[1:] {
			command, output, _ := strings.Cut(step, "\n")
			for strings.HasPrefix(output, "> ") {
				var more string
				more, output, _ = strings.Cut(output[2:], "\n")
				command += "\n" + more
			}
			s.run(command, output)
		}
	}
	require.NotEmpty(t, s.known)
}

// A session is a shell whose commands and outputs are written down.
type session struct {
	t     *testing.T
	home  string
	dir   string
	last  string
	env   []string
	known map[string]string // this run's ids and hashes by the guide's
}

func newSession(t *testing.T) *session {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home := filepath.Join(dir, "home")
	s := &session{t: t, home: home, dir: filepath.Join(home, "widget"), known: map[string]string{}}
	for _, name := range os.Environ() {
		if key, _, _ := strings.Cut(name, "="); !regexp.MustCompile(`^(GIT|VAULT|XDG)_|^(HOME|TZ|EDITOR|VISUAL)$`).MatchString(key) {
			s.env = append(s.env, name)
		}
	}
	s.env = append(s.env, "HOME="+home, "TZ=UTC", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"))
	require.NoError(t, os.MkdirAll(s.dir, 0o755))
	config := "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644))
	s.run("git init -q && git remote add origin git@github.com:acme/widget.git", "")
	return s
}

var (
	idInGuide   = regexp.MustCompile(`\b[ghjkmnpqrstvwxyz][0-9a-hjkmnp-tv-z]{7}\b`)
	hashInGuide = regexp.MustCompile(`\b[0-9a-f]{10}\b`)
	anyDigit    = regexp.MustCompile(`[0-9]`)
)

func (s *session) run(command, want string) {
	s.t.Helper()
	for guide, ours := range s.known {
		want = regexp.MustCompile(`\b`+guide[:4]+`\b`).ReplaceAllString(want, ours[:4])
		command = regexp.MustCompile(`\b`+guide[:4]+`(`+guide[4:]+`)?\b`).ReplaceAllStringFunc(command, func(found string) string { return ours[:len(found)] })
	}
	if to, ok := strings.CutPrefix(command, "cd "); ok { // one shell would keep it
		if to == "-" {
			s.dir, s.last = s.last, s.dir
		} else {
			s.dir, s.last = strings.Replace(to, "~", s.home, 1), s.dir
		}
		return
	}
	cmd := exec.Command("sh", "-c", "exec 2>&1; "+command)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, _ := cmd.Output()
	pattern, tokens := s.pattern(want)
	m := regexp.MustCompile(`\A` + pattern + `\z`).FindStringSubmatch(string(out))
	require.NotNilf(s.t, m, "$ %s\n%s\nThe guide says:\n%s", command, out, want)
	for i, token := range tokens {
		if known, ok := s.known[token]; ok {
			require.Equalf(s.t, known, m[i+1], "$ %s\n%s is another one here:\n%s", command, token, out)
		}
		s.known[token] = m[i+1]
	}
}

// pattern is an expression for what the guide says is printed, with a group
// for each id and hash in it.
func (s *session) pattern(want string) (string, []string) {
	type place struct {
		start, end int
		expression string
	}
	var places []place
	for re, expression := range map[*regexp.Regexp]string{
		idInGuide: `([ghjkmnpqrstvwxyz][0-9a-hjkmnp-tv-z]{7})`, hashInGuide: `([0-9a-f]{10})`,
		regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d|T\d\d:\d\d:\d\dZ)?`): `[0-9-]{10}(?: \d\d:\d\d|T\d\d:\d\d:\d\dZ)?`,
		regexp.MustCompile(`[0-9.]+ KiB`):                                   `[0-9.]+ KiB`,
		regexp.MustCompile(`about \d+ of`):                                  `about \d+ of`,
	} {
		for _, at := range re.FindAllStringIndex(want, -1) {
			if anyDigit.MatchString(want[at[0]:at[1]]) {
				places = append(places, place{at[0], at[1], expression})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.start - b.start })
	var b strings.Builder
	var tokens []string
	last := 0
	for _, p := range places {
		if p.start < last {
			continue
		}
		b.WriteString(regexp.QuoteMeta(want[last:p.start]) + p.expression)
		if strings.HasPrefix(p.expression, "([") {
			tokens = append(tokens, want[p.start:p.end])
		}
		last = p.end
	}
	b.WriteString(regexp.QuoteMeta(want[last:]))
	return b.String(), tokens
}
