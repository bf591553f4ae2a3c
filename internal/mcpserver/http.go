package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// Path is where the server is, below its address.
const Path = "/mcp"

const (
	sessionTimeout = 12 * time.Hour   // after which a session that asks nothing is dropped
	headerTimeout  = 10 * time.Second // for a request's headers
	stopTimeout    = 3 * time.Second  // for requests that are under way when the server stops
)

// Listen opens an address of this machine that other machines can't reach: port
// 0 takes a free one.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, invalid("write it as 127.0.0.1:0", "%q is no address", addr)
	}
	switch {
	case host == "" || strings.EqualFold(host, "localhost"):
		host = "127.0.0.1"
	case !isLoopback(host):
		return nil, &vault.Error{Code: vault.Refused, Message: host + " can be reached from other machines", Hint: "memory is served on loopback only: use 127.0.0.1 or [::1]"}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &vault.Error{Code: vault.Failed, Message: addr + " can't be listened on", Hint: err.Error(), Err: err}
	}
	return l, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// Serve serves clients on HTTP until the context ends. Each request has to
// carry the token.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string) error {
	base, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := &http.Server{
		Handler:           s.handler(token),
		ReadHeaderTimeout: headerTimeout,
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stop, end := context.WithTimeout(context.Background(), stopTimeout)
	defer end()
	for ss := range s.mcp.Sessions() {
		go func() { _ = ss.Close() }()
	}
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close()
	}
	if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler answers requests of this machine's programs that carry the token.
// Clients of the newest protocol have no sessions, and the others do.
func (s *Server) handler(token string) http.Handler {
	server := func(*http.Request) *mcp.Server { return s.mcp }
	sessions := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	stateless := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) || !sameOrigin(r) {
			http.Error(w, "forbidden: only programs of this machine may ask", http.StatusForbidden)
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(given))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="vault"`)
			http.Error(w, "unauthorized: send the token that 'vault mcp --http' printed, as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != Path {
			http.Error(w, "not found: the server is at "+Path, http.StatusNotFound)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxLine)
		if r.Header.Get("Mcp-Protocol-Version") >= rounds {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// local reports whether a request's Host names this machine: a page that has
// bent its own name to this address does not pass.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.EqualFold(host, "localhost") || isLoopback(host)
}

// sameOrigin reports whether a request comes from no page, or from one of this
// very server.
func sameOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}
