package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// A crash is a command that is stopped at each step that touches the disk.
type crash struct {
	name  string
	setup func(t testing.TB, l *lab)
	run   func(h *Home) error
	adopt int // commits of hand edits that are to come of it
}

var ctx = context.Background()

func text(s string) *string { return &s }

var crashes = []crash{
	{
		name:  "first remember",
		setup: func(testing.TB, *lab) {},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Text: "Answer in short sentences."})
			return err
		},
	},
	{
		name: "first remember of a project",
		setup: func(t testing.TB, l *lab) {
			l.remember(t, Preference, "", "Answer in short sentences.")
		},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."})
			return err
		},
	},
	{
		name:  "remember",
		setup: someEntries,
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Title: "Queue in Postgres", Text: "One system less to run.", Tags: []string{"db"}})
			return err
		},
	},
	{
		name: "remember after hand edits",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			l.edit(t, "decisions.md", "Pages are built once.", "Pages are built once a day.")
			l.append(t, "conventions.md", "\n## Tabs\n\nNever spaces.\n")
			l.put(t, "home/projects/github.com+acme+widget/notes/own.txt", "my own\n")
		},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."})
			return err
		},
		adopt: 1,
	},
	{
		name:  "edit",
		setup: someEntries,
		run: func(h *Home) error {
			id, err := idOf(h, "Static pages")
			if err == nil {
				_, err = h.Edit(ctx, id, Edit{Text: text("Pages are built twice."), Pin: new(bool)})
			}
			return err
		},
	},
	{
		name:  "forget",
		setup: someEntries,
		run: func(h *Home) error {
			var ids []string
			for _, title := range []string{"Static pages", "Answer in short sentences."} {
				id, err := idOf(h, title)
				if CodeOf(err) == NotFound && err != nil {
					continue // forgotten before the crash
				}
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			_, err := h.Forget(ctx, "", ids, "")
			return err
		},
	},
	{
		name: "import",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			l.put(t, "in.jsonl", `{"title":"One","body":"The first.","kind":"decision"}
{"title":"Two","body":"The second.","kind":"convention"}
{"title":"Three","body":"The third.","kind":"preference"}
{"title":"Four","body":"The fourth.","kind":"preference"}
`)
		},
		run: func(h *Home) error {
			_, err := h.Import(ctx, Import{Format: "jsonl", Paths: []string{filepath.Join(h.opt.Dir, "..", "in.jsonl")}})
			return err
		},
	},
	{
		name: "restore",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			id, err := idOf(l.open(t), "Static pages")
			if err == nil {
				_, err = l.open(t).Edit(ctx, id, Edit{Text: text("Pages are built never.")})
			}
			if err != nil {
				t.Fatal(err)
			}
			l.remember(t, Decision, "Later", "Something else.")
		},
		run: func(h *Home) error {
			list, err := h.Log(ctx, LogQuery{Scope: ProjectScope})
			if err != nil {
				return err
			}
			for _, c := range list {
				if c.Op == "restore" {
					return nil // done before the crash
				}
			}
			for _, c := range list {
				if c.Op == "edit" {
					_, err = h.Restore(ctx, []string{c.Commit}, RestoreOptions{})
					return err
				}
			}
			return errors.New("no edit to take back")
		},
	},
	{
		name: "keep",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			l.as = Writer{Agent: "claude-code", Session: "s1"}
			l.remember(t, Decision, "From an agent", "Held until looked at.")
			l.remember(t, Preference, "Mine too", "Held as well.")
			l.as = Writer{}
		},
		run: func(h *Home) error {
			_, err := h.Keep(ctx, nil, DecideOptions{All: true})
			return err
		},
	},
	{
		name: "roll",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			name := filepath.Join(l.project(), "decisions.md")
			if err := os.WriteFile(name, []byte(bigLedger(Decision, 255<<10)), 0o644); err != nil {
				t.Fatal(err)
			}
			l.remember(t, Convention, "", "Adopts the ledger.")
		},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Text: strings.Repeat("What tips it over. ", 400)})
			return err
		},
	},
	{
		name: "pack",
		setup: func(t testing.TB, l *lab) {
			note := filepath.Join(l.project(), ".git", "vault", "cache", "loose")
			for n := 0; ; n++ {
				if data, _ := os.ReadFile(note); len(data) >= 124 { // four objects more are enough to pack
					return
				}
				l.remember(t, Decision, "", fmt.Sprintf("Choice number %d.", n))
			}
		},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."})
			return err
		},
	},
	{
		name:  "an agent's proposal",
		setup: someEntries,
		run: func(h *Home) error {
			o := h.opt
			o.Writer = Writer{Agent: "claude-code", Session: "s1"}
			h, err := Open(o)
			if err == nil {
				_, err = h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."})
			}
			return err
		},
	},
	{
		name: "after a crash",
		setup: func(t testing.TB, l *lab) {
			someEntries(t, l)
			probe := &lab{base: t.TempDir(), now: l.now, seed: l.seed}
			copyTree(t, l.base, probe.base)
			write := func(l *lab, f fsys.FS) error {
				l.fs = f
				defer func() { l.fs = nil }()
				_, err := l.open(t).Remember(ctx, Draft{Kind: Decision, Text: "Died with it."})
				return err
			}
			f := faultfs.New(fsys.OS{}, faultfs.Plan{})
			if err := write(probe, f); err != nil {
				t.Fatal(err)
			}
			for i, s := range f.Steps() {
				if s == "rename heads/main.lock heads/main" {
					_ = write(l, faultfs.New(fsys.OS{}, faultfs.Plan{At: i + 2, Kind: faultfs.Dead}))
					l.seed++
					return
				}
			}
			t.Fatalf("no such step in %q", f.Steps())
		},
		run: func(h *Home) error {
			_, err := h.Remember(ctx, Draft{Kind: Decision, Text: "Queue in Postgres."})
			return err
		},
	},
}

