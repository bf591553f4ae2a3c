package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// An item is what can be found: a document, or a turn of a session.
type item struct {
	id      string
	session string // "" for a document
	title   string
	text    string
	date    string
}

type corpus struct {
	scope string
	items []item
}

type corpora []*corpus

// of is the corpus of a scope; a corpus without scopes serves any.
func (cs corpora) of(scope string) *corpus {
	for _, c := range cs {
		if c.scope == scope || c.scope == "" {
			return c
		}
	}
	return nil
}

type query struct {
	Scope    string   `json:"scope"`
	Text     string   `json:"query"`
	Category string   `json:"category"`
	Relevant []string `json:"relevant"`
}

func readCorpora(path string) (corpora, error) {
	var cs corpora
	err := readLines(path, func(line []byte) error {
		var l struct{ Scope, ID, Text, Date, Title, Body, Path string }
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		it := item{id: l.ID, title: l.Title, text: l.Text, date: l.Date}
		if l.Path != "" {
			it.id, it.text = l.Path, l.Body
		} else if session, _, ok := strings.Cut(l.ID, ":"); ok {
			it.session = session
			it.text = strings.Join(strings.Fields(l.Text), " ") // a turn is one paragraph
		}
		if it.id == "" || strings.TrimSpace(it.text) == "" {
			return fmt.Errorf("a line needs an id and a text")
		}
		if n := len(cs); n == 0 || cs[n-1].scope != l.Scope {
			cs = append(cs, &corpus{scope: l.Scope})
		}
		c := cs[len(cs)-1]
		c.items = append(c.items, it)
		return nil
	})
	return cs, err
}

func readQueries(path string) ([]query, error) {
	var qs []query
	err := readLines(path, func(line []byte) error {
		var q query
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		if len(q.Relevant) == 0 {
			return fmt.Errorf("query %q has no answers", q.Text)
		}
		qs = append(qs, q)
		return nil
	})
	return qs, err
}

func readLines(path string, fn func([]byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for n := 1; in.Scan(); n++ {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			if err := fn(line); err != nil {
				return fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
	}
	return in.Err()
}
