package lab

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Lengthen gives the repository n more commits, each a small edit of
// decisions.md, the last of which leaves the tree as it was.
func (l *Lab) Lengthen(repo string, n int) error {
	ledger, err := os.ReadFile(filepath.Join(repo, "decisions.md"))
	if err != nil {
		return err
	}
	cmd := l.Command(repo, "git", "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriter(in)
	places := wordEnds(ledger)
	for i := 1; i <= n; i++ {
		text := ledger
		if i < n {
			at := places[i*7919%len(places)]
			text = fmt.Appendf(nil, "%s (change %d)%s", ledger[:at], i, ledger[at:])
		}
		message := fmt.Sprintf("edit: Change %d", i)
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter Ada Bench <ada@example.org> %d +0000\ndata %d\n%s\n", 1_700_000_000+i, len(message), message)
		if i == 1 {
			fmt.Fprint(w, "from refs/heads/main^0\n")
		}
		fmt.Fprintf(w, "M 100644 inline decisions.md\ndata %d\n%s\n", len(text), text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return explain(cmd, err, errs.Bytes())
	}
	return nil
}

// wordEnds are the places after a word at the end of a line of plain text.
func wordEnds(ledger []byte) []int {
	var ends []int
	at, fenced := 0, false
	for line := range bytes.Lines(ledger) {
		at += len(line)
		if bytes.HasPrefix(line, []byte("```")) {
			fenced = !fenced
		}
		if !fenced && bytes.HasSuffix(line, []byte(".\n")) {
			ends = append(ends, at-2)
		}
	}
	if len(ends) == 0 {
		ends = append(ends, len(ledger))
	}
	return ends
}

// Export writes a stream for git fast-import that makes one commit of the
// repository's current tree, and returns its file.
func (l *Lab) Export(repo string) (string, error) {
	out, err := l.Command(repo, "git", "ls-files", "-z").Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files in %s: %w", repo, err)
	}
	var b bytes.Buffer
	fmt.Fprint(&b, "commit refs/heads/main\ncommitter Ada Bench <ada@example.org> 1700000000 +0000\ndata 6\nimport\n")
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n", name, len(data))
		b.Write(data)
		b.WriteByte('\n')
	}
	file := filepath.Join(l.Top, "export.stream")
	return file, os.WriteFile(file, b.Bytes(), 0o600)
}

// Authored are the ledger and entry files of a scope, those that hold its
// entries, relative to it.
func Authored(scope string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(scope, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(scope, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel == ".git" || rel == "review" {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".md") && rel != "INDEX.md" {
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}

// Ripgrep is rg for a word over files in dir.
func (l *Lab) Ripgrep(dir, word string, files []string) *exec.Cmd {
	return l.Command(dir, "rg", append([]string{"--no-config", word, "--"}, files...)...)
}
