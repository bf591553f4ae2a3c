package secrets

import (
	"slices"
	"sync"
)

// The rules that are no shapes of tokens.
const (
	rulePrivateKey  = "private-key"
	ruleURLPassword = "url-password"
	ruleCurlUser    = "curl-user"
	rulePassword    = "password"
	ruleGeneric     = "generic-api-key"
)

// Rules returns the names of all rules, sorted: what a person may name to
// override a finding.
func Rules() []string { return slices.Clone(ruleNames()) }

var ruleNames = sync.OnceValue(func() []string {
	names := []string{rulePrivateKey, ruleURLPassword, ruleCurlUser, rulePassword, ruleGeneric}
	for i := range shapes {
		names = append(names, shapes[i].rule)
	}
	for i := range infixes {
		names = append(names, infixes[i].rule)
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// IsRule reports whether a rule of that name exists.
func IsRule(name string) bool {
	_, found := slices.BinarySearch(ruleNames(), name)
	return found
}
