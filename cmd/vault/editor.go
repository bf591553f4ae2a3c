package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gitvault/vault"
)

// editInEditor opens the person's editor on one entry, or on what a card
// proposes. On a terminal it opens again, with the reason, for as long as what
// is saved can't be taken; what is not taken in the end stays in its file. The
// change is nil where none was made.
func (a *app) editInEditor(c *cobra.Command, h *vault.Home, scope, id string) (*vault.Change, error) {
	editor, err := a.editor()
	if err != nil {
		return nil, err
	}
	e, text, err := h.EditorText(c.Context(), scope, id)
	if err != nil {
		return nil, err
	}
	was, _, err := vault.ParseEditorText(text)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "vault-edit-")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, e.ID+".md")
	for before := text; ; {
		if err := writeAnew(file, text); err != nil {
			return nil, a.unsaved(file, before, err)
		}
		if err := a.runEditor(c, editor, file); err != nil {
			return nil, a.unsaved(file, before, err)
		}
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			a.note("the editor left no file: nothing was changed")
			return nil, os.RemoveAll(dir)
		}
		if err != nil {
			return nil, a.unsaved(file, before, err)
		}
		saved := withoutProblems(string(data))
		if saved == before {
			a.note("nothing was changed")
			return nil, os.RemoveAll(dir)
		}
		ed, ok, problem := vault.ParseEditorText(saved)
		if problem == nil && !ok {
			a.note("the file is empty: nothing was changed")
			return nil, os.RemoveAll(dir)
		}
		if problem == nil {
			ed = ed.Since(was)
			ed.Scope = scope
			ch, err := h.Edit(c.Context(), id, ed)
			if err == nil {
				return &ch, os.RemoveAll(dir)
			}
			problem = err
			if !a.canMend(c, h, scope, id, err) {
				return nil, a.unsaved(file, before, err)
			}
		}
		if !a.inTerminal || string(data) == text {
			if vault.CodeOf(problem) == vault.Failed {
				problem = &vault.Error{Code: vault.Invalid, Message: problem.Error(), Err: problem}
			}
			return nil, a.unsaved(file, before, problem)
		}
		if p := (*vault.EditorProblem)(nil); errors.As(problem, &p) && strings.HasPrefix(saved, "---\n") {
			p.Line++ // by the line that says so
		}
		text = strings.Replace(saved, "---\n", "---\n"+problemMark+oneLine(problem.Error())+"\n", 1)
		if text == saved {
			text = problemMark + oneLine(problem.Error()) + "\n" + saved
		}
	}
}

// writeAnew writes a file so that what it held is there until it is written.
func writeAnew(file, text string) error {
	next := file + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// canMend reports whether a text that was not taken can be mended in the editor:
// it says something wrong, names what is not there, or holds a secret; and the
// entry it is of is still there.
func (a *app) canMend(c *cobra.Command, h *vault.Home, scope, id string, err error) bool {
	switch vault.CodeOf(err) {
	case vault.Invalid, vault.NotFound, vault.Refused:
		_, _, gone := h.EditorText(c.Context(), scope, id)
		return gone == nil
	}
	return false
}

// editor is the person's editor.
func (a *app) editor() (string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := strings.TrimSpace(a.getenv(name)); editor != "" {
			return editor, nil
		}
	}
	return "", &vault.Error{Code: vault.Invalid, Message: "no editor is set", Hint: "set VISUAL or EDITOR, or say what to change with flags such as --body"}
}

// problemMark begins the line that says why a text was not taken.
const problemMark = "# NOT TAKEN: "

func withoutProblems(text string) string {
	if !strings.Contains(text, problemMark) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, problemMark) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// unsaved ends an edit that was not taken, and says where its text is, if
// there is any that the entry does not have.
func (a *app) unsaved(file, before string, reason error) error {
	data, err := os.ReadFile(file)
	if err == nil && withoutProblems(string(data)) == before {
		_ = os.RemoveAll(filepath.Dir(file))
		return reason
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); err != nil && len(left) == 0 {
		_ = os.Remove(filepath.Dir(file))
		return reason
	}
	return &vault.Error{Code: vault.CodeOf(reason), Message: reason.Error(), Hint: "your text is in " + file, Err: reason}
}

// runEditor runs the editor as git does: a command line, given to the shell
// where it is more than words, with the file added.
func (a *app) runEditor(c *cobra.Command, editor, file string) error {
	words := strings.Fields(editor)
	if strings.ContainsAny(editor, "|&;<>()$`\\\"'*?[#~=%") {
		if sh, err := exec.LookPath("sh"); err == nil {
			words = []string{sh, "-c", editor + ` "$@"`, editor}
		}
	}
	cmd := exec.CommandContext(c.Context(), words[0], append(words[1:], file)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = a.dir, a.stdin, a.stderr, a.stderr
	if err := cmd.Run(); err != nil {
		return &vault.Error{Code: vault.Failed, Message: "the editor " + editor + " failed", Hint: oneLine(err.Error()), Err: err}
	}
	return nil
}
