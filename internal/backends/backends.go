// Package backends lets other searchers join recall: an MCP server with a
// search tool, an OpenAI-compatible embeddings endpoint, a program. Each answers
// in its own shape and is asked with a deadline; recall joins their rankings
// and goes on without one that fails.
package backends

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gitvault/internal/recall"
)

// DefaultTimeout is how long a backend has to answer.
const DefaultTimeout = 2 * time.Second

// Kinds of backends.
const (
	MCP        = "mcp"
	Embeddings = "embeddings"
	Program    = "program"
)

// A Config is one backend, as a person's config.yaml has it.
type Config struct {
	Name    string        `yaml:"name"`
	Kind    string        `yaml:"kind"`    // mcp, embeddings or program
	Timeout time.Duration `yaml:"timeout"` // DefaultTimeout by default
	Weight  float64       `yaml:"weight"`  // beside built-in recall, which has 1; 1 by default

	Command []string `yaml:"command"` // mcp over stdio, program
	URL     string   `yaml:"url"`     // mcp over HTTP, embeddings (ends in /v1)
	KeyEnv  string   `yaml:"key_env"` // the variable that holds the key or bearer token

	Model string `yaml:"model"` // embeddings

	Mapping string `yaml:"mapping"` // mcp: moraine, or none and the fields below
	Tool    `yaml:",inline"`
}

// Check says what is wrong with a configuration; nil if nothing is.
func (c Config) Check() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("a recall backend has no name")
	case c.Timeout < 0:
		return fmt.Errorf("recall backend %s: timeout %s is negative", c.Name, c.Timeout)
	case c.Weight < 0:
		return fmt.Errorf("recall backend %s: weight %g is negative", c.Name, c.Weight)
	}
	switch c.Kind {
	case MCP:
		if (len(c.Command) == 0) == (c.URL == "") {
			return fmt.Errorf("recall backend %s: give either command or url", c.Name)
		}
		if _, err := c.tool(); err != nil {
			return err
		}
	case Embeddings:
		if c.URL == "" || c.Model == "" {
			return fmt.Errorf("recall backend %s: give url and model", c.Name)
		}
	case Program:
		if len(c.Command) == 0 {
			return fmt.Errorf("recall backend %s: give command", c.Name)
		}
	default:
		return fmt.Errorf("recall backend %s: unknown kind %q: use mcp, embeddings or program", c.Name, c.Kind)
	}
	return nil
}

// A World is what backends need of the program that uses them.
type World struct {
	// Entries lists what may be offered: an entry's hit, without score.
	Entries func(ctx context.Context) ([]recall.Hit, error)
	Getenv  func(string) string
	Environ []string     // of programs that are started
	Dir     string       // where they are started
	Cache   string       // a folder whose files may vanish at any moment; "" for none
	Client  *http.Client // nil: http.DefaultClient
}

func (w World) client() *http.Client {
	if w.Client == nil {
		return http.DefaultClient
	}
	return w.Client
}

// New makes a source of recall. Nothing is started before it is asked.
func New(c Config, w World) (recall.Source, error) {
	if err := c.Check(); err != nil {
		return recall.Source{}, err
	}
	s := recall.Source{Name: c.Name, Weight: c.Weight, Timeout: c.Timeout}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	switch c.Kind {
	case MCP:
		s.Recaller = server{c, w}
	case Embeddings:
		s.Recaller = vectors{c, w}
	default:
		s.Recaller = program{c, w}
	}
	return s, nil
}
