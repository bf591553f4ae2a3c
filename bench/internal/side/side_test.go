package side

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestInterleave(t *testing.T) {
	var order []string
	run := func(name string, unit time.Duration) Run {
		return func(round int) (Sample, error) {
			order = append(order, name)
			return Sample{Time: unit * time.Duration(round+1), Memory: int64(round)}, nil
		}
	}
	stats, err := Interleave(1, 3, run("A", time.Millisecond), run("B", time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "ABABABAB" {
		t.Errorf("order %s", got)
	}
	want := Stats{Median: 3 * time.Second, Min: 2 * time.Second, Max: 4 * time.Second, P99: 4 * time.Second, Memory: 3, N: 3}
	if stats[1] != want {
		t.Errorf("got %+v, want %+v", stats[1], want)
	}
	bad := errors.New("bad")
	if _, err := Interleave(0, 1, func(int) (Sample, error) { return Sample{}, bad }); !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	table := Table{Out: &out}
	a, b := Stats{Median: 30 * time.Millisecond, N: 1}, Stats{Median: 10 * time.Millisecond, N: 1}
	table.Compare("within", a, "git", b, 4)
	table.Compare("over", a, "git", b, 2)
	table.Limit("memory", "MB", 100, 300)
	table.Close()
	for _, want := range []string{"x3.00                  at most 4     ok\n", "x3.00                  at most 2     OVER\n", "x0.33", "\n1 over their bound\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestP99(t *testing.T) {
	var samples []Sample
	for i := range 1600 {
		samples = append(samples, Sample{Time: time.Duration(i + 1)})
	}
	if got := Sum(samples).P99; got != 1584 {
		t.Errorf("p99 %d, want 1584", got)
	}
}
