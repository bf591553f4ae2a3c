package main

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// A command that is too long is left out whole, and what follows is read.
func TestACommandThatIsTooLong(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("one\n"+strings.Repeat("x", maxCommand+100)+"\ntwo"), 64<<10)
	line, tooLong, err := readCommand(in)
	if string(line) != "one\n" || tooLong || err != nil {
		t.Errorf("%q %v %v", line, tooLong, err)
	}
	if line, tooLong, err = readCommand(in); len(line) > 0 || !tooLong || err != nil {
		t.Errorf("%d bytes, %v, %v", len(line), tooLong, err)
	}
	if line, tooLong, err = readCommand(in); string(line) != "two" || tooLong || err != io.EOF {
		t.Errorf("%q %v %v", line, tooLong, err)
	}
}
