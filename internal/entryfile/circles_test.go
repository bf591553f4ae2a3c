package entryfile

import (
	"fmt"
	"testing"
)

func TestWithoutCircles(t *testing.T) {
	by := map[int][]int{
		1: {2}, 2: {3}, // a line
		10: {11}, 11: {10, 12}, // two of each other, and one that supersedes one of them
		20: {21}, 21: {22, 5}, 22: {20}, // round by three
		30: {30}, 31: {31, 32}, // themselves
	}
	WithoutCircles(by)
	if got, want := fmt.Sprint(by), "map[1:[2] 2:[3] 11:[12] 21:[5] 31:[32]]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	long := map[int][]int{}
	for i := range 20000 {
		long[i] = []int{i + 1}
	}
	WithoutCircles(long)
	if len(long) != 20000 {
		t.Errorf("%d are left of a line", len(long))
	}
	long[20000] = []int{0}
	WithoutCircles(long)
	if len(long) != 0 {
		t.Errorf("%d are left of a circle", len(long))
	}
}
