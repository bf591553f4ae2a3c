package entryfile

import "gitvault/templates"

// Skeleton is what a new ledger of the kind begins with; "" for a kind whose
// entries are files.
func Skeleton(k Kind) string {
	if !k.IsLedger() {
		return ""
	}
	return string(templates.Skeleton(k.Ledger()))
}
