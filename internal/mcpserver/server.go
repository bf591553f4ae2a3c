// Package mcpserver serves a vault to agents over the Model Context Protocol:
// tools, resources and prompts, on standard input and output or on HTTP. It is
// thin: what it does, package vault does.
//
// One server serves many sessions and projects. Each call opens the vault anew
// from the folder that its own client works in, so that nothing of one project
// can reach another, and a change of the person's settings counts at once.
package mcpserver

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/templates"
	"gitvault/vault"
)

// An Opening says from where, and for whom, a vault is opened.
type Opening struct {
	Dir      string       // the folder whose project is meant
	Writer   vault.Writer // who acts; the zero Writer is the person
	Notice   func(string)
	Progress func(what string, done, of int)
}

// Options are what a server takes from the program around it.
type Options struct {
	Open func(Opening) (*vault.Home, error)

	Dir       string // the server's folder: the workspace of a client that names none
	ClientDir string // the folder that the client's environment names, "" for none
	Nowhere   string // a folder of no project: the workspace of a client that names one which is not there
	Agent     string // whose calls these are; by default what the client calls itself
	Session   string // the agent session that the environment names
	Version   string // of the program
	Off       bool   // answer recall and context with nothing

	AskTimeout   time.Duration // how long a person may take over a card; 2 minutes by default
	PollInterval time.Duration // how often subscribed resources are looked at; 1 second by default
}

// A Server serves a vault over the Model Context Protocol.
type Server struct {
	opt   Options
	words templates.File
	mcp   *mcp.Server
	key   []byte // signs what a client carries between two rounds of a call

	writing chan struct{} // held by the one call that writes

	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*session
	watching chan struct{} // wakes the watcher; nil while nobody subscribes
}

// New makes a server. It serves nothing yet.
func New(o Options) *Server {
	if o.AskTimeout == 0 {
		o.AskTimeout = 2 * time.Minute
	}
	if o.PollInterval == 0 {
		o.PollInterval = time.Second
	}
	s := &Server{
		opt: o, words: templates.Default().File(templates.MCP), key: []byte(rand.Text()),
		writing: make(chan struct{}, 1), sessions: map[*mcp.ServerSession]*session{},
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "vault", Title: "vault", Version: o.Version}, &mcp.ServerOptions{
		Instructions: s.word("instructions"),
		Capabilities: &mcp.ServerCapabilities{
			Completions: &mcp.CompletionCapabilities{}, Logging: &mcp.LoggingCapabilities{},
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
		},
		InitializedHandler:      s.initialized,
		RootsListChangedHandler: s.rootsChanged,
		CompletionHandler:       s.complete,
		SubscribeHandler:        s.subscribe,
		UnsubscribeHandler:      s.unsubscribe,
		SetCacheable:            private,
	})
	s.mcp.AddReceivingMiddleware(keepHeaders, guard)
	s.mcp.AddSendingMiddleware(s.onlyTheirs)
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s
}

// word is a text from the templates.
func (s *Server) word(name string, values ...string) string {
	return s.words.Part(name).Text(values...)
}
