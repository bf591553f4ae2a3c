package vault

import (
	"slices"

	"gitvault/internal/entryfile"
	"gitvault/internal/merge"
	"gitvault/internal/secrets"
)

// visible leaves out of changes what an agent does not get to see: those of
// entries that hold a secret, and what others wrote and nobody has looked at. A
// person sees all.
func (s *Scope) visible(changes []merge.Change) []merge.Change {
	if !s.home.opt.Writer.IsAgent() {
		return changes
	}
	marks := s.unseenMarks()
	return slices.DeleteFunc(slices.Clone(changes), func(c merge.Change) bool {
		return c.Before != nil && hides(marks, *c.Before) || c.After != nil && hides(marks, *c.After)
	})
}

// hides reports whether an entry of some commit is nothing for an agent.
func hides(marks map[string]unseenMark, e entryfile.Entry) bool {
	return hasSecret(e) || len(marks) > 0 && slices.Contains(marks[e.ID].Texts, said(e))
}

// hidesIn reports whether a version of a file holds what others wrote and
// nobody has looked at.
func hidesIn(marks map[string]unseenMark, path string, data []byte) bool {
	kind, ok := entryfile.KindOf(path)
	return ok && len(marks) > 0 && slices.ContainsFunc(entryfile.Parse(kind, path, data).Sections(), func(s entryfile.Section) bool {
		return slices.Contains(marks[s.ID].Texts, said(s.Entry))
	})
}

// visiblePatch leaves cards out of a patch for an agent, files in which others
// wrote what nobody has looked at, and secrets.
func (s *Scope) visiblePatch(list []FilePatch) []FilePatch {
	if !s.home.opt.Writer.IsAgent() {
		return list
	}
	var out []FilePatch
	marks := s.unseenMarks()
	for _, f := range list {
		if entryfile.IsCard(f.Path) || hidesIn(marks, f.Path, f.Before) || hidesIn(marks, f.Path, f.After) {
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
