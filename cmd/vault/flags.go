package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

// A kindFlag is a flag that names a kind of entries, however it is spelt.
type kindFlag struct{ kind *vault.Kind }

func (f kindFlag) String() string {
	if f.kind == nil {
		return ""
	}
	return string(*f.kind)
}

func (f kindFlag) Type() string { return "KIND" }

func (f kindFlag) Set(s string) error {
	k, err := vault.ParseKind(s)
	if err == nil {
		*f.kind = k
	}
	return err
}

// addKindFlag gives a verb its --kind, with completion.
func addKindFlag(c *cobra.Command, kind *vault.Kind, help string) {
	c.Flags().VarP(kindFlag{kind}, "kind", "k", help)
	var names []string
	for _, k := range vault.Kinds() {
		names = append(names, string(k))
	}
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// checkGlobals refuses a flag that a script gave no value: where memory goes,
// and who writes it, is not to be guessed.
func checkGlobals(c *cobra.Command, _ []string) error {
	for _, name := range []string{"directory", "home", "scope", "agent"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return &vault.Error{Code: vault.Invalid, Message: fmt.Sprintf("--%s is empty", name), Hint: "give it a value, or leave it out"}
		}
	}
	return nil
}
