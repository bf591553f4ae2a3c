package vault_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gitvault/vault"
)

// A reviewModel is three entries of lines, of which each agent's change rewrites its
// own, and the person theirs: what has to stand is told line by line.
type reviewModel struct {
	*place
	t      *rapid.T
	policy vault.Policy
	ids    []string
	lines  [][]string // as they have to stand
	open   []pending
	made   int
}

// pending is an agent's change that nobody has decided on.
type pending struct {
	card, commit  string
	entry, line   int
	before, after string
}

const linesEach = 8 // the last ones are the person's

func newReviewModel(t *testing.T, rt *rapid.T) *reviewModel {
	m := &reviewModel{place: newPlace(t), t: rt}
	m.policy = rapid.SampledFrom([]vault.Policy{vault.Hold, vault.Apply}).Draw(rt, "policy")
	m.config("review: " + string(m.policy))
	for i := range 3 {
		var lines []string
		for j := range linesEach {
			lines = append(lines, fmt.Sprintf("Entry %d, line %d.", i, j))
		}
		m.lines = append(m.lines, lines)
		kind := []vault.Kind{vault.Decision, vault.Preference, vault.OpenThread}[i]
		m.ids = append(m.ids, m.add("", vault.Draft{Kind: kind, Title: fmt.Sprintf("Entry %d", i), Text: paragraphs(lines)}).Entry.ID)
	}
	return m
}

func paragraphs(lines []string) string { return strings.Join(lines, "\n\n") }

// change is an agent's change of a line that no other open change is about.
func (m *reviewModel) change() {
	i := rapid.IntRange(0, 2).Draw(m.t, "entry")
	free := []int{}
	for j := range linesEach - 2 {
		if !slices.ContainsFunc(m.open, func(p pending) bool { return p.entry == i && p.line == j }) {
			free = append(free, j)
		}
	}
	if len(free) == 0 {
		return
	}
	j := rapid.SampledFrom(free).Draw(m.t, "line")
	m.made++
	p := pending{entry: i, line: j, before: m.lines[i][j], after: fmt.Sprintf("Changed %d.", m.made)}
	next := slices.Clone(m.lines[i])
	next[j] = p.after
	c := m.edit(fmt.Sprintf("codex/s%d", m.made), m.ids[i], vault.Edit{Text: ptr(paragraphs(next))})
	p.card, p.commit = c.Card, c.Commit
	if m.policy == vault.Apply {
		m.lines[i] = next
	}
	m.open = append(m.open, p)
}

// personEdits changes one of the person's own lines.
func (m *reviewModel) personEdits() {
	i := rapid.IntRange(0, 2).Draw(m.t, "entry")
	m.made++
	m.lines[i][linesEach-1-m.made%2] = fmt.Sprintf("Mine %d.", m.made)
	m.edit("", m.ids[i], vault.Edit{Text: ptr(paragraphs(m.lines[i]))})
}

// decide keeps or puts back one open change, by its card or its commit.
func (m *reviewModel) decide() {
	if len(m.open) == 0 {
		return
	}
	n := rapid.IntRange(0, len(m.open)-1).Draw(m.t, "which")
	p := m.open[n]
	m.open = slices.Delete(m.open, n, n+1)
	name := p.card
	if rapid.Bool().Draw(m.t, "by commit") {
		name = p.commit
	}
	if rapid.Bool().Draw(m.t, "keep") {
		m.keep(name)
		m.lines[p.entry][p.line] = p.after
		return
	}
	m.restore(name)
	m.lines[p.entry][p.line] = p.before
}

func (m *reviewModel) check() {
	for i, id := range m.ids {
		if got := m.body(id); got != paragraphs(m.lines[i]) {
			m.t.Fatalf("with %s, entry %d is\n%s\nand not\n%s", m.policy, i, got, paragraphs(m.lines[i]))
		}
	}
	if got := len(m.pending("")); got != len(m.open) {
		m.t.Fatalf("%d cards are open, want %d", got, len(m.open))
	}
}

// Ten changes of agents to three entries, kept and put back in any order, each
// by another process, with a person's edits in between: what stands is what
// was kept, and the person's own.
func TestAnyOrderOfKeepAndRestore(t *testing.T) {
	checks(t, "25")
	rapid.Check(t, func(rt *rapid.T) {
		m := newReviewModel(t, rt)
		for range 10 {
			m.change()
			if rapid.IntRange(0, 3).Draw(rt, "between") == 0 {
				m.personEdits()
			}
			if rapid.IntRange(0, 3).Draw(rt, "early") == 0 {
				m.decide()
			}
		}
		for len(m.open) > 0 {
			m.decide()
			if rapid.IntRange(0, 3).Draw(rt, "between") == 0 {
				m.personEdits()
			}
			m.check()
		}
		m.check()
		m.sound(m.user(""))
	})
}

