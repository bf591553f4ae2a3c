package gitstore

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// connectTime is how long the built-in client waits for a host to answer.
const connectTime = 20 * time.Second

// sshKeys is how the built-in client gets in: with the agent's keys, and those
// in the person's home that need no passphrase, at hosts whose keys the person
// has accepted before.
type sshKeys struct {
	user    string
	signers func() ([]ssh.Signer, error)
	known   ssh.HostKeyCallback
	algs    []string
}

// Name implements transport.AuthMethod.
func (k *sshKeys) Name() string { return "ssh-keys" }

func (k *sshKeys) String() string { return k.Name() }

// ClientConfig implements the ssh transport's AuthMethod.
func (k *sshKeys) ClientConfig() (*ssh.ClientConfig, error) {
	return &ssh.ClientConfig{
		User: k.user, Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(k.signers)},
		HostKeyCallback: k.known, HostKeyAlgorithms: k.algs, Timeout: connectTime,
	}, nil
}

// keys finds what gets the person in at a host.
func (w Wire) keys(at *transport.Endpoint) (transport.AuthMethod, error) {
	k := &sshKeys{user: at.User}
	if k.user == "" {
		k.user = "git"
	}
	files := w.keyFiles()
	fromAgent := w.agent()
	if fromAgent == nil && len(files) == 0 {
		return nil, fail(ErrDenied, "no ssh agent runs and no key in ~/.ssh can be used without a passphrase: start an agent, or install git")
	}
	k.signers = func() ([]ssh.Signer, error) {
		if fromAgent == nil {
			return files, nil
		}
		list, err := fromAgent()
		if err != nil && len(files) == 0 {
			return nil, err
		}
		return append(list, files...), nil
	}
	known, err := gitssh.NewKnownHostsDb(filepath.Join(w.Home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts")
	if err != nil {
		return nil, fail(ErrDenied, "the host's key is not known, nor that of any host: connect to it once with ssh and accept the key")
	}
	k.known, k.algs = known.HostKeyCallback(), known.HostKeyAlgorithms(address(at))
	return k, nil
}

// address is the host and port of an endpoint, by ssh's configuration.
func address(at *transport.Endpoint) string {
	host, port := at.Host, at.Port
	if c := gitssh.DefaultSSHConfig; c != nil {
		if real := c.Get(at.Host, "Hostname"); real != "" {
			host = real
			if n, err := strconv.Atoi(c.Get(at.Host, "Port")); err == nil {
				port = n
			}
		}
	}
	if port <= 0 {
		port = gitssh.DefaultPort
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// keyFiles are the keys in the person's home that need no passphrase.
func (w Wire) keyFiles() []ssh.Signer {
	var list []ssh.Signer
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		if w.Home == "" {
			break
		}
		data, err := os.ReadFile(filepath.Join(w.Home, ".ssh", name))
		if err != nil {
			continue
		}
		if key, err := ssh.ParsePrivateKey(data); err == nil {
			list = append(list, key)
		}
	}
	return list
}

// agent asks the person's ssh agent for its keys; nil where none runs.
func (w Wire) agent() func() ([]ssh.Signer, error) {
	socket := ""
	for _, kv := range w.Environ {
		if value, ok := strings.CutPrefix(kv, "SSH_AUTH_SOCK="); ok {
			socket = value
		}
	}
	if socket == "" {
		if runtime.GOOS != "windows" {
			return nil
		}
		if auth, err := gitssh.NewSSHAgentAuth("git"); err == nil { // there it is no socket
			return auth.Callback
		}
		return nil
	}
	conn, err := net.DialTimeout("unix", socket, connectTime)
	if err != nil {
		return nil
	}
	return agent.NewClient(conn).Signers
}

// hostKeyProblem says what is wrong with a host's key, where that is what is
// wrong.
func hostKeyProblem(said string) error {
	switch {
	case strings.Contains(said, "knownhosts: key mismatch"), strings.Contains(said, "identification has changed"):
		return fail(ErrDenied, "the host's key is not the one that is known: somebody may stand in between; if it has a new key, ssh-keygen -R takes the old one out")
	case strings.Contains(said, "knownhosts: key is unknown"), strings.Contains(said, "host key verification failed"):
		return fail(ErrDenied, "the host's key is not known: connect to it once with ssh and accept the key")
	}
	return nil
}
