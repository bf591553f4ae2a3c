// Package text makes the texts that the benchmarks remember: English-like
// engineering notes from a seeded generator, the same on every machine, or real
// ones from a JSON Lines file.
package text

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// Note is one text to remember.
type Note struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Date  string `json:"date,omitempty"`
	Path  string `json:"path,omitempty"`
}

// Source gives one note after another, without end.
type Source struct {
	rand *rand.Rand
	real []Note
	n    int
}

// Generated is a source of made-up notes; equal seeds give equal notes.
func Generated(seed uint64) *Source {
	return &Source{rand: rand.New(rand.NewPCG(seed, 1))}
}

// FromFile is a source of the notes in a JSON Lines file with title and body, in
// turn, cut to the size asked for.
func FromFile(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := Generated(1)
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var n Note
		if err := json.Unmarshal(in.Bytes(), &n); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(s.real)+1, err)
		}
		s.real = append(s.real, n)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(s.real) == 0 {
		return nil, fmt.Errorf("%s: no notes", path)
	}
	return s, nil
}

// Next is a note whose body has about size bytes. Its title is unlike any
// other's of the source.
func (s *Source) Next(size int) Note {
	s.n++
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, s.n%700)
	n := Note{Date: day.Format("2006-01-02"), Path: fmt.Sprintf("notes/%06d.md", s.n)}
	if len(s.real) > 0 {
		from := s.real[s.n%len(s.real)]
		n.Title = fmt.Sprintf("%s, part %d", cut(strings.TrimSpace(from.Title), 120), s.n)
		start := 0
		if len(from.Body) > size {
			start = s.rand.IntN(len(from.Body) - size)
			start += strings.IndexByte(from.Body[start:]+"\n", '\n') + 1
		}
		n.Body = cut(from.Body[min(start, len(from.Body)):], size)
		if strings.TrimSpace(n.Body) == "" {
			n.Body = cut(from.Body, size)
		}
		return n
	}
	n.Title = fmt.Sprintf("%s %s the %s %s for ticket %d", capital(s.pick(verbs)), s.pick(joiners), s.pick(adjectives), s.pick(nouns), s.n)
	n.Body = s.body(size)
	return n
}

// Size runs through notes of about each bytes until their bodies and titles
// have total bytes.
func (s *Source) Size(total, each int) []Note {
	var notes []Note
	for total > 0 {
		n := s.Next(each)
		notes = append(notes, n)
		total -= len(n.Title) + len(n.Body)
	}
	return notes
}

// Many is n notes of about each bytes.
func (s *Source) Many(n, each int) []Note {
	notes := make([]Note, n)
	for i := range notes {
		notes[i] = s.Next(each)
	}
	return notes
}

// WriteJSONL writes notes a line each, as vault import jsonl takes them.
func WriteJSONL(w io.Writer, notes []Note) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, n := range notes {
		if err := enc.Encode(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) body(size int) string {
	var b strings.Builder
	for b.Len() < size {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		switch s.rand.IntN(8) {
		case 0:
			for range 2 + s.rand.IntN(3) {
				fmt.Fprintf(&b, "- %s\n", s.sentence())
			}
		case 1:
			fmt.Fprintf(&b, "```go\n%s := %s%s(ctx, %q)\n```", s.pick(nouns), s.pick(verbs), capital(s.pick(nouns)), s.pick(nouns))
		default:
			for i := range 1 + s.rand.IntN(3) {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(s.sentence())
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func (s *Source) sentence() string {
	parts := []string{capital(s.pick(openers)), "the", s.pick(adjectives), s.pick(nouns), s.pick(middles), "the", s.pick(nouns)}
	switch s.rand.IntN(4) {
	case 0:
		parts = append(parts, "through", "`"+s.identifier()+"`")
	case 1:
		parts = append(parts, "within", fmt.Sprint(1+s.rand.IntN(900)), s.pick(units))
	case 2:
		parts = append(parts, s.pick(joiners), "a", s.pick(adjectives), s.pick(nouns))
	}
	return strings.Join(parts, " ") + "."
}

func (s *Source) identifier() string {
	a, b := s.pick(verbs), s.pick(nouns)
	switch s.rand.IntN(3) {
	case 0:
		return a + "_" + b
	case 1:
		return "internal/" + b + "/" + a + ".go"
	}
	return a + capital(b)
}

// pick favours the front of a list, as real text favours few words.
func (s *Source) pick(words []string) string {
	x := s.rand.Float64()
	return words[int(x*x*float64(len(words)))]
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// cut shortens s to at most n bytes, at a line's end where one is near.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	if i := strings.LastIndexByte(s, '\n'); i > n/2 {
		s = s[:i]
	}
	return s
}
