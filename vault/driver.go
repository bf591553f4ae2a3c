package vault

import (
	"context"

	"gitvault/gitstore"
)

// mergesByEntry reports whether plain git merges the scope by entry: a clone
// that plain git made has no driver for that.
func (s *Scope) mergesByEntry() bool {
	cfg, err := s.gitConfig()
	if err != nil {
		return true // which is said elsewhere
	}
	driver, _ := cfg.Get("merge.vault.driver")
	return driver != ""
}

// setUpDriver has plain git merge the scope by entry.
func (s *Scope) setUpDriver(ctx context.Context) error {
	if s.mergesByEntry() {
		return nil
	}
	return s.editGitConfig(ctx, func(c []byte) []byte {
		if len(c) > 0 && c[len(c)-1] != '\n' {
			c = append(c, '\n')
		}
		return append(c, gitstore.DriverSection...)
	})
}
