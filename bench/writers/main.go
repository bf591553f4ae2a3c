// Command writers measures many writers at once, and writing as a scope grows.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gitvault/bench/internal/lab"
	"gitvault/bench/internal/side"
	"gitvault/bench/internal/text"
)

func main() {
	lab.Main("writers: many at once, and as a scope grows", func(l *lab.Lab) error {
		for _, f := range []func(*lab.Lab) error{concurrent, growth, packing} {
			if err := f(l); err != nil {
				return err
			}
		}
		return nil
	})
}

const writers, each = 16, 100

// concurrent compares 16 writers of 100 remembers each with as many
// git commit -qam of the same growing file, one after another.
func concurrent(l *lab.Lab) error {
	src, err := l.Text(11)
	if err != nil {
		return err
	}
	notes := src.Many(writers*each, 200)
	var waits []side.Sample
	ours := func(round int) (side.Sample, error) {
		home, scope, err := l.Import(fmt.Sprintf("crowd%d", round), src.Many(1, 200))
		if err != nil {
			return side.Sample{}, err
		}
		lab.Settle()
		start := time.Now()
		samples, err := crowd(l, home, notes)
		took := time.Since(start)
		waits = append(waits, samples...)
		if err != nil {
			return side.Sample{}, err
		}
		return side.Sample{Time: took}, kept(l, scope, notes)
	}
	peer := func(round int) (side.Sample, error) { return commits(l, round, notes) }
	stats, err := side.Interleave(0, lab.Pick(l, 1, 5), ours, peer)
	if err != nil {
		return err
	}
	l.Table.Compare(fmt.Sprintf("%d x %d remembers at once", writers, each), stats[0], fmt.Sprintf("%d git commit -qam in turn", writers*each), stats[1], 1.5)
	wait := side.Sum(waits)
	l.Table.Note("  throughput", "%.0f writes/s, git in turn %.0f/s", float64(len(notes))/stats[0].Median.Seconds(), float64(len(notes))/stats[1].Median.Seconds())
	l.Table.Note("  wait of one remember", "median %s, p99 %s, longest %s", side.Short(wait.Median), side.Short(wait.P99), side.Short(wait.Max))
	return nil
}

// crowd runs all writers and gives the time of each remember, as a process.
func crowd(l *lab.Lab, home string, notes []text.Note) ([]side.Sample, error) {
	samples := make([]side.Sample, len(notes))
	failed := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w * each; i < (w+1)*each && failed[w] == nil; i++ {
				samples[i], failed[w] = lab.Time(remember(l, home, notes[i]))
			}
		})
	}
	wg.Wait()
	return samples, errors.Join(failed...)
}

func remember(l *lab.Lab, home string, n text.Note) *exec.Cmd {
	return l.InVault(home, "remember", "--kind", "decision", "--title", n.Title, "--", n.Body)
}

// kept fails unless the history holds every note exactly once and git finds
// nothing wrong with it.
func kept(l *lab.Lab, scope string, notes []text.Note) error {
	out, err := l.Command(scope, "git", "log", "--format=%s").Output()
	if err != nil {
		return fmt.Errorf("git log in %s: %w", scope, err)
	}
	times := map[string]int{}
	for line := range strings.Lines(string(out)) {
		times[strings.TrimSpace(line)]++
	}
	for _, n := range notes {
		if k := times["remember: "+n.Title]; k != 1 {
			return fmt.Errorf("%q is %d times in the history, want once", n.Title, k)
		}
	}
	out, err = l.Command(scope, "git", "fsck", "--strict", "--no-dangling", "--no-progress").CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("git fsck: %w: %s", err, out)
	}
	return nil
}