func someEntries(t testing.TB, l *lab) {
	t.Helper()
	l.remember(t, Preference, "", "Answer in short sentences.")
	l.remember(t, Decision, "Static pages", "Pages are built once.")
	l.remember(t, Convention, "", "Errors are one line.")
}

// edit replaces a text in a file of the project's scope, as an editor does.
func (l *lab) edit(t testing.TB, file, old, new string) {
	t.Helper()
	path := filepath.Join(l.project(), file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) append(t testing.TB, file, more string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(l.project(), file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.project(), file), append(data, more...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// idOf finds an entry by its title.
func idOf(h *Home, title string) (string, error) {
	list, err := h.List(ctx, ListQuery{All: true})
	if err != nil {
		return "", err
	}
	for _, e := range list {
		if e.Title == title {
			return e.ID, nil
		}
	}
	return "", notFound("", "no entry %q", title)
}

// A trial is a crash made ready: what it starts from, and what it may lead to.
type trial struct {
	crash
	template string
	seed     uint64
	before   map[string]string
	after    map[string]string
	ops      map[string]map[string]int // after, by scope
	steps    []string
}

func (c crash) prepare(t *testing.T) *trial {
	t.Helper()
	l := newLab(t)
	c.setup(t, l)
	p := &trial{crash: c, template: l.base, seed: l.seed}
	p.before = l.state(t, l.open(t))

	done := p.lab(t)
	f := faultfs.New(fsys.OS{}, faultfs.Plan{})
	done.fs = f
	if err := c.run(done.open(t)); err != nil {
		t.Fatal(err)
	}
	done.fs = nil
	p.steps = f.Steps()
	p.after = done.state(t, done.open(t))
	done.sound(t)
	p.ops = map[string]map[string]int{UserScope: done.ops(t, UserScope), ProjectScope: done.ops(t, ProjectScope)}
	return p
}

// lab is a fresh copy of what the trial starts from.
func (p *trial) lab(t testing.TB) *lab {
	t.Helper()
	l := &lab{base: filepath.Join(t.TempDir(), "lab"), seed: p.seed, now: labTime.AddDate(0, 0, 1)}
	copyTree(t, p.template, l.base)
	l.put(t, "home/config.yaml", "durability: full\n")
	return l
}

// afterwards checks what must hold whatever happened.
func (p *trial) afterwards(t testing.TB, l *lab, acked, again, oracle bool) {
	t.Helper()
	l.fs, l.notes = nil, nil
	l.put(t, "home/config.yaml", "durability: fast\n")
	allowed := func(at string, got map[string]string) {
		t.Helper()
		for _, scope := range []string{UserScope, "github.com/acme/widget"} {
			before := only(p.before, scope)
			g, after := nameless(only(got, scope), before), nameless(only(p.after, scope), before)
			if acked && !maps.Equal(g, after) {
				t.Fatalf("%s: what was acknowledged is not there in %s; there is\n%swant\n%s", at, scope, stateText(g), stateText(after))
			}
			if !maps.Equal(g, before) && !maps.Equal(g, after) {
				t.Fatalf("%s: %s is neither as before nor as after:\n%sbefore\n%safter\n%s", at, scope, stateText(g), stateText(before), stateText(after))
			}
		}
	}
	// A reader comes first, and sees the one or the other.
	reader := l.open(t)
	allowed("a reader", l.state(t, reader))
	if p.adopt == 0 {
		st, err := reader.Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range st.Scopes {
			if s.Error != "" || len(s.Uncommitted)+len(s.Blocked) > 0 {
				t.Fatalf("status: %+v", s)
			}
		}
	}
	// Then the next command, which is another one or the same again.
	if again {
		if err := p.run(l.open(t)); err != nil {
			t.Fatalf("the same again: %v", err)
		}
		acked = true
	}
	l.seed += 100
	for _, d := range []Draft{{Text: "A probe."}, {Kind: OpenThread, Text: "A probe?"}} {
		if _, err := l.open(t).Remember(ctx, d); err != nil {
			t.Fatalf("the next command: %v", err)
		}
	}
	if len(l.notes) > 0 {
		t.Fatalf("the next command was alarmed: %q", l.notes)
	}
	got := l.state(t, l.open(t))
	for k, v := range got {
		if strings.Contains(v, "A probe") {
			delete(got, k)
		}
	}
	allowed("afterwards", got)
	if oracle {
		l.sound(t)
	} else {
		l.tidy(t)
	}
	for scope, want := range p.ops {
		for op, n := range l.ops(t, scope) {
			most := want[op]
			if op == "remember" {
				most++
			}
			if op == "adopt" && scope == ProjectScope {
				most = max(most, p.adopt)
			}
			if n > most {
				t.Fatalf("%s: %d commits of %s, not %d", scope, n, op, most)
			}
		}
	}
}

// nameless leaves out the ids of what is new: another try makes others.
func nameless(state, before map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range state {
		if _, ok := before[k]; !ok {
			k = "new " + v
		}
		out[k] = v
	}
	return out
}

func (p *trial) once(t *testing.T, plan faultfs.Plan, again, oracle bool) {
	t.Helper()
	l := p.lab(t)
	plan.Aside = filepath.Join(filepath.Dir(l.base), "aside")
	if err := os.Mkdir(plan.Aside, 0o777); err != nil {
		t.Fatal(err)
	}
	f := faultfs.New(fsys.OS{}, plan)
	l.fs = f
	err := p.run(l.open(t))
	defer func() {
		if t.Failed() {
			t.Logf("stopped at step %d (seed %d, again %v), returned %v:\n%s", plan.At, plan.Seed, again, err, strings.Join(f.Steps(), "\n"))
		}
	}()
	if err != nil && plan.Err != nil {
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "delete") {
			t.Errorf("no clear line: %q", err)
		}
	}
	p.afterwards(t, l, err == nil, again, oracle)
}

// TestEveryStepMayFail stops each command at the steps that touch the disk, in
// every way.
func TestEveryStepMayFail(t *testing.T) {
	plans := []struct {
		name string
		plan faultfs.Plan
	}{
		{"dead", faultfs.Plan{Kind: faultfs.Dead}},
		{"torn", faultfs.Plan{Kind: faultfs.Torn}},
		{"power cut", faultfs.Plan{Kind: faultfs.PowerCut}},
		{"EIO once", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EIO}},
		{"short write", faultfs.Plan{Kind: faultfs.Short, Err: syscall.ENOSPC}},
		{"disk full", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.ENOSPC, Sticky: true}},
		{"no permission", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EACCES, Sticky: true}},
		{"read-only", faultfs.Plan{Kind: faultfs.Fail, Err: syscall.EROFS, Sticky: true}},
	}
	every := 101
	if *long {
		every = 1
	}
	for i, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			p := c.prepare(t)
			t.Logf("%d steps", len(p.steps))
			for k, plan := range plans {
				t.Run(plan.name, func(t *testing.T) {
					for at := 1 + (i*3+k*7)%every; at <= len(p.steps); at += every {
						plan := plan.plan
						plan.At, plan.Seed = at, uint64(at)
						p.once(t, plan, at%2 == 0, at%5 == 0)
					}
				})
			}
		})
	}
}

