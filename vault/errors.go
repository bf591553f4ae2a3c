package vault

import (
	"context"
	"errors"
	"fmt"

	"gitvault/gitstore"
	"gitvault/internal/secrets"
)

// Code classifies an error the way a caller has to act on it. Its values are
// also what the command line prints with --json.
type Code string

// The codes, each with the exit status the command line gives it.
const (
	Failed   Code = "failed"    // 1: the system or the repository said no
	Invalid  Code = "invalid"   // 2: wrong usage or invalid input
	NotFound Code = "not_found" // 3: no such entry, commit or scope
	Refused  Code = "refused"   // 4: a safety rule said no
	Conflict Code = "conflict"  // 5: a person has to choose
	Busy     Code = "busy"      // 75: somebody else is writing; try again
)

// An Error says in one line what is wrong, with the value, and what to do.
type Error struct {
	Code    Code
	Message string
	Hint    string
	Err     error // the cause, if there is one
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf classifies any error that the package returned.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, gitstore.ErrBusy), errors.Is(err, gitstore.ErrUnfinished):
		return Busy
	case errors.Is(err, gitstore.ErrNotFound):
		return NotFound
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Failed
	}
	return Failed
}

// told is what may be said of an error where it is part of an answer: one line,
// and no secret that it quotes.
func told(err error) string { return oneLine(secrets.Redact(err.Error())) }

func invalid(hint, format string, args ...any) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func notFound(hint, format string, args ...any) error {
	return &Error{Code: NotFound, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func refused(hint, format string, args ...any) error {
	return &Error{Code: Refused, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func conflict(hint, format string, args ...any) error {
	return &Error{Code: Conflict, Message: fmt.Sprintf(format, args...), Hint: hint}
}
