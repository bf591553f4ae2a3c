package importers

import (
	"encoding/json"
	"strings"

	"gitvault/internal/entryfile"
)

// keep puts what an entry has no key for into an extra one.
func keep(e *entryfile.Entry, key, value string) {
	if value = oneLine(value); value != "" {
		e.Extra = append(e.Extra, entryfile.Field{Key: key, Value: yamlText(value)})
	}
}

// yamlText writes a text as YAML on one line: plain where that reads back as
// the same text.
func yamlText(s string) string {
	plain := s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z') &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./-") == ""
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		plain = false
	}
	if plain {
		return s
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(quoted)
}
