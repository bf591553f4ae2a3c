package wiring

import (
	"fmt"
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
		var notes []string
		for _, h := range part.Hooks {
			own, err := d.hook(h)
			if err != nil {
				return nil, problem(d.name, err, shape)
			}
			if own {
				notes = append(notes, fmt.Sprintf("%s has a hook of your own for %s that runs vault, which was left as it is", d.name, h.Event))
			}
		}
		return notes, nil
	}
	return d.server(part)
}

// has reports whether a part is in the document already.
func (d *jsonDocument) has(part clients.Part) bool {
	if part.Format != clients.Hooks {
		entry, _, found, err := d.Get(d.entry(part)...)
		return err == nil && found && isServer(entry)
	}
	return !slices.ContainsFunc(part.Hooks, func(h clients.Hook) bool {
		return !slices.ContainsFunc(d.commands(h), func(c string) bool { return h.IsHook(c, d.client) })
	})
}

// commands are all that a hook's event runs.
func (d *jsonDocument) commands(h clients.Hook) []string {
	var out []string
	event, _, _, _ := d.Get("hooks", h.Event)
	list, _ := event.([]any)
	for _, e := range list {
		element, _ := e.(map[string]any)
		inner, _ := element["hooks"].([]any)
		for _, one := range append([]any{element}, inner...) {
			hook, _ := one.(map[string]any)
			if command, ok := hook["command"].(string); ok {
				out = append(out, command)
			}
		}
	}
	return out
}

func hookList(part clients.Part) string {
	var list []string
	for _, h := range part.Hooks {
		list = append(list, h.Event+" runs "+h.Command)
	}
	return strings.Join(list, ", ")
}

// server sets the entry of vault's server. One that the person wrote in a way
// of their own stays.
func (d *jsonDocument) server(part clients.Part) ([]string, error) {
	at := d.entry(part)
	got, line, found, err := d.Get(at...)
	switch {
	case err != nil:
		return nil, problem(d.name, err, shape)
	case !found:
		if err := d.Set(at, part.Value); err != nil {
			return nil, problem(d.name, err, shape)
		}
		return nil, nil
	case !isServer(got):
		return nil, foreign(d.name, line, at)
	case !clients.IsPlainServer(serverWords(got)):
		return ownForm(d.name), nil
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
			return nil, problem(d.name, err, shape)
		}
	}
	return nil, nil
}

func ownForm(name string) []string {
	return []string{"vault is in " + name + " in a form of its own, which was left as it is"}
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
func isServer(entry any) bool { return clients.IsServer(serverWords(entry)) }

// serverWords are the command and the arguments of a server's entry.
func serverWords(entry any) []string {
	m, _ := entry.(map[string]any)
	words, _ := m["command"].([]any)
	if command, alone := m["command"].(string); alone {
		args, _ := m["args"].([]any)
		words = append([]any{command}, args...)
	}
	var out []string
	for _, w := range words {
		text, ok := w.(string)
		if !ok {
			return nil
		}
		out = append(out, text)
	}
	return out
}

// hook puts a hook into its event's array, or its command where it is already.
// It reports true, and changes nothing, where one of the person's own does that.
func (d *jsonDocument) hook(h clients.Hook) (own bool, err error) {
	at := []string{"hooks", h.Event}
	event, _, _, err := d.Get(at...)
	if err != nil {
		return false, err
	}
	list, _ := event.([]any)
	set := func(hook *configedit.JSON) error { return hook.Set([]string{"command"}, h.Command) }
	for i, e := range list {
		element, _ := e.(map[string]any)
		if h.Group == nil {
			if command, _ := element["command"].(string); h.IsHook(command, d.client) {
				return false, d.Inside(at, i, set)
			}
			continue
		}
		hooks, _ := element["hooks"].([]any)
		for k, one := range hooks {
			hook, _ := one.(map[string]any)
			if command, _ := hook["command"].(string); h.IsHook(command, d.client) {
				return false, d.Inside(at, i, func(group *configedit.JSON) error { return group.Inside([]string{"hooks"}, k, set) })
			}
		}
	}
	if slices.ContainsFunc(d.commands(h), func(c string) bool { return h.Runs(c, d.client) }) {
		return true, nil
	}
	if h.Group == nil {
		return false, d.Append(at, h.Hook)
	}
	return false, d.Append(at, append(slices.Clone(h.Group), configedit.Field{Name: "hooks", Value: []any{h.Hook}}))
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
