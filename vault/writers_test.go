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
// was remembered stands, and readers all the while never fail.
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
	l.put(t, "home/config.yaml", "durability: fast\nlock_timeout: 5m\n")
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
	seen := map[string]int{}
	for _, c := range list {
		seen[c.Commit]++
	}
	state := l.state(t, h)
	for w := range acked {
		if len(acked[w]) != writes {
			t.Errorf("writer %d: %d acknowledged, not %d", w, len(acked[w]), writes)
		}
		for _, line := range acked[w] {
			f := strings.Fields(line) // op, commit, id, and what it says now
			if seen[f[1]] != 1 {
				t.Errorf("%s is in the history %d times", line, seen[f[1]])
			}
			if f[0] == "remember" && !strings.Contains(state["github.com/acme/widget "+f[2]], f[3]) {
				t.Errorf("%s: there is %q", line, state["github.com/acme/widget "+f[2]])
			}
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
	var last string
	for i := 0; err == nil && i < n; i++ {
		var c Change
		op := "remember"
		switch {
		case i%4 == 2:
			op = "edit"
			c, err = h.Edit(context.Background(), last, Edit{Text: text(fmt.Sprintf("Edited w%d-%d", w, i))})
		case i%4 == 3:
			op = "forget"
			var list []Change
			if list, err = h.Forget(context.Background(), "", []string{last}, ""); err == nil && len(list) != 1 {
				err = errors.New("nothing forgotten")
			} else if err == nil {
				c = list[0]
			}
		default:
			c, err = h.Remember(context.Background(), Draft{Kind: Decision, Title: fmt.Sprintf("Choice %d of %d", i, w), Text: fmt.Sprintf("w%d-%d-", w, i)})
		}
		if err == nil {
			if op == "remember" && i%4 == 1 {
				op = "passing" // it is edited and forgotten next
			}
			last = c.Entry.ID
			fmt.Println("done", op, c.Commit, c.Entry.ID, fmt.Sprintf("w%d-%d-", w, i))
		}
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
