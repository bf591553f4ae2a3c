package generate

import "slices"

// floors weighs what each scope may keep though the others want it.
var floors = map[Role]int64{User: 2, Project: 3, Shared: 1}

// ample is a floor in which about any entry has its line.
var ample = size{bytes: 1500, milli: 500_000}

// sampled is how many entries of a kind are looked at for the shortest line.
const sampled = 40

// reserves are what the scopes from each one on may keep, of room for all: a
// floor each, or less where they have less. A floor too small for an entry is
// raised to one, at the cost of those that are larger.
func (p *packer) reserves(all size) []size {
	var weights int64
	for _, s := range p.shares {
		if s.framed {
			weights += floors[s.scope.Role]
		}
	}
	own := make([]size, len(p.shares))
	small := false
	for i, s := range p.shares {
		if s.framed {
			own[i] = all.part(floors[s.scope.Role], weights)
			small = small || !ample.fits(own[i])
		}
	}
	if small {
		p.raise(own, all)
	}
	out := make([]size, len(p.shares)+1)
	for i := len(p.shares) - 1; i > 0; i-- {
		out[i] = out[i+1]
		if s := p.shares[i]; s.framed {
			out[i] = out[i].plus(own[i].least(p.demand(s, own[i]).upTo(all.part(1, 16))))
		}
	}
	return out
}

// raise makes each floor large enough for an entry, if all can be.
func (p *packer) raise(own []size, all size) {
	need, sum := make([]size, len(own)), size{}
	for i, s := range p.shares {
		if s.framed {
			need[i] = p.shortest(s)
			sum = sum.plus(need[i])
		}
	}
	for i := len(own) - 1; i >= 0 && !sum.fits(all); i-- {
		if p.shares[i].scope.Role != Shared {
			return
		}
		sum, need[i] = sum.minus(need[i]), size{} // the others go first
	}
	var over, lack size // what floors have beside their need, and what others lack
	for i := range own {
		over = over.plus(own[i].over(need[i]))
		lack = lack.plus(need[i].over(own[i]))
	}
	for i := range own {
		spare := own[i].over(need[i])
		own[i] = size{
			own[i].bytes + need[i].over(own[i]).bytes - int(share64(int64(spare.bytes), int64(lack.bytes), int64(over.bytes))),
			own[i].milli + need[i].over(own[i]).milli - share64(spare.milli, lack.milli, over.milli),
		}
	}
}

// over is what a has more than b, in each of the budgets.
func (a size) over(b size) size { return size{max(0, a.bytes-b.bytes), max(0, a.milli-b.milli)} }

// share64 is the part of what is lacked that falls to a spare, rounded up, but
// never more than that.
func share64(spare, lack, over int64) int64 {
	if over == 0 {
		return 0
	}
	return min(spare, (spare*lack+over-1)/over)
}

// shortest is the room that the scope's shortest line takes, of those that are
// tried first; nothing where it has none.
func (p *packer) shortest(s *share) size {
	if s.least != nil {
		return *s.least
	}
	var best size
	for kind, es := range s.byKind {
		heading := sizeOf(p.w.heading(kind))
		for _, e := range es[:min(sampled, len(es))] {
			n := sizeOf(p.w.line(s.scope, e, e.Pinned)).plus(heading)
			if best.milli == 0 || n.milli < best.milli || n.milli == best.milli && n.bytes < best.bytes {
				best = n
			}
		}
	}
	s.least = &best
	return best
}

// A Bound is a bound of a context block, in both measures.
type Bound struct{ Bytes, Tokens int }

// starved names the scopes that have entries and no room for one, and the least
// bounds that would do.
func (p *packer) starved(text string) ([]string, Bound) {
	var names []string
	for _, s := range p.shares {
		if s.scope.Role == Shared {
			continue
		}
		if len(s.scope.Entries) > 0 && (text == "" || s.shown() == 0) {
			names = append(names, s.scope.Name)
		}
	}
	if len(names) == 0 {
		return nil, Bound{}
	}
	need := p.modest().plus(sizeOf(p.w.outer()))
	first := !slices.ContainsFunc(p.shares, func(s *share) bool { return s.first })
	for _, s := range p.shares {
		if s.scope.Role == Shared {
			continue
		}
		s.first = s.first || first
		first = false
		need = need.plus(p.frame(s))
	}
	return names, Bound{need.bytes, int((need.milli + 999) / 1000)}
}

// modest is the room in which each scope, other than shared ones, has an entry.
func (p *packer) modest() size {
	var need size
	for _, s := range p.shares {
		if s.scope.Role != Shared {
			need = need.plus(p.shortest(s))
		}
	}
	if p.in.Query { // which keeps a third
		need = need.plus(need.part(1, 2)).plus(size{2, 2})
	}
	return need
}

// frame is the room that what stands around a scope's entries takes, with
// numbers as wide as they can get.
func (p *packer) frame(s *share) size {
	return sizeOf(p.w.open(s, s.total(), max(s.total(), 9999), s.total())).plus(sizeOf(p.w.end(s)))
}
