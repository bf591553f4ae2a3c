// Package exporters writes entries in other systems' ways of keeping memories.
// It only makes bytes; where they go is the caller's to say. The same entries
// give the same bytes on every machine.
//
// What a format has no place for is left out of it and counted, never forced
// into text that its readers would take for the memory itself.
package exporters

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
)

// An Item is an entry to be exported, with what its scope knows about it.
type Item struct {
	entryfile.Entry
	Scope        string              // importers.User, or the key of its project
	Dir          string              // the scope as the name of a folder, safe on every file system
	Remote       string              // the URL of its project's remote as it is written, "" for none
	SupersededBy []string            // ids of current entries that name it
	Expired      bool                // its date has passed
	Proposal     *importers.Proposal // set for a change that waits for a person, of which the entry is the text
}

// closed reports whether the entry is no longer offered as current.
func (it *Item) closed() bool {
	return len(it.SupersededBy) > 0 || it.Expired || it.Status == entryfile.StatusResolved
}

// standing is the entry's status in one word, "" for one that is current.
func (it *Item) standing() string {
	switch {
	case len(it.SupersededBy) > 0:
		return "superseded"
	case it.Status == entryfile.StatusResolved:
		return it.Status
	case it.Expired:
		return "expired"
	}
	return it.Status
}

// text is the entry's body, "" where its title says all.
func (it *Item) text() string {
	if it.Body == it.Title {
		return ""
	}
	return it.Body
}

// A File is one that an export consists of.
type File struct {
	Path string // with slashes, below the export's folder
	Data []byte
}

// A Loss is a field that a format can't hold, and how many entries have it.
type Loss struct {
	Field   string `json:"field"`
	Entries int    `json:"entries"`
}

// A Reason says why entries were left out, and how many.
type Reason struct {
	Reason  string `json:"reason"`
	Entries int    `json:"entries"`
}

// A Result is an export.
type Result struct {
	Files   []File
	Entries int // how many are in it
	Lost    []Loss
	Left    []Reason
}

// A Format is one way of writing entries.
type Format struct {
	Name string
	What string // what it makes, on one line
	File string // the name of its only file; "" for a format that is a folder

	marks bool               // changes that count already and were not looked at yet are marked in it
	holds string             // the fields it has a place for, with spaces between
	takes func(*Item) string // why an item is left out, "" for one that is not
	write func([]Item) ([]File, error)
}

var formats = []Format{
	{"jsonl", "JSON Lines with all there is, to import again", "vault.jsonl", true, allFields, nil, writeJSONL},
	{"codewhale", "CodeWhale: its JSON Lines export", "codewhale.jsonl", false,
		"kind tags created updated session evidence paths code supersedes expires review", takesAdditions, writeCodewhale},
	{"adr", "decisions as architecture decision records (MADR), a folder", "", false,
		"kind description tags created updated supersedes review status", takesDecisions, writeADR},
	{"agents-md", "AGENTS.md: what is current, for agents to read", "AGENTS.md", false, "", takesCurrent, writeAgentsMD},
	{"obsidian", "a folder of notes with properties and links, for Obsidian", "", false, "id " + allFields, takesAdditions, writeObsidian},
	{"mcp-memory", "the MCP reference memory server: its JSON Lines graph", "memory.jsonl", false,
		"kind description tags created status outcome supersedes derived_from", takesReviewed, writeMCPMemory},
	{"html", "a site of pages to open from disk, a folder", "", true, allFields, nil, writeHTML},
}

// Formats lists the formats in the order people read about them.
func Formats() []Format { return slices.Clone(formats) }

// Write writes items in a format. They come in the order in which they are to
// be read; an id is unique within a scope, but for changes that wait.
func Write(format string, items []Item) (Result, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == format })
	if i < 0 {
		return Result{}, fmt.Errorf("unknown format %q", format)
	}
	f := formats[i]
	var out Result
	var taken []Item
	left := map[string]int{}
	for _, it := range items {
		why := ""
		switch {
		case it.Proposal != nil && it.Proposal.Applied && !f.marks:
			why = "marks of changes that count already and were not looked at yet"
		case f.takes != nil:
			why = f.takes(&it)
		}
		if why != "" {
			left[why]++
			continue
		}
		taken = append(taken, it)
	}
	for _, why := range sortedKeys(left) {
		out.Left = append(out.Left, Reason{why, left[why]})
	}
	out.Entries = len(taken)
	out.Lost = losses(taken, strings.Fields(f.holds))
	var err error
	out.Files, err = f.write(taken)
	return out, err
}

