package exporters

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
	"gitvault/internal/safetext"
)

// The site is pages that need nothing but a browser: no scripts, no network,
// links that work from disk, and every text shown as text.

//go:embed pages/pages.html
var pagesHTML string

var pages = sync.OnceValues(func() (*template.Template, error) { return template.New("pages").Parse(pagesHTML) })

type indexPage struct {
	Entries int
	Groups  []pageGroup
}

type pageGroup struct {
	Title string
	Pages []pageLink
}

type pageLink struct {
	Title, Href, Word string
	Closed            bool
}

type entryPage struct {
	Title, Home, Word, Body string
	Facts                   []fact
}

type fact struct {
	Name   string
	Values []factValue
}

type factValue struct{ Text, Href string }

func writeHTML(items []Item) ([]File, error) {
	t, err := pages()
	if err != nil {
		return nil, err
	}
	titles := map[string]*Item{}
	for i := range items {
		if it := &items[i]; it.Proposal == nil {
			titles[it.Scope+"/"+it.ID] = it
		}
	}
	index := indexPage{Entries: len(items)}
	out := []File{{Path: "index.html"}}
	for i := range items {
		it := &items[i]
		title := groupTitle(it)
		if n := len(index.Groups); n == 0 || index.Groups[n-1].Title != title {
			index.Groups = append(index.Groups, pageGroup{Title: title})
		}
		g := &index.Groups[len(index.Groups)-1]
		g.Pages = append(g.Pages, pageLink{safetext.Line(it.Title), pagePath(it), wordOf(it), it.closed()})
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, "entry", pageOf(it, titles)); err != nil {
			return nil, err
		}
		out = append(out, File{pagePath(it), b.Bytes()})
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "index", index); err != nil {
		return nil, err
	}
	out[0].Data = b.Bytes()
	return out, nil
}

// pagePath is the path of an item's page: two folders below the site's root.
func pagePath(it *Item) string {
	if it.Proposal != nil {
		return it.Dir + "/review/" + orID(it.Proposal.ID, it.ID) + ".html"
	}
	return it.Dir + "/" + it.Kind.Dir() + "/" + it.ID + ".html"
}

func orID(id, other string) string {
	if id == "" {
		return other
	}
	return id
}

func groupTitle(it *Item) string {
	what := "waiting for review"
	if it.Proposal == nil {
		what = strings.ReplaceAll(it.Kind.Dir(), "_", " ")
	}
	return safetext.Line(it.Scope) + ": " + what
}

// wordOf says what a reader must know before the text.
func wordOf(it *Item) string {
	switch {
	case it.Proposal != nil && it.Proposal.Applied:
		return "counts already, not looked at yet: " + it.Proposal.Op
	case it.Proposal != nil:
		return "waits for review: " + it.Proposal.Op
	case it.Conflict != "":
		return "another version, not settled yet"
	}
	return it.standing()
}

func pageOf(it *Item, titles map[string]*Item) entryPage {
	p := entryPage{Title: safetext.Line(it.Title), Home: "../../index.html", Word: wordOf(it), Body: safetext.Text(it.text())}
	add := func(name string, values ...string) {
		f := fact{Name: safetext.Line(name)}
		for _, v := range values {
			if v != "" {
				f.Values = append(f.Values, factValue{Text: safetext.Line(v)})
			}
		}
		if f.Values != nil {
			p.Facts = append(p.Facts, f)
		}
	}
	refer := func(name string, ids []string) {
		f := fact{Name: name}
		for _, id := range ids {
			v := factValue{Text: safetext.Line(id)}
			if to := titles[it.Scope+"/"+id]; to != nil {
				v = factValue{safetext.Line(to.Title), "../../" + pagePath(to)}
			}
			f.Values = append(f.Values, v)
		}
		if ids != nil {
			p.Facts = append(p.Facts, f)
		}
	}
	add("id", it.ID)
	add("scope", it.Scope)
	add("kind", string(it.Kind))
	add("description", it.Description)
	add("tags", strings.Join(it.Tags, ", "))
	if it.Pinned {
		add("pinned", "yes")
	}
	if it.Kind == entryfile.OpenThread {
		add("status", it.Status)
	}
	add("outcome", it.Outcome)
	add("created", it.Created)
	add("updated", it.Updated)
	add("expires", it.Expires)
	add("source", it.Source)
	add("session", it.Session)
	add("evidence", it.Evidence)
	add("paths", it.Paths...)
	add("code", it.Code)
	refer("supersedes", it.Supersedes)
	refer("superseded by", it.SupersededBy)
	refer("derived from", it.DerivedFrom)
	refer("other version of", nonEmpty(it.Conflict))
	for _, x := range it.Extra {
		add(x.Key, x.Value)
	}
	return p
}
