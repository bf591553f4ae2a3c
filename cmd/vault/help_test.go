package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// Help is useful alone: every verb says what it does, how it is used, and shows
// it once.
func TestEveryVerbIsExplained(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				require.NotEmpty(t, sub.Short, sub.CommandPath())
				require.False(t, strings.HasSuffix(sub.Short, "."), sub.CommandPath())
				if sub.Runnable() {
					require.Contains(t, sub.Example, "vault", sub.CommandPath())
				}
			}
			visit(sub)
		}
	}
	root := (&app{}).command()
	visit(root)
	for _, c := range root.Commands() {
		require.NotEmpty(t, c.GroupID, c.CommandPath())
	}
}
