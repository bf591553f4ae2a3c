package gitconfig

import "strings"

// Remote is a remote that has at least one URL.
type Remote struct {
	Name     string
	URLs     []string // as written; see Rewrite
	PushURLs []string // as written; where there are none, URLs serve
}

// Remotes gives the remotes of the repository itself, in the order of their
// first mention. What the system's or the person's files say about a remote
// is true of every repository, so it makes none.
func (c *Config) Remotes() []Remote {
	var remotes []Remote
	index := map[string]int{}
	for _, e := range c.Entries() {
		section, name, key := e.Split()
		if section != "remote" || name == "" || e.Scope < Local || (key != "url" && key != "pushurl") {
			continue
		}
		i, known := index[name]
		if !known {
			i = len(remotes)
			index[name] = i
			remotes = append(remotes, Remote{Name: name})
		}
		list := &remotes[i].URLs
		if key == "pushurl" {
			list = &remotes[i].PushURLs
		}
		if e.Value == "" { // an empty value takes back what came before
			*list = nil
			continue
		}
		*list = append(*list, e.Value)
	}
	kept := remotes[:0]
	for _, r := range remotes {
		if len(r.URLs) > 0 {
			kept = append(kept, r)
		}
	}
	return kept
}

// Rewrite applies url.<base>.insteadOf: the URL that git fetches from.
func (c *Config) Rewrite(url string) string {
	rewritten, _ := c.rewrite(url, "insteadof")
	return rewritten
}

// RewritePush applies url.<base>.pushInsteadOf, else insteadOf: the URL that
// git pushes to where the remote has no pushurl of its own.
func (c *Config) RewritePush(url string) string {
	if rewritten, ok := c.rewrite(url, "pushinsteadof"); ok {
		return rewritten
	}
	return c.Rewrite(url)
}

// rewrite replaces the longest prefix; of equal ones the first counts.
func (c *Config) rewrite(url, name string) (string, bool) {
	base, prefix, found := "", "", false
	for _, e := range c.Entries() {
		section, subsection, key := e.Split()
		if section != "url" || key != name || subsection == "" || e.Bare {
			continue
		}
		if strings.HasPrefix(url, e.Value) && (!found || len(e.Value) > len(prefix)) {
			base, prefix, found = subsection, e.Value, true
		}
	}
	if !found {
		return url, false
	}
	return base + url[len(prefix):], true
}
