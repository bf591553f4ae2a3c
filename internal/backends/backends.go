// Package backends lets other searchers join recall: an MCP server with a
// search tool, an OpenAI-compatible embeddings endpoint, a program. Each answers
// in its own shape and is asked with a deadline; recall joins their rankings
// and goes on without one that fails.
package backends

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
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

// Check says what is wrong with a configuration, and what to write; nil if
// nothing is.
func (c Config) Check() error {
	switch {
	case c.Name == "":
		return errors.New("it has no name: write name: and what its hits are to be shown under")
	case c.Timeout < 0:
		return fmt.Errorf("timeout %s is negative: write %s", c.Timeout, Example("timeout"))
	case !(c.Weight >= 0) || math.IsInf(c.Weight, 0):
		return fmt.Errorf("weight is %g: write %s", c.Weight, Example("weight"))
	}
	switch c.Kind {
	case MCP:
		if (len(c.Command) == 0) == (c.URL == "") {
			return errors.New("kind mcp takes either command or url: write one of them")
		}
		_, err := c.tool()
		return err
	case Embeddings:
		if c.URL == "" || c.Model == "" {
			return errors.New("kind embeddings takes url and model: write both")
		}
	case Program:
		if len(c.Command) == 0 {
			return errors.New("kind program takes a command: write " + Example("command"))
		}
	case "":
		return errors.New("it has no kind: write mcp, embeddings or program")
	default:
		return fmt.Errorf("unknown kind %q: write mcp, embeddings or program", c.Kind)
	}
	return nil
}

// Fields are the names of all that a configuration may have.
func Fields() []string {
	var out []string
	for _, t := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Tool]()} {
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != ",inline" {
				out = append(out, name)
			}
		}
	}
	return out
}

// Example says what is to be written for a field.
func Example(field string) string {
	switch field {
	case "timeout":
		return "a duration such as 5s"
	case "weight":
		return "a number such as 0.5"
	case "command":
		return "a list such as [my-search, --json]"
	case "arguments":
		return "names with values, such as {mode: fast}"
	}
	return "a word"
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
