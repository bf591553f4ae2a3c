// Package side runs things side by side and prints what one costs in terms of
// the other. The runs of all sides are interleaved (A B A B …) after a warm-up,
// so that a noisy machine is noisy to each; what is compared are medians.
package side

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Sample is one timed run.
type Sample struct {
	Time   time.Duration
	Memory int64 // peak resident bytes of the largest process, 0 where unknown
}

// Run is one side: it prepares what it needs, times only what counts, and
// returns that. Rounds count from 0; warm-up rounds come first.
type Run func(round int) (Sample, error)

// Stats sums the samples of one side up.
type Stats struct {
	Median, Min, Max, P99 time.Duration
	Memory                int64 // largest
	N                     int
}

// Interleave runs every side once a round, in order, for warm rounds that are
// thrown away and then n that count.
func Interleave(warm, n int, runs ...Run) ([]Stats, error) {
	samples := make([][]Sample, len(runs))
	for round := range warm + n {
		for i, run := range runs {
			s, err := run(round)
			if err != nil {
				return nil, err
			}
			if round >= warm {
				samples[i] = append(samples[i], s)
			}
		}
	}
	stats := make([]Stats, len(runs))
	for i := range samples {
		stats[i] = Sum(samples[i])
	}
	return stats, nil
}

// Sum makes Stats of samples.
func Sum(samples []Sample) Stats {
	st := Stats{N: len(samples)}
	if st.N == 0 {
		return st
	}
	times := make([]time.Duration, st.N)
	for i, s := range samples {
		times[i] = s.Time
		st.Memory = max(st.Memory, s.Memory)
	}
	slices.Sort(times)
	st.Min, st.Max = times[0], times[st.N-1]
	st.Median = (times[(st.N-1)/2] + times[st.N/2]) / 2
	st.P99 = times[(st.N*99+99)/100-1]
	return st
}

// Table prints lines of figures as they come and counts those over their bound.
type Table struct {
	Out  io.Writer
	over int
}

// Head starts a group of lines.
func (t *Table) Head(format string, args ...any) {
	fmt.Fprintf(t.Out, "\n%s\n", fmt.Sprintf(format, args...))
}

// Compare prints one line: what was done, both sides, the ratio of their
// medians, and the bound of that ratio (0: none). The ratio of the fastest runs
// stands beside it: on a busy machine it is nearer to the truth.
func (t *Table) Compare(what string, ours Stats, peer string, theirs Stats, bound float64) {
	fastest := ""
	if ours.N > 1 && theirs.N > 1 {
		fastest = fmt.Sprintf(" (fastest x%.2f)", ratio(ours.Min, theirs.Min))
	}
	t.line(what, ours.String(), peer+" "+theirs.String(), ratio(ours.Median, theirs.Median), fastest, bound)
}

// Ratio prints one line that compares two figures of our own.
func (t *Table) Ratio(what, ours, against string, ratio, bound float64) {
	t.line(what, ours, against, ratio, "", bound)
}

// Limit prints one line of a figure with an absolute bound in the same unit.
func (t *Table) Limit(what, unit string, got, bound float64) {
	t.line(what, fmt.Sprintf("%.4g %s", got, unit), fmt.Sprintf("at most %.4g %s", bound, unit), got/bound, "", 1)
}

// Note prints a figure without a bound.
func (t *Table) Note(what, format string, args ...any) {
	fmt.Fprintf(t.Out, "  %s %s\n", pad(what, 36), fmt.Sprintf(format, args...))
}

func (t *Table) line(what, ours, theirs string, ratio float64, fastest string, bound float64) {
	verdict := ""
	if bound > 0 {
		verdict = fmt.Sprintf("  at most %-5.4g ok", bound)
		if ratio > bound {
			verdict = fmt.Sprintf("  at most %-5.4g OVER", bound)
			t.over++
		}
	}
	figure := pad(fmt.Sprintf("x%.2f%s", ratio, fastest), 21)
	fmt.Fprintln(t.Out, strings.TrimRight(fmt.Sprintf("  %s %s  %s  %s%s", pad(what, 36), pad(ours, 25), pad(theirs, 43), figure, verdict), " "))
}

// Close prints how many lines were over their bound.
func (t *Table) Close() {
	fmt.Fprintf(t.Out, "\n%d over their bound\n", t.over)
}

// String is the median with the range of all samples.
func (s Stats) String() string {
	if s.N <= 1 {
		return Short(s.Median)
	}
	low, high := Short(s.Min), Short(s.Max)
	if number, unit, _ := strings.Cut(low, " "); strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return fmt.Sprintf("%s (%s–%s)", Short(s.Median), low, high)
}

// Short prints a time with three digits.
func Short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func pad(s string, n int) string {
	if k := n - len([]rune(s)); k > 0 {
		return s + strings.Repeat(" ", k)
	}
	return s
}
