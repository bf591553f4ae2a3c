package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// A session is what the server knows of one client's connection.
type session struct {
	asking chan struct{}   // held while the person is being asked something
	here   context.Context // ends when the client can answer no more
	leave  func()
	name   string // of a session that the client gave no id

	mu     sync.Mutex
	muted  bool // a question was not answered in time: ask no more
	roots  *root
	change int               // counts the client's root changes
	dir    string            // the folder of the last call
	subs   map[string]string // subscribed resources, with what was last known of them
	due    map[string]bool   // resources whose change this session is to be told of
}

// A root is what a client said about the folder it works in.
type root struct{ dir string }

// A request is what the server uses of any client's request.
type request interface {
	GetSession() mcp.Session
	GetExtra() *mcp.RequestExtra
	ProtocolVersion() string
	ClientInfo() *mcp.Implementation
	ClientCapabilities() *mcp.ClientCapabilities
}

// rounds is the first protocol version in which a server asks its client
// something by answering a call with questions, not by requests of its own.
const rounds = "2026-07-28"

// rootsQuestion names the question for the client's roots.
const rootsQuestion = "roots"

// rootsTimeout bounds how long a client may take to name its roots.
const rootsTimeout = 10 * time.Second

// projectHeader names a client's folder over HTTP, where its environment does
// not reach the server.
const projectHeader = "Vault-Project"

// session finds or makes the state of a connection.
func (s *Server) session(ss *mcp.ServerSession) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.sessions[ss]; c != nil {
		return c
	}
	c := &session{asking: make(chan struct{}, 1), name: "mcp-" + strings.ToLower(rand.Text()[:10]), subs: map[string]string{}, due: map[string]bool{}}
	c.here, c.leave = context.WithCancel(context.Background())
	s.sessions[ss] = c
	go func() {
		_ = ss.Wait()
		c.leave()
		s.mu.Lock()
		delete(s.sessions, ss)
		s.mu.Unlock()
	}()
	return c
}

// while is ctx for a question to the client: it ends when the client has gone,
// and after so long.
func (c *session) while(ctx context.Context, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	stop := context.AfterFunc(c.here, cancel)
	return ctx, func() { stop(); cancel() }
}

func (s *Server) initialized(_ context.Context, r *mcp.InitializedRequest) { s.session(r.Session) }

func (s *Server) rootsChanged(_ context.Context, r *mcp.RootsListChangedRequest) {
	c := s.session(r.Session)
	c.mu.Lock()
	c.roots = nil
	c.change++
	c.mu.Unlock()
	go func() { // the client is asked, and can answer only once this is handled
		if dir, err := s.folder(context.Background(), r, nil); err == nil {
			c.move(dir)
		}
		s.wake()
	}()
}

// move notes the folder that the client works in. In another one all that it has
// subscribed to is another thing.
func (c *session) move(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == dir {
		return
	}
	c.dir = dir
	for uri := range c.subs {
		c.subs[uri] = "moved"
	}
}

// errAskRoots means that the client has to be asked for its roots first, by
// answering its request with that question.
var errAskRoots = errors.New("roots are asked for")

// folder is the folder a request is about: the client's first root, else what
// its environment names, else the server's own. One that is named and not there
// stands for no project: never for another one.
func (s *Server) folder(ctx context.Context, r request, answers mcp.InputResponseMap) (string, error) {
	ss := r.GetSession().(*mcp.ServerSession)
	if caps := r.ClientCapabilities(); caps != nil && caps.RootsV2 != nil {
		dir, err := s.rootOf(ctx, r, ss, answers)
		if err != nil || dir != "" {
			return s.there(dir), err
		}
	}
	if h := headers(ctx, r); h != nil {
		if dir := h.Get(projectHeader); filepath.IsAbs(dir) {
			return s.there(filepath.Clean(dir)), nil
		} else if dir != "" {
			return "", &vault.Error{Code: vault.Invalid, Message: projectHeader + " is " + dir, Hint: "give the absolute path of a folder"}
		}
	} else if s.opt.ClientDir != "" {
		return s.there(s.opt.ClientDir), nil
	}
	return s.opt.Dir, nil
}

// there is a folder that a client named, if there is one.
func (s *Server) there(dir string) string {
	if isFolder(dir) || dir == "" {
		return dir
	}
	return s.opt.Nowhere
}

func isFolder(dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && fi.IsDir()
}

// headersKey is where a context keeps the headers of its request.
type headersKey struct{}

// headers are those of a request that came over HTTP; nil for any other.
func headers(ctx context.Context, r request) http.Header {
	if x := r.GetExtra(); x != nil {
		return x.Header
	}
	h, _ := ctx.Value(headersKey{}).(http.Header)
	return h
}

// keepHeaders keeps the headers of a request for what the SDK makes of it: a
// subscription of the newest protocol has none of its own.
func keepHeaders(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if x := r.GetExtra(); x != nil && x.Header != nil {
			ctx = context.WithValue(ctx, headersKey{}, x.Header)
		}
		return next(ctx, method, r)
	}
}

// rootOf is the client's first root that is a folder, "" where it has none.
func (s *Server) rootOf(ctx context.Context, r request, ss *mcp.ServerSession, answers mcp.InputResponseMap) (string, error) {
	if r.ProtocolVersion() >= rounds {
		if list, ok := answers[rootsQuestion].(*mcp.ListRootsResult); ok {
			return firstRoot(list.Roots), nil
		}
		return "", errAskRoots
	}
	c := s.session(ss)
	for {
		c.mu.Lock()
		known, change := c.roots, c.change
		c.mu.Unlock()
		if known != nil {
			return known.dir, nil
		}
		limited, cancel := c.while(ctx, rootsTimeout)
		list, err := ss.ListRoots(limited, nil) //nolint:staticcheck // deprecated for clients to come, and what today's have
		cancel()
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound:
			list = &mcp.ListRootsResult{}
		case err != nil:
			return "", &vault.Error{Code: vault.Busy, Message: "the client did not say which folder it works in", Hint: "try again", Err: err}
		}
		known = &root{firstRoot(list.Roots)}
		c.mu.Lock()
		same := c.change == change
		if same {
			c.roots = known
		}
		c.mu.Unlock()
		if same {
			return known.dir, nil
		}
	}
}

// firstRoot is the first root that is a folder of this machine, "" where there
// are no roots at all, and a path that is nowhere where none of them is one.
func firstRoot(list []*mcp.Root) string {
	named := ""
	for _, r := range list {
		if r == nil {
			continue
		}
		dir := filePath(r.URI)
		if isFolder(dir) {
			return dir
		}
		named = noFolder
	}
	return named
}

// noFolder is the path of no folder.
const noFolder = "\x00"

// filePath is the local path that a file URI names, "" where it names none.
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' && os.PathSeparator == '\\' {
		p = p[1:] // file:///C:/work
	}
	if p = filepath.FromSlash(p); !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// writer is who a request's changes are by: the client, never a person,
// whatever it calls itself.
func (s *Server) writer(r request, session string) vault.Writer {
	w := vault.Writer{Agent: s.opt.Agent, Session: strings.TrimSpace(session)}
	if info := r.ClientInfo(); w.Agent == "" && info != nil {
		// Codex calls itself codex-mcp-client, where its hooks and shells say codex.
		name, _, _ := strings.Cut(info.Name, "-mcp-client")
		w.Agent = name
	}
	w.Agent = vault.AgentName(w.Agent)
	if w.Agent == "" {
		w.Agent = "mcp"
	}
	if w.Session == "" && (r.GetExtra() == nil || r.GetExtra().Header == nil) {
		w.Session = s.opt.Session
	}
	return w
}
