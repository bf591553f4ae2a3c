package mcpserver

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/vault"
)

// subscribe notes that a client wants to be told when a resource changes. As
// long as somebody does, the files of their scopes are looked at.
func (s *Server) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	uri := r.Params.URI
	if uri != contextURI && uri != indexURI && !strings.HasPrefix(uri, entryURI) {
		return mcp.ResourceNotFoundError(uri)
	}
	c := s.session(r.Session)
	dir, err := s.folder(ctx, r, nil)
	switch {
	case err == errAskRoots && headers(ctx, r) != nil:
		return failed(invalid("send the header "+projectHeader+" with the folder's path", "a client of this protocol version can't be asked for its roots when it subscribes"))
	case err == errAskRoots:
		// The next call says it.
	case err != nil:
		return failed(err)
	default:
		c.move(dir)
	}
	now := s.state(ctx, c)(uri)
	c.mu.Lock()
	c.subs[uri] = now
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watching == nil {
		s.watching = make(chan struct{}, 1)
		go s.watch(s.watching)
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, r *mcp.UnsubscribeRequest) error {
	c := s.session(r.Session)
	c.mu.Lock()
	delete(c.subs, r.Params.URI)
	c.mu.Unlock()
	return nil
}

// wake has the watcher look at once: something has changed.
func (s *Server) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watching == nil {
		return
	}
	select {
	case s.watching <- struct{}{}:
	default:
	}
}

// watch looks at what clients have subscribed to until nobody has any more.
func (s *Server) watch(wake chan struct{}) {
	tick := time.NewTicker(s.opt.PollInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-wake:
		}
		if !s.look(context.Background()) {
			return
		}
	}
}

// look tells each client of the changes of what it has subscribed to, and
// reports whether anybody has subscribed to anything.
func (s *Server) look(ctx context.Context) bool {
	s.mu.Lock()
	var all []*session
	for _, c := range s.sessions {
		all = append(all, c)
	}
	s.mu.Unlock()
	some := false
	changed := map[string]bool{}
	for _, c := range all {
		c.mu.Lock()
		known := map[string]string{}
		for uri, was := range c.subs {
			known[uri] = was
		}
		c.mu.Unlock()
		if len(known) == 0 {
			continue
		}
		some = true
		state := s.state(ctx, c)
		for uri, was := range known {
			now := state(uri)
			if now == was {
				continue
			}
			c.mu.Lock()
			if _, still := c.subs[uri]; still {
				c.subs[uri], c.due[uri] = now, true
				changed[uri] = true
			}
			c.mu.Unlock()
		}
	}
	for uri := range changed {
		_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
	if !some {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.sessions {
			c.mu.Lock()
			some = some || len(c.subs) > 0
			c.mu.Unlock()
		}
		if !some {
			s.watching = nil
		}
	}
	return some
}

// onlyTheirs keeps a change in one project from clients that work in another:
// a resource has the same name for all.
func (s *Server) onlyTheirs(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if p, ok := r.GetParams().(*mcp.ResourceUpdatedNotificationParams); ok {
			if ss, ok := r.GetSession().(*mcp.ServerSession); ok {
				c := s.session(ss)
				c.mu.Lock()
				due := c.due[p.URI]
				delete(c.due, p.URI)
				c.mu.Unlock()
				if !due {
					return nil, nil
				}
			}
		}
		return next(ctx, method, r)
	}
}

// state gives for a resource what changes when its contents do, as a session's
// client would see them.
func (s *Server) state(ctx context.Context, c *session) func(uri string) string {
	c.mu.Lock()
	dir := c.dir
	c.mu.Unlock()
	if dir == "" {
		return func(string) string { return "" }
	}
	h, err := s.opt.Open(Opening{Dir: dir, Writer: vault.Writer{Agent: "mcp"}})
	if err != nil {
		return func(string) string { return "" }
	}
	files := filesState(h)
	return func(uri string) string {
		id, entry := strings.CutPrefix(uri, entryURI)
		if !entry {
			return files
		}
		id, _, _ = strings.Cut(id, "/")
		found, err := h.Get(ctx, "", []string{id})
		if err != nil {
			return "none"
		}
		data, err := encode(wholeOf(found[0]))
		if err != nil {
			return ""
		}
		sum := fnv.New128a()
		_, _ = sum.Write(data)
		return hex.EncodeToString(sum.Sum(nil))
	}
}

// filesState is what changes when a file of entries, or a setting, does.
func filesState(h *vault.Home) string {
	sum := fnv.New128a()
	scopes, err := h.Scopes()
	if err != nil {
		return ""
	}
	for _, s := range scopes {
		add(sum, s.Dir(), ".git", "review", "INDEX.md")
	}
	add(sum, filepath.Join(h.Dir(), "templates"))
	add(sum, filepath.Join(h.Dir(), "config.yaml"))
	return hex.EncodeToString(sum.Sum(nil))
}

// add adds names, sizes and times of the files under a path, but for those
// whose name at the top is left out.
func add(sum hash.Hash, root string, without ...string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if filepath.Dir(path) == root && slices.Contains(without, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
}
