package vault

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
	"gitvault/internal/gitserver"
)

// TestNoSavedTextIsLost mixes a person's saves, commits and checkouts with
// commands, syncs and crashes, in any order, some of them in the midst of a
// command: every text that was ever saved is in the history in the end.
func TestNoSavedTextIsLost(t *testing.T) {
	if !hasGit() {
		t.Skip("there is no git")
	}
	checks, steps := "4", 30
	if *long {
		checks, steps = "300", 60
	}
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	if err := f.Value.Set(checks); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Value.Set(was) }()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "vault-saved-")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		d := newDisorder(t, rt, dir)
		for range steps {
			d.step()
		}
		d.end()
	})
}

// A disorder is two machines that share a scope, and what was saved there.
type disorder struct {
	t    testing.TB
	rt   *rapid.T
	labs []*lab
	a    *lab
	n    int
	log  []string

	must      map[string]bool // words that must be somewhere in the end
	buffers   map[string]string
	clipboard string
	goOn      func() // the second half of a save that has begun
}

func newDisorder(t testing.TB, rt *rapid.T, dir string) *disorder {
	d := &disorder{t: t, rt: rt, must: map[string]bool{}, buffers: map[string]string{}}
	bare := filepath.Join(dir, "remote.git")
	if out, err := d.git(dir, "init", "-q", "--bare", "-b", "main", bare); err != nil {
		rt.Fatalf("%v %s", err, out)
	}
	for i := range 2 {
		l := &lab{base: filepath.Join(dir, fmt.Sprint(i)), seed: uint64(1 + i<<12), now: labTime}
		l.make(t)
		d.labs = append(d.labs, l)
		if i == 0 {
			l.remember(t, Decision, "Queue", "In the database.")
			l.remember(t, Convention, "Errors", "In one line.")
			l.remember(t, Preference, "Short", "Answer in short sentences.")
		}
		if _, err := d.home(l, nil).AddRemote(ctx, NewRemote{Scope: UserScope, URL: bare, Branch: "main"}); err != nil {
			rt.Fatal(err)
		}
		if _, err := d.home(l, nil).Sync(ctx, SyncQuery{Scope: UserScope}); err != nil {
			rt.Fatal(err)
		}
	}
	d.a = d.labs[0]
	return d
}

func (d *disorder) home(l *lab, f fsys.FS) *Home {
	o := l.options()
	l.seed++
	o.fs = f
	o.Dir = l.base // no project: all is the person's
	o.Git, _ = exec.LookPath("git")
	o.Environ = append(gitserver.Environ(l.path("person")), "TMPDIR="+os.TempDir())
	h, err := Open(o)
	if err != nil {
		d.rt.Fatal(err)
	}
	return h
}

