package vault_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"gitvault/gitstore"
	"gitvault/internal/gitserver"
	"gitvault/vault"
)

// serveSSH starts OpenSSH on loopback with one empty repository, r.git.
func serveSSH(t *testing.T) *gitserver.SSH {
	t.Helper()
	srv, err := gitserver.NewSSH(t.TempDir())
	if errors.Is(err, gitserver.ErrMissing) {
		t.Skip(err)
	}
	if err == nil {
		t.Cleanup(srv.Close)
		_, err = srv.Create("r.git")
	}
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// sshURL is the repository's address for who runs the tests.
func sshURL(t *testing.T, srv *gitserver.SSH) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	return srv.URL(me.Username, "r.git")
}

// A keyring is what a machine has of ssh.
func (m *machine) keyring(t *testing.T, srv *gitserver.SSH, key, knownHosts string) {
	t.Helper()
	dir := filepath.Join(m.person(), ".ssh")
	for to, from := range map[string]string{"id_ed25519": key, "known_hosts": knownHosts} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if from == "" {
			_ = os.Remove(filepath.Join(dir, to))
			continue
		}
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.environ["GIT_SSH_COMMAND"] = srv.Command(filepath.Join(dir, "id_ed25519"), filepath.Join(dir, "known_hosts"))
}

// clients are both ways to reach a remote.
var clients = []string{"system", "builtin"}

func withBoth(t *testing.T, test func(t *testing.T, config string)) {
	for _, client := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			test(t, "git: "+client+"\n")
		})
	}
}

func remembers(t *testing.T, h *vault.Home, text string) {
	t.Helper()
	if _, err := h.Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: text}); err != nil {
		t.Fatal(err)
	}
}

func addsRemote(t *testing.T, h *vault.Home, url string) {
	t.Helper()
	if _, err := h.AddRemote(context.Background(), vault.NewRemote{Scope: vault.UserScope, URL: url, Branch: "main"}); err != nil {
		t.Fatal(err)
	}
}

func syncs(t *testing.T, h *vault.Home) vault.Synced {
	t.Helper()
	done, err := h.Sync(context.Background(), vault.SyncQuery{Scope: vault.UserScope})
	if err != nil {
		t.Fatal(err)
	}
	return done[0]
}

// fails syncs in vain: one line, of a failure that says some words and no
// secret.
func fails(t *testing.T, h *vault.Home, words string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done, err := h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope})
	said := fmt.Sprintf("%v %+v", err, done)
	if vault.CodeOf(err) != vault.Failed || !strings.Contains(said, words) || strings.Contains(said, "\n") {
		t.Errorf("%s, want a failure about %q", said, words)
	}
	for _, secret := range []string{gitserver.Password, "wr0ngword", "PRIVATE KEY"} {
		if strings.Contains(said, secret) {
			t.Errorf("%s tells a secret", said)
		}
	}
}

func entriesOf(t *testing.T, h *vault.Home) []string {
	t.Helper()
	list, err := h.List(context.Background(), vault.ListQuery{Scope: vault.UserScope})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, e := range list {
		titles = append(titles, e.Title)
	}
	return titles
}

// twoMachines syncs two ways over a server.
func twoMachines(t *testing.T, url string, machines func() *machine) {
	t.Helper()
	a, b := machines().open(t), machines().open(t)
	remembers(t, a, "Queue in Postgres.")
	addsRemote(t, a, url)
	if d := syncs(t, a); d.Sent == 0 || strings.Contains(d.URL, gitserver.Password) {
		t.Errorf("%+v", d)
	}
	if _, err := b.Clone(context.Background(), vault.NewClone{URL: url}); err != nil {
		t.Fatal(err)
	}
	remembers(t, b, "From the second.")
	remembers(t, a, "From the first.")
	syncs(t, b)
	syncs(t, a)
	syncs(t, b)
	if got := entriesOf(t, b); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if x, y := headOf(t, a), headOf(t, b); x != y {
		t.Errorf("%s and %s", x, y)
	}
}

func headOf(t *testing.T, h *vault.Home) gitstore.Hash {
	t.Helper()
	s, err := h.Scope(vault.UserScope)
	if err != nil {
		t.Fatal(err)
	}
	head, err := s.Head()
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func TestSyncOverHTTP(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serve(t)
		twoMachines(t, srv.URL("r.git", gitserver.Password), func() *machine {
			m := newMachine(t)
			m.config = config
			return m
		})
	})
}

// A wrong or missing password, a repository that may only be read, and a hook
// that refuses, each said in one line; what may not be sent stays.
func TestHTTPRefuses(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		ctx := context.Background()
		srv := serve(t)
		m := newMachine(t)
		m.config = config
		h := m.open(t)
		remembers(t, h, "Queue in Postgres.")
		for _, password := range []string{"", "wr0ngword"} {
			addsRemote(t, h, srv.URL("r.git", password))
			fails(t, h, "origin: access denied")
			if _, err := h.RemoveRemote(ctx, vault.UserScope, ""); err != nil {
				t.Fatal(err)
			}
		}
		nowhere(t, m, "wr0ngword")
		addsRemote(t, h, srv.URL("r.git", gitserver.Password))
		syncs(t, h)
		if err := srv.Config("r.git", "http.receivepack", "false"); err != nil {
			t.Fatal(err)
		}
		remembers(t, h, "Not for them.")
		fails(t, h, "what is new here was not sent")
		if err := srv.Config("r.git", "http.receivepack", "true"); err != nil {
			t.Fatal(err)
		}
		hook := filepath.Join(srv.Dir("r.git"), "hooks", "pre-receive")
		if err := os.WriteFile(hook, []byte("#!/bin/sh\necho branch main is protected >&2\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		fails(t, h, "the push was refused")
		if err := os.Remove(hook); err != nil {
			t.Fatal(err)
		}
		if d := syncs(t, h); d.Sent != 1 {
			t.Errorf("%+v", d)
		}
	})
}

