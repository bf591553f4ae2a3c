package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

func editCmd(a *app) *cobra.Command {
	var title, description, body, evidence, expires string
	var tags, paths, supersedes []string
	var pin bool
	c := verb("edit ID [flags]", "Change an entry; without flags, in your editor", `  vault edit gk2m9xqd
  vault edit gk2m9xqd --title "Queue in Postgres" --pin
  vault edit gk2m9xqd --body - < body.md`, cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		h, err := a.open()
		if err != nil {
			return err
		}
		ed := vault.Edit{}
		flags := 0
		set := func(name string, do func()) {
			if c.Flags().Changed(name) {
				flags++
				do()
			}
		}
		set("title", func() { ed.Title = &title })
		set("description", func() { ed.Description = &description })
		set("body", func() { ed.Text = &body })
		set("tag", func() { ed.Tags = nonEmpty(tags) })
		set("pin", func() { ed.Pin = &pin })
		set("path", func() { ed.Paths = nonEmpty(paths) })
		set("evidence", func() { ed.Evidence = &evidence })
		set("supersedes", func() { ed.Supersedes = nonEmpty(supersedes) })
		set("expires", func() { ed.Expires = &expires })
		if ed.Text != nil {
			if body, err = a.text(body); err != nil {
				return err
			}
		}
		if flags == 0 && len(a.allow) == 0 {
			ch, err := a.editInEditor(c, h, a.scope, args[0])
			if ch != nil {
				a.changes("edited", []vault.Change{*ch})
			}
			return err
		}
		ed.Scope = a.scope
		ch, err := h.Edit(c.Context(), args[0], ed)
		if err != nil {
			return err
		}
		a.changes("edited", []vault.Change{ch})
		return nil
	})
	f := c.Flags()
	f.StringVarP(&title, "title", "t", "", "the title")
	f.StringVarP(&description, "description", "d", "", "one line for the index; empty takes it away")
	f.StringVarP(&body, "body", "b", "", "the body `TEXT`, or - for standard input")
	f.StringArrayVar(&tags, "tag", nil, "a `TAG`, in place of all there are; may be repeated; empty takes them away")
	f.BoolVar(&pin, "pin", false, "put the whole text into every context (--pin=false: no longer)")
	f.StringArrayVar(&paths, "path", nil, "a workspace `FILE`, in place of all there are; may be repeated")
	f.StringVar(&evidence, "evidence", "", "a short quote or link it rests on")
	f.StringArrayVar(&supersedes, "supersedes", nil, "an `ID` that this replaces, in place of all there are; may be repeated")
	f.StringVar(&expires, "expires", "", "a `DATE` after which it is no longer offered; empty takes it away")
	return c
}

// nonEmpty lets an empty value stand for an empty list.
func nonEmpty(list []string) *[]string {
	out := []string{}
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return &out
}