func commits(l *lab.Lab, round int, notes []text.Note) (side.Sample, error) {
	dir := filepath.Join(l.Top, fmt.Sprintf("commits%d", round))
	if err := l.Git(l.Top, "init", "-q", dir); err != nil {
		return side.Sample{}, err
	}
	ledger := filepath.Join(dir, "decisions.md")
	if err := os.WriteFile(ledger, []byte("# Decisions\n"), 0o600); err != nil {
		return side.Sample{}, err
	}
	if err := l.Git(dir, "add", "."); err != nil {
		return side.Sample{}, err
	}
	lab.Settle()
	var total side.Sample
	for _, n := range notes {
		if err := appendTo(ledger, fmt.Sprintf("\n## %s\n\n%s\n", n.Title, n.Body)); err != nil {
			return total, err
		}
		s, err := lab.Time(l.Command(dir, "git", "commit", "-qam", "remember: "+n.Title))
		if err != nil {
			return total, err
		}
		total.Time += s.Time
	}
	return total, nil
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// growth shows that one write costs the same however many entries there are.
func growth(l *lab.Lab) error {
	sizes := lab.Pick(l, []int{1_000, 10_000}, []int{1_000, 10_000, 100_000})
	src, err := l.Text(12)
	if err != nil {
		return err
	}
	homes := make([]string, len(sizes))
	for i, n := range sizes {
		start := time.Now()
		if homes[i], _, err = l.Import(fmt.Sprintf("grown%d", n), src.Many(n, 200)); err != nil {
			return err
		}
		l.Table.Note(fmt.Sprintf("import of %d decisions", n), "%s", side.Short(time.Since(start)))
	}
	runs := make([]side.Run, len(homes))
	for i, home := range homes {
		runs[i] = func(int) (side.Sample, error) {
			n := src.Next(200)
			lab.Settle()
			return lab.Time(remember(l, home, n))
		}
	}
	stats, err := side.Interleave(3, lab.Pick(l, 20, 100), runs...)
	if err != nil {
		return err
	}
	for i, n := range sizes[1:] {
		l.Table.Compare(fmt.Sprintf("remember at %d decisions", n), stats[i+1], fmt.Sprintf("at %d", sizes[0]), stats[0], 1.5)
	}
	return nil
}

// packing shows what packing costs and saves: two equal scopes take the same
// remembers in turn, and in one of them git gc seems to run all the time, which
// keeps vault from packing there.
func packing(l *lab.Lab) error {
	src, err := l.Text(13)
	if err != nil {
		return err
	}
	n := lab.Pick(l, 500, 5_000)
	begin := src.Many(600, 200) // a ledger that is nearly full
	var runs []side.Run
	var scopes []string
	var total [2]time.Duration
	var note text.Note
	for i, name := range []string{"packed", "loose"} {
		home, scope, err := l.Import(name, begin)
		if err != nil {
			return err
		}
		scopes = append(scopes, filepath.Join(scope, ".git"))
		if i == 1 {
			if err := os.WriteFile(filepath.Join(scope, ".git", "gc.pid"), []byte("1 bench\n"), 0o600); err != nil {
				return err
			}
		}
		runs = append(runs, func(int) (side.Sample, error) {
			if i == 0 {
				note = src.Next(200)
			}
			s, err := lab.Time(remember(l, home, note))
			total[i] += s.Time
			return s, err
		})
	}
	if _, err := side.Interleave(0, n, runs...); err != nil {
		return err
	}
	var size [2]int64
	for i, git := range scopes {
		if size[i], err = lab.Tree(git); err != nil {
			return err
		}
	}
	l.Table.Ratio("remember with packing, in the mean", side.Short(total[0]/time.Duration(n)), "without "+side.Short(total[1]/time.Duration(n)),
		float64(total[0])/float64(total[1]), 1.5)
	l.Table.Ratio(fmt.Sprintf("  .git after %d of them", n), fmt.Sprintf("%.1f MB", float64(size[0])/1e6), fmt.Sprintf("without %.1f MB", float64(size[1])/1e6),
		float64(size[0])/float64(size[1]), 0.5)
	return nil
}
