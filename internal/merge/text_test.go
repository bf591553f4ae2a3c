package merge

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	long := "alpha beta gamma delta epsilon zeta eta theta"
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"nothing changed", "a\n", "a\n", "a\n", "a\n"},
		{"one side changed", "a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n"},
		{"both changed the same way", "a\n", "b\n", "b\n", "b\n"},
		{"lines apart", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
		{"adjacent lines, words apart", "one two\nthree four\n", "ONE two\nthree four\n", "one two\nthree FOUR\n", "ONE two\nthree FOUR\n"},
		{"words of one line", long, strings.Replace(long, "beta", "BETA", 1), strings.Replace(long, "zeta", "ZETA", 1),
			"alpha BETA gamma delta epsilon ZETA eta theta"},
		{"an addition and a deletion", "a\nb\nc\nd\n", "a\nx\nb\nc\nd\n", "a\nb\nc\n", "a\nx\nb\nc\n"},
		{"a paragraph out, another in", "p\n\nq\n\nout\n\nr\n", "p\n\nin\n\nq\n\nr\n", "p\n\nq\n\nr\n", "p\n\nin\n\nq\n\nr\n"},
		{"no newline at the end", "a\nb", "a\nb\n", "A\nb", "A\nb\n"},
		{"carriage returns", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
		{"scripts without spaces", "做好财务护城河", "做好税务护城河", "做好财务护城墙", "做好税务护城墙"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Text(c.base, c.ours, c.theirs)
			if !ok || got != c.want {
				t.Errorf("got %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

func TestTextConflicts(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs string }{
		{"same word", "use Go 1.21\n", "use Go 1.22\n", "use Go 1.23\n"},
		{"no word between", "use Postgres 12", "use MySQL 12", "use Postgres 15"},
		{"both added at the end", "a\n", "a\nb\n", "a\nc\n"},
		{"no base", "", "b", "c"},
		{"changed and deleted", "a\nb\nc\n", "a\nB\nc\n", "a\nc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Text(c.base, c.ours, c.theirs); ok {
				t.Errorf("merged to %q", got)
			}
		})
	}
}

// A piece of text whose parts repeat often, so that matches are ambiguous.
func someText() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"a", "b", "c", "word ", "two words ", "\n", "\n", "\r\n", ". ", "é", "語", "\xff", "# ", "  "})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "parts"), "")
	})
}

func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, o, th := someText().Draw(t, "base"), someText().Draw(t, "ours"), someText().Draw(t, "theirs")
		m, ok := Text(b, o, th)
		if m2, ok2 := Text(b, th, o); m2 != m || ok2 != ok {
			t.Fatalf("swapped: %q %v, not %q %v", m2, ok2, m, ok)
		}
		if m, ok := Text(b, o, b); !ok || m != o {
			t.Fatalf("one side changed: %q", m)
		}
		if m, ok := Text(b, o, o); !ok || m != o {
			t.Fatalf("same change: %q", m)
		}
	})
}

func TestTextKeepsWhatEitherSideAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var base []string
		for i := range rapid.IntRange(1, 12).Draw(t, "lines") {
			base = append(base, fmt.Sprintf("line %d of the base\n", i))
		}
		side := func(name string) (string, []string) {
			list := append([]string(nil), base...)
			var added []string
			for i := range rapid.IntRange(0, 3).Draw(t, name) {
				at := rapid.IntRange(0, len(list)).Draw(t, "at")
				s := fmt.Sprintf("%s wrote %d\n", name, i)
				added = append(added, s)
				list = append(list[:at], append([]string{s}, list[at:]...)...)
			}
			return strings.Join(list, ""), added
		}
		o, addedO := side("ours")
		th, addedT := side("theirs")
		m, ok := Text(strings.Join(base, ""), o, th)
		if !ok {
			return
		}
		for _, s := range append(append(base, addedO...), addedT...) {
			if strings.Count(m, s) != 1 {
				t.Fatalf("%q is there %d times in %q", s, strings.Count(m, s), m)
			}
		}
	})
}

func TestMatchPairsEqualElementsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 60)
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		last := -1
		for i, j := range match(a, b) {
			if j < 0 {
				continue
			}
			if j <= last || a[i] != b[j] {
				t.Fatalf("a[%d] = %s was paired with b[%d]", i, a[i], j)
			}
			last = j
		}
	})
}

func TestTextIsBounded(t *testing.T) {
	var b, o, h strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "%d\n", i%7)
		fmt.Fprintf(&o, "%d\n", i*i%11)
		fmt.Fprintf(&h, "%d\n", i*i*i%5)
	}
	Text(b.String(), o.String(), h.String()) // returns, though no line stands once
}

func TestWordDiff(t *testing.T) {
	show := func(spans []Span) string {
		var out strings.Builder
		for _, s := range spans {
			switch s.Op {
			case Equal:
				out.WriteString(s.Text)
			case Removed:
				out.WriteString("[-" + s.Text + "-]")
			case Added:
				out.WriteString("{+" + s.Text + "+}")
			}
		}
		return out.String()
	}
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"keep it short", "keep it long", "keep it [-short-]{+long+}"},
		{"use Go 1.21 here", "use Go 1.22 here", "use Go 1.[-21-]{+22+} here"},
		{"one two three", "four five six", "[-one two three-]{+four five six+}"},
		{"we chose a small one", "they take a big box", "[-we chose a small one-]{+they take a big box+}"},
		{"alpha beta the gamma delta", "one two three the four five", "[-alpha beta the gamma delta-]{+one two three the four five+}"},
		{"a line\n", "a line\nand another\n", "a line\n{+and another\n+}"},
	} {
		if got := show(WordDiff(c.a, c.b)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := someText().Draw(t, "a"), someText().Draw(t, "b")
		var from, to strings.Builder
		for _, s := range WordDiff(a, b) {
			if s.Op != Added {
				from.WriteString(s.Text)
			}
			if s.Op != Removed {
				to.WriteString(s.Text)
			}
		}
		if from.String() != a || to.String() != b {
			t.Fatalf("spans make %q and %q", from.String(), to.String())
		}
	})
}
