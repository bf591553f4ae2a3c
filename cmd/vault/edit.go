package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
		if flags == 0 {
			return a.editInEditor(c, h, args[0])
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

// editInEditor opens the person's editor on one entry, again and with the
// reason for as long as what is saved can't be taken.
func (a *app) editInEditor(c *cobra.Command, h *vault.Home, id string) error {
	editor := a.getenv("VISUAL")
	if editor == "" {
		editor = a.getenv("EDITOR")
	}
	if editor == "" {
		return &vault.Error{Code: vault.Invalid, Message: "no editor is set", Hint: "set VISUAL or EDITOR, or say what to change with flags such as --body"}
	}
	e, text, err := h.EditorText(c.Context(), a.scope, id)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vault-edit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, e.ID+".md")
	before := []byte(text)
	for problem := ""; ; {
		if problem != "" {
			text = strings.Replace(text, "---\n", "---\n# NOT TAKEN: "+oneLine(problem)+"\n", 1)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		if err := a.runEditor(c, editor, file); err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.Equal(data, before) || problem != "" && string(data) == text {
			a.note("nothing was changed")
			return a.unsaved(problem)
		}
		ed, ok, err := vault.ParseEditorText(string(data))
		if err == nil && !ok {
			a.note("the file is empty: nothing was changed")
			return nil
		}
		if err == nil {
			ed.Scope = a.scope
			ch, editErr := h.Edit(c.Context(), e.ID, ed)
			if editErr == nil {
				a.changes("edited", []vault.Change{ch})
				return nil
			}
			if vault.CodeOf(editErr) != vault.Invalid {
				return editErr
			}
			err = editErr
		}
		problem, text = err.Error(), withoutProblems(string(data))
	}
}

// unsaved ends an edit that was given up on with the reason it was not taken.
func (a *app) unsaved(problem string) error {
	if problem == "" {
		return nil
	}
	return &vault.Error{Code: vault.Invalid, Message: problem}
}

func withoutProblems(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "# NOT TAKEN: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// runEditor runs the editor as git does: a command line with the file added.
func (a *app) runEditor(c *cobra.Command, editor, file string) error {
	words := strings.Fields(editor)
	cmd := exec.CommandContext(c.Context(), words[0], append(words[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stderr, a.stderr
	if err := cmd.Run(); err != nil {
		return &vault.Error{Code: vault.Failed, Message: "the editor " + editor + " failed", Hint: oneLine(err.Error()), Err: err}
	}
	return nil
}
