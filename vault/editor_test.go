package vault_test

import (
	"testing"

	"gitvault/vault"
)

func TestMistakesInTheEditorAreSaidInItsWords(t *testing.T) {
	for fields, want := range map[string]string{
		"titel: X":                          `line 3: there is no field "titel": use title, description, tags, pinned, paths, evidence, supersedes and expires`,
		"title: X\npinned: now":             `line 4: "now" stands where true or false belongs`,
		"title: X\ntags: {a: b\npinned: no": "line 4: did not find expected ',' or '}'",
		"title: \"X\npinned: true":          "line 3: found unexpected end of stream",
		"pinned: true\ntitle: X: Y":         "line 4: mapping values are not allowed in this context",
		"title: X\nbla bla\ntags:\n- a":     "line 4: \"bla bla\" stands where a field such as title: TEXT belongs",
		"title: X\npinned: true\ntitle: Y":  "line 5: mapping key \"title\" already defined at line 2",
	} {
		_, _, err := vault.ParseEditorText("---\n# a comment\n" + fields + "\n---\n\nText.\n")
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", fields, err)
		}
	}
}
