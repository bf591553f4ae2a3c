package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

func mergeFileCmd(a *app) *cobra.Command {
	c := verb("merge-file BASE OURS THEIRS [SIZE] PATH", "Merge one file by entry, as git's merge driver", `  vault merge-file %O %A %B %L %P`,
		cobra.RangeArgs(4, 5), func(_ *cobra.Command, args []string) error {
			at := func(p string) string {
				if filepath.IsAbs(p) {
					return p
				}
				return filepath.Join(a.dir, p)
			}
			return vault.MergeFile(at(args[0]), at(args[1]), at(args[2]), args[len(args)-1], a.dir)
		})
	c.Hidden = true
	return c
}
