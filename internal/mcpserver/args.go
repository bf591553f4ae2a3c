package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gitvault/vault"
)

// decode reads a tool's arguments; an unknown or misshapen one is an error that
// says so.
func decode(data json.RawMessage, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return invalid("give it as "+plain(wrong.Type.String()), "argument %s is a %s", wrong.Field, wrong.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return invalid("the tool's schema lists what it takes", "there is no argument %s", name)
	}
	return invalid("give a JSON object", "the arguments can't be read")
}

// plain names a Go type as JSON would.
func plain(name string) string {
	switch name = strings.TrimLeft(name, "*"); {
	case strings.HasPrefix(name, "[]"):
		return "a list of strings"
	case name == "bool":
		return "true or false"
	case name == "int":
		return "a whole number"
	}
	return "a " + name
}

func invalid(hint, format string, args ...any) error {
	return &vault.Error{Code: vault.Invalid, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// kindOf reads a kind; none is no kind.
func kindOf(s string) (vault.Kind, error) {
	if s == "" {
		return "", nil
	}
	return vault.ParseKind(s)
}

// scopeOf reads a scope. Only the two that serve the client's folder can be
// named: to an agent there are no others.
func scopeOf(s string) (string, error) {
	switch s {
	case "", vault.UserScope, vault.ProjectScope:
		return s, nil
	}
	return "", invalid("use user or project", "scope is %q", s)
}

// tooLong refuses a text over a limit, in characters.
func tooLong(name, text string, limit int) error {
	if len(text) > limit && len([]rune(text)) > limit {
		return invalid("shorten it", "%s has %d characters; the limit is %d", name, len([]rune(text)), limit)
	}
	return nil
}
