package wiring

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// around is how many unchanged lines a diff shows on either side of a change.
const around = 3

// Diff is the change as a unified diff, "" where there is none.
func (c Change) Diff() string {
	if c.Does == Unchanged {
		return ""
	}
	before, after := lines(c.Before), lines(c.After)
	// What is the same at both ends is left out first: the rest is short.
	head, tail := 0, 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	head, tail = max(0, head-around), max(0, tail-around)
	before, after = before[head:len(before)-tail], after[head:len(after)-tail]

	from, to := c.File, c.File
	if c.Does == Created {
		from = "/dev/null"
	}
	if c.Does == Removed {
		to = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for _, group := range difflib.NewMatcher(before, after).GetGroupedOpCodes(around) {
		first, last := group[0], group[len(group)-1]
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(head+first.I1, head+last.I2), span(head+first.J1, head+last.J2))
		for _, op := range group {
			if op.Tag == 'e' {
				write(&b, " ", before[op.I1:op.I2])
				continue
			}
			write(&b, "-", before[op.I1:op.I2])
			write(&b, "+", after[op.J1:op.J2])
		}
	}
	return b.String()
}

// lines are a document's lines with their ends.
func lines(data []byte) []string {
	out := strings.SplitAfter(string(data), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// span is a range of lines as a hunk's head has it.
func span(from, to int) string {
	if to == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func write(b *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		b.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}
