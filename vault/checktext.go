package vault

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// settings checks that vault.yaml can be read.
func (c *checker) settings() {
	f, ok := c.tree.files[manifestFile]
	if !ok {
		c.add(Finding{Rule: "settings", Severity: SeverityWarning, File: manifestFile, Message: "is not there: the next change makes it"})
		return
	}
	data, err := f.bytes()
	if err == nil {
		_, err = parseManifest(data)
	}
	if err != nil {
		c.add(Finding{Rule: "settings", Severity: SeverityError, File: manifestFile, Message: told(err)})
	}
}

// worn finds what is no longer offered, and what an index line says nothing of.
func (c *checker) worn(now time.Time) {
	superseded := c.superseded()
	for _, l := range c.all {
		switch {
		case superseded[l.ID] || l.Conflict != "":
		case l.Status != entryfile.StatusResolved && expired(l.Expires, now):
			c.about("expired", SeverityWarning, l, "expired on %s and is no longer offered: 'vault forget' it, or give it another date with 'vault edit --expires'", l.Expires)
		case l.Kind != SessionTrace && l.Description == "" && l.Body != l.Title:
			line := l.Entry.Line()
			switch {
			case line == "" && strings.Trim(l.Body, ".。 ") != strings.Trim(l.Title, ".。 "):
				c.about("description", SeverityWarning, l, "has no description, and no sentence in its text that could stand for one: give it one with 'vault edit --description'")
			case strings.HasSuffix(line, "…"):
				c.about("description", SeverityWarning, l, "has no description, and the first sentence of its text is too long for an index line: give it one with 'vault edit --description'")
			}
		}
	}
}

func (c *checker) superseded() map[string]bool {
	by := map[string][]string{}
	for _, l := range c.all {
		for _, old := range l.Supersedes {
			by[old] = append(by[old], l.ID)
		}
	}
	entryfile.WithoutCircles(by)
	out := make(map[string]bool, len(by))
	for old := range by {
		out[old] = true
	}
	return out
}

// duplicates finds entries that say nearly the same, of those that are offered.
func (c *checker) duplicates(ctx context.Context) error {
	superseded := c.superseded()
	near := nearly{buckets: map[[2]uint64][]int{}}
	for i, l := range c.all {
		if i%100 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if superseded[l.ID] || l.Conflict != "" || l.Status == entryfile.StatusResolved || l.Kind == SessionTrace {
			continue
		}
		if j := near.like(i, l.Entry); j >= 0 {
			first := c.all[j]
			c.about("duplicate", SeverityWarning, l, "says nearly what %s does (%s:%d): 'vault forget' one of them, or say with 'vault edit --supersedes' which one holds", first.ID, first.path, first.Line)
		}
	}
	return nil
}

// paths finds workspace files that are gone, or not what they were when an
// entry was made about them.
func (c *checker) paths(s *Scope) error {
	files, err := s.stalePaths()
	if err != nil {
		return err
	}
	defer files.close()
	superseded := c.superseded()
	for _, l := range c.all {
		if superseded[l.ID] || l.Conflict != "" || l.Status == entryfile.StatusResolved {
			continue
		}
		gone, changed := files.of(l.Entry)
		for _, name := range gone {
			c.about("path", SeverityWarning, l, "is about %s, which is gone: see whether it still holds, and name what it is about now with 'vault edit --path'", filepath.ToSlash(name))
		}
		for _, name := range changed {
			c.about("path", SeverityWarning, l, "is about %s, which has changed since: see whether it still holds, and say so with 'vault edit --path %s'", name, shellWord(name))
		}
	}
	return nil
}
