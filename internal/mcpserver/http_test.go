package mcpserver

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// l10n is a slash path as this system writes absolute ones.
func l10n(p string) string {
	abs, err := filepath.Abs(filepath.FromSlash(p))
	if err != nil {
		return p
	}
	return abs
}

// dropIndex takes the search index away, as anybody may at any moment.
func dropIndex(l *lab, dir string) error {
	s, err := l.person(dir).Scope(vault.ProjectScope)
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(s.Dir(), ".git", "vault", "cache"))
}

func TestOnlyThisMachineAndOnlyWithTheToken(t *testing.T) {
	l := newLab(t)
	url := serve(t, New(l.options(l.project("widget"))))
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Path)
	_, port, _ := strings.Cut(host, ":")
	for _, c := range []struct {
		name, host, origin, token string
		want                      int
	}{
		{"good", host, "", "secret", 200},
		{"by name", "localhost:" + port, "", "secret", 200},
		{"by IPv6 name", "[::1]:" + port, "", "secret", 200},
		{"own page", host, "http://" + host, "secret", 200},
		{"scheme in lower case", host, "", "bearer secret", 200},
		{"no token", host, "", "", 401},
		{"wrong token", host, "", "secreT", 401},
		{"foreign host", "evil.example", "", "secret", 403},
		{"host that begins well", "127.0.0.1.evil.example", "", "secret", 403},
		{"foreign origin", host, "http://evil.example", "secret", 403},
		{"other port's page", host, "http://127.0.0.1:1", "secret", 403},
		{"secure page of that name", host, "https://" + host, "secret", 403},
		{"no page at all", host, "null", "secret", 403},
		{"foreign and no token", "evil.example", "", "", 403},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		require.NoError(t, err)
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.token != "" {
			if !strings.Contains(c.token, " ") {
				c.token = "Bearer " + c.token
			}
			r.Header.Set("Authorization", c.token)
		}
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		assert.Equal(t, c.want, res.StatusCode, "%s: %s", c.name, text)
		if c.want == 401 {
			assert.Contains(t, res.Header.Get("WWW-Authenticate"), "Bearer")
		}
		assert.NotContains(t, string(text), "secret\"")
	}
}

// A message over the limit is refused, and the server goes on.
func TestAnOverlongRequestIsRefused(t *testing.T) {
	l := newLab(t)
	url := serve(t, New(l.options(l.project("widget"))))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), strings.NewReader(strings.Repeat("x", maxLine))))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer secret")
	if res, err := http.DefaultClient.Do(r); err == nil { // or the connection was closed on the rest of it
		assert.GreaterOrEqual(t, res.StatusCode, 400)
		res.Body.Close()
	}
	assert.Equal(t, "example.org/team/widget", ask(t, dial(t, url, client(nil), nil), "status", nil)["project"])
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0", "127.0.0.1.evil.example:0"} {
		_, err := Listen(addr)
		assert.Equal(t, vault.Refused, vault.CodeOf(err), addr)
	}
	for _, addr := range []string{"", "127.0.0.1", "nonsense"} {
		_, err := Listen(addr)
		assert.Equal(t, vault.Invalid, vault.CodeOf(err), addr)
	}
	for _, addr := range []string{":0", "localhost:0", "127.0.0.1:0"} {
		got, err := Listen(addr)
		require.NoError(t, err, addr)
		assert.True(t, strings.HasPrefix(got.Addr().String(), "127.0.0.1:"), addr)
		got.Close()
	}
}
