package wiring

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
	"gitvault/internal/marked"
)

type tomlDocument struct {
	*configedit.TOML
	name string
}

func (d *tomlDocument) put(part clients.Part) ([]string, error) {
	got, found := d.Get(part.Path...)
	if !found {
		if err := d.AddTable(part.Path, part.Value); err != nil {
			return nil, problem(d.name, err, shape)
		}
		return nil, nil
	}
	line := d.Line(part.Path...)
	if !isServer(got) {
		return nil, foreign(d.name, line, part.Path)
	}
	if !clients.IsPlainServer(serverWords(got)) {
		return ownForm(d.name), nil
	}
	table := got.(map[string]any)
	for _, f := range part.Value {
		if f.Name != "command" || reflect.DeepEqual(table[f.Name], f.Value) {
			continue
		}
		ok, err := d.SetText(append(slices.Clone(part.Path), f.Name), f.Value.(string))
		if err != nil {
			return nil, problem(d.name, err, shape)
		}
		if !ok {
			return ownForm(d.name), nil
		}
	}
	return nil, nil
}

func (d *tomlDocument) has(part clients.Part) bool {
	entry, found := d.Get(part.Path...)
	return found && isServer(entry)
}

func (d *tomlDocument) take(_ string, parts []clients.Part) ([]string, error) {
	var notes []string
	for _, part := range parts {
		if got, found := d.Get(part.Path...); !found || !isServer(got) {
			continue
		}
		err := d.RemoveTable(part.Path)
		if got, found := d.Get(part.Path...); err != nil || found && isServer(got) {
			notes = append(notes, fmt.Sprintf("%s:%d: vault's server is written here in a form of its own, so it stays: take it out by hand", d.name, d.Line(part.Path...)))
		}
	}
	return notes, nil
}

// A textDocument is Markdown, or a file of vault's own.
type textDocument struct {
	data    []byte
	name    string
	changes []configedit.Splice
	front   string   // what the file starts with that vault made
	known   []string // sections that vault wrote into it before
}

func (d *textDocument) has(part clients.Part) bool {
	if part.Format == clients.Whole {
		return d.isWhole()
	}
	return part.Marks.Has(d.data)
}

func (d *textDocument) Bytes() []byte                { return d.data }
func (d *textDocument) Changes() []configedit.Splice { return d.changes }

func (d *textDocument) IsEmpty() bool {
	text := strings.TrimSpace(strings.TrimPrefix(string(d.data), "\ufeff"))
	return text == "" || d.front != "" && text == strings.TrimSpace(d.front)
}

func (d *textDocument) change(at int, was, is string) {
	if was == is {
		return
	}
	s := configedit.Splice{At: at, Was: was, Is: is}
	d.data = s.Apply(d.data)
	d.changes = append(d.changes, s)
}

func (d *textDocument) put(part clients.Part) ([]string, error) {
	if part.Format == clients.Whole {
		if len(d.data) > 0 && !d.isWhole() {
			return nil, &Problem{d.name, 0, "it is a file of somebody else's", "give it another name, then try again", true}
		}
		d.change(0, string(d.data), part.Text)
		return nil, nil
	}
	if part.Front != "" && len(bytes.TrimSpace(d.data)) == 0 {
		d.change(len(d.data), "", part.Front)
	}
	at, was, is, err := part.Marks.Set(d.data, part.Text)
	if err != nil {
		return nil, &Problem{File: d.name, What: err.Error(), Do: "put the marks right by hand, then try again"}
	}
	d.change(at, was, is)
	return nil, nil
}

func (d *textDocument) isWhole() bool {
	first, _, _ := bytes.Cut(d.data, []byte("\n"))
	return bytes.Contains(first, []byte(clients.WholeMark))
}

func (d *textDocument) take(_ string, parts []clients.Part) (notes []string, err error) {
	for _, part := range parts {
		if part.Format == clients.Whole {
			if d.isWhole() && filepath.Base(part.File) == filepath.Base(d.name) {
				d.change(0, string(d.data), "")
			}
			continue
		}
		d.front = part.Front
		var wrote []string
		if part.Marks == marked.Instructions { // an index is written anew whatever stands there
			wrote = append([]string{part.Text}, d.known...)
		}
		at, was, rest, err := part.Marks.Cut(d.data, wrote...)
		if err != nil {
			return nil, &Problem{File: d.name, What: err.Error(), Do: "put the marks right by hand, then try again"}
		}
		if rest != "" {
			notes = append(notes, d.name+" had more between vault's marks than vault wrote: that stays")
		}
		d.change(at, was, rest)
	}
	return notes, nil
}
