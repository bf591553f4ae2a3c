package vault_test

import (
	"testing"

	"gitvault/vault"
)

func TestMistakesInTheEditorAreSaidInItsWords(t *testing.T) {
	for fields, want := range map[string]string{
		"titel: X":    `there is no field "titel": use title, description, tags, pinned, paths, evidence, supersedes and expires`,
		"pinned: now": `"now" stands where true or false belongs`,
		"tags: {a: b": "did not find expected ',' or '}'",
	} {
		_, _, err := vault.ParseEditorText("---\n# a comment\n" + fields + "\n---\n\nText.\n")
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", fields, err)
		}
	}
}
