package importers

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

// A standing is what a decision says of itself in its status.
type standing struct {
	word  string   // "accepted", "rejected", "superseded"…
	by    []string // what it was superseded by: paths or numbers, as written
	takes []string // what it supersedes
}

// chains knows the decisions of a source by their places before any is given
// out, since it is the superseded one that names its successor as often as the
// other way round.
type chains struct {
	links  []link
	place  map[string]int // slash path in the source -> index
	number map[string]int // folder and number of a decision -> index, -1 for several
}

type link struct {
	key, place string
	standing
	superseded bool
	supersedes []string // keys
	notes      []string
}

// add takes a decision that stands at a place.
func (c *chains) add(key, place string, st standing) {
	if c.place == nil {
		c.place, c.number = map[string]int{}, map[string]int{}
	}
	i := len(c.links)
	c.links = append(c.links, link{key: key, place: place, standing: st})
	c.place[place] = i
	if n := decisionNumber(path.Base(place)); n != "" {
		n = path.Dir(place) + "#" + n
		if _, twice := c.number[n]; twice {
			i = -1
		}
		c.number[n] = i
	}
}

// resolve follows the links, once all decisions are known.
func (c *chains) resolve() {
	replace := func(newer, older int) {
		if newer == older {
			return
		}
		c.links[older].superseded = true
		l := &c.links[newer]
		if key := c.links[older].key; !slices.Contains(l.supersedes, key) {
			l.supersedes = append(l.supersedes, key)
		}
	}
	for i := range c.links {
		l := &c.links[i]
		for _, ref := range l.by {
			if j, ok := c.find(l.place, ref); ok {
				replace(j, i)
			} else {
				l.notes = append(l.notes, "what superseded it is not there: "+entryfile.Shorten(oneLine(ref), 80))
			}
		}
		for _, ref := range l.takes {
			if j, ok := c.find(l.place, ref); ok {
				replace(i, j)
			} else {
				l.notes = append(l.notes, "what it supersedes is not there: "+entryfile.Shorten(oneLine(ref), 80))
			}
		}
	}
}

// find is the decision that a link in another means: by its path, or by its
// number.
func (c *chains) find(from, ref string) (int, bool) {
	dir := path.Dir(from)
	if i, ok := c.place[path.Join(dir, ref)]; ok {
		return i, true
	}
	if n := decisionNumber(path.Base(ref)); n != "" {
		if i, ok := c.number[dir+"#"+n]; ok && i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// apply puts what is known of the decision at a place into its record.
func (c *chains) apply(r *Record, place string, st standing) {
	superseded := false
	if i, ok := c.place[place]; ok {
		l := &c.links[i]
		superseded = l.superseded
		r.Supersedes = append(r.Supersedes, l.supersedes...)
		r.Notes = append(r.Notes, l.notes...)
	}
	e := &r.Entry
	if st.word == "" {
		return
	}
	keep(e, "decision-status", st.word)
	switch st.word {
	case "accepted", "approved", "active", "final", "done", "implemented", "adopted", "agreed", "decided":
	case "superseded", "deprecated", "retired", "obsolete":
		if !superseded {
			r.end(st.word, e.Changed())
		}
	default:
		// Proposed, rejected, withdrawn…: worth knowing, not to be taken for
		// what was decided.
		e.Tags = append(e.Tags, st.word)
		summary := firstOf(e.Description, entryfile.DefaultTitle(afterHeadings(e.Body)))
		e.Description = entryfile.Shorten(strings.ToUpper(st.word[:1])+st.word[1:]+": "+oneLine(summary), entryfile.MaxDescription)
	}
}

// afterHeadings is a text without the headings and rules it begins with.
func afterHeadings(body string) string {
	for body != "" {
		l, rest, _ := strings.Cut(body, "\n")
		if n, _ := heading(l); n == 0 && strings.Trim(l, " \t=-") != "" {
			break
		}
		body = rest
	}
	return body
}

// decisionNumber is the number that a decision's name begins with or refers
// to, without leading zeros: 0003-use-x.md, ADR-0003, 3. Use X.
func decisionNumber(name string) string {
	m := numberPattern().FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	if n := strings.TrimLeft(m[1], "0"); n != "" {
		return n
	}
	return "0"
}

var numberPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:adr|madr|decision|rfc|pep|dr)?[-_ #]*(\d{1,8})(?:\D|$)`)
})

// readStatus reads the lines of a status.
func readStatus(status string) standing {
	var st standing
	for line := range strings.Lines(status) {
		line = strings.Trim(oneLine(line), "{}*_-`\"' ")
		low := strings.ToLower(line)
		switch {
		case line == "":
		case strings.HasPrefix(low, "supersedes"), strings.HasPrefix(low, "replaces"):
			st.takes = append(st.takes, references(line)...)
		case strings.Contains(low, "superseded by"), strings.Contains(low, "replaced by"):
			st.by = append(st.by, references(line[strings.Index(low, "ed by")+len("ed by"):])...)
			st.word = "superseded"
		case strings.HasPrefix(low, "amend"), strings.HasPrefix(low, "clarifie"):
		case st.word == "":
			word, _, _ := strings.Cut(low, " ")
			st.word = entryfile.Shorten(strings.Trim(word, ".,;:()[]{}"), 40)
		}
	}
	return st
}

// references are the links, or else the numbers, that a text names.
func references(text string) []string {
	var out []string
	for _, m := range linkPattern().FindAllStringSubmatch(text, -1) {
		target, _, _ := strings.Cut(m[2], "#")
		if target == "" || strings.Contains(target, "://") {
			target = m[1]
		}
		out = append(out, target)
	}
	if out == nil {
		for _, m := range refPattern().FindAllString(text, -1) {
			out = append(out, strings.TrimSpace(m))
		}
	}
	return out
}

var linkPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)
})

var refPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\b(?:adr|madr|decision|rfc|pep)[-_ #]*)?\b\d{1,8}\b(?:[-_.\w]*\.md)?`)
})
