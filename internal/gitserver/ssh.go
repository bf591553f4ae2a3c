package gitserver

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// SSH is an OpenSSH server that lets in one key, for git only.
type SSH struct {
	Key        string // the file of the private key that is let in
	Stranger   string // the file of one that is not
	KnownHosts string // names the server's own key
	root       string
	git        string
	addr       string
	cmd        *exec.Cmd
	died       chan struct{}
}

// sshd is where Debian and others keep it, which no PATH need name.
func sshd() (string, error) {
	for _, name := range []string{"sshd", "/usr/sbin/sshd", "/usr/lib/ssh/sshd", "/usr/local/sbin/sshd"} {
		if p, err := exec.LookPath(name); err == nil && filepath.IsAbs(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("sshd: %w", ErrMissing)
}

// NewSSH starts a server of the repositories below root. ErrMissing: OpenSSH's
// server, ssh-keygen or git is not installed.
func NewSSH(root string) (*SSH, error) {
	daemon, err := sshd()
	if err != nil {
		return nil, err
	}
	s := &SSH{root: root, died: make(chan struct{})}
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		return nil, fmt.Errorf("ssh-keygen: %w", ErrMissing)
	}
	if s.git, err = exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("git: %w", ErrMissing)
	}
	host := filepath.Join(root, "host_key")
	s.Key, s.Stranger, s.KnownHosts = filepath.Join(root, "key"), filepath.Join(root, "stranger"), filepath.Join(root, "known_hosts")
	for _, key := range []string{host, s.Key, s.Stranger} {
		if err := run(keygen, root, "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", key); err != nil {
			return nil, err
		}
	}
	if os.Getuid() == 0 { // where a root's sshd puts processes that may do nothing
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return nil, err
		}
	}
	public, err := os.ReadFile(host + ".pub")
	if err != nil {
		return nil, err
	}
	if err := s.authorize(""); err != nil {
		return nil, err
	}
	for range 5 { // somebody may have taken the port meanwhile
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		s.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		config := filepath.Join(root, "sshd_config")
		text := fmt.Sprintf(`ListenAddress %s
HostKey %s
AuthorizedKeysFile %s
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
AllowTcpForwarding no
SetEnv GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
`, s.addr, host, filepath.Join(root, "authorized_keys"))
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return nil, err
		}
		line := fmt.Sprintf("[127.0.0.1]:%d %s", port, public)
		if err := os.WriteFile(s.KnownHosts, []byte(line), 0o600); err != nil {
			return nil, err
		}
		var said bytes.Buffer
		s.cmd, s.died = exec.Command(daemon, "-D", "-e", "-f", config), make(chan struct{})
		s.cmd.Stderr = &said
		if err := s.cmd.Start(); err != nil {
			return nil, err
		}
		go func(cmd *exec.Cmd, died chan struct{}) {
			_ = cmd.Wait()
			close(died)
		}(s.cmd, s.died)
		if answers(s.addr, s.died) {
			return s, nil
		}
		s.Close()
		if err = errors.New(strings.TrimSpace(said.String())); !strings.Contains(err.Error(), "in use") {
			return nil, fmt.Errorf("sshd does not start: %w", err)
		}
	}
	return nil, errors.New("sshd finds no free port")
}

// authorize lets the key run a command only; "" lets it run any.
func (s *SSH) authorize(command string) error {
	public, err := os.ReadFile(s.Key + ".pub")
	if err != nil {
		return err
	}
	options := "restrict"
	if command != "" {
		options += `,command="` + command + `"`
	}
	return os.WriteFile(filepath.Join(s.root, "authorized_keys"), append([]byte(options+" "), public...), 0o600)
}

// ReadOnly lets everybody fetch only.
func (s *SSH) ReadOnly() error {
	return s.authorize(`case \"$SSH_ORIGINAL_COMMAND\" in git-upload-pack*) exec sh -c \"$SSH_ORIGINAL_COMMAND\" ;; esac; echo 'ERROR: you have no write access' >&2; exit 1`)
}

// Create makes an empty repository; it returns its folder.
func (s *SSH) Create(name string) (string, error) { return create(s.git, s.root, name) }

// URL is a repository's address, for the person who runs the server.
func (s *SSH) URL(user, name string) string {
	return "ssh://" + user + "@" + s.addr + filepath.ToSlash(filepath.Join(s.root, name))
}

// Command is an ssh command that uses a key and known hosts, and nothing that
// the machine's user has set.
func (s *SSH) Command(key, knownHosts string) string {
	return fmt.Sprintf("ssh -F /dev/null -i %s -o IdentitiesOnly=yes -o IdentityAgent=none -o UserKnownHostsFile=%s -o GlobalKnownHostsFile=/dev/null", key, knownHosts)
}

// Close ends the server, and those of its connections.
func (s *SSH) Close() {
	_ = s.cmd.Process.Kill()
	<-s.died
}
