package vault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyWriters has processes remember, edit and forget in one scope while a
// person commits with plain git and saves files in place, by rename and from
// old buffers: each acknowledged change is in the history exactly once, what
// an entry says in the end is what was acknowledged last in the order of the
// history, no writer waits longer than it has to, and readers all the while
// never fail.
func TestManyWriters(t *testing.T) {
	if job := os.Getenv("VAULT_TEST_WRITER"); job != "" {
		writeMany(job)
		return
	}
	writers, writes := 4, 8
	if *long {
		writers, writes = 16, 100
	}
	l := newLab(t)
	const patience = 2 * time.Minute
	l.put(t, "home/config.yaml", "durability: full\nlock_timeout: "+patience.String()+"\n")
	someEntries(t, l)

	stop, others := make(chan struct{}), sync.WaitGroup{}
	again := func(what func(n int) error) {
		others.Add(1)
		go func() {
			defer others.Done()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := what(n); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	reader := l.open(t)
	again(func(int) error {
		list, err := reader.List(ctx, ListQuery{All: true})
		if err == nil && len(list) < 3 {
			err = fmt.Errorf("a reader sees %d entries", len(list))
		}
		return err
	})
	ledger := filepath.Join(l.project(), "conventions.md")
	old, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	p := &lab{base: l.base, seed: 1 << 14, now: l.now}
	person, hand := p.open(t), 0
	again(func(n int) error {
		data := old // every third save is of an old buffer
		if n%3 > 0 {
			var err error
			if data, err = os.ReadFile(ledger); err != nil {
				return err
			}
		}
		if n >= 12 {
			time.Sleep(time.Millisecond)
			return nil
		}
		hand++
		how := []string{"in place", "by rename"}[n%2]
		if err := saves[how](ledger, string(data)+fmt.Sprintf("\n## Typed %d\n\nBy hand.\n", n)); err != nil {
			return err
		}
		// Saved over before it is committed, it would be lost by its own editor.
		for try := range 100 {
			if _, err := person.Remember(ctx, Draft{Kind: OpenThread, Text: fmt.Sprintf("Saved %d, %d?", n, try)}); err != nil {
				return err
			}
			if st, err := person.Status(ctx); err != nil || !uncommitted(st, "conventions.md") {
				return err
			}
		}
		return fmt.Errorf("what was saved by hand, number %d, is not adopted", n)
	})
	if hasGit() {
		again(func(n int) error {
			if n < 6 {
				name := filepath.Join(l.project(), fmt.Sprintf("own%d.txt", n))
				if err := os.WriteFile(name, []byte("my own\n"), 0o644); err != nil {
					return err
				}
				_, _ = l.git(t, l.project(), "add", filepath.Base(name)) // may find the index locked
				_, _ = l.git(t, l.project(), "commit", "-qm", "own", "--", filepath.Base(name))
			}
			time.Sleep(time.Millisecond)
			return nil
		})
	}

	acked := make([][]string, writers)
	var procs sync.WaitGroup
	for w := range writers {
		procs.Add(1)
		go func() {
			defer procs.Done()
			cmd := exec.Command(os.Args[0], "-test.run=^TestManyWriters$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("VAULT_TEST_WRITER=%d:%d:%s", w, writes, l.base))
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("writer %d: %v\n%s", w, err, out)
			}
			for s := bufio.NewScanner(strings.NewReader(string(out))); s.Scan(); {
				if line, ok := strings.CutPrefix(s.Text(), "done "); ok {
					acked[w] = append(acked[w], line)
				}
				if line, ok := strings.CutPrefix(s.Text(), "longest "); ok {
					if d, err := time.ParseDuration(line); err != nil || d > patience {
						t.Errorf("writer %d waited %s, %v", w, line, err)
					}
				}
			}
		}()
	}
	procs.Wait()
	close(stop)
	others.Wait()
	l.seed = 1 << 15
	l.remember(t, Convention, "", "Adopts what is left.")

	h := l.open(t)
	list, err := h.Log(ctx, LogQuery{Scope: ProjectScope})
	if err != nil {
		t.Fatal(err)
	}
	place := map[string][]int{} // of each commit, newest first
	for i, c := range list {
		place[c.Commit] = append(place[c.Commit], i)
	}
	state := l.state(t, h)
	type last struct {
		place    int
		op, text string
	}
	entries := map[string]last{}
	for w := range acked {
		if want := writes + writes/4; len(acked[w]) != want {
			t.Errorf("writer %d: %d acknowledged, not %d", w, len(acked[w]), want)
		}
		for _, line := range acked[w] {
			f := strings.Fields(line) // op, commit, id, and what it says now
			at := place[f[1]]
			if len(at) != 1 {
				t.Errorf("%s is in the history %d times", line, len(at))
				continue
			}
			if e, ok := entries[f[2]]; !ok || at[0] < e.place {
				entries[f[2]] = last{at[0], f[0], f[3]}
			}
		}
	}
	for id, e := range entries {
		now, there := state["github.com/acme/widget "+id]
		if there != (e.op != "forget") || there && !strings.Contains(now, e.text) {
			t.Errorf("%s: %s of %s was the last, and there is %q", id, e.op, e.text, now)
		}
	}
	text := stateText(state)
	for n := range hand {
		if strings.Count(text, fmt.Sprintf("|Typed %d|", n)) != 1 {
			t.Errorf("what was saved by hand, number %d, is there %d times", n, strings.Count(text, fmt.Sprintf("|Typed %d|", n)))
		}
	}
	l.sound(t)
}

func uncommitted(st Status, path string) bool {
	for _, s := range st.Scopes {
		if slices.Contains(s.Uncommitted, path) || len(s.Blocked) > 0 {
			return true
		}
	}
	return false
}

// writeMany is one of the writers.
func writeMany(job string) {
	parts := strings.SplitN(job, ":", 3)
	w, _ := strconv.Atoi(parts[0])
	n, _ := strconv.Atoi(parts[1])
	l := &lab{base: parts[2], seed: uint64(1000 + w), now: labTime.AddDate(0, 0, 1)}
	h, err := Open(l.options())
	shared := ""
	if err == nil {
		shared, err = idOf(h, "Static pages")
	}
	var longest time.Duration
	change := func(op, says string, do func() (Change, error)) (id string) {
		if err != nil {
			return ""
		}
		start := time.Now()
		var c Change
		if c, err = do(); err == nil {
			longest = max(longest, time.Since(start))
			fmt.Println("done", op, c.Commit, c.Entry.ID, says)
		}
		return c.Entry.ID
	}
	last := ""
	for i := 0; i < n; i++ {
		says := fmt.Sprintf("w%d-%d-", w, i)
		edit := func(id string) func() (Change, error) {
			return func() (Change, error) {
				return h.Edit(context.Background(), id, Edit{Text: text("Edited " + says)})
			}
		}
		switch i % 4 {
		case 2:
			change("edit", says, edit(last))
		case 3:
			change("forget", says, func() (Change, error) {
				list, err := h.Forget(context.Background(), "", []string{last}, "")
				if err == nil && len(list) != 1 {
					err = errors.New("nothing forgotten")
				}
				if err != nil {
					return Change{}, err
				}
				return list[0], nil
			})
			change("edit", says, edit(shared)) // as all the others do
		default:
			last = change("remember", says, func() (Change, error) {
				return h.Remember(context.Background(), Draft{Kind: Decision, Title: fmt.Sprintf("Choice %d of %d", i, w), Text: says})
			})
		}
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("longest", longest)
	os.Exit(0)
}
