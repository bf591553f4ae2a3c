package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// keys reads a person's answers: single keys where the terminal can, else the
// first letter of a line.
type keys struct {
	app   *app
	fd    int
	lines *bufio.Reader // where single keys can't be read
	told  bool          // that an answer is a line there
	typed []byte        // not yet asked for
}

func (a *app) keys() *keys {
	k := &keys{app: a}
	f, ok := a.stdin.(interface{ Fd() uintptr })
	if ok && a.getenv("TERM") != "dumb" {
		k.fd = int(f.Fd())
		if old, err := term.MakeRaw(k.fd); err == nil {
			_ = term.Restore(k.fd, old)
			return k
		}
	}
	k.lines = bufio.NewReader(a.stdin)
	return k
}

// next asks and returns the answer as a small letter: 'q' for the end of input
// or an interrupt, 0 for what is no letter.
func (k *keys) next(prompt string) (rune, error) {
	if k.lines != nil && !k.told {
		fmt.Fprintln(k.app.stderr, "answer with a letter, then Enter")
		k.told = true
	}
	fmt.Fprint(k.app.stderr, prompt)
	if k.lines != nil {
		return k.line()
	}
	key, err := k.key()
	fmt.Fprintln(k.app.stderr, strings.TrimSpace(string(key)))
	return key, err
}

func (k *keys) line() (rune, error) {
	line, err := k.lines.ReadString('\n')
	if line = strings.TrimSpace(line); line != "" {
		return letter(line[0]), nil
	}
	if errors.Is(err, io.EOF) {
		return 'q', nil
	}
	return 0, err
}

func (k *keys) key() (rune, error) {
	if len(k.typed) == 0 {
		if err := k.read(); err != nil {
			if errors.Is(err, io.EOF) {
				return 'q', nil
			}
			return 0, err
		}
	}
	b := k.typed[0]
	k.typed = k.typed[1:]
	switch {
	case b == 3, b == 4: // interrupt, end of input
		return 'q', nil
	case b == 0x1b: // a key that sends more than one byte; none of them is an answer
		k.typed = nil
		return 0, nil
	}
	return letter(b), nil
}

// read takes what has been typed, without waiting for the end of a line.
func (k *keys) read() error {
	old, err := term.MakeRaw(k.fd)
	if err != nil {
		return err
	}
	defer term.Restore(k.fd, old)
	buf := make([]byte, 64)
	n, err := k.app.stdin.Read(buf)
	k.typed = buf[:n]
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.EOF
	}
	return err
}

func letter(b byte) rune {
	switch {
	case b >= 'a' && b <= 'z':
		return rune(b)
	case b >= 'A' && b <= 'Z':
		return rune(b + 'a' - 'A')
	}
	return 0
}
