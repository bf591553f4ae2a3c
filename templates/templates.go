// Package templates holds every text that people or agents read, as files of
// their own: the wording of INDEX.md and of the context block, and what
// new ledger files start with. A person may change the wording of some of them
// by files of the same name in $VAULT_HOME/templates/.
//
// A template file has parts. A line {{part NAME KEY…}} starts one and says
// which keys, written {{KEY}}, stand for something in it; the text goes on to
// the next such line, without blank lines at its ends. What comes before the
// first part, or after a line {{comment}}, is a word to whoever reads the file.
// There is no logic in it.
package templates

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed skeleton/*.md *.md
var builtin embed.FS

// The template files.
const (
	Index   = "index.md"   // INDEX.md; the same for everybody
	Context = "context.md" // the context block
	MCP     = "mcp.md"     // what agents read over the Model Context Protocol
	Hooks   = "hooks.md"   // what agents and people read from clients' hooks
	Clients = "clients.md" // what agents read in their clients' instruction files
)

// Overridable lists the files a person may put their own in place of. The
// others shape tracked files, which are the same on every machine.
func Overridable() []string { return []string{Context} }

// MaxFile is how long an override may be, in bytes.
const MaxFile = 64 << 10

// Skeleton returns what a new ledger file starts with, given the file's name,
// for example "decisions.md"; nil for a name that is no ledger's.
func Skeleton(name string) []byte {
	b, err := builtin.ReadFile("skeleton/" + name)
	if err != nil {
		return nil
	}
	return b
}

// A Set is the wording in use. It may be used by several goroutines at once.
type Set struct {
	own map[string]map[string]*Template // overridden parts by file
}

var builtinSet Set

// Default returns the built-in wording.
func Default() *Set { return &builtinSet }

// Load returns the built-in wording with the overrides of the folder dir,
// which need not exist ("" is none). A file may have some of the parts only.
// A file that cannot be used is left out whole, and the error says why, a line
// each; the Set is good either way.
func Load(dir string) (*Set, error) {
	if dir == "" {
		return Default(), nil
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return Default(), err
	}
	s := &Set{}
	var errs []error
	for _, f := range names {
		name := f.Name()
		if f.IsDir() || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") {
			continue
		}
		parts, err := loadOverride(dir, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s.own == nil {
			s.own = map[string]map[string]*Template{}
		}
		s.own[name] = parts
	}
	return s, errors.Join(errs...)
}

func loadOverride(dir, name string) (map[string]*Template, error) {
	path := filepath.Join(dir, name)
	if !slices.Contains(Overridable(), name) {
		return nil, fmt.Errorf("template %s is not used: files that may be here are %s", path, strings.Join(Overridable(), ", "))
	}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("template %s is no file: put one there", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("template %s is over 64 KiB: shorten it", path)
	}
	parts, err := parse(string(data), builtinFile(name))
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", path, err)
	}
	return parts, nil
}

// A File is the wording of one template file: its parts, overridden or not.
type File struct{ own, builtin map[string]*Template }

// File returns a template file.
func (s *Set) File(name string) File { return File{s.own[name], builtinFile(name)} }

var none Template

// Part returns a part of the file. A part that does not exist is a mistake in
// the program; it reads as an empty text.
func (f File) Part(name string) *Template {
	if t := f.own[name]; t != nil {
		return t
	}
	if t := f.builtin[name]; t != nil {
		return t
	}
	return &none
}

var parsed struct {
	sync.Mutex
	files map[string]map[string]*Template
}

// builtinFile parses a built-in file when it is first asked for: most runs
// need one of them, or none.
func builtinFile(name string) map[string]*Template {
	parsed.Lock()
	defer parsed.Unlock()
	if parts, ok := parsed.files[name]; ok {
		return parts
	}
	data, err := builtin.ReadFile(name)
	if err != nil {
		return nil
	}
	parts, err := parse(string(data), nil)
	if err != nil {
		return nil // a test reads every built-in file
	}
	if parsed.files == nil {
		parsed.files = map[string]map[string]*Template{}
	}
	parsed.files[name] = parts
	return parts
}

// A Template is a text with places for values.
type Template struct {
	keys  []string // in the order in which Append takes their values
	texts []string // the fixed text before each place, and after the last
	at    []int    // which key each place is for
}

// Append appends the text with values in the order of the part's keys. A
// missing value is empty.
func (t *Template) Append(dst []byte, values ...string) []byte {
	for i, text := range t.texts {
		dst = append(dst, text...)
		if i < len(t.at) && t.at[i] < len(values) {
			dst = append(dst, values[t.at[i]]...)
		}
	}
	return dst
}

// Text is Append to nothing, as a string.
func (t *Template) Text(values ...string) string {
	if len(t.texts) == 1 {
		return t.texts[0]
	}
	return string(t.Append(nil, values...))
}

// parse reads a template file. With known, only its parts may be there, and
// their keys are known's, whatever the file's own part lines say.
func parse(s string, known map[string]*Template) (map[string]*Template, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("it is not UTF-8 text: save it as UTF-8")
	}
	s = strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
	parts := map[string]*Template{}
	var (
		name string
		keys []string
		from int // line number of the part
		text []string
	)
	end := func() error {
		if name == "" {
			return nil
		}
		t, err := compile(strings.Trim(strings.Join(text, "\n"), "\n"), keys)
		if err != nil {
			return fmt.Errorf("line %d: part %s: %w", from, name, err)
		}
		parts[name] = t
		return nil
	}
	for i, line := range strings.Split(s, "\n") {
		if strings.TrimRight(line, " \t") == "{{comment}}" {
			if err := end(); err != nil {
				return nil, err
			}
			name = ""
			continue
		}
		head, ok := strings.CutPrefix(line, "{{part ")
		if !ok {
			text = append(text, line)
			continue
		}
		if err := end(); err != nil {
			return nil, err
		}
		head, ok = strings.CutSuffix(strings.TrimRight(head, " \t"), "}}")
		words := strings.Fields(head)
		if !ok || len(words) == 0 {
			return nil, fmt.Errorf("line %d: %q does not start a part: write {{part NAME}}", i+1, line)
		}
		name, keys, from, text = words[0], words[1:], i+1, nil
		if parts[name] != nil {
			return nil, fmt.Errorf("line %d: part %s is there twice: keep one", i+1, name)
		}
		if known != nil {
			k := known[name]
			if k == nil {
				return nil, fmt.Errorf("line %d: there is no part %s: take its name from the built-in file", i+1, name)
			}
			keys = k.keys
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, errors.New("it has no {{part NAME}} line: start from the built-in file")
	}
	return parts, nil
}

func compile(s string, keys []string) (*Template, error) {
	t := &Template{keys: keys}
	for {
		text, rest, ok := strings.Cut(s, "{{")
		t.texts = append(t.texts, text)
		if !ok {
			return t, nil
		}
		key, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return nil, errors.New("a {{ has no }}: close it")
		}
		i := slices.Index(keys, strings.TrimSpace(key))
		if i < 0 {
			if len(keys) == 0 {
				return nil, fmt.Errorf("{{%s}} means nothing here: it has no keys", key)
			}
			return nil, fmt.Errorf("{{%s}} means nothing here: its keys are %s", key, strings.Join(keys, ", "))
		}
		t.at = append(t.at, i)
		s = after
	}
}
