// Command core measures the commands that everything stands on, as whole
// processes, beside git and ripgrep doing the same work.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
	"gitvault/bench/internal/text"
	"gitvault/vault"
)

func main() {
	lab.Main("core: remember, list, get, import, start", func(l *lab.Lab) error {
		for _, f := range []func(*lab.Lab) error{start, remember, history, read, imports} {
			if err := f(l); err != nil {
				return err
			}
		}
		return nil
	})
}

// start compares the program's start with that of a Go program that does nothing.
func start(l *lab.Lab) error {
	src := filepath.Join(l.Top, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	empty := l.Binary("empty")
	if _, err := lab.Time(l.Command(l.Top, "go", "build", "-o", empty, src)); err != nil {
		return err
	}
	stats, err := side.Interleave(5, lab.Pick(l, 40, 200),
		func(int) (side.Sample, error) { return lab.Time(l.Command(l.Work, l.Vault, "version")) },
		func(int) (side.Sample, error) { return lab.Time(l.Command(l.Work, empty)) })
	if err != nil {
		return err
	}
	l.Table.Compare("version", stats[0], "empty Go program", stats[1], 5)
	return nil
}

// remember compares a durable remember with git add and git commit of the same
// change, INDEX.md included, which git does not sync.
func remember(l *lab.Lab) error {
	for _, c := range []struct {
		size           int
		bound, inBound float64
	}{{20_000, 1.7, 0}, {200_000, 1.5, 1}} {
		src, err := l.Text(uint64(c.size))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("ledger%d", c.size)
		home, scope, err := l.Import(name, src.Size(c.size, 700))
		if err != nil {
			return err
		}
		p := place{name, home, scope}
		ours, peer, err := pair(l, src, process, []place{p}, lab.Pick(l, 4, 12))
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%d KB ledger", c.size/1000)
		l.Table.Compare("remember, "+what, ours[0], "git add, git commit", peer[0], c.bound)
		p.name += "in"
		if ours, peer, err = pair(l, src, inProcess, []place{p}, lab.Pick(l, 4, 12)); err != nil {
			return err
		}
		l.Table.Compare("remember in process, "+what, ours[0], "git add, git commit", peer[0], c.inBound)
	}
	return nil
}

// A writer remembers a note in a home and times it.
type writer func(text.Note) (side.Sample, error)

// process remembers through the command.
func process(l *lab.Lab, home string) (writer, error) {
	return func(n text.Note) (side.Sample, error) {
		return lab.Time(l.InVault(home, "remember", "--kind", "decision", "--title", n.Title, "--", n.Body))
	}, nil
}

// inProcess remembers through the Go package, with one home kept open.
func inProcess(l *lab.Lab, home string) (writer, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	h, err := vault.Open(vault.Options{Home: home, Dir: l.Work, Env: l.Getenv, UserHome: l.Person, Git: git})
	return func(n text.Note) (side.Sample, error) {
		start := time.Now()
		_, err := h.Remember(context.Background(), vault.Draft{Kind: vault.Decision, Title: n.Title, Text: n.Body})
		return side.Sample{Time: time.Since(start)}, err
	}, err
}

type place struct{ name, home, scope string }

// batch is how many remembers one copy of a ledger takes before a fresh one is
// made, so that it keeps about the size it is meant to have.
const batch = 8

// pair times remember and git's same change in copies of each place, all
// interleaved.
func pair(l *lab.Lab, src *text.Source, how func(*lab.Lab, string) (writer, error), places []place, batches int) (ours, peer []side.Stats, err error) {
	samples := make([][]side.Sample, 2*len(places))
	for b := range batches {
		var runs []side.Run
		for _, p := range places {
			a, g, err := copies(l, src, how, p, b)
			if err != nil {
				return nil, nil, err
			}
			runs = append(runs, a, g)
		}
		for round := range batch + 1 {
			for i, run := range runs {
				s, err := run(round)
				if err != nil {
					return nil, nil, err
				}
				if round > 0 { // the first finds a copied folder, and looks at everything
					samples[i] = append(samples[i], s)
				}
			}
		}
	}
	for i := range places {
		ours = append(ours, side.Sum(samples[2*i]))
		peer = append(peer, side.Sum(samples[2*i+1]))
	}
	return ours, peer, nil
}

// copies makes a copy of a place's home, and a plain clone of its scope, and
// gives a run in each: git's commits what vault's changed.
func copies(l *lab.Lab, src *text.Source, how func(*lab.Lab, string) (writer, error), p place, b int) (ours, peer side.Run, err error) {
	home := filepath.Join(l.Top, fmt.Sprintf("%s-copy%d", p.name, b))
	clone := filepath.Join(l.Top, fmt.Sprintf("%s-git%d", p.name, b))
	if err := l.Git(l.Top, "clone", "-q", "--no-hardlinks", p.scope, clone); err != nil {
		return nil, nil, err
	}
	if err := lab.Copy(p.home, home); err != nil {
		return nil, nil, err
	}
	scope, err := l.Scope(home)
	if err != nil {
		return nil, nil, err
	}
	remember, err := how(l, home)
	if err != nil {
		return nil, nil, err
	}
	var note text.Note
	ours = func(int) (side.Sample, error) {
		note = src.Next(700)
		lab.Settle()
		return remember(note)
	}
	peer = func(int) (side.Sample, error) {
		if err := l.CopyChanged(scope, clone); err != nil {
			return side.Sample{}, err
		}
		return lab.Time(
			l.Command(clone, "git", "add", "decisions.md", "INDEX.md"),
			l.Command(clone, "git", "commit", "-q", "-m", "remember: "+note.Title))
	}
	return ours, peer, nil
}

// history shows that a remember costs the same whatever the length of history.
func history(l *lab.Lab) error {
	src, err := l.Text(3)
	if err != nil {
		return err
	}
	notes := src.Size(20_000, 700)
	lengths := []int{100, 1_000, 10_000}
	var places []place
	for _, n := range lengths {
		name := fmt.Sprintf("history%d", n)
		home, scope, err := l.Import(name, notes)
		if err != nil {
			return err
		}
		if err := l.Lengthen(scope, n); err != nil {
			return err
		}
		places = append(places, place{name, home, scope})
	}
	ours, peer, err := pair(l, src, process, places, lab.Pick(l, 3, 10))
	if err != nil {
		return err
	}
	for i, n := range lengths {
		l.Table.Compare(fmt.Sprintf("remember after %d commits", n), ours[i], "git add, git commit", peer[i], 1.7)
	}
	last := len(ours) - 1
	l.Table.Ratio("  the last beside the first", side.Short(ours[last].Median), side.Short(ours[0].Median),
		float64(ours[last].Median)/float64(ours[0].Median), 1.2)
	return nil
}

// read compares list and get at 1,000 entries with ripgrep over the same files.
func read(l *lab.Lab) error {
	src, err := l.Text(4)
	if err != nil {
		return err
	}
	home, scope, err := l.Import("thousand", src.Many(1_000, 950))
	if err != nil {
		return err
	}
	ids, err := l.IDs(home)
	if err != nil {
		return err
	}
	if len(ids) != 1_000 {
		return fmt.Errorf("list shows %d entries of 1000", len(ids))
	}
	files, err := lab.Authored(scope)
	if err != nil {
		return err
	}
	var size int64
	for _, f := range files {
		info, err := os.Stat(filepath.Join(scope, f))
		if err != nil {
			return err
		}
		size += info.Size()
	}
	ours := func(args ...string) side.Run {
		return func(int) (side.Sample, error) { return lab.Time(l.InVault(home, args...)) }
	}
	stats, err := side.Interleave(3, lab.Pick(l, 20, 100),
		ours("list"),
		func(int) (side.Sample, error) { return lab.Time(l.Ripgrep(scope, "throughput", files)) },
		func(round int) (side.Sample, error) { return ours("get", ids[round*37%len(ids)])(round) },
		ours("--scope", "project", "list", "--json"))
	if err != nil {
		return err
	}
	what := fmt.Sprintf("1000 entries, %d KB", size/1000)
	l.Table.Compare("list, "+what, stats[0], "rg for a word", stats[1], 4)
	l.Table.Compare("list --json, "+what, stats[3], "rg for a word", stats[1], 0)
	l.Table.Compare("get, "+what, stats[2], "rg for a word", stats[1], 4)
	return nil
}

// imports compares an import with git fast-import of the tree it ends in.
func imports(l *lab.Lab) error {
	src, err := l.Text(5)
	if err != nil {
		return err
	}
	file, err := l.Notes("five-thousand", src.Many(5_000, 700))
	if err != nil {
		return err
	}
	var stream string
	ours := func(round int) (side.Sample, error) {
		home := filepath.Join(l.Top, fmt.Sprintf("import%d", round))
		lab.Settle()
		s, err := lab.Time(l.InVault(home, "import", "jsonl", file, "--kind", "decision"))
		if err != nil || stream != "" {
			return s, err
		}
		scope, err := l.Scope(home)
		if err != nil {
			return s, err
		}
		stream, err = l.Export(scope)
		return s, err
	}
	peer := func(round int) (side.Sample, error) {
		dir := filepath.Join(l.Top, fmt.Sprintf("fast-import%d", round))
		if err := l.Git(l.Top, "init", "-q", dir); err != nil {
			return side.Sample{}, err
		}
		return withInput(l.Command(dir, "git", "fast-import", "--quiet"), stream)
	}
	stats, err := side.Interleave(1, lab.Pick(l, 3, 9), ours, peer)
	if err != nil {
		return err
	}
	l.Table.Compare("import jsonl, 5000 entries", stats[0], "git fast-import", stats[1], 5)
	if stats[0].Memory > 0 {
		l.Table.Limit("  its peak memory", "MB", float64(stats[0].Memory)/1e6, 300)
	}
	return nil
}

func withInput(cmd *exec.Cmd, file string) (side.Sample, error) {
	f, err := os.Open(file)
	if err != nil {
		return side.Sample{}, err
	}
	defer f.Close()
	cmd.Stdin = f
	return lab.Time(cmd)
}
