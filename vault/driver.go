package vault

import (
	"context"
	"strings"

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
	return s.addDriver(ctx)
}

// isOurDriver reports whether a merge driver is vault, wherever its program is.
func isOurDriver(command string) bool {
	return strings.HasSuffix(command, " merge-file %O %A %B %L %P")
}

// addDriver writes vault's merge driver behind whatever the configuration
// says: the last word counts.
func (s *Scope) addDriver(ctx context.Context) error {
	return s.editGitConfig(ctx, func(c []byte) []byte {
		if len(c) > 0 && c[len(c)-1] != '\n' {
			c = append(c, '\n')
		}
		return append(c, gitstore.DriverSection...)
	})
}
