package vault

import (
	"slices"
	"strings"

	"gitvault/internal/entryfile"
)

// refuseCircle refuses what would have an entry supersede itself, at once or by
// way of others; before is what it superseded already.
func (t *txn) refuseCircle(e entryfile.Entry, before []string) error {
	fresh := slices.DeleteFunc(slices.Clone(e.Supersedes), func(id string) bool { return slices.Contains(before, id) })
	if len(fresh) == 0 {
		return nil
	}
	if slices.Contains(fresh, e.ID) {
		return invalid("name another entry", "%s can't supersede itself", e.ID)
	}
	naming, err := t.tree.naming(t.ctx)
	if err != nil {
		return t.scope.fail(err)
	}
	from := map[string]string{e.ID: ""}
	for next := []string{e.ID}; len(next) > 0; next = next[1:] {
		for _, by := range naming[next[0]] {
			if _, seen := from[by]; seen {
				continue
			}
			from[by] = next[0]
			next = append(next, by)
			if !slices.Contains(fresh, by) {
				continue
			}
			var between []string
			for id := next[0]; id != e.ID; id = from[id] {
				between = append(between, id)
			}
			way := ""
			if len(between) > 0 {
				way = ", by way of " + strings.Join(between, " and ")
			}
			return invalid("say which one holds: take it out there first, with 'vault edit --supersedes'", "%s can't supersede %s, which supersedes it%s", e.ID, by, way)
		}
	}
	return nil
}

// straighten leaves out of what entries are to supersede what would have them
// supersede themselves, and notes it; where says where each comes from, by id.
func (im *importing) straighten(list []entryfile.Entry, where map[string]string) error {
	if !slices.ContainsFunc(list, func(e entryfile.Entry) bool { return len(e.Supersedes) > 0 }) {
		return nil
	}
	by, err := im.tree.naming(im.ctx)
	if err != nil {
		return im.scope.fail(err)
	}
	fresh := make(map[string]bool, len(list))
	for _, e := range list {
		fresh[e.ID] = true
	}
	stands := map[string][]string{} // what each supersedes, as far as that holds
	for old, names := range by {
		by[old] = slices.DeleteFunc(names, func(id string) bool { return fresh[id] })
		for _, id := range by[old] {
			stands[id] = append(stands[id], old)
		}
	}
	for _, e := range list {
		for _, old := range e.Supersedes {
			by[old] = append(by[old], e.ID)
		}
	}
	circle := entryfile.Circles(by)
	for i := range list {
		e := &list[i]
		e.Supersedes = slices.DeleteFunc(e.Supersedes, func(old string) bool {
			round := circle[old] != 0 && circle[old] == circle[e.ID]
			if old != e.ID && !(round && leads(stands, circle, old, e.ID)) {
				if round {
					stands[e.ID] = append(stands[e.ID], old)
				}
				return false
			}
			im.out.Notes = append(im.out.Notes, where[e.ID]+": left out that it supersedes "+old+", which would supersede itself by that")
			return true
		})
	}
	return nil
}

// leads reports whether one entry supersedes another through others of the
// same circle.
func leads(stands map[string][]string, circle map[string]int, from, to string) bool {
	seen := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		if next[0] == to {
			return true
		}
		for _, old := range stands[next[0]] {
			if !seen[old] && circle[old] == circle[to] {
				seen[old] = true
				next = append(next, old)
			}
		}
	}
	return false
}