// nowhere fails if a word was told, or is left in a file of the machine.
func nowhere(t *testing.T, m *machine, word string) {
	t.Helper()
	if told := strings.Join(m.told, "\n"); strings.Contains(told, word) {
		t.Errorf("told: %s", told)
	}
	if err := filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), word) {
			t.Errorf("%s holds %s", path, word)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestSyncOverSSH(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serveSSH(t)
		twoMachines(t, sshURL(t, srv), func() *machine {
			m := newMachine(t)
			m.config = config
			m.keyring(t, srv, srv.Key, srv.KnownHosts)
			return m
		})
	})
}

// A key that is not let in, a host that is not known, one whose key has
// changed, and access to read only: one line each, and no prompt.
func TestSSHRefuses(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serveSSH(t)
		m := newMachine(t)
		m.config = config
		m.keyring(t, srv, srv.Stranger, srv.KnownHosts)
		h := m.open(t)
		remembers(t, h, "Queue in Postgres.")
		addsRemote(t, h, sshURL(t, srv))
		fails(t, h, "access denied")

		m.keyring(t, srv, srv.Key, "")
		fails(t, h, "the host's key is not known")

		known, err := os.ReadFile(srv.KnownHosts)
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(srv.Stranger + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		changed := filepath.Join(t.TempDir(), "known_hosts")
		host, _, _ := strings.Cut(string(known), " ")
		if err := os.WriteFile(changed, []byte(host+" "+string(other)), 0o600); err != nil {
			t.Fatal(err)
		}
		m.keyring(t, srv, srv.Key, changed)
		fails(t, h, "the host's key is not the one that is known")

		m.keyring(t, srv, srv.Key, srv.KnownHosts)
		syncs(t, h)
		if err := srv.ReadOnly(); err != nil {
			t.Fatal(err)
		}
		remembers(t, h, "Not for them.")
		fails(t, h, "what is new here was not sent")
		if got := entriesOf(t, h); len(got) != 2 {
			t.Errorf("%q", got)
		}
	})
}

// The built-in client takes the keys of an agent.
func TestSSHAgent(t *testing.T) {
	t.Parallel()
	srv := serveSSH(t)
	data, err := os.ReadFile(srv.Key)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParseRawPrivateKey(data)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "a") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	m := newMachine(t)
	m.config = "git: builtin\n"
	m.keyring(t, srv, "", srv.KnownHosts)
	m.environ["SSH_AUTH_SOCK"] = l.Addr().String()
	h := m.open(t)
	remembers(t, h, "Queue in Postgres.")
	addsRemote(t, h, sshURL(t, srv))
	syncs(t, h)
}

// A sync that is cancelled while the server is silent ends at once and harms
// nothing.
func TestCancelledSync(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serve(t)
		m := newMachine(t)
		m.config = config
		h := m.open(t)
		remembers(t, h, "Queue in Postgres.")
		addsRemote(t, h, srv.URL("r.git", gitserver.Password))
		syncs(t, h)
		remembers(t, h, "And Redis for the rest.")
		head := headOf(t, h)
		ctx, cancel := context.WithCancel(context.Background())
		srv.Stall(cancel)
		began := time.Now()
		if _, err := h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %s to end", took)
		}
		srv.Resume()
		if headOf(t, h) != head {
			t.Error("the scope moved")
		}
		if d := syncs(t, h); d.Sent != 1 {
			t.Errorf("%+v", d)
		}
		sound(t, h)
	})
}

// A clone whose answers are cut or fail is whole in the end.
func TestCloneFromAFailingServer(t *testing.T) {
	t.Parallel()
	withBoth(t, func(t *testing.T, config string) {
		srv := serve(t)
		url := srv.URL("r.git", gitserver.Password)
		h := newMachine(t).open(t)
		for n := range 20 {
			remembers(t, h, fmt.Sprintf("Decision %d: %s.", n, strings.Repeat("why ", 500)))
		}
		addsRemote(t, h, url)
		syncs(t, h)
		srv.Fail(40)
		m := newMachine(t)
		m.config = config
		other := m.open(t)
		if _, err := other.Clone(context.Background(), vault.NewClone{URL: url}); err != nil {
			t.Fatal(err)
		}
		if headOf(t, other) != headOf(t, h) {
			t.Error("the clone is not where the remote is")
		}
		sound(t, other)
	})
}

// sound holds the user's scope to what git thinks of it.
func sound(t *testing.T, h *vault.Home) {
	t.Helper()
	s, err := h.Scope(vault.UserScope)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status", "--porcelain"}, {"fsck", "--strict", "--no-dangling", "--no-progress"}} {
		cmd := exec.Command("git", append([]string{"-C", s.Dir()}, args...)...)
		cmd.Env = gitserver.Environ(s.Dir())
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("git %v: %v: %s", args, err, out)
		}
	}
}
