package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gitvault/gitstore"
)

// Policy says what becomes of an agent's change before a person has seen it.
type Policy string

// The review policies, from the strictest to the loosest.
const (
	Hold  Policy = "hold"  // a card holds the proposed version; what is offered stays as it was
	Apply Policy = "apply" // the change counts at once; a card holds the version before it
	Off   Policy = "off"   // the change counts at once, without a card
)

// Config is a person's config.yaml. The zero value is the default.
type Config struct {
	Durability  string        `yaml:"durability"`   // full (default) or fast: whether writes wait for the disk
	Git         string        `yaml:"git"`          // auto (default), builtin or system: whose git talks to remotes
	LockTimeout time.Duration `yaml:"lock_timeout"` // how long a write waits for another; 30s by default
	Review      ReviewConfig  `yaml:"review"`
	Context     BudgetConfig  `yaml:"context"`
}

// ReviewConfig is the review policy, by scope and kind; the most specific
// setting holds. It may be written as one word.
type ReviewConfig struct {
	Policy Policy            `yaml:"policy"`
	Scopes map[string]Policy `yaml:"scopes"`
	Kinds  map[string]Policy `yaml:"kinds"`
	Remote string            `yaml:"remote"` // hold: what others pushed waits for a look
}

// UnmarshalYAML takes one policy for everything, or the whole mapping.
func (r *ReviewConfig) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		r.Policy = Policy(n.Value)
		return r.check()
	}
	type plain ReviewConfig
	if err := n.Decode((*plain)(r)); err != nil {
		return err
	}
	return r.check()
}

func (r ReviewConfig) check() error {
	all := []Policy{r.Policy}
	for _, p := range r.Scopes {
		all = append(all, p)
	}
	for k, p := range r.Kinds {
		if _, err := ParseKind(k); err != nil {
			return err
		}
		all = append(all, p)
	}
	for _, p := range all {
		switch p {
		case "", Hold, Apply, Off:
		default:
			return fmt.Errorf("unknown review policy %q: use hold, apply or off", p)
		}
	}
	return nil
}

// BudgetConfig bounds the context block; zero means the default.
type BudgetConfig struct {
	Bytes  int `yaml:"bytes"`
	Tokens int `yaml:"tokens"`
}

// loadConfig reads a config.yaml. Settings that it does not know, which a
// newer vault may, are named and otherwise left alone.
func loadConfig(path string) (c Config, unknown string, err error) {
	c = Config{Durability: "full", Git: "auto", LockTimeout: 30 * time.Second}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, "", nil
	}
	if err != nil {
		return c, "", &Error{Code: Failed, Message: "the settings can't be read: " + oneLine(err.Error()), Err: err}
	}
	if err = yaml.Unmarshal(data, &c); err == nil {
		err = c.check()
	}
	if err != nil {
		return c, "", invalid(yamlProblem(err), "%s can't be used", path)
	}
	strict := yaml.NewDecoder(bytes.NewReader(data))
	strict.KnownFields(true)
	var again Config
	if err := strict.Decode(&again); err != nil && !errors.Is(err, io.EOF) {
		unknown = regexp.MustCompile(` not found in type \S+`).ReplaceAllString(yamlProblem(err), " is unknown")
	}
	return c, unknown, nil
}

// yamlProblem says what is wrong with YAML, on one line.
func yamlProblem(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(oneLine(err.Error()), "yaml: "), "unmarshal errors: ")
}

func (c Config) check() error {
	switch c.Durability {
	case "full", "fast":
	default:
		return fmt.Errorf("unknown durability %q: use full or fast", c.Durability)
	}
	switch c.Git {
	case "auto", "builtin", "system":
	default:
		return fmt.Errorf("unknown git %q: use auto, builtin or system", c.Git)
	}
	if c.LockTimeout < 0 {
		return fmt.Errorf("lock_timeout %s is negative", c.LockTimeout)
	}
	return nil
}

func (c Config) durability() gitstore.Durability {
	if c.Durability == "fast" {
		return gitstore.Fast
	}
	return gitstore.Full
}

// oneLine makes an error of a library fit for a line of its own.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