// Changes that all rewrite the same text: one that a later one builds on is
// not put back, and nothing is touched; the newest always is.
func TestRestoreNeverLosesALaterChange(t *testing.T) {
	checks(t, "15")
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlace(t)
		p.config("review: apply")
		e := p.add("", vault.Draft{Title: "Queue", Text: "Version 0."}).Entry
		texts := []string{"Version 0."}
		var cards []string
		for i := range 5 {
			texts = append(texts, fmt.Sprintf("Version %d, which says something else %s.", i+1, strings.Repeat("x", i)))
			cards = append(cards, p.edit(fmt.Sprintf("codex/s%d", i), e.ID, vault.Edit{Text: &texts[i+1]}).Card)
		}
		for len(cards) > 0 {
			n := rapid.IntRange(0, len(cards)-1).Draw(rt, "which")
			_, err := p.by("").Restore(context.Background(), []string{cards[n]}, vault.RestoreOptions{})
			if n == len(cards)-1 {
				p.must(err)
				cards = cards[:n]
			} else if vault.CodeOf(err) != vault.Conflict {
				rt.Fatalf("putting change %d of %d back: %v", n+1, len(cards), err)
			}
			if got := p.body(e.ID); got != texts[len(cards)] {
				rt.Fatalf("with %d changes it is %q", len(cards), got)
			}
		}
		p.sound(p.user(""))
	})
}

// A change is put back after a year of others.
func TestRestoreAfterManyCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("makes many commits")
	}
	p := newPlace(t)
	p.config("review: apply")
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis.\n\nWith a pool."}).Entry
	applied := p.edit("codex", e.ID, vault.Edit{Text: ptr("In Postgres.\n\nWith a pool.")})
	p.config("review: hold")
	held := p.edit("codex", e.ID, vault.Edit{Title: ptr("The queue")})
	for i := range 300 {
		p.add("", vault.Draft{Text: fmt.Sprintf("Note %d of the year.", i)})
	}
	p.edit("", e.ID, vault.Edit{Text: ptr("In Postgres.\n\nWith a pool of twenty.")})
	p.keep(held.Card)
	p.restore(applied.Card)
	if got := p.body(e.ID); got != "In Redis.\n\nWith a pool of twenty." {
		t.Errorf("put back: %q", got)
	}
	p.restore(p.forget("", e.ID)[0].Commit)
	if got := p.body(e.ID); got != "In Redis.\n\nWith a pool of twenty." {
		t.Errorf("brought back: %q", got)
	}
	p.sound(p.user(""))
}

// checks is how many runs a test makes that writes to many repositories, unless
// the command line says otherwise.
func checks(t *testing.T, n string) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if was := f.Value.String(); was == f.DefValue {
		if err := f.Value.Set(n); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(was) })
	}
}

// Edits and a forgetting of one entry, taken back in every order, in one call
// or each by itself, by commits or by cards: it ends where it began, and is
// never there before its forgetting is taken back.
func TestRestoreOfEditsBelowAForget(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, how := range []string{"commits", "an agent's cards", "an agent's commits"} {
		for _, together := range []bool{false, true} {
			for _, order := range orders {
				p := newPlace(t)
				p.config("review: apply")
				writer := map[bool]string{true: "", false: "codex/one"}[how == "commits"]
				e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis.\n\nWith a pool.\n\nOf ten."}).Entry
				first := p.edit(writer, e.ID, vault.Edit{Text: ptr("In Postgres.\n\nWith a pool.\n\nOf ten.")})
				second := p.edit(writer, e.ID, vault.Edit{Text: ptr("In Postgres.\n\nWith a pool.\n\nOf twenty.")})
				changes := []vault.Change{first, second, p.forget(writer, e.ID)[0]}
				var names []string
				for _, i := range order {
					if how == "an agent's cards" {
						names = append(names, changes[i].Card)
					} else {
						names = append(names, changes[i].Commit)
					}
				}
				if together {
					p.restore(names...)
				} else {
					back := false
					for n, name := range names {
						p.restore(name)
						back = back || order[n] == 2
						if there := p.body(e.ID) != ""; there != back {
							t.Errorf("%s in order %v: after %d it is there: %v", how, order, n+1, there)
						}
					}
				}
				if got := p.body(e.ID); got != e.Body && got != "In Redis.\n\nWith a pool.\n\nOf ten." {
					t.Errorf("%s in order %v, together %v, ends as %q", how, order, together, got)
				}
				if n := len(p.cards()); n != 0 {
					t.Errorf("%s in order %v, together %v: %d cards are left", how, order, together, n)
				}
				if order[0] == 1 {
					p.sound(p.user(""))
				}
			}
		}
	}
}

// A restore of an edit of what was forgotten can itself be taken back, and an
// entry comes back by its id without what was taken back meanwhile.
func TestRestoreOfWhatIsGoneIsNoted(t *testing.T) {
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	edit := p.edit("", e.ID, vault.Edit{Text: ptr("In Postgres.")})
	forget := p.forget("", e.ID)[0]
	noted := p.restore(edit.Commit)
	if noted.Commit == "" || p.body(e.ID) != "" {
		t.Fatalf("restored: %+v, %q", noted, p.body(e.ID))
	}
	p.restore(e.ID)
	if got := p.body(e.ID); got != "In Redis." {
		t.Errorf("it came back as %q", got)
	}
	p.restore(noted.Commit)
	if got := p.body(e.ID); got != "In Postgres." {
		t.Errorf("with the restore taken back it is %q", got)
	}
	p.forget("", e.ID)
	p.restore(edit.Commit)
	_, err := p.by("").Undo(context.Background(), vault.RestoreOptions{})
	p.must(err)
	p.restore(forget.Commit)
	if got := p.body(e.ID); got != "In Postgres." {
		t.Errorf("undone, it came back as %q", got)
	}
	p.sound(p.user(""))
}
