// Package gitserver starts git servers of one's own on loopback, for tests and
// benchmarks: git http-backend with a password, and OpenSSH with keys.
package gitserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// User and Password are who the HTTP server lets in.
const (
	User     = "ada"
	Password = "s3same"
)

// ErrMissing says that a program that a server needs is not installed.
var ErrMissing = errors.New("not installed")

// HTTP serves the bare repositories of a folder by git's smart protocol.
type HTTP struct {
	root    string
	git     string
	srv     *httptest.Server
	backend *cgi.Handler

	mu     sync.Mutex
	stall  func()        // told of each request that is left without an answer
	resume chan struct{} // closed when there are answers again
	luck   *rand.Rand
	faulty int // of 100 answers
}

// NewHTTP starts a server of the repositories below root.
func NewHTTP(root string) (*HTTP, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("git: %w", ErrMissing)
	}
	s := &HTTP{root: root, git: git, luck: rand.New(rand.NewPCG(1, 2))}
	s.backend = &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Stderr: silent{},
		Env: append(Environ(root), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER="+User),
	}
	s.srv = httptest.NewServer(s)
	return s, nil
}

type silent struct{}

func (silent) Write(b []byte) (int, error) { return len(b), nil }

// Environ is an environment for git in which no setting of the machine counts.
func Environ(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"}
}

// Create makes an empty repository that may be pushed to; it returns its folder.
func (s *HTTP) Create(name string) (string, error) {
	dir, err := create(s.git, s.root, name)
	if err == nil {
		err = s.Config(name, "http.receivepack", "true")
	}
	return dir, err
}

func create(git, root, name string) (string, error) {
	dir := filepath.Join(root, name)
	return dir, run(git, root, "init", "-q", "--bare", "-b", "main", dir)
}

// Config sets something in a repository's configuration.
func (s *HTTP) Config(name, key, value string) error {
	return run(s.git, s.root, "-C", filepath.Join(s.root, name), "config", key, value)
}

func run(program, home string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = Environ(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// URL is a repository's address, with or without the password in it.
func (s *HTTP) URL(name string, password string) string {
	at := strings.TrimPrefix(s.srv.URL, "http://") + "/" + name
	if password == "" {
		return "http://" + at
	}
	return "http://" + url.UserPassword(User, password).String() + "@" + at
}

// Fail lets so many of 100 answers fail: some are an error, some are not given,
// and some are cut half way, after the work was done.
func (s *HTTP) Fail(percent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faulty = percent
}

// Stall leaves requests without an answer; told is called with each.
func (s *HTTP) Stall(told func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stall, s.resume = told, make(chan struct{})
}

// Resume lets the server answer again.
func (s *HTTP) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stall != nil {
		s.stall = nil
		close(s.resume)
	}
}

// Dir is a repository's folder.
func (s *HTTP) Dir(name string) string { return filepath.Join(s.root, name) }

// Close ends the server.
func (s *HTTP) Close() {
	s.Resume()
	s.srv.Close()
}

// fault chooses what goes wrong with an answer: 0 is nothing.
func (s *HTTP) fault() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.luck.IntN(100) >= s.faulty {
		return 0
	}
	return 1 + s.luck.IntN(3)
}

// ServeHTTP answers one request.
func (s *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	if !ok || user != User || password != Password {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	stall, resume := s.stall, s.resume
	s.mu.Unlock()
	if stall != nil {
		stall()
		select {
		case <-resume:
		case <-r.Context().Done():
		}
		return
	}
	switch s.fault() {
	case 0:
		s.backend.ServeHTTP(w, r)
	case 1:
		http.Error(w, "out of order", http.StatusServiceUnavailable)
	case 2:
		hangUp(w, nil)
	case 3:
		whole := httptest.NewRecorder()
		s.backend.ServeHTTP(whole, r)
		var head strings.Builder
		fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n", whole.Code, http.StatusText(whole.Code), whole.Body.Len())
		_ = whole.Header().Write(&head)
		hangUp(w, append([]byte(head.String()+"\r\n"), whole.Body.Bytes()[:whole.Body.Len()/2]...))
	}
}

// hangUp writes what is left to be said and closes the connection.
func hangUp(w http.ResponseWriter, last []byte) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write(last)
	_ = conn.Close()
}

// freePort is a port of loopback that nobody listened to a moment ago.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// answers waits until somebody listens.
func answers(addr string, died <-chan struct{}) bool {
	for range 200 {
		if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			_ = c.Close()
			return true
		}
		select {
		case <-died:
			return false
		case <-time.After(25 * time.Millisecond):
		}
	}
	return false
}
