//go:build !linux && !darwin

package fsys

import "errors"

func exchange(a, b string) error { return errors.ErrUnsupported }

func renameNew(old, name string) error { return errors.ErrUnsupported }
