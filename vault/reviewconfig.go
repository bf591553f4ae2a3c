package vault

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Policy says what becomes of an agent's change before a person has seen it.
type Policy string

// The review policies, from the strictest to the loosest.
const (
	Hold  Policy = "hold"  // a card holds the proposed version; what is offered stays as it was
	Apply Policy = "apply" // the change counts at once; a card holds the version before it
	Off   Policy = "off"   // the change counts at once, without a card
)

func (p Policy) check() error {
	switch p {
	case "", Hold, Apply, Off:
		return nil
	}
	return fmt.Errorf("unknown review policy %q: use hold, apply or off", p)
}

// ReviewConfig is the review policy, by scope and kind. The most specific
// setting holds: that for a kind in a scope, for a kind, for a scope, for all.
// It may be written as one word.
type ReviewConfig struct {
	Policy Policy                 `yaml:"policy"`
	Scopes map[string]ScopePolicy `yaml:"scopes"` // user, project (every one), or a project's key
	Kinds  map[string]Policy      `yaml:"kinds"`
	Remote string                 `yaml:"remote"` // hold: what others pushed waits for a look
}

// ScopePolicy is the policy of one scope: a word, or one for each kind.
type ScopePolicy struct {
	Policy Policy
	Kinds  map[string]Policy
}

// UnmarshalYAML takes one policy for everything, or the whole mapping.
func (r *ReviewConfig) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		r.Policy = Policy(n.Value)
		return r.check()
	}
	type plain ReviewConfig
	if err := n.Decode((*plain)(r)); err != nil {
		return err
	}
	return r.check()
}

// UnmarshalYAML takes one policy for the scope, or one for each kind.
func (s *ScopePolicy) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		s.Policy = Policy(n.Value)
		return s.Policy.check()
	}
	return n.Decode(&s.Kinds)
}

func (r ReviewConfig) check() error {
	if err := r.Policy.check(); err != nil {
		return err
	}
	switch r.Remote {
	case "", string(Hold), string(Off):
	default:
		return fmt.Errorf("unknown review of what others push %q: use hold or off", r.Remote)
	}
	for _, s := range r.Scopes {
		if err := checkKinds(s.Kinds); err != nil {
			return err
		}
	}
	return checkKinds(r.Kinds)
}

func checkKinds(kinds map[string]Policy) error {
	for k, p := range kinds {
		if _, err := ParseKind(k); err != nil {
			return err
		}
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// ofKind is the policy for a kind, "" where none is set.
func ofKind(kinds map[string]Policy, kind Kind) Policy {
	for k, p := range kinds {
		if parsed, err := ParseKind(k); err == nil && parsed == kind {
			return p
		}
	}
	return ""
}

// policy is the most specific of the person's settings.
func (r ReviewConfig) policy(scope string, kind Kind) Policy {
	own, ok := r.Scopes[scope]
	if !ok && scope != UserScope {
		own = r.Scopes[ProjectScope]
	}
	for _, p := range []Policy{ofKind(own.Kinds, kind), ofKind(r.Kinds, kind), own.Policy, r.Policy} {
		if p != "" {
			return p
		}
	}
	return Hold
}

// tightening is the review policy that a scope asks for in its vault.yaml,
// which others may have written: what can't be understood asks for the
// strictest.
type tightening ReviewConfig

// UnmarshalYAML takes anything.
func (t *tightening) UnmarshalYAML(n *yaml.Node) error {
	var r ReviewConfig
	if err := r.UnmarshalYAML(n); err != nil {
		r = ReviewConfig{Policy: Hold}
	}
	*t = tightening(r)
	return nil
}

// policy is what the scope asks for, "" for nothing.
func (t tightening) policy(kind Kind) Policy {
	if p := ofKind(t.Kinds, kind); p != "" {
		return p
	}
	return t.Policy
}
