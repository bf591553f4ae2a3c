package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		_ = os.Setenv("GORACE", raceExit)
	}
	testscript.Main(m, map[string]func(){
		"vault": main,
	})
}

// raceExit has processes that look for races end at once: by default each waits
// a second for more of them.
const raceExit = "atexit_sleep_ms=0"

// The scripts read as documentation: each says what a person types, and what
// git then shows.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "scripts"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"capture": capture,
			"sound":   sound,
			"exits":   exits,
		},
	})
}

// setup gives a script a home of its own, and a person git knows.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	text := "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = trunk\n"
	for k, v := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "TZ": "UTC", "LC_ALL": "C",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": config, "VAULT_HOME": filepath.Join(home, "vault"),
		"GORACE": raceExit, "USER": filepath.Join(home, "vault", "user"), "NO_COLOR": "", "VISUAL": "", "EDITOR": "false",
		"TWOLINES": "two\nlines", "TITLE": strings.Repeat("t", 200), "LONGTITLE": strings.Repeat("t", 201),
	} {
		env.Setenv(k, v)
	}
	for name, data := range map[string]string{
		"crlf": "one\r\ntwo\r\n", "nul": "a\x00b", "latin1": "na\xefve", "full": strings.Repeat("x", 64<<10), "long": strings.Repeat("x", 64<<10+1), "huge": strings.Repeat("x", 5<<20),
	} {
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(data), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(config, []byte(text), 0o644)
}

// capture NAME REGEXP puts the first group of the expression, as the last
// command's standard output has it, into a variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	m := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("no match for %s in:\n%s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], m[len(m)-1])
}

// sound DIR... holds each scope to what git thinks of it, nothing to commit and
// nothing broken, and to what vault itself checks.
func sound(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		for _, cmd := range [][]string{
			{"-C", dir, "status", "--porcelain", "--untracked-files=all"},
			{"-C", dir, "fsck", "--strict", "--no-dangling", "--no-progress"},
		} {
			ts.Check(ts.Exec("git", cmd...))
			if out := ts.ReadFile("stdout") + ts.ReadFile("stderr"); out != "" {
				ts.Fatalf("git %v says:\n%s", cmd[2:], out)
			}
		}
	}
	ts.Check(ts.Exec("vault", "check"))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("vault check says:\n%s", out)
	}
}

// exits STATUS COMMAND... runs a command that has to end with that status and
// one line on standard error.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if m := regexp.MustCompile(`exit status (\d+)`).FindStringSubmatch(errText(err)); m != nil {
		got = m[1]
	}
	if got != args[0] {
		ts.Fatalf("%v ended with %s, want %s\n%s%s", args[1:], got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
	findings := got == "1" && ts.ReadFile("stdout") != "" // what a check found is data, not an error
	if n := strings.Count(ts.ReadFile("stderr"), "\n"); got != "0" && n != 1 && !(findings && n == 0) {
		ts.Fatalf("want one line on standard error, have %d:\n%s", n, ts.ReadFile("stderr"))
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
