package recall

// top keeps the best of many candidates: a heap with the worst of them at its
// root.
type top struct {
	list   []candidate
	most   int
	seen   int
	before func(a, b *candidate) bool
}

func newTop(most int, before func(a, b *candidate) bool) *top {
	return &top{most: most, before: before}
}

func (t *top) add(c candidate) {
	t.seen++
	if len(t.list) < t.most {
		t.list = append(t.list, c)
		for i := len(t.list) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.before(&t.list[parent], &t.list[i]) {
				break
			}
			t.list[parent], t.list[i] = t.list[i], t.list[parent]
			i = parent
		}
		return
	}
	if !t.before(&c, &t.list[0]) {
		return
	}
	t.list[0] = c
	for i := 0; ; {
		worst := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(t.list) && t.before(&t.list[worst], &t.list[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.list[i], t.list[worst] = t.list[worst], t.list[i]
		i = worst
	}
}
