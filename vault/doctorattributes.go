package vault

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

const attributesFile = ".gitattributes"

// attributes looks whether git leaves the scope's files as they are and merges
// them by entry.
func (d *doctor) attributes(ctx context.Context) {
	s := d.scope
	path := filepath.Join(s.dir, attributesFile)
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return // files tells of it
	}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return // permissions have been looked at
	}
	missing := missingAttributes(string(data))
	if len(missing) > 0 {
		d.mend(trouble("attributes", SeverityWarning, attributesFile, "it lacks \"%s\": plain git may convert this scope's files, or merge them by line", strings.Join(missing, `", "`)),
			"put what 'vault init' writes above what stands there", func() (string, error) {
				return "", s.write(ctx, func(t *txn) error { return t.addAttributes() })
			})
	}
	for i, line := range strings.Split(string(data), "\n") {
		if overrides(line) {
			t := trouble("attributes", SeverityWarning, attributesFile, "%q keeps git from merging this scope by entry: take it out in an editor", strings.TrimSpace(line))
			t.Line = i + 1
			d.add(t)
		}
	}
}

// missingAttributes lists the lines of a new scope's attributes that a text
// does not have.
func missingAttributes(text string) []string {
	have := map[string]bool{}
	for line := range strings.Lines(text) {
		have[strings.Join(strings.Fields(line), " ")] = true
	}
	var out []string
	for line := range strings.Lines(gitAttributes) {
		if line = strings.TrimSpace(line); !have[line] {
			out = append(out, line)
		}
	}
	return out
}

// overrides reports whether a line has git merge the authored files in another
// way.
func overrides(line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
		return false
	}
	switch name := strings.TrimPrefix(fields[0], "/"); {
	case name == "*", name == "*.md", name == manifestFile:
	case strings.HasSuffix(name, ".md") && !isForeign(name):
	default:
		return false
	}
	for _, f := range fields[1:] {
		if f == "-merge" || f == "!merge" || f == "merge" || f == "binary" || strings.HasPrefix(f, "merge=") && f != "merge=vault" {
			return true
		}
	}
	return false
}

// addAttributes puts the lines that are missing above a person's own, which
// have the last word as they have in a new scope.
func (t *txn) addAttributes() error {
	var before []byte
	if f, ok := t.tree.files[attributesFile]; ok {
		data, err := f.bytes()
		if err != nil {
			return t.scope.fail(err)
		}
		before = data
	}
	missing := missingAttributes(string(before))
	if len(missing) == 0 {
		return nil
	}
	data := append([]byte(strings.Join(missing, "\n")+"\n"), before...)
	t.tree.files[attributesFile] = textFile(attributesFile, data)
	t.mark(attributesFile)
	_, err := t.commit(message{op: "adopt", title: attributesFile, source: sourcePerson}, nil)
	return err
}
