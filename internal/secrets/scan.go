// Package secrets finds what must not be remembered: keys and tokens of the
// common providers, private keys, JSON Web Tokens, passwords in URLs and
// high-entropy values given to names like api_key or password.
//
// A finding says which rule matched and where, and never holds the secret, so
// that it can be printed, logged and stored. Nothing is compiled before the
// first scan that needs it, and a scan takes time linear in the text.
package secrets

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Finding is one place in a text that looks like a secret.
type Finding struct {
	Rule         string // the rule's name, as a person gives it to override the finding
	Start, End   int    // byte range in the text
	Line, Column int    // where it starts, from 1; columns count characters
}

// String names the rule and the place, never the secret.
func (f Finding) String() string {
	return fmt.Sprintf("%s at line %d, column %d", f.Rule, f.Line, f.Column)
}

// shortest is the length of the shortest text that can hold a secret and say
// that it is one.
const shortest = 10

// Scan returns the secrets in text in order of position; overlapping matches
// are one finding, named by the most specific rule. Any bytes will do.
func Scan(text string) []Finding {
	if len(text) < shortest {
		return nil
	}
	plain := unveil(text)
	s := scanner{text: plain.text}
	s.run()
	if len(s.found) == 0 {
		return nil
	}
	for i := range s.found {
		s.found[i].Start = plain.offset(s.found[i].Start)
		s.found[i].End = plain.offset(s.found[i].End-1) + 1
	}
	found := settle(s.found)
	place(text, found)
	out := make([]Finding, len(found))
	for i, m := range found {
		out[i] = m.Finding
	}
	return out
}

// Without drops the findings whose rule is one of the allowed names: what a
// person said is no secret here.
func Without(found []Finding, allowed ...string) []Finding {
	if len(allowed) == 0 {
		return found
	}
	var kept []Finding
	for _, f := range found {
		if !slices.Contains(allowed, f.Rule) {
			kept = append(kept, f)
		}
	}
	return kept
}

// A match is a finding before overlaps are settled: of two that overlap the
// one with the greater weight gives its name.
type match struct {
	Finding
	weight int
}

const (
	weightGuess    = iota // a name and a value that looks random
	weightPassword        // a name that says password
	weightShape           // the shape of a known token
)

type scanner struct {
	text  string
	found []match
}

func (s *scanner) add(rule string, start, end, weight int) {
	if start < end {
		s.found = append(s.found, match{Finding{Rule: rule, Start: start, End: end}, weight})
	}
}

func (s *scanner) run() {
	s.tokens()
	s.infixes()
	s.privateKeys()
	s.urls()
	s.assignments()
	s.tables()
	s.flags()
}

// settle sorts matches by position and joins those that overlap.
func settle(found []match) []match {
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].Start != found[j].Start {
			return found[i].Start < found[j].Start
		}
		return found[i].weight > found[j].weight
	})
	out := found[:1]
	for _, m := range found[1:] {
		last := &out[len(out)-1]
		if m.Start >= last.End {
			out = append(out, m)
			continue
		}
		last.End = max(last.End, m.End)
		if m.weight > last.weight {
			last.Rule, last.weight = m.Rule, m.weight
		}
	}
	return out
}

// place fills in lines and columns of findings that are in order.
func place(text string, found []match) {
	line, lineStart, at := 1, 0, 0
	for i := range found {
		f := &found[i]
		for {
			nl := strings.IndexByte(text[at:f.Start], '\n')
			if nl < 0 {
				break
			}
			line++
			at += nl + 1
			lineStart = at
		}
		at = f.Start
		f.Line, f.Column = line, utf8.RuneCountInString(text[lineStart:f.Start])+1
	}
}
