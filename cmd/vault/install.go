package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"gitvault/vault"
)

const installVerb = "install"

func installCmd(a *app) *cobra.Command {
	return a.wiring(installVerb+" CLIENT [--project] [--dry-run]", "Wire an agent client up: server, hooks, instructions", `  vault install claude-code              for you, in every project
  vault install codex --project          in this project's files
  vault install cursor --dry-run         show what would change`, (*vault.Home).Install)
}

func uninstallCmd(a *app) *cobra.Command {
	return a.wiring("uninstall CLIENT [--project] [--dry-run]", "Take vault out of an agent client again", `  vault uninstall claude-code
  vault uninstall codex --project --dry-run`, (*vault.Home).Uninstall)
}

type wireFunc = func(*vault.Home, context.Context, vault.Install) (vault.Wired, error)

// wiring makes one of the two verbs.
func (a *app) wiring(use, short, example string, do wireFunc) *cobra.Command {
	var in vault.Install
	c := verb(use, short, example, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o, err := a.options()
		if err != nil {
			return err
		}
		switch a.scope {
		case "", vault.UserScope:
		case vault.ProjectScope:
			in.Project = true
		default:
			return usage("--scope is user or project here")
		}
		in.Client = args[0]
		in.OwnHome = o.Home != filepath.Join(xdg.DataHome, "vault")
		if in.Program, err = program(in.Project); err != nil && c.Name() == installVerb {
			return err
		}
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		done, err := do(h, c.Context(), in)
		if err != nil {
			return err
		}
		a.wired(done)
		return nil
	})
	c.Long = short + ".\n\nThe clients: " + strings.Join(vault.Clients(), ", ") + "."
	c.ValidArgs = vault.Clients()
	c.Flags().BoolVar(&in.Project, "project", false, "in the project's files, instead of your own")
	c.Flags().BoolVarP(&in.DryRun, "dry-run", "n", false, "only show what would change")
	return c
}

// goRun is the path of a program that 'go run' made, and removes again.
var goRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[/\\]go-build\d+[/\\]b\d+[/\\]exe[/\\]`) })

// program is how a client is to start vault. In a project's files, which other
// people and machines share, it is looked for on PATH. In a person's own it is
// an absolute path, since programs with windows often know no shell's PATH: the
// one on PATH if that is this program, which stays when a newer one is
// installed there, else this program's own.
func program(project bool) (string, error) {
	if project {
		return "vault", nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("vault")
	if err == nil {
		found, err = filepath.Abs(found)
	}
	passing := goRun().MatchString(own)
	switch {
	case err == nil && (passing || sameFile(found, own)):
		return found, nil
	case passing:
		return "", &vault.Error{Code: vault.Invalid, Message: "this vault is gone once it ends, so that no client could start it", Hint: "'go install ./cmd/vault' makes one that stays"}
	case !strings.EqualFold(strings.TrimSuffix(strings.ToLower(filepath.Base(own)), ".exe"), "vault"):
		return "", &vault.Error{Code: vault.Invalid, Message: "this program is called " + filepath.Base(own) + ", and in a client's files vault is known by its name", Hint: "call it vault"}
	}
	return own, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// wired prints what became of a client's files.
func (a *app) wired(done vault.Wired) {
	if a.json {
		printJSON(a.stdout, done)
		return
	}
	any := a.wiredFiles(done.Files, done.DryRun)
	if len(done.Files) == 0 {
		a.println("nothing of vault's is there")
	}
	if any && done.DryRun {
		a.note("nothing was written: that is what would change")
	}
	for _, n := range done.Notes {
		a.note(n)
	}
}
