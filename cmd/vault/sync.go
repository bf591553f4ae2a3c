package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gitvault/internal/safetext"
	"gitvault/vault"
)

func syncCmd(a *app) *cobra.Command {
	var remote string
	var soon bool
	c := verb("sync [--remote NAME] [--soon]", "Fetch, merge by entry, and push", `  vault sync
  vault sync --scope user --remote backup`, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		bar := a.progress()
		o, err := a.options()
		if err != nil {
			return err
		}
		o.Progress, o.Changed = bar.show, nil // it syncs what it changes
		h, err := vault.Open(o)
		if err != nil {
			return err
		}
		if soon {
			_, err := h.SyncSoon(c.Context(), orScope(a.scope))
			return err
		}
		q := vault.SyncQuery{Scope: a.scope, Remote: remote, Purge: a.yes, Take: a.yes}
		done, err := h.Sync(c.Context(), q)
		bar.clear()
		var news *vault.SharedUpdate
		if errors.As(err, &news) && a.inTerminal {
			for _, ch := range news.Changes {
				a.texts(ch, around)
			}
			var ok bool
			if ok, err = a.agreed(news.Error()+". Take it?", "nothing is taken"); err != nil || !ok {
				return err
			}
			q.Take = true
			done, err = h.Sync(c.Context(), q)
			bar.clear()
		}
		var purged *vault.PurgedThere
		if errors.As(err, &purged) && a.inTerminal {
			var ok bool
			if ok, err = a.agreed(purged.Error()+". Purge them here, too?", "nothing is purged or synced"); err != nil || !ok {
				return err
			}
			q.Purge = true
			done, err = h.Sync(c.Context(), q)
			bar.clear()
		}
		if a.json && len(done) > 0 {
			printJSON(a.stdout, map[string]any{"synced": done})
			return err
		}
		for _, d := range done {
			a.println(a.syncedLine(d))
		}
		return err
	})
	c.Flags().StringVar(&remote, "remote", "", "only this remote, by its `NAME`")
	c.Flags().BoolVar(&soon, "soon", false, "when the scope has been quiet for a moment, once for all who ask")
	return c
}

// orScope is the scope that is meant where none is named.
func orScope(name string) string {
	if name == "" {
		return vault.ProjectScope
	}
	return name
}

func (a *app) syncedLine(d vault.Synced) string {
	line := safetext.Line(d.Scope) + " ↔ " + safetext.Line(d.Remote) + " (" + safetext.Line(d.Branch) + "): "
	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{
		{d.Received, "%d commits received"}, {d.Added, "%d entries added"}, {d.Edited, "%d edited"}, {d.Forgotten, "%d forgotten"},
		{d.Sent, "%d commits sent"}, {d.Conflicts, "%d kept beside one another: see 'vault settle'"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.text, p.n))
		}
	}
	switch {
	case d.Error != "" && len(parts) == 0:
		return line + a.paint(red, "failed")
	case d.Error != "":
		parts = append(parts, a.paint(red, "not finished"))
	case len(parts) == 0:
		parts = append(parts, "nothing new")
	}
	return line + strings.Join(parts, ", ")
}

// remoteLine tells how a scope and a remote stand, as far as it is known here.
func (a *app) remoteLine(m vault.Remote) string {
	line := safetext.Line(m.Name) + "  " + safetext.Line(m.URL)
	if m.Branch != "" {
		line += fmt.Sprintf(" (%s)  %d ahead, %d behind", safetext.Line(m.Branch), m.Ahead, m.Behind)
	}
	if m.LastSync != nil {
		line += a.paint(dim, "  synced "+m.LastSync.Local().Format(time.DateTime))
	} else {
		line += a.paint(dim, "  never synced")
	}
	if m.LastError != "" {
		line += "  " + a.paint(red, "last try: "+safetext.Line(m.LastError))
	}
	return line
}
