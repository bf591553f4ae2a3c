// Package gitconfig reads git's configuration without running git: the
// system's, the person's, the repository's and the worktree's files, with
// their includes, as git itself would see them. It only reads, and takes the
// environment from its caller.
package gitconfig

import "strings"

// Scope says which of git's files a variable comes from; a file that another
// includes counts as that one.
type Scope int

// The scopes, in the order in which git reads them: later ones win.
const (
	System Scope = iota
	Global
	Local
	Worktree
)

// Entry is one variable, as it was read.
type Entry struct {
	Key   string // section and name in lower case, the subsection as written: remote.My Fork.url
	Value string
	Bare  bool // written without "=": true for a boolean, an error for git elsewhere
	Scope Scope
	File  string
	Line  int // 1-based
}

// Split takes the key apart. The subsection may itself hold dots.
func (e Entry) Split() (section, subsection, name string) {
	first, last := strings.IndexByte(e.Key, '.'), strings.LastIndexByte(e.Key, '.')
	if first < 0 {
		return "", "", e.Key
	}
	if first < last {
		subsection = e.Key[first+1 : last]
	}
	return e.Key[:first], subsection, e.Key[last+1:]
}

// Config is what all files together say, in reading order. The nil Config is
// empty.
type Config struct{ entries []Entry }

// Entries gives every variable in reading order; the slice is the caller's to
// read only.
func (c *Config) Entries() []Entry {
	if c == nil {
		return nil
	}
	return c.entries
}

// Get gives the value that counts, the last one, of a key as Entry writes it.
func (c *Config) Get(key string) (string, bool) {
	entries := c.Entries()
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Key == key {
			return entries[i].Value, true
		}
	}
	return "", false
}

// All gives every value of a key, in reading order.
func (c *Config) All(key string) []string {
	var all []string
	for _, e := range c.Entries() {
		if e.Key == key {
			all = append(all, e.Value)
		}
	}
	return all
}

// Bool gives the value of a key as git reads booleans, and false where it is
// not set or is no boolean.
func (c *Config) Bool(key string) bool {
	entries := c.Entries()
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Key == key {
			return e.Bare || isTrue(e.Value)
		}
	}
	return false
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "no", "off":
		return false
	case "true", "yes", "on":
		return true
	}
	digits := strings.TrimLeft(strings.TrimLeft(value, "+-"), "0")
	return digits != "" && '1' <= digits[0] && digits[0] <= '9'
}
