package main

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// npmFolder names the folder in which npm installed the programs that some
// tests use; without it they are looked for in PATH.
const npmFolder = "VAULT_TEST_NPM"

// npmTool finds a program that npm installs, or skips the test. Node is the one
// beside it, if there is one.
func npmTool(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("what npm installs is started through a shell there")
	}
	path := os.Getenv("PATH")
	if dir := os.Getenv(npmFolder); dir != "" {
		path = filepath.Join(dir, "node_modules", ".bin") + string(os.PathListSeparator) + path
	}
	for _, dir := range filepath.SplitList(path) {
		tool := filepath.Join(dir, name)
		if fi, err := os.Stat(tool); err == nil && fi.Mode().IsRegular() {
			c := exec.CommandContext(t.Context(), tool, args...)
			c.Dir = t.TempDir()
			c.Env = []string{"PATH=" + path, "HOME=" + c.Dir, "LC_ALL=C"}
			return c
		}
	}
	t.Skipf("%s is not installed: .ci/run does, and docs/mcp.md says how", name)
	return nil
}

// serve starts the program on HTTP; it gives its address and the header that
// requests have to carry.
func (d *station) serve() (address, header string) {
	d.t.Helper()
	c := d.command("vault", "mcp", "--http", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	require.NoError(d.t, err)
	require.NoError(d.t, c.Start())
	d.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewScanner(out)
	require.True(d.t, lines.Scan())
	address = lines.Text()
	require.True(d.t, lines.Scan())
	return address, strings.TrimPrefix(lines.Text(), "Authorization: ")
}

// relay passes requests on with the token, for clients that can't be told of
// one; Host and Origin arrive as they were sent. Change may change a message.
func relay(t *testing.T, address, header string, change func([]byte) []byte) string {
	t.Helper()
	to, err := url.Parse(address)
	require.NoError(t, err)
	quiet := log.New(io.Discard, "", 0)
	proxy := &httputil.ReverseProxy{FlushInterval: -1, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.WriteHeader(http.StatusBadGateway)
	}, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		r.Out.Header.Set("Authorization", header)
	}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && change != nil {
			body = change(body)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog, proxy.ErrorLog = quiet, quiet
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + to.Path
}
