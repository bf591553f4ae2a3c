// Command sync measures merging and syncing beside git: its merge-file over the
// same bytes, and its pull and push over the same wire.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
	"gitvault/bench/internal/text"
	"gitvault/internal/gitserver"
)

func main() {
	lab.Main("sync: merge, sync over http", func(l *lab.Lab) error {
		for _, f := range []func(*lab.Lab) error{merge, wire} {
			if err := f(l); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	entries = 5000
	changes = 500 // of each side: half of them edits, the rest new and gone
)

// merge compares the merge driver with git merge-file over the same ledger.
func merge(l *lab.Lab) error {
	src, err := l.Text(5000)
	if err != nil {
		return err
	}
	notes, more := src.Many(entries, 600), src.Many(2*changes, 600)
	dir := filepath.Join(l.Top, "merge")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	var size int
	for i, name := range []string{"base", "ours", "theirs"} {
		data := ledger(notes, more, i)
		size = len(data)
		if err := os.WriteFile(file(name), data, 0o600); err != nil {
			return err
		}
	}
	driven := func(program string, args ...string) side.Run {
		return func(int) (side.Sample, error) {
			ours, err := os.ReadFile(file("ours"))
			if err != nil {
				return side.Sample{}, err
			}
			if err := os.WriteFile(file("merged"), ours, 0o600); err != nil {
				return side.Sample{}, err
			}
			return lab.Time(l.Command(dir, program, args...))
		}
	}
	stats, err := side.Interleave(1, lab.Pick(l, 7, 25),
		driven(l.Vault, "merge-file", "base", "merged", "theirs", "7", "decisions.md"),
		driven("git", "merge-file", "-q", "--union", "merged", "base", "theirs"))
	if err != nil {
		return err
	}
	l.Table.Compare(fmt.Sprintf("merge driver, %d entries, 2 × %d", entries, changes), stats[0], fmt.Sprintf("git merge-file, %.1f MB", float64(size)/1e6), stats[1], 5)
	return nil
}

// ledger prints the entries as one side has them: 0 is the base.
func ledger(notes, more []text.Note, which int) []byte {
	var b strings.Builder
	b.WriteString("# Decisions\n")
	entry := func(id string, minute int, n text.Note) {
		fmt.Fprintf(&b, "\n## %s\n<!-- vault: {id: %s, created: 2026-01-%02dT%02d:%02d:00Z} -->\n\n%s\n", n.Title, id, 1+minute/1440%28, minute/60%24, minute%60, strings.TrimSpace(n.Body))
	}
	every := entries / changes
	for i, n := range notes {
		at := i % (2 * every) // each side changes others
		switch {
		case which == 1 && at == 0, which == 2 && at == every:
			n.Body = strings.TrimSpace(n.Body) + " So it was changed."
		case which == 1 && at == 1 && i%(4*every) == 1, which == 2 && at == every+1 && i%(4*every) == every+1:
			continue
		}
		entry(fmt.Sprintf("g%07d", i), i, n)
		if which == 1 && at == 3 && i%(4*every) == 3 || which == 2 && at == every+3 && i%(4*every) == every+3 {
			entry(fmt.Sprintf("%ck%06d", "ghj"[which], i), entries+i, more[i/every+changes*(which-1)])
		}
	}
	return []byte(b.String())
}

// wire compares a sync that takes one change and brings one with git's pull and
// push of the same, over http on loopback.
func wire(l *lab.Lab) error {
	root := filepath.Join(l.Top, "served")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	srv, err := gitserver.NewHTTP(root)
	if err != nil {
		return err
	}
	defer srv.Close()
	src, err := l.Text(40)
	if err != nil {
		return err
	}
	for _, name := range []string{"memory.git", "plain.git"} {
		if _, err := srv.Create(name); err != nil {
			return err
		}
	}
	home, scope, err := l.Import("syncing", src.Size(40_000, 700))
	if err != nil {
		return err
	}
	other := filepath.Join(l.Top, "other")
	memory, plain := srv.URL("memory.git", gitserver.Password), srv.URL("plain.git", gitserver.Password)
	mine, theirs := filepath.Join(l.Top, "mine"), filepath.Join(l.Top, "theirs")
	if _, err := lab.Time(
		l.InVault(home, "remote", "add", "--branch", "main", memory), l.InVault(home, "sync"),
		l.InVault(other, "clone", memory, "--as", "project"),
		l.Command(scope, "git", "push", "-q", plain, "HEAD:refs/heads/main"),
		l.Command(l.Top, "git", "clone", "-q", plain, mine), l.Command(l.Top, "git", "clone", "-q", plain, theirs),
	); err != nil {
		return err
	}
	for _, dir := range []string{mine, theirs} { // plain files: they are appended to, each side to its own
		if err := os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* -merge\n"), 0o600); err != nil {
			return err
		}
	}
	remember := func(home, kind string) error {
		n := src.Next(700)
		_, err := lab.Time(l.InVault(home, "remember", "--kind", kind, "--title", n.Title, "--", n.Body))
		return err
	}
	appended := func(dir, name string) error {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		n := src.Next(700)
		if _, err = fmt.Fprintf(f, "\n## %s\n\n%s\n", n.Title, n.Body); err == nil {
			err = f.Close()
		}
		if err != nil {
			return err
		}
		_, err = lab.Time(l.Command(dir, "git", "add", name), l.Command(dir, "git", "commit", "-q", "-m", n.Title))
		return err
	}
	pull := []string{"-c", "pull.rebase=false", "pull", "-q", "--no-edit"}
	stats, err := side.Interleave(1, lab.Pick(l, 7, 25),
		func(int) (side.Sample, error) {
			if err := remember(other, "decision"); err != nil {
				return side.Sample{}, err
			}
			if _, err := lab.Time(l.InVault(other, "sync")); err != nil {
				return side.Sample{}, err
			}
			if err := remember(home, "convention"); err != nil {
				return side.Sample{}, err
			}
			lab.Settle()
			return lab.Time(l.InVault(home, "sync"))
		},
		func(int) (side.Sample, error) {
			if err := appended(theirs, "decisions.md"); err != nil {
				return side.Sample{}, err
			}
			if _, err := lab.Time(l.Command(theirs, "git", pull...), l.Command(theirs, "git", "push", "-q")); err != nil {
				return side.Sample{}, err
			}
			if err := appended(mine, "conventions.md"); err != nil {
				return side.Sample{}, err
			}
			lab.Settle()
			return lab.Time(l.Command(mine, "git", pull...), l.Command(mine, "git", "push", "-q"))
		})
	if err != nil {
		return err
	}
	l.Table.Compare("sync, one change each way, http", stats[0], "git pull, git push", stats[1], 1.5)
	return nil
}