func (d *disorder) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, gitserver.Environ(dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// word is one that nothing else holds.
func (d *disorder) word() string {
	d.n++
	return fmt.Sprintf("w%dx", d.n)
}

var wordRx = regexp.MustCompile(`\bw\d+x\b`)

func words(s string) []string { return wordRx.FindAllString(s, -1) }

func (d *disorder) did(format string, args ...any) {
	d.log = append(d.log, fmt.Sprintf(format, args...))
}

func pick[T any](d *disorder, what string, list ...T) T {
	return rapid.SampledFrom(list).Draw(d.rt, what)
}

// step is something that the person or a program does.
func (d *disorder) step() {
	act := pick(d, "act", d.types, d.types, d.typesInto, d.opens, d.savesOld, d.cuts, d.pastes, d.converts, d.edits, d.deletes, d.checksOut, d.commits,
		d.begins)
	switch pick(d, "how", "alone", "alone", "command", "command", "inside", "inside", "crash", "other") {
	case "alone":
		d.finishSave()
		act()
	case "command":
		d.command(d.a, nil)
	case "inside":
		d.command(d.a, faultfs.New(fsys.OS{}, faultfs.Plan{At: rapid.IntRange(1, 110).Draw(d.rt, "at"), Kind: faultfs.Call, Func: func() {
			d.finishSave()
			act()
		}}))
	case "crash":
		d.command(d.a, faultfs.New(fsys.OS{}, faultfs.Plan{At: rapid.IntRange(1, 110).Draw(d.rt, "at"), Kind: pick(d, "death", faultfs.Dead, faultfs.Torn)}))
	case "other":
		d.command(d.labs[1], nil)
	}
}

// command runs one of vault's on a machine, whose disk may break.
func (d *disorder) command(l *lab, f *faultfs.FS) {
	var disk fsys.FS = fsys.OS{}
	if f != nil {
		disk = f
	}
	h := d.home(l, disk)
	l.now = l.now.AddDate(0, 0, 1)
	entry := func() (Entry, bool) {
		list, err := h.List(ctx, ListQuery{Scope: UserScope, All: true, Body: true})
		if err != nil || len(list) == 0 {
			return Entry{}, false
		}
		return pick(d, "entry", list...), true
	}
	what := pick(d, "command", "remember", "remember", "edit", "forget", "check", "sync", "undo")
	d.did("%s on %s", what, filepath.Base(l.base))
	var err error
	said := ""
	switch what {
	case "remember":
		said = d.word()
		_, err = h.Remember(ctx, Draft{Scope: UserScope, Kind: pick(d, "kind", Decision, Convention, Preference), Title: "About " + said, Text: "It is " + said + "."})
	case "edit":
		if e, ok := entry(); ok {
			said = d.word()
			_, err = h.Edit(ctx, e.ID, Edit{Scope: UserScope, Text: text(e.Body + "\n\nAnd " + said + ".")})
		}
	case "forget":
		if e, ok := entry(); ok {
			_, err = h.Forget(ctx, UserScope, []string{e.ID}, "")
		}
	case "check":
		_, err = h.Check(ctx, UserScope, true)
	case "sync":
		_, err = h.Sync(ctx, SyncQuery{Scope: UserScope})
	case "undo":
		_, err = h.Undo(ctx, RestoreOptions{Scope: UserScope})
	}
	if err == nil && said != "" {
		d.must[said] = true
	}
	if err != nil {
		d.did("  it says: %v", err)
	}
}

// ledger is one of the files that the person works on.
func (d *disorder) ledger() string {
	return filepath.Join(d.a.user(), pick(d, "file", "decisions.md", "conventions.md"))
}

// saves stores a text as one of the editors do. What it buries that no command
// has seen is the editor's own loss.
func (d *disorder) saves(name, text string) {
	d.bury(name, text)
	how := pick(d, "save", slices.Sorted(maps.Keys(saves))...)
	d.did("save %s %s: %v", filepath.Base(name), how, words(text))
	if err := saves[how](name, text); err != nil {
		d.rt.Fatal(err)
	}
	d.saved(text)
}

func (d *disorder) saved(text string) {
	for _, w := range words(text) {
		d.must[w] = true
	}
}

// bury forgets the words that are replaced before any command has seen them.
func (d *disorder) bury(name, by string) {
	old, _ := os.ReadFile(name)
	var gone []string
	for _, w := range words(string(old)) {
		if !strings.Contains(by, w) {
			gone = append(gone, w)
		}
	}
	if len(gone) == 0 {
		return
	}
	history := d.history()
	for _, w := range gone {
		if !strings.Contains(history, w) {
			d.did("  buries %s", w)
			delete(d.must, w)
		}
	}
}

// history is all that the scope's commits hold.
func (d *disorder) history() string {
	out, err := d.git(d.a.user(), "rev-list", "--objects", "--all", "--no-object-names")
	if err != nil {
		d.rt.Fatalf("%v %s", err, out)
	}
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env, cmd.Stdin = d.a.user(), gitserver.Environ(d.a.user()), strings.NewReader(out)
	all, err := cmd.Output()
	if err != nil {
		d.rt.Fatal(err)
	}
	return string(all)
}

func (d *disorder) read(name string) (string, bool) {
	data, err := os.ReadFile(name)
	return string(data), err == nil && len(data) > 0
}

func (d *disorder) types() {
	name := d.ledger()
	if data, ok := d.read(name); ok {
		w := d.word()
		d.saves(name, data+"\n## Typed "+w+"\n\nIt says "+w+".\n")
	}
}

func (d *disorder) typesInto() {
	name := d.ledger()
	data, ok := d.read(name)
	if i := strings.LastIndex(data, ".\n"); ok && i > 0 {
		d.saves(name, data[:i]+". And "+d.word()+data[i:])
	}
}

// opens loads a file into an editor, which saves it much later.
func (d *disorder) opens() {
	name := d.ledger()
	if data, ok := d.read(name); ok {
		d.buffers[name] = data
	}
}

func (d *disorder) savesOld() {
	for _, name := range slices.Sorted(maps.Keys(d.buffers)) {
		w := d.word()
		d.saves(name, d.buffers[name]+"\n## Typed "+w+"\n\nInto an old buffer, "+w+".\n")
		delete(d.buffers, name)
		return
	}
}

// cuts takes a section out of one file, which another gets later.
func (d *disorder) cuts() {
	name := d.ledger()
	data, ok := d.read(name)
	parts := strings.Split(data, "\n## ")
	if !ok || len(parts) < 3 {
		return
	}
	i := rapid.IntRange(1, len(parts)-1).Draw(d.rt, "section")
	if d.clipboard != "" {
		d.pastes()
	}
	d.clipboard = "\n## " + strings.TrimRight(parts[i], "\n") + "\n"
	d.saves(name, strings.TrimRight(strings.Join(slices.Delete(parts, i, i+1), "\n## "), "\n")+"\n")
}

func (d *disorder) pastes() {
	name := d.ledger()
	if data, ok := d.read(name); ok && d.clipboard != "" {
		d.saves(name, data+d.clipboard)
		d.clipboard = ""
	}
}

func (d *disorder) converts() {
	name := d.ledger()
	data, ok := d.read(name)
	if !ok {
		return
	}
	data = strings.ReplaceAll(data, "\r\n", "\n")
	if rapid.Bool().Draw(d.rt, "crlf") {
		data = strings.ReplaceAll(data, "\n", "\r\n")
	}
	d.saves(name, data)
}

// preference is a file of one entry.
func (d *disorder) preference() (string, bool) {
	list, _ := filepath.Glob(filepath.Join(d.a.user(), "preferences", "*.md"))
	if len(list) == 0 {
		return "", false
	}
	return pick(d, "preference", list...), true
}

func (d *disorder) edits() {
	if name, ok := d.preference(); ok {
		if data, ok := d.read(name); ok {
			d.saves(name, data+"\nAnd "+d.word()+".\n")
		}
	}
}

func (d *disorder) deletes() {
	if name, ok := d.preference(); ok {
		d.bury(name, "")
		d.did("delete %s", filepath.Base(name))
		_ = os.Remove(name)
	}
}

// checksOut brings an older version of a file back with plain git.
func (d *disorder) checksOut() {
	name := filepath.Base(d.ledger())
	from := fmt.Sprintf("HEAD~%d", rapid.IntRange(1, 4).Draw(d.rt, "back"))
	old, err := d.git(d.a.user(), "show", from+":"+name)
	if err != nil {
		return
	}
	d.bury(filepath.Join(d.a.user(), name), old)
	out, err := d.git(d.a.user(), "checkout", "-q", from, "--", name)
	d.did("check out %s of %s: %v %s", name, from, err, out)
}

func (d *disorder) commits() {
	out, err := d.git(d.a.user(), "commit", "-qam", "By hand")
	d.did("commit: %v %s", err, out)
}

// begins truncates a file and writes the first half of a text; the other one
// follows later, to the same open file.
func (d *disorder) begins() {
	name := d.ledger()
	data, ok := d.read(name)
	if !ok {
		return
	}
	w := d.word()
	data += "\n## Typed " + w + "\n\nIn two halves, " + w + ".\n"
	d.bury(name, data)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		d.rt.Fatal(err)
	}
	half := len(data) / 2
	if rapid.Bool().Draw(d.rt, "nothing yet") {
		half = 0
	}
	d.did("begin to save %s: %v", filepath.Base(name), words(data))
	if _, err := f.WriteString(data[:half]); err != nil {
		d.rt.Fatal(err)
	}
	d.goOn = func() {
		d.did("go on saving %s", filepath.Base(name))
		if _, err := f.WriteString(data[half:]); err != nil {
			d.rt.Fatal(err)
		}
		if err := f.Close(); err != nil {
			d.rt.Fatal(err)
		}
		d.saved(data)
	}
}

