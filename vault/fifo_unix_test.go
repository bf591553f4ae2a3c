//go:build unix

package vault_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// What stands in the place of a cache file and is none is no reason to wait for
// anybody, nor to answer otherwise.
func TestRecallWaitsForNoPipe(t *testing.T) {
	for name, put := range map[string]func(string) error{
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"socket": func(path string) error {
			short := filepath.Join(os.TempDir(), filepath.Base(path)[:4]+".sock") // a socket's path is short
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			defer l.Close()
			return os.Rename(short, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.config("recall: {backends: [{name: gone, kind: program, command: [/nonexistent]}]}")
			p.add("", vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Queue in Postgres."})
			ask := func() {
				done := make(chan struct{})
				go func() {
					defer close(done)
					got, err := p.by("").Recall(context.Background(), vault.RecallQuery{Text: "queue"})
					p.must(err)
					require.Equal(t, []string{"Queue in Postgres."}, titlesOf(got))
					block, err := p.by("").Context(context.Background(), vault.ContextQuery{})
					p.must(err)
					require.Contains(t, block.Text, "Queue in Postgres.")
					st, err := p.by("").Status(context.Background())
					p.must(err)
					require.Equal(t, "gone", st.Backends[0].Name)
				}()
				select {
				case <-done:
				case <-time.After(time.Minute):
					t.Fatal("it waits")
				}
			}
			ask()
			var spoilt []string
			p.must(filepath.WalkDir(p.user(".git/vault/cache"), func(path string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					spoilt = append(spoilt, path)
				}
				return err
			}))
			require.GreaterOrEqual(t, len(spoilt), 4, "facts, receipts, backends and the index")
			for _, path := range spoilt {
				p.must(os.Remove(path))
				p.must(put(path))
			}
			ask()
			ask()
			for _, path := range spoilt {
				fi, err := os.Lstat(path)
				if err == nil && !fi.Mode().IsRegular() && !strings.HasSuffix(path, ".recall") {
					t.Errorf("%s is still %s", path, fi.Mode())
				}
			}
		})
	}
}
