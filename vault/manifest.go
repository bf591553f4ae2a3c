package vault

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FormatVersion is the version of the format on disk that this code writes.
const FormatVersion = 1

const manifestFile = "vault.yaml"

// manifest is a scope's vault.yaml: what the scope is, wherever it is cloned.
type manifest struct {
	Format     int        `yaml:"format"`
	Name       string     `yaml:"name"`
	Identities []string   `yaml:"identities"` // projects it has served
	Review     tightening `yaml:"review"`     // may only tighten the person's
	Purged     []string   `yaml:"purged"`     // ids of entries that must not come back
}

func parseManifest(data []byte) (manifest, error) {
	var m manifest
	if err := yaml.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s can't be read, and nothing was changed: %s", manifestFile, yamlProblem(err))
	}
	if m.Format > FormatVersion {
		return m, fmt.Errorf("it has format %d and this vault knows up to %d: install a newer vault; nothing was changed", m.Format, FormatVersion)
	}
	return m, nil
}

func newManifest(name string) []byte {
	var b strings.Builder
	b.WriteString("# This folder is a vault: memory as Markdown in git. Its entries are in the .md files.\n")
	fmt.Fprintf(&b, "format: %d\n", FormatVersion)
	enc, err := yaml.Marshal(map[string]string{"name": name})
	if err != nil {
		enc = []byte("name: \"\"\n")
	}
	b.Write(enc)
	return []byte(b.String())
}

// gitAttributes keeps git from converting what is in a scope, and has it merge
// the authored files by entry.
const gitAttributes = `* -text -filter -ident
*.md merge=vault
vault.yaml merge=vault
`