// TestKilled does the same with real processes and a real SIGKILL.
func TestKilled(t *testing.T) {
	if run := os.Getenv("VAULT_TEST_KILL"); run != "" {
		killMe(run)
		return
	}
	every := 97
	if *long {
		every = 1
	}
	for i, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			p := c.prepare(t)
			for at := 1 + (i*5)%every; at <= len(p.steps); at += every {
				l := p.lab(t)
				cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
				cmd.Env = append(os.Environ(), fmt.Sprintf("VAULT_TEST_KILL=%d:%d:%d:%s", i, at, l.seed, l.base))
				out, err := cmd.CombinedOutput()
				if err == nil {
					t.Fatalf("step %d: not killed:\n%s", at, out)
				}
				p.afterwards(t, l, false, at%2 == 0, true)
			}
		})
	}
}

func killMe(run string) {
	parts := strings.SplitN(run, ":", 4)
	which, _ := strconv.Atoi(parts[0])
	at, _ := strconv.Atoi(parts[1])
	seed, _ := strconv.Atoi(parts[2])
	l := &lab{base: parts[3], seed: uint64(seed), now: labTime.AddDate(0, 0, 1)}
	l.fs = faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Kill})
	h, err := Open(l.options())
	if err == nil {
		err = crashes[which].run(h)
	}
	fmt.Println("not killed:", err)
	os.Exit(0)
}
