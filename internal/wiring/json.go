package wiring

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
)

type jsonDocument struct {
	*configedit.JSON
	name, client string
}

const shape = "vault knows no such form: take it out, or put vault in by hand"

func (d *jsonDocument) put(part clients.Part) ([]string, error) {
	for _, f := range part.Always {
		got, line, found, err := d.Get(f.Name)
		if err == nil && !found {
			err = d.Set([]string{f.Name}, f.Value)
		}
		if err != nil {
			return nil, problem(d.name, err, shape)
		}
		if found && !reflect.DeepEqual(got, configedit.Plain(f.Value)) {
			return nil, &Problem{d.name, line, fmt.Sprintf("%s is %v, where vault knows %v", f.Name, got, f.Value), "put the hooks in by hand: " + hookList(part), true}
		}
	}
	if part.Format == clients.Hooks {
		for _, h := range part.Hooks {
			if err := d.hook(h); err != nil {
				return nil, problem(d.name, err, shape)
			}
		}
		return nil, nil
	}
	return nil, d.server(part)
}

func hookList(part clients.Part) string {
	var list []string
	for _, h := range part.Hooks {
		list = append(list, h.Event+" runs "+h.Command)
	}
	return strings.Join(list, ", ")
}

// server sets the entry of vault's server.
func (d *jsonDocument) server(part clients.Part) error {
	at := d.entry(part)
	got, line, found, err := d.Get(at...)
	switch {
	case err != nil:
		return problem(d.name, err, shape)
	case !found:
		if err := d.Set(at, part.Value); err != nil {
			return problem(d.name, err, shape)
		}
		return nil
	case !isServer(got):
		return foreign(d.name, line, at)
	}
	for _, f := range part.Value {
		switch f.Name {
		case "command", "args":
			err = d.Set(append(slices.Clone(at), f.Name), f.Value)
		case "env", "environment":
			for _, v := range f.Value.(configedit.Object) {
				if err == nil {
					err = d.Set(append(slices.Clone(at), f.Name, v.Name), v.Value)
				}
			}
		}
		if err != nil {
			return problem(d.name, err, shape)
		}
	}
	return nil
}

func foreign(name string, line int, at []string) error {
	return &Problem{name, line, strings.Join(at, ".") + " is another program's server", "give that one another name, then try again", true}
}

// entry is where vault's server goes in this document.
func (d *jsonDocument) entry(part clients.Part) []string {
	if part.Or == nil {
		return part.Path
	}
	if _, _, found, _ := d.Get(part.Path[0]); found {
		return part.Path
	}
	if _, _, found, _ := d.Get(part.Or[0]); found {
		return part.Or
	}
	return part.Path
}

// isServer reports whether a server's entry starts vault.
func isServer(entry any) bool {
	m, ok := entry.(map[string]any)
	if !ok {
		return false
	}
	words, ok := m["command"].([]any)
	if command, alone := m["command"].(string); alone {
		args, _ := m["args"].([]any)
		words, ok = append([]any{command}, args...), true
	}
	if !ok || len(words) < 2 || !slices.Contains(words[1:], any("mcp")) {
		return false
	}
	command, _ := words[0].(string)
	base := path.Base(strings.ReplaceAll(command, `\`, "/"))
	return strings.EqualFold(strings.TrimSuffix(strings.ToLower(base), ".exe"), "vault")
}

// hook puts a hook into its event's array, or its command where it is already.
func (d *jsonDocument) hook(h clients.Hook) error {
	at := []string{"hooks", h.Event}
	event, _, _, err := d.Get(at...)
	if err != nil {
		return err
	}
	list, _ := event.([]any)
	set := func(hook *configedit.JSON) error { return hook.Set([]string{"command"}, h.Command) }
	for i, e := range list {
		element, _ := e.(map[string]any)
		if h.Group == nil {
			if command, _ := element["command"].(string); h.IsHook(command, d.client) {
				return d.Inside(at, i, set)
			}
			continue
		}
		hooks, _ := element["hooks"].([]any)
		for k, one := range hooks {
			hook, _ := one.(map[string]any)
			if command, _ := hook["command"].(string); h.IsHook(command, d.client) {
				return d.Inside(at, i, func(group *configedit.JSON) error { return group.Inside([]string{"hooks"}, k, set) })
			}
		}
	}
	if h.Group == nil {
		return d.Append(at, h.Hook)
	}
	return d.Append(at, append(slices.Clone(h.Group), configedit.Field{Name: "hooks", Value: []any{h.Hook}}))
}

// take takes out what is vault's.
func (d *jsonDocument) take(client string, parts []clients.Part) ([]string, error) {
	for _, part := range parts {
		for _, at := range [][]string{part.Path, part.Or} {
			if at == nil {
				continue
			}
			if entry, _, found, err := d.Get(at...); err == nil && found && isServer(entry) {
				if err := d.Remove(at); err != nil {
					return nil, problem(d.name, err, shape)
				}
			}
		}
		for _, h := range part.Hooks {
			if err := d.unhook(h, client); err != nil {
				return nil, problem(d.name, err, shape)
			}
		}
	}
	return nil, nil
}

// unhook takes a hook out, and the group around it where nothing else is in it.
func (d *jsonDocument) unhook(h clients.Hook, client string) error {
	at := []string{"hooks", h.Event}
	event, _, _, err := d.Get(at...)
	list, ok := event.([]any)
	if err != nil || !ok {
		return nil
	}
	for i := len(list) - 1; i >= 0; i-- {
		element, _ := list[i].(map[string]any)
		if command, _ := element["command"].(string); h.IsHook(command, client) {
			if err := d.RemoveElement(at, i); err != nil {
				return err
			}
			continue
		}
		hooks, _ := element["hooks"].([]any)
		left := len(hooks)
		for k := len(hooks) - 1; k >= 0; k-- {
			hook, _ := hooks[k].(map[string]any)
			if command, _ := hook["command"].(string); !h.IsHook(command, client) {
				continue
			}
			left--
			if left == 0 {
				err = d.RemoveElement(at, i)
			} else {
				err = d.Inside(at, i, func(group *configedit.JSON) error { return group.RemoveElement([]string{"hooks"}, k) })
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tidy takes out what was made for vault and holds nothing any more.
func (d *jsonDocument) tidy(keys [][]string, always configedit.Object) error {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(a, b []string) int { return len(b) - len(a) })
	for _, at := range keys {
		if err := d.Prune(at); err != nil {
			return problem(d.name, err, shape)
		}
	}
	for _, f := range always {
		if err := d.Remove([]string{f.Name}); err != nil {
			return problem(d.name, err, shape)
		}
	}
	return nil
}
