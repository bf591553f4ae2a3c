//go:build linux || darwin

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gitvault/internal/gitserver"
)

// A sync that is interrupted or killed at whatever moment harms nothing: the
// next one goes on from there, and nothing is lost on either side.
func TestKilledSync(t *testing.T) {
	srv, err := gitserver.NewHTTP(t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(srv.Close)
	if _, err := srv.Create("r.git"); err != nil {
		t.Fatal(err)
	}
	url := srv.URL("r.git", gitserver.Password)
	one, two := newDesk(t), newDesk(t)
	one.added("Begun", "Begun.")
	one.run("remote", "add", url)
	one.run("sync")
	two.run("clone", url)
	luck := rand.New(rand.NewPCG(3, 4))
	rounds := 12
	if os.Getenv("VAULT_LONG") != "" {
		rounds = 200
	}
	for n := range rounds {
		two.added(fmt.Sprintf("Two %d", n), "Of the second.")
		two.run("sync")
		one.added(fmt.Sprintf("One %d", n), "Of the first.")
		cmd := one.command("sync")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(luck.IntN(150)) * time.Millisecond) // whatever moment that is
		signal := syscall.SIGINT
		if n%2 == 0 {
			signal = syscall.SIGKILL
		}
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
	}
	for _, d := range []*desk{one, two, one} {
		d.run("sync")
	}
	for _, d := range []*desk{one, two} {
		list := d.run("list", "--kind", "decision")
		for n := range rounds {
			for _, want := range []string{fmt.Sprintf("One %d:", n), fmt.Sprintf("Two %d:", n)} {
				if !strings.Contains(list, want) {
					t.Errorf("%s is lost", want)
				}
			}
		}
		for _, args := range [][]string{{"status", "--porcelain"}, {"fsck", "--strict", "--no-dangling", "--no-progress"}} {
			git := exec.Command("git", append([]string{"-C", filepath.Join(d.dir, "vault", "user")}, args...)...)
			git.Env = gitserver.Environ(d.dir)
			if out, err := git.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("git %v: %v: %s", args, err, out)
			}
		}
	}
}
