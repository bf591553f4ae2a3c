package main

import (
	"io"

	"gitvault/vault"
)

// maxInput is more than any entry may hold; what is longer is refused without
// being read to its end.
const maxInput = 4 << 20

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
