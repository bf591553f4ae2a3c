package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/safetext"
	"gitvault/internal/secrets"
	"gitvault/vault"
)

// A call is one request being answered: the vault as it is seen from the
// client's folder.
type call struct {
	*Server
	request
	home    *vault.Home
	dir     string
	writer  vault.Writer
	project string // the project's key, "" where the folder belongs to none
	session *session
	reason  string    // why the agent wants to forget an entry, as it says
	token   any       // the client's progress token, nil where it wants no progress
	resumed *question // what the client's answer is to, where this goes on with a call

	mu    sync.Mutex
	notes []string
}

// enter opens the vault for a request. Session is the agent's, as the request
// names it.
func (s *Server) enter(ctx context.Context, r request, answers mcp.InputResponseMap, session string, token any) (*call, error) {
	dir, err := s.folder(ctx, r, answers)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, r, dir, session, token)
}

// open opens the vault for a request, from a folder.
func (s *Server) open(ctx context.Context, r request, dir, session string, token any) (*call, error) {
	ss := r.GetSession().(*mcp.ServerSession)
	c := &call{Server: s, request: r, dir: dir, writer: s.writer(r, session), session: s.session(ss), token: token}
	c.session.move(dir)
	var err error
	c.home, err = s.opt.Open(Opening{Dir: dir, Writer: c.writer,
		Notice:   func(message string) { c.note(ctx, message) },
		Progress: func(what string, done, of int) { c.progress(ctx, ss, what, done, of) },
	})
	if err != nil {
		return nil, err
	}
	id, err := c.home.Workspace()
	switch {
	case err == nil:
		c.project = id.Key
	case vault.CodeOf(err) == vault.NotFound:
		c.add(s.word("noproject"))
	default:
		return nil, err
	}
	return c, nil
}

// note keeps what the agent should know and no error is, and tells the client's
// log.
func (c *call) note(ctx context.Context, message string) {
	message = short(safetext.Line(secrets.Redact(message)))
	c.add(message)
	if ss, ok := c.GetSession().(*mcp.ServerSession); ok {
		_ = ss.Log(ctx, &mcp.LoggingMessageParams{Level: "notice", Logger: "vault", Data: message}) //nolint:staticcheck // deprecated for clients to come, and what today's have
	}
}

// maxNotes is how many notes an answer has at most.
const maxNotes = 5

func (c *call) add(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notes) < maxNotes && !slices.Contains(c.notes, message) {
		c.notes = append(c.notes, message)
	}
}

// noted lists the notes so far.
func (c *call) noted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.notes)
}

func (c *call) progress(ctx context.Context, ss *mcp.ServerSession, what string, done, of int) {
	if c.token == nil {
		return
	}
	_ = ss.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: c.token, Message: what, Progress: float64(done), Total: float64(of)})
}

// write runs fn while no other call writes: they would only wait for the same
// lock.
func (s *Server) write(ctx context.Context, fn func() error) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.writing }()
	return fn()
}

// message is an error on one line, of bounded length. It is looked at for secrets
// before it is cut: nobody knows a part of one for what it is.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "cancelled"
	}
	return short(safetext.Line(secrets.Redact(err.Error())))
}

// short is a text without its middle, if it is long: what is wrong stands at
// its beginning, and what to do at its end.
func short(s string) string {
	const head, tail = 200, 400 // bytes
	if len(s) <= head+tail {
		return s
	}
	return strings.ToValidUTF8(s[:head], "") + " … " + strings.ToValidUTF8(s[len(s)-tail:], "")
}
