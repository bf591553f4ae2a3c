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

// Config is a person's config.yaml. The zero value is the default.
type Config struct {
	Durability  string        `yaml:"durability"`   // full (default) or fast: whether writes wait for the disk
	Git         string        `yaml:"git"`          // auto (default), builtin or system: whose git talks to remotes
	Sync        string        `yaml:"sync"`         // manual (default) or after-change: whether scopes with a remote sync by themselves
	LockTimeout time.Duration `yaml:"lock_timeout"` // how long a write waits for another; 30s by default
	Review      ReviewConfig  `yaml:"review"`
	Context     BudgetConfig  `yaml:"context"`
	Recall      RecallConfig  `yaml:"recall"`
}

// BudgetConfig bounds the context block; zero means the default.
type BudgetConfig struct {
	Bytes  int `yaml:"bytes"`
	Tokens int `yaml:"tokens"`
}

// loadConfig reads a config.yaml. Settings that it does not know, which a
// newer vault may, are named and otherwise left alone.
func loadConfig(path string) (c Config, unknown string, err error) {
	c = Config{Durability: "full", Git: "auto", Sync: syncManual, LockTimeout: 30 * time.Second}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, "", nil
	}
	if err != nil {
		return c, "", &Error{Code: Failed, Message: "the settings can't be read: " + told(err), Err: err}
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
	unknown = strings.TrimPrefix(strings.Join(append([]string{unknown}, c.Recall.unknown...), " "), " ")
	return c, unknown, nil
}

// yamlProblem says what is wrong with YAML, on one line.
func yamlProblem(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(told(err), "yaml: "), "unmarshal errors: ")
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
	switch c.Sync {
	case syncManual, syncAfterChange:
	default:
		return fmt.Errorf("unknown sync %q: use manual or after-change", c.Sync)
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
