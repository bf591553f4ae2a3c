package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/internal/mcpserver"
	"gitvault/vault"
)

// clientFolders are the variables in which clients tell the servers they start
// which folder the person works in.
var clientFolders = []string{
	"VAULT_PROJECT_DIR",
	"CLAUDE_PROJECT_DIR", // Claude Code; other clients copy it
	"GEMINI_PROJECT_DIR",
	"CURSOR_PROJECT_DIR",
	"CODEWHALE_PROJECT_DIR",
	"WORKSPACE_FOLDER_PATHS", // Cursor: one folder, or several
}

func mcpCmd(a *app) *cobra.Command {
	var addr string
	c := verb("mcp [--http HOST:PORT]", "Serve agents over the Model Context Protocol", `  vault mcp                       # on standard input and output, as clients start it
  vault mcp --http 127.0.0.1:0    # prints its address, then the header that clients have to send`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		debug.SetGCPercent(100) // unlike other verbs this one may live for days
		debug.SetMemoryLimit(math.MaxInt64)
		o, err := a.options()
		if err != nil {
			return err
		}
		server := mcpserver.New(a.serving(o))
		if addr == "" {
			return server.ServeIO(c.Context(), a.stdin, a.live())
		}
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		l, err := mcpserver.Listen(addr)
		if err != nil {
			return err
		}
		return a.serveHTTP(c.Context(), server, h, l)
	})
	c.Flags().StringVar(&addr, "http", "", "serve on this `HOST:PORT` of the machine instead; port 0 takes a free one")
	return c
}

// serving are the options of a server: calls are an agent's, each for the
// folder its client works in.
func (a *app) serving(home vault.Options) mcpserver.Options {
	o := mcpserver.Options{Dir: home.Dir, Agent: a.agent, Session: home.Writer.Session, Version: version(), Off: a.off(), Nowhere: a.nowhere()}
	if o.Agent == "" {
		o.Agent = a.getenv("VAULT_AGENT")
	}
	for _, name := range clientFolders {
		if value := a.getenv(name); value != "" && o.ClientDir == "" {
			o.ClientDir = orNowhere(firstFolder(value), o.Nowhere)
		}
	}
	o.Open = func(from mcpserver.Opening) (*vault.Home, error) {
		h := home
		h.Dir, h.Writer, h.Notice, h.Progress = from.Dir, from.Writer, from.Notice, from.Progress
		return vault.Open(h)
	}
	return o
}

// firstFolder is the first folder that a client's variable names: a path, a
// list of them as the system or with commas, or JSON.
func firstFolder(value string) string {
	var several []string
	if json.Unmarshal([]byte(value), &several) != nil {
		several = append([]string{value}, filepath.SplitList(value)...)
		several = append(several, strings.Split(value, ",")...)
	}
	for _, dir := range several {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() && filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// nowhere is a folder that belongs to no project, made or not.
func (a *app) nowhere() string { return filepath.Join(a.homeDir(), "state") }

// orNowhere is a folder that a client named, or where it is not there, one that
// belongs to no project: the memory of another is not this client's to have.
func orNowhere(dir, nowhere string) string {
	if dir == "" {
		return nowhere
	}
	return dir
}

// A served is what a server on HTTP leaves in the vault's state while it runs,
// for other programs of the same person.
type served struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

func (a *app) serveHTTP(ctx context.Context, server *mcpserver.Server, h *vault.Home, l net.Listener) error {
	defer l.Close()
	s := served{URL: "http://" + l.Addr().String() + mcpserver.Path, Token: rand.Text(), PID: os.Getpid()}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	path := filepath.Join(h.Dir(), "state", "mcp-"+port+".json")
	if err := writePrivate(path, s); err != nil {
		return &vault.Error{Code: vault.Failed, Message: "the server's token can't be written down", Hint: err.Error(), Err: err}
	}
	defer os.Remove(path)
	if _, err := fmt.Fprintf(a.live(), "%s\nAuthorization: Bearer %s\n", s.URL, s.Token); err != nil {
		return err
	}
	return server.Serve(ctx, l, s.Token)
}

// writePrivate writes a document that only the person may read.
func writePrivate(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcp-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
