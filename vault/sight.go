package vault

import (
	"slices"

	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
	"gitvault/internal/secrets"
)

// visible leaves out of changes what an agent does not get to see: those of
// entries that hold a secret. A person sees all.
func (s *Scope) visible(changes []merge.Change) []merge.Change {
	if !s.home.opt.Writer.IsAgent() {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c merge.Change) bool {
		return c.Before != nil && hasSecret(*c.Before) || c.After != nil && hasSecret(*c.After)
	})
}

// visiblePatch leaves cards out of a patch for an agent, and secrets.
func (s *Scope) visiblePatch(list []FilePatch) []FilePatch {
	if !s.home.opt.Writer.IsAgent() {
		return list
	}
	var out []FilePatch
	for _, f := range list {
		if entryfile.IsCard(f.Path) {
			continue
		}
		for _, data := range []*[]byte{&f.Before, &f.After} {
			if *data != nil {
				*data = []byte(secrets.Redact(string(*data)))
			}
		}
		out = append(out, f)
	}
	return out
}

// veil takes out of a commit's words what an agent does not get to see: what
// was only proposed, and what looks like a secret.
func (s *Scope) veil(m *parsedMessage, changes []merge.Change) {
	if m.op != "" && m.source != sourcePerson && len(changes) == 0 {
		m.subject, m.reason = m.op+": (a change that waited for review)", ""
	}
	m.subject, m.reason = secrets.Redact(m.subject), secrets.Redact(m.reason)
}
