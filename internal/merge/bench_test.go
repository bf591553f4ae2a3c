package merge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

// threeSides are 5,000 entries of about 600 bytes, and 500 changes on either
// side: edits, additions and forgettings, some of them to the same entries.
func threeSides() (base, ours, theirs Files) {
	const n = 5000
	ledgerOf := func(side int) []byte {
		var out []any
		for i := range n {
			e := entry(name(i), created(i%1000), tags("git", fmt.Sprint("n", i%17)))
			var b strings.Builder
			for line := range 8 {
				fmt.Fprintf(&b, "Line %d of entry %d says what was decided then, and why.\n", line, i)
			}
			e.Body = strings.TrimSpace(b.String())
			switch {
			case side == 1 && i%13 == 0, side == 2 && i%12 == 0:
				e.Body = strings.Replace(e.Body, fmt.Sprintf("Line %d", side*3), fmt.Sprintf("On side %d, line", side), 1)
				e.Updated = stamp(1000 + i%100 + side)
			case side == 1 && i%97 == 0, side == 2 && i%89 == 0:
				continue
			}
			out = append(out, e)
		}
		for i := range side * 50 {
			out = append(out, entry(fmt.Sprintf("%c%04d", "xyz"[side], i), created(1000+i), body("Something new.")))
		}
		return ledger(append([]any{"# Decisions\n"}, out...)...)
	}
	return Files{decisions: ledgerOf(0)}, Files{decisions: ledgerOf(1)}, Files{decisions: ledgerOf(2)}
}

func name(i int) string { return fmt.Sprintf("%05d", i) }

func BenchmarkTrees(b *testing.B) {
	base, ours, theirs := threeSides()
	b.SetBytes(int64(len(base[decisions])))
	for b.Loop() {
		if r := Trees(base, ours, theirs, Options{}); len(r.Files[decisions]) == 0 {
			b.Fatal("nothing was merged")
		}
	}
}

func BenchmarkGitMergeFile(b *testing.B) {
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("there is no git")
	}
	base, ours, theirs := threeSides()
	dir := b.TempDir()
	var args []string
	for i, f := range []Files{ours, base, theirs} {
		p := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(p, f[decisions], 0o600); err != nil {
			b.Fatal(err)
		}
		args = append(args, p)
	}
	b.SetBytes(int64(len(base[decisions])))
	for b.Loop() {
		_ = exec.Command(git, append([]string{"merge-file", "-p", "-q"}, args...)...).Run() // its exit status counts conflicts
	}
}

func BenchmarkParse(b *testing.B) {
	base, _, _ := threeSides()
	b.SetBytes(int64(len(base[decisions])))
	for b.Loop() {
		entryfile.NewSet(base)
	}
}

func BenchmarkDiffOneChange(b *testing.B) {
	base, _, _ := threeSides()
	data := string(base[decisions])
	after := Files{decisions: []byte(strings.Replace(data, "Line 3 of entry 2500 ", "Line three of entry 2500 ", 1))}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if n := len(Diff(base, after)); n != 1 {
			b.Fatal(n)
		}
	}
}