const allFields = "id kind description tags pinned created updated source session evidence paths code supersedes status outcome expires derived_from conflict extra review"

// losses counts the fields that items have and a format does not hold.
func losses(items []Item, holds []string) []Loss {
	count := map[string]int{}
	for i := range items {
		for _, name := range fieldsOf(&items[i]) {
			if !slices.Contains(holds, name) {
				count[name]++
			}
		}
	}
	var out []Loss
	for _, name := range sortedKeys(count) {
		out = append(out, Loss{name, count[name]})
	}
	return out
}

// fieldsOf names the fields that an item has, but for title and body, which
// every format holds.
func fieldsOf(it *Item) []string {
	out := []string{"id", "kind"}
	add := func(name string, has bool) {
		if has {
			out = append(out, name)
		}
	}
	add("description", it.Description != "")
	add("tags", len(it.Tags) > 0)
	add("pinned", it.Pinned)
	add("created", it.Created != "")
	add("updated", it.Updated != "")
	add("source", it.Source != "")
	add("session", it.Session != "")
	add("evidence", it.Evidence != "")
	add("paths", len(it.Paths) > 0)
	add("code", it.Code != "")
	add("supersedes", len(it.Supersedes) > 0)
	add("status", it.Status == entryfile.StatusResolved)
	add("outcome", it.Outcome != "")
	add("expires", it.Expires != "")
	add("derived_from", len(it.DerivedFrom) > 0)
	add("conflict", it.Conflict != "")
	add("extra", len(it.Extra) > 0)
	add("review", it.Proposal != nil)
	return out
}

const unsettled = "other versions of an entry, not settled yet"

// takesAdditions leaves out changes that make no sense without what they
// change, and what would come back as current though it is not.
func takesAdditions(it *Item) string {
	if it.Conflict != "" {
		return unsettled
	}
	if it.Proposal != nil && it.Proposal.Op != entryfile.OpAdd {
		return "changes of entries that wait for review"
	}
	return ""
}

// takesReviewed leaves out what no person has seen, for formats whose readers
// are agents.
func takesReviewed(it *Item) string {
	switch {
	case it.Proposal != nil:
		return "not reviewed yet"
	case it.Conflict != "":
		return unsettled
	}
	return ""
}

func takesDecisions(it *Item) string {
	if it.Kind != entryfile.Decision {
		return "entries of other kinds than decisions"
	}
	return takesAdditions(it)
}

// takesCurrent takes what an agent is to go by now.
func takesCurrent(it *Item) string {
	switch {
	case it.Proposal != nil:
		return "not reviewed yet"
	case it.Kind == entryfile.SessionTrace:
		return "session traces"
	case it.Conflict != "":
		return unsettled
	case it.closed():
		return "superseded, expired and resolved entries"
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Order puts items in the order of an export: by scope as they come, then kind,
// date and id; what waits for a person is last in its scope.
func Order(items []Item) {
	place := map[entryfile.Kind]int{}
	for i, k := range entryfile.Kinds() {
		place[k] = i
	}
	scopes := map[string]int{}
	for _, it := range items {
		if _, known := scopes[it.Scope]; !known {
			scopes[it.Scope] = len(scopes)
		}
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		if a.Proposal != nil && b.Proposal != nil {
			return cmp.Or(cmp.Compare(scopes[a.Scope], scopes[b.Scope]), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Proposal.ID, b.Proposal.ID))
		}
		return cmp.Or(cmp.Compare(scopes[a.Scope], scopes[b.Scope]), cmp.Compare(waits(a), waits(b)),
			cmp.Compare(place[a.Kind], place[b.Kind]), cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
}

func waits(it Item) int {
	if it.Proposal != nil {
		return 1
	}
	return 0
}
