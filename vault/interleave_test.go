package vault

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// saves are the ways in which editors save a file.
var saves = map[string]func(name, text string) error{
	"in place": func(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) },
	"by rename": func(name, text string) error {
		if err := os.WriteFile(name+"~", []byte(text), 0o644); err != nil {
			return err
		}
		return os.Rename(name+"~", name)
	},
	"moved aside": func(name, text string) error {
		if err := os.Rename(name, name+"~"); err != nil {
			return err
		}
		err := os.WriteFile(name, []byte(text), 0o644)
		_ = os.Remove(name + "~")
		return err
	},
}

const byHand = "\n## By hand\n\nSaved while a command ran.\n"

// TestAnEditorSavesAtEveryStep saves a file just before each step of each
// command, from a buffer that is fresh or as old as the command's beginning:
// the command's change and the saved text are both there afterwards.
func TestAnEditorSavesAtEveryStep(t *testing.T) {
	every := 89
	if *long {
		every = 1
	}
	n := 0
	for _, c := range crashes {
		if strings.HasPrefix(c.name, "first") || c.adopt > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p := c.prepare(t)
			for how, save := range saves {
				for _, old := range []bool{false, true} {
					n++
					for at := 1 + n%every; at <= len(p.steps); at += every {
						p.saveAt(t, at, how, save, old)
					}
				}
			}
		})
	}
}

// TestAnEditorThatHasAFileOpen opens a file before each command and writes to
// it, in place, at each of the command's steps or after it: to what may no
// longer be the scope's file by then. The next change adopts it.
func TestAnEditorThatHasAFileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open is not replaced here")
	}
	every := 89
	if *long {
		every = 1
	}
	n := 0
	for _, c := range crashes {
		if strings.HasPrefix(c.name, "first") || c.adopt > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p := c.prepare(t)
			n++
			for at := 1 + 7*n%every; at <= len(p.steps); at += every {
				p.writeAt(t, at)
			}
			p.writeAt(t, len(p.steps)+1)
		})
	}
}

func (p *trial) writeAt(t *testing.T, at int) {
	t.Helper()
	l := p.lab(t)
	l.put(t, "home/config.yaml", "durability: fast\n")
	name := filepath.Join(l.project(), "decisions.md")
	buffer, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wrote := false
	write := func() {
		wrote = true
		if _, err := file.WriteAt([]byte(string(buffer)+byHand), 0); err != nil {
			t.Error(err)
		}
	}
	f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Call, Func: write})
	l.fs = f
	err = p.run(l.open(t))
	l.fs = nil
	if !wrote {
		write()
	}
	l.seed += 100
	if err == nil {
		_, err = l.open(t).Remember(ctx, Draft{Scope: ProjectScope, Kind: Preference, Text: "A probe."})
	}
	got, saved := l.state(t, l.open(t)), 0
	for k, v := range got {
		if strings.Contains(v, "|By hand||Saved while a command ran.|") {
			saved++
			delete(got, k)
		}
		if strings.HasPrefix(v, "preference|A probe.|") {
			delete(got, k)
		}
	}
	if err != nil || saved != 1 || !maps.Equal(nameless(got, p.before), nameless(p.after, p.before)) {
		t.Fatalf("written at step %d of %d: %v, it is there %d times, and beside it\n%snot\n%s%s", at, len(p.steps), err, saved, stateText(got), stateText(p.after), strings.Join(f.Steps(), "\n"))
	}
	l.tidy(t)
}

func (p *trial) saveAt(t *testing.T, at int, how string, save func(name, text string) error, old bool) {
	t.Helper()
	l := p.lab(t)
	l.put(t, "home/config.yaml", "durability: fast\n")
	name := filepath.Join(l.project(), "decisions.md")
	buffer, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := faultfs.New(fsys.OS{}, faultfs.Plan{At: at, Kind: faultfs.Call, Func: func() {
		if !old {
			if buffer, err = os.ReadFile(name); err != nil {
				t.Error(err)
			}
		}
		if err := save(name, string(buffer)+byHand); err != nil {
			t.Error(err)
		}
	}})
	l.fs = f
	h := l.open(t)
	err = p.run(h)
	if !f.Fired() {
		return
	}
	defer func() {
		if t.Failed() {
			t.Fatalf("saved %s (old buffer %v) at step %d, returned %v, notes %q:\n%s", how, old, at, err, l.notes, strings.Join(f.Steps(), "\n"))
		}
	}()
	if err != nil {
		t.Errorf("the command failed: %v", err)
		return
	}
	for _, note := range l.notes {
		t.Errorf("the command was alarmed: %s", note)
	}
	l.fs = nil
	check := func(when string) {
		got := l.state(t, l.open(t))
		saved := 0
		for k, v := range got {
			if strings.Contains(v, "|By hand||Saved while a command ran.|") {
				saved++
				delete(got, k)
			}
		}
		if saved != 1 {
			t.Errorf("%s the saved text is there %d times", when, saved)
		}
		if !maps.Equal(nameless(got, p.before), nameless(p.after, p.before)) {
			t.Errorf("%s there is\n%snot\n%s", when, stateText(got), stateText(p.after))
		}
	}
	if check("before adoption"); t.Failed() {
		return
	}
	l.seed += 100
	if _, err := l.open(t).Remember(ctx, Draft{Scope: ProjectScope, Kind: Preference, Text: "A probe."}); err != nil {
		t.Error(err)
		return
	}
	p.after = maps.Clone(p.after)
	p.after["probe"] = "preference|A probe.||A probe.|[]|false|"
	check("after adoption")
	delete(p.after, "probe")
	if at%11 == 0 {
		l.sound(t)
	} else {
		l.tidy(t)
	}
}
