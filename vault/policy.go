package vault

// MaxCards is how many changes of agents may wait in a scope; with that many,
// a person reviews first.
const MaxCards = 500

// policyFor is the review policy for a kind in the scope: the person's, or the
// scope's own where that is stricter.
func (s *Scope) policyFor(kind Kind, m manifest) (Policy, error) {
	c, err := s.home.Config()
	if err != nil {
		return Hold, err
	}
	return stricter(c.Review.policy(s.name, kind), m.Review.policy(kind)), nil
}

// stricter is the stricter of two policies; none given is the loosest.
func stricter(a, b Policy) Policy {
	rank := map[Policy]int{Hold: 2, Apply: 1}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// personOnly refuses what only a person may do.
func (h *Home) personOnly(what string) error {
	if !h.opt.Writer.IsAgent() {
		return nil
	}
	return refused("ask the person to run it", "%s is a person's to do, and %s is an agent", what, h.opt.Writer.Agent)
}

func (t *txn) policy(kind Kind) (Policy, error) {
	m, err := t.manifest()
	if err != nil {
		return Hold, err
	}
	return t.scope.policyFor(kind, m)
}

func (t *txn) manifest() (manifest, error) {
	f, ok := t.tree.files[manifestFile]
	if !ok {
		return manifest{}, nil
	}
	data, err := f.bytes()
	if err != nil {
		return manifest{}, t.scope.fail(err)
	}
	m, err := parseManifest(data)
	return m, t.scope.fail(err)
}
