package importers

import "gitvault/internal/entryfile"

// keep puts what an entry has no key for into an extra one.
func keep(e *entryfile.Entry, key, value string) {
	if value = oneLine(value); value != "" {
		e.Extra = append(e.Extra, entryfile.TextField(key, value))
	}
}
