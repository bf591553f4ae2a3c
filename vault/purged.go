package vault

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
)

// withPurged adds ids to the notice of a vault.yaml, and changes nothing else
// where its list can be told.
func withPurged(data []byte, ids []string) ([]byte, error) {
	m, err := parseManifest(data)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(m.Purged, ids)
	slices.Sort(all)
	all = slices.Compact(all)
	line := "purged: [" + strings.Join(all, ", ") + "]\n"
	var kept []byte
	found := false
	for l := range bytes.Lines(data) {
		if !found && bytes.HasPrefix(l, []byte("purged: [")) && bytes.HasSuffix(bytes.TrimSpace(l), []byte("]")) {
			l, found = []byte(line), true
		}
		kept = append(kept, l...)
	}
	if !found && len(m.Purged) == 0 {
		if len(kept) > 0 && kept[len(kept)-1] != '\n' {
			kept = append(kept, '\n')
		}
		kept = append(kept, line...)
	}
	if again, err := parseManifest(kept); err == nil && slices.Equal(again.Purged, all) {
		return kept, nil
	}
	return purgedByNode(data, all)
}

// purgedByNode is withPurged for a vault.yaml that is written in another way.
func purgedByNode(data []byte, all []string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s is no list of settings", manifestFile)
	}
	top := doc.Content[0]
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, id := range all {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: id})
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == "purged" {
			top.Content[i+1] = list
			return yaml.Marshal(&doc)
		}
	}
	top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "purged"}, list)
	return yaml.Marshal(&doc)
}

// isPurged is a test for ids that a tree's notice names.
func (t *tree) isPurged() func(string) bool {
	ids := t.purged()
	if len(ids) == 0 {
		return nil
	}
	return func(id string) bool { return slices.Contains(ids, id) }
}

// purged lists the ids that a tree's notice names; one that can't be read
// names none.
func (t *tree) purged() []string {
	f, ok := t.files[manifestFile]
	if !ok {
		return nil
	}
	data, err := f.bytes()
	if err != nil {
		return nil
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil
	}
	return m.Purged
}

// savedPurged gives the files in which a person saved a text that names an entry of
// the tree's notice.
func (t *tree) savedPurged(saved map[string][]byte) map[string]bool {
	out := map[string]bool{}
	if len(saved) == 0 {
		return out
	}
	for _, id := range t.purged() {
		for p, data := range saved {
			if bytes.Contains(data, []byte(id)) {
				out[p] = true
			}
		}
	}
	return out
}

// purgedIn is a test for ids that the notice of any of the commits names.
func purgedIn(r *gitstore.Repo, commits ...gitstore.Hash) (func(string) bool, error) {
	ids := map[string]bool{}
	for _, c := range commits {
		if c.IsZero() {
			continue
		}
		m, _, err := manifestAt(r, c)
		if err != nil {
			return nil, err
		}
		for _, id := range m.Purged {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return func(id string) bool { return ids[id] }, nil
}

// dropPurged takes purged entries out again that came back by some way around
// the merges that vault makes, such as a pull by plain git.
func (t *txn) dropPurged() error {
	var back []located
	for _, id := range t.tree.purged() {
		if !entryfile.ValidID(id) {
			continue
		}
		found, err := t.tree.find(id)
		if err != nil {
			return t.scope.fail(err)
		}
		back = append(back, found...)
	}
	if len(back) == 0 {
		return nil
	}
	for _, l := range back {
		if err := t.remove(l); err != nil {
			return err
		}
		t.scope.home.notice("entry " + l.ID + ", which was purged, had come back by git and is taken out again; 'vault purge " + l.ID + "' takes it out of the history too")
	}
	_, err := t.commit(message{op: "purge", title: countEntries(len(back)), source: sourceVault}, nil)
	return err
}

// purgedOnDisk is a test for ids that the notice of a scope's folder names.
func purgedOnDisk(dir string) func(string) bool {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil
	}
	return (&tree{files: map[string]*file{manifestFile: textFile(manifestFile, data)}}).isPurged()
}
