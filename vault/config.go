package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
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
	data, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, "", nil
	}
	if err != nil {
		return c, "", &Error{Code: Failed, Message: "the settings can't be read: " + told(err), Err: &configError{problem: "the settings can't be read: " + told(err), err: err}}
	}
	if err = yaml.Unmarshal(data, &c); err == nil {
		err = c.check()
	}
	if err != nil {
		bad := newConfigError(data, err)
		return c, "", &Error{Code: Invalid, Message: path + " can't be used", Hint: bad.Error(), Err: bad}
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

// readFile reads a plain file: what stands in its place may never end.
func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file: move what stands there away", path)
	}
	return os.ReadFile(path)
}

// yamlProblem says what is wrong with YAML, on one line.
func yamlProblem(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(told(err), "yaml: "), "unmarshal errors: ")
}

func (c Config) check() error {
	switch c.Durability {
	case "full", "fast":
	default:
		return wrongSetting("durability", "unknown durability %q: use full or fast", c.Durability)
	}
	switch c.Git {
	case "auto", "builtin", "system":
	default:
		return wrongSetting("git", "unknown git %q: use auto, builtin or system", c.Git)
	}
	switch c.Sync {
	case syncManual, syncAfterChange:
	default:
		return wrongSetting("sync", "unknown sync %q: use manual or after-change", c.Sync)
	}
	if c.LockTimeout < 0 {
		return wrongSetting("lock_timeout", "lock_timeout %s is negative: give a time such as 30s", c.LockTimeout)
	}
	return nil
}

// A settingError is a setting that means nothing.
type settingError struct {
	key string // the outermost
	err error
}

func (e *settingError) Error() string { return e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

func wrongSetting(key, format string, args ...any) error {
	return &settingError{key, fmt.Errorf(format, args...)}
}

// A configError is what is wrong with the person's settings, and where.
type configError struct {
	line    int // 0: of the whole file
	problem string
	err     error
}

func (e *configError) Error() string {
	if e.line > 0 {
		return fmt.Sprintf("line %d: %s", e.line, e.problem)
	}
	return e.problem
}

func (e *configError) Unwrap() error { return e.err }

func newConfigError(data []byte, err error) *configError {
	e := &configError{problem: yamlProblem(err), err: err}
	key := "review" // the only one that is checked while it is read
	var wrong *settingError
	if errors.As(err, &wrong) {
		key = wrong.key
	}
	if rest, ok := strings.CutPrefix(e.problem, "line "); ok {
		number, rest, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			e.line, e.problem = n, rest
		}
		return e
	}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return e
	}
	for _, n := range doc.Content[0].Content {
		if n.Value == key && e.line == 0 {
			e.line = n.Line
		}
	}
	return e
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
