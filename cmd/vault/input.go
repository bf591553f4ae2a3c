package main

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

// maxInput is more than any entry may hold; what is longer is refused without
// being read to its end.
const maxInput = 4 << 20

// textOf is the text that a verb's arguments make: all of them, or "-" for
// standard input. Behind -- all is text.
func (a *app) textOf(c *cobra.Command, args []string) (string, error) {
	text := strings.Join(args, " ")
	if c.ArgsLenAtDash() == 0 {
		return text, nil
	}
	return a.text(text)
}

// text is an argument that may be given as "-", for standard input.
func (a *app) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.stdin, maxInput+1))
	if err != nil {
		return "", &vault.Error{Code: vault.Failed, Message: "standard input can't be read", Hint: err.Error(), Err: err}
	}
	if len(data) > maxInput {
		return "", &vault.Error{Code: vault.Invalid, Message: "standard input is longer than 4 MiB",
			Hint: "the limit of a body is 64 KiB, of a session trace 1 MiB: split it"}
	}
	return string(data), nil
}

// joined is the text of several arguments.
func joined(args []string) string { return strings.Join(args, " ") }

// date reads a day or a time that a flag gives.
func date(flag, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &vault.Error{Code: vault.Invalid, Message: flag + " " + value + " is no date", Hint: "write it as 2027-01-31"}
}
