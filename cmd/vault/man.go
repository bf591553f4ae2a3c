package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The pages are written here, and not by cobra's own package for it, whose
// Markdown reader costs every command a tenth of its start.

func manCmd(a *app) *cobra.Command {
	var dir string
	c := verb("man [VERB] [--dir DIR]", "Print a manual page, or write all of them", `  vault man remember | man -l -
  vault man --dir ~/.local/share/man/man1`, cobra.MaximumNArgs(2), func(c *cobra.Command, args []string) error {
		root := c.Root()
		if dir != "" {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(a.dir, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			return manTree(root, dir)
		}
		page, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return usage("unknown command %q", joined(args))
		}
		_, err = io.WriteString(a.stdout, manPage(page))
		return err
	})
	c.Flags().StringVar(&dir, "dir", "", "write the pages of all verbs into `DIR`")
	return c
}

// manTree writes the page of a command and of all below it.
func manTree(c *cobra.Command, dir string) error {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(manPage(c)), 0o600); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			if err := manTree(sub, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// manPage is a command's manual page, in roff.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	title := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" vault vault\n", roff(strings.ToUpper(title)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(title), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", roff(c.UseLine()))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + literal(c.Long))
	}
	options := func(name string, flags *pflag.FlagSet) {
		if flags.HasAvailableFlags() {
			b.WriteString(".SH " + name + "\n")
			flags.VisitAll(func(f *pflag.Flag) { b.WriteString(manFlag(f)) })
		}
	}
	options("OPTIONS", c.NonInheritedFlags())
	options("OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + literal(c.Example))
	}
	var also []string
	if p := c.Parent(); p != nil {
		also = append(also, p.CommandPath())
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			also = append(also, sub.CommandPath())
		}
	}
	for i, name := range also {
		also[i] = "\\fB" + roff(strings.ReplaceAll(name, " ", "-")) + "\\fR(1)"
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ", ") + "\n")
	}
	return b.String()
}

func manFlag(f *pflag.Flag) string {
	value, use := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		value = " " + value
	}
	return fmt.Sprintf(".TP\n\\fB%s\\fR%s\n%s\n", roff(name), roff(value), roff(use))
}

// literal is text that is shown line by line, as it is.
func literal(s string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	return b.String() + ".fi\n"
}

// roff takes the meaning from what roff would act on.
func roff(s string) string {
	s = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = "\\&" + s
	}
	return s
}
