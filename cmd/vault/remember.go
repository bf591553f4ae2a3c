package main

import (
	"github.com/spf13/cobra"

	"gitvault/vault"
)

func rememberCmd(a *app) *cobra.Command {
	var d vault.Draft
	c := verb("remember [flags] [TEXT]", "Remember one thing, in one commit",
		`  vault remember "Answer in short sentences."
  vault remember --kind decision --title "Queue in Postgres" --tag storage "One system less to run."
  git log -1 --format=%B | vault remember --kind failed-path -`,
		cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
			text, err := a.textOf(c, args)
			if err != nil {
				return err
			}
			d.Text = text
			d.Scope = a.scope
			h, err := a.open()
			if err != nil {
				return err
			}
			ch, err := h.Remember(c.Context(), d)
			if err != nil {
				return err
			}
			if ch.Unchanged {
				a.note("that is remembered already, as " + ch.Entry.ID)
			}
			a.changes("remembered", []vault.Change{ch})
			return nil
		})
	f := c.Flags()
	addKindFlag(c, &d.Kind, "the `KIND`: decision, convention, failed_path, open_thread, preference (default) or session_trace")
	f.StringVarP(&d.Title, "title", "t", "", "the title (default: the text's first sentence)")
	f.StringVarP(&d.Description, "description", "d", "", "one line for the index")
	f.StringArrayVar(&d.Tags, "tag", nil, "a `TAG`; may be repeated")
	f.BoolVar(&d.Pin, "pin", false, "put the whole text into every context")
	f.StringArrayVar(&d.Paths, "path", nil, "a workspace `FILE` it is about; may be repeated")
	f.StringVar(&d.Evidence, "evidence", "", "a short quote or link it rests on")
	f.StringArrayVar(&d.Supersedes, "supersedes", nil, "an `ID` that this replaces; may be repeated")
	f.StringVar(&d.Expires, "expires", "", "a `DATE` (2027-01-31) after which it is no longer offered")
	f.StringVar(&d.Session, "session", "", "the agent session it comes from")
	return c
}
