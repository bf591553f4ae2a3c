package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Binding is a person's word that a folder, with all below it, belongs to a
// project.
type Binding struct {
	Path string `json:"-"`   // a repository's shared git folder, or a plain folder; real, absolute
	Key  string `json:"key"` // the project
	Git  bool   `json:"git,omitempty"`
}

// bindingsFile has a line for each binding, so that damage to one leaves the
// others readable. Lines that cannot be read are reported and kept.
func (o Options) bindingsFile() string { return filepath.Join(o.Home, "state", "bindings.jsonl") }

type bindingLine struct {
	Path statePath `json:"path"`
	Binding
}

type bindings struct {
	lines []string // as they stand in the file
	all   []Binding
	line  []int // of each binding
	notes []string
}

func (o Options) readBindings() (*bindings, error) {
	b := &bindings{}
	if o.Home == "" {
		return b, nil
	}
	data, err := os.ReadFile(o.bindingsFile())
	if missing(err) {
		return b, nil
	}
	if err != nil {
		return b, fmt.Errorf("cannot read which folders are linked: %w", err)
	}
	for i, text := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		b.lines = append(b.lines, text)
		if strings.TrimSpace(text) == "" {
			continue
		}
		var line bindingLine
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Key == "" || !filepath.IsAbs(string(line.Path)) {
			b.notes = append(b.notes, fmt.Sprintf("line %d of %s cannot be read: it is kept, and binds nothing", i+1, oneLine(o.bindingsFile())))
			continue
		}
		line.Binding.Path = string(line.Path)
		b.all = append(b.all, line.Binding)
		b.line = append(b.line, i)
	}
	return b, nil
}

// find gives the binding of exactly this folder: the last one, if a hand or a
// merge left several.
func (b *bindings) find(path string, git bool) (Binding, bool) {
	for i := len(b.all) - 1; i >= 0; i-- {
		if b.all[i].Git == git && samePath(b.all[i].Path, path) {
			return b.all[i], true
		}
	}
	return Binding{}, false
}

// above gives the binding of the folder or of the nearest one that holds it.
func (b *bindings) above(dir string) (Binding, bool) {
	if len(b.all) == 0 {
		return Binding{}, false
	}
	for {
		if found, ok := b.find(dir, false); ok {
			return found, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Binding{}, false
		}
		dir = parent
	}
}

// without gives the file's lines but for those that bind exactly this folder.
func (b *bindings) without(path string, git bool) []string {
	drop := map[int]bool{}
	for i, binding := range b.all {
		if binding.Git == git && samePath(binding.Path, path) {
			drop[b.line[i]] = true
		}
	}
	var lines []string
	for i, line := range b.lines {
		if !drop[i] {
			lines = append(lines, line)
		}
	}
	return lines
}

// changeBindings rewrites the file under the lock: change gets what it says
// now, and gives its new lines.
func (o Options) changeBindings(change func(*bindings) ([]string, error)) error {
	if o.Home == "" {
		return errors.New("no home folder is given to keep bindings in")
	}
	unlock, err := o.lockState()
	if err != nil {
		return err
	}
	defer unlock()
	b, err := o.readBindings()
	if err != nil {
		return err
	}
	lines, err := change(b)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
	return o.writeFile(o.bindingsFile(), out.Bytes())
}

// Bindings lists every binding of the home, in the order they were made, and
// says what in the file cannot be read.
func Bindings(o Options) (all []Binding, notes []string, err error) {
	b, err := o.readBindings()
	return b.all, b.notes, err
}

// statePath is a path as JSON text, whatever bytes it holds.
type statePath string

const quotedPath = "quoted:" // no absolute path starts so

func (p statePath) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(p)) {
		return []byte(p), nil
	}
	return []byte(quotedPath + strconv.QuoteToASCII(string(p))), nil
}

func (p *statePath) UnmarshalText(text []byte) error {
	if quoted, ok := strings.CutPrefix(string(text), quotedPath); ok {
		path, err := strconv.Unquote(quoted)
		*p = statePath(path)
		return err
	}
	*p = statePath(text)
	return nil
}
