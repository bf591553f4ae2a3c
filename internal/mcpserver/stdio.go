package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeIO serves one client on a stream of JSON lines, until the stream ends
// and what was asked on it is answered.
func (s *Server) ServeIO(ctx context.Context, in io.Reader, out io.Writer) error {
	ended, end := context.WithCancel(context.Background())
	defer end()
	ss, err := s.mcp.Connect(ctx, &stream{in: in, out: &lockedWriter{w: out}, end: end}, nil)
	if err != nil {
		return err
	}
	client := s.session(ss)
	context.AfterFunc(ended, client.leave)
	done := make(chan error, 1)
	go func() { done <- ss.Wait() }()
	select {
	case <-ctx.Done():
		_ = ss.Close()
		<-done
		return nil
	case err := <-done:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// A lockedWriter writes one message at a time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lockedWriter) Close() error { return nil }

// A stream is the SDK's transport over lines of JSON, made patient: a line that
// is no message is answered with an error and does not end the connection, and
// the end of the input waits for the answers that are still due.
type stream struct {
	in  io.Reader
	out *lockedWriter
	end func() // called when the input has ended
}

// Connect starts reading.
func (t *stream) Connect(ctx context.Context) (mcp.Connection, error) {
	messages, lines := io.Pipe()
	go sift(t.in, lines, t.out)
	inner, err := (&mcp.IOTransport{Reader: messages, Writer: t.out, MaxLineLength: maxLine + 1}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Connection: inner, end: t.end, due: map[jsonrpc.ID]bool{}, closed: make(chan struct{})}, nil
}

// A connection counts the requests that are still to be answered.
type connection struct {
	mcp.Connection
	end func()

	mu     sync.Mutex
	due    map[jsonrpc.ID]bool
	idle   chan struct{} // closed when nothing is due any more, once somebody waits for that
	once   sync.Once
	closed chan struct{}
}

// listen is the one request that is answered only when the client takes it
// back.
const listen = "subscriptions/listen"

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.end()
		c.drain(ctx)
		return nil, err
	}
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listen {
		c.mu.Lock()
		c.due[r.ID] = true
		c.mu.Unlock()
	} else if ok && r.Method == "notifications/cancelled" {
		c.answered(cancelled(r))
	}
	return msg, err
}

func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	r, ok := msg.(*jsonrpc.Response)
	if ok && r.Error != nil {
		r.Error = guarded(r.Error) // also of requests that reach no handler
	}
	err := c.Connection.Write(ctx, msg)
	if ok {
		c.answered(r.ID)
	}
	return err
}

// Close ends the connection.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *connection) answered(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.due, id)
	if len(c.due) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until nothing is due any more.
func (c *connection) drain(ctx context.Context) {
	c.mu.Lock()
	if len(c.due) == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-c.closed:
	case <-ctx.Done():
	}
}
