package workspace

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Match is a project that may be the same as another, and why it seems so.
type Match struct{ Key, Why string }

// Alike lists, of the known projects, those that share id's root commit or
// its name: suggestions for `vault link` where a clone came from a new host or
// a folder moved, never more. The likeliest come first.
func Alike(id Identity, known []string, o Options) []Match {
	sameRoot := map[string]bool{}
	root := ""
	if id.repo != nil {
		rec, _ := o.readRecord(id.repo.CommonDir)
		root, _ = o.cachedRoot(id.repo, rec)
	}
	if root != "" {
		for _, rec := range o.allRecords() {
			if rec.Root == root {
				sameRoot[rec.Key] = true
			}
		}
	}
	name := nameOf(id.Key)
	var alike []Match
	for _, key := range known {
		switch {
		case key == id.Key:
		case sameRoot[key], root != "" && strings.HasSuffix(key, "@"+root[:12]):
			alike = append(alike, Match{key, "same root commit"})
		case name != "" && nameOf(key) == name:
			alike = append(alike, Match{key, "same name"})
		}
	}
	slices.SortStableFunc(alike, func(a, b Match) int {
		return cmp.Or(-compare(a.Why, b.Why), compare(a.Key, b.Key)) // "root" after "name"
	})
	return slices.Compact(alike)
}

// nameOf is what people call a project.
func nameOf(key string) string {
	name := strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	return name
}

func (o Options) allRecords() []record {
	if o.Home == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(o.recordFile("x")), "*.json"))
	var all []record
	for _, file := range files {
		var rec record
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &rec) == nil && rec.Key != "" {
			all = append(all, rec)
		}
	}
	return all
}