func (d *disorder) finishSave() {
	if d.goOn != nil {
		d.goOn()
		d.goOn = nil
	}
}

func (d *disorder) end() {
	d.finishSave()
	for range 2 {
		for _, l := range d.labs {
			h := d.home(l, nil)
			if _, err := h.Remember(ctx, Draft{Scope: UserScope, Kind: Preference, Text: "A probe, " + d.word() + "."}); err != nil {
				d.fatal("%v", err)
			}
			if _, err := h.Sync(ctx, SyncQuery{Scope: UserScope}); err != nil {
				d.fatal("%v", err)
			}
		}
	}
	history := d.history()
	for _, w := range slices.Sorted(maps.Keys(d.must)) {
		if !regexp.MustCompile(`\b` + w + `\b`).MatchString(history) {
			d.fatal("%s is lost", w)
		}
	}
	for _, l := range d.labs {
		for _, args := range [][]string{{"status", "--porcelain", "--untracked-files=all"}, {"fsck", "--strict", "--no-dangling", "--no-progress"}} {
			if out, err := d.git(l.user(), args...); err != nil || out != "" {
				d.fatal("git %v: %v\n%s", args, err, out)
			}
		}
	}
}

func (d *disorder) fatal(format string, args ...any) {
	d.rt.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(d.log, "\n"))
}
