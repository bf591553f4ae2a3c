package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

func versionCmd(a *app) *cobra.Command {
	return verb("version", "Print the version", `  vault version`, cobra.NoArgs, func(*cobra.Command, []string) error {
		v := version()
		if a.json {
			printJSON(a.stdout, map[string]any{"version": v, "go": runtime.Version(), "format": vault.FormatVersion})
			return nil
		}
		a.println("vault ", v)
		return nil
	})
}

// version is the program's version, as far as it was built with one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func completionCmd(a *app) *cobra.Command {
	c := verb("completion bash|zsh|fish|powershell", "Print a shell's completion script", `  vault completion bash > /etc/bash_completion.d/vault
  source <(vault completion zsh)`, cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), func(c *cobra.Command, args []string) error {
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(a.stdout, true)
		case "zsh":
			return root.GenZshCompletion(a.stdout)
		case "fish":
			return root.GenFishCompletion(a.stdout, true)
		}
		return root.GenPowerShellCompletionWithDesc(a.stdout)
	})
	c.ValidArgs = []string{"bash", "zsh", "fish", "powershell"}
	return c
}
