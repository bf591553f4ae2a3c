package vault

import (
	"slices"
	"strings"
)

// chains checks that what supersedes what makes a line: no circle, and one
// entry at its end.
func (c *checker) chains() {
	successors := map[string][]string{}
	for _, l := range c.all {
		for _, old := range l.Supersedes {
			if old != l.ID && c.byID[old] != nil && !slices.Contains(successors[old], l.ID) {
				successors[old] = append(successors[old], l.ID)
			}
		}
	}
	told := map[string]bool{}
	for _, l := range c.onCircles() {
		if told[l.ID] {
			continue
		}
		if round := c.circle(l.ID); round != nil {
			c.about("cycle", SeverityError, l, "supersedes itself by way of %s, which counts for nothing: take one of these out with 'vault edit --supersedes'", strings.Join(round, ", "))
			for _, id := range round {
				told[id] = true
			}
		}
	}
	for _, l := range c.all {
		if by := successors[l.ID]; len(by) > 1 && !told[l.ID] {
			c.about("chain", SeverityWarning, l, "is superseded by %s: say which one holds", strings.Join(by, " and by "))
		}
	}
}

// onCircles are the entries that are left when those are taken away that
// supersede none of the others, again and again.
func (c *checker) onCircles() []located {
	ahead := map[string]int{}        // how many entries that are left one supersedes
	before := map[string][]located{} // who supersedes it
	for _, l := range c.all {
		for _, old := range l.Supersedes {
			if c.byID[old] != nil {
				ahead[l.ID]++
				before[old] = append(before[old], l)
			}
		}
	}
	var free []string
	for id := range c.byID {
		if ahead[id] == 0 {
			free = append(free, id)
		}
	}
	for len(free) > 0 {
		id := free[len(free)-1]
		free = free[:len(free)-1]
		for _, l := range before[id] {
			if ahead[l.ID]--; ahead[l.ID] == 0 {
				free = append(free, l.ID)
			}
		}
	}
	var out []located
	for _, l := range c.all {
		if ahead[l.ID] > 0 {
			out = append(out, l)
		}
	}
	return out
}

// circle finds a way from an entry back to itself through what it supersedes.
func (c *checker) circle(start string) []string {
	seen := map[string]bool{}
	var walk func(id string, way []string) []string
	walk = func(id string, way []string) []string {
		for _, l := range c.byID[id] {
			for _, next := range l.Supersedes {
				if next == start {
					return append(slices.Clone(way), next)
				}
				if !seen[next] {
					seen[next] = true
					if found := walk(next, append(way, next)); found != nil {
						return found
					}
				}
			}
		}
		return nil
	}
	return walk(start, nil)
}
