package vault_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		// Each check is a vault with files and processes of its own.
		_ = flag.Set("rapid.checks", "15")
	}
	os.Exit(m.Run())
}

var ctx = context.Background()

// tb is what a test and a property have in common.
type tester interface {
	require.TestingT
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// A desk is a person at a home of their own, whose clock stands still until it
// is moved.
type desk struct {
	*vault.Home
	dir     string
	now     time.Time
	notices []string
}

// newDesk makes a home below dir. Writes don't wait for the disk.
func newDesk(t tester, dir string, seed uint64) *desk {
	t.Helper()
	home := filepath.Join(dir, "home")
	require.NoError(t, os.MkdirAll(home, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.yaml"), []byte("durability: fast\n"), 0o644))
	d := &desk{dir: filepath.Join(home, "user"), now: time.Date(2026, 11, 30, 19, 27, 0, 0, time.UTC)}
	d.Home = d.open(t, home, vault.Writer{}, seed)
	return d
}

func (d *desk) open(t tester, home string, w vault.Writer, seed uint64) *vault.Home {
	t.Helper()
	h, err := vault.Open(vault.Options{
		Home: home, Dir: filepath.Dir(home), UserHome: filepath.Dir(home), Writer: w,
		Now: func() time.Time { return d.now }, Random: noise{mathrand.NewPCG(seed, 1)},
		Account: "ada", Host: "example.org",
		Notice: func(s string) { d.notices = append(d.notices, s) },
	})
	require.NoError(t, err)
	return h
}

// noise is random bytes that are the same each time.
type noise struct{ *mathrand.PCG }

func (n noise) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(n.Uint64())
	}
	return len(p), nil
}

var _ io.Reader = noise{}

// git runs git in a scope, free of anybody's configuration.
func git(t tester, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+dir, "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

// sound holds a scope to what git and vault think of it.
func (d *desk) sound(t tester, fsck bool) {
	t.Helper()
	if status := git(t, d.dir, "status", "--porcelain", "--untracked-files=all"); status != "" {
		t.Fatalf("git status says:\n%s%s", status, git(t, d.dir, "diff"))
	}
	if fsck {
		require.Empty(t, git(t, d.dir, "fsck", "--strict", "--no-dangling", "--no-progress"), "git fsck")
	}
	found, err := d.Check(ctx, vault.UserScope, false)
	require.NoError(t, err)
	for _, f := range found {
		if f.Severity == vault.SeverityError || f.Rule == "index" {
			t.Fatalf("check: %+v", f)
		}
	}
}

// oneLineOf makes a failure readable.
func oneLineOf(s string) string { return fmt.Sprintf("%.300q", strings.TrimSpace(s)) }
