//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// A desk is a home with a terminal before it.
type desk struct {
	*testing.T
	dir string
	env []string
}

func newDesk(t *testing.T) *desk {
	dir := t.TempDir()
	d := &desk{T: t, dir: dir, env: []string{
		"HOME=" + dir, "VAULT_HOME=" + filepath.Join(dir, "vault"), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "TZ=UTC", "LC_ALL=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "gitconfig"), "USER=ada", "GORACE=" + raceExit,
	}}
	if err := os.MkdirAll(filepath.Join(dir, "vault"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "vault", "config.yaml"), []byte("durability: fast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) command(args ...string) *exec.Cmd {
	d.Helper()
	cmd := exec.Command("vault", args...) // which is this test binary
	cmd.Env, cmd.Dir = d.env, d.dir
	return cmd
}

// run runs the program without a terminal.
func (d *desk) run(args ...string) string {
	d.Helper()
	out, err := d.command(args...).CombinedOutput()
	if err != nil {
		d.Fatalf("vault %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// added remembers a decision and returns its id.
func (d *desk) added(title, text string) string {
	d.Helper()
	out := d.run("remember", "--kind", "decision", "--title", title, text)
	m := regexp.MustCompile(`remembered ([a-z0-9]{8})`).FindStringSubmatch(out)
	if m == nil {
		d.Fatal(out)
	}
	return m[1]
}

// A screen is what a program has written to a terminal so far.
type screen struct {
	*testing.T
	tty  *os.File
	done chan error
	mu   sync.Mutex
	text bytes.Buffer
	seen int
}

// sit starts the program at a terminal of a width.
func (d *desk) sit(columns uint16, args ...string) *screen {
	d.Helper()
	cmd := d.command(args...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: columns})
	if err != nil {
		d.Fatal(err)
	}
	s := &screen{T: d.T, tty: tty, done: make(chan error, 1)}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				s.done <- cmd.Wait()
				return
			}
		}
	}()
	d.Cleanup(func() { _ = cmd.Process.Kill(); _ = tty.Close() })
	return s
}

// patience bounds the wait for a program that has hung.
const testPatience = time.Minute

// until waits for a text that was not on the screen before, and returns what
// came up to it.
func (s *screen) until(text string) string {
	s.Helper()
	for deadline := time.Now().Add(testPatience); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		all := s.text.String()
		s.mu.Unlock()
		if i := strings.Index(all[s.seen:], text); i >= 0 {
			out := all[s.seen : s.seen+i+len(text)]
			s.seen += i + len(text)
			return out
		}
		if time.Now().After(deadline) {
			s.Fatalf("waited for %q; the screen shows:\n%s", text, all)
		}
	}
}

func (s *screen) typed(keys string) {
	s.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

// ends waits for the program's end and returns the rest of the screen.
func (s *screen) ends() string {
	s.Helper()
	select {
	case err := <-s.done:
		if err != nil {
			s.Errorf("ended with %v", err)
		}
	case <-time.After(testPatience):
		s.Fatal("does not end")
	}
	return s.text.String()[s.seen:]
}

const ask = "[q]uit: "

func TestReviewWithSingleKeys(t *testing.T) {
	d := newDesk(t)
	d.run("remember", "--kind", "decision", "--title", "Queue in Redis", "Redis is there already.")
	for _, text := range []string{"Use tabs.", "Use spaces.", "Wrap errors.", "Name tests well.", "Log with slog."} {
		d.run("remember", "--agent", "codex", "--kind", "convention", text)
	}
	s := d.sit(80, "review")
	first := s.until(ask)
	for _, want := range []string{"1 of 5", "codex adds a convention", "Use tabs.", "alike:", "Use spaces."} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not on the first card:\n%s", want, first)
		}
	}
	if !strings.Contains(first, "\x1b[") {
		t.Error("no colour on a terminal that has some")
	}
	s.typed("k")
	s.until("kept")
	s.until("2 of 5")
	if second := s.until(ask); !strings.Contains(second, "alike:") || !strings.Contains(second, "Use tabs.") || strings.Contains(second, "(card ") {
		t.Errorf("the second card does not name what was kept as alike:\n%s", second)
	}
	s.typed("R") // in capitals too
	s.until("put back")
	s.until("3 of 5")
	s.until(ask)
	// Keys that mean nothing, or that send several bytes, only ask again.
	for _, key := range []string{"x", "\x1bOR", "\x1b[K", "é", "\r"} {
		s.typed(key)
		s.until(ask)
	}
	s.typed("s")
	s.until("4 of 5")
	s.until(ask)
	s.typed("q")
	if rest := s.ends(); !strings.Contains(rest, "1 kept, 1 put back, 3 left") {
		t.Errorf("at the end: %q", rest)
	}
	list := d.run("list")
	if !strings.Contains(list, "Use tabs.") || strings.Contains(list, "Use spaces.") {
		t.Errorf("what counts now:\n%s", list)
	}
	if pending := d.run("list", "--pending"); strings.Count(pending, "\n") != 3 {
		t.Errorf("what still waits:\n%s", pending)
	}

	s = d.sit(80, "review")
	s.until("1 of 3")
	s.until(ask)
	s.typed("\x03")
	s.ends()
}

func TestReviewEditsBeforeItKeeps(t *testing.T) {
	d := newDesk(t)
	id := d.added("Queue", "In Redis.")
	d.run("edit", "--agent", "codex", id, "--body", "In Postgres, of course.")
	d.run("remember", "--agent", "codex", "--kind", "convention", "--title", "Tabs", "Use tabz.")

	// An editor that says what it was given, and mends it.
	editor := filepath.Join(d.dir, "editor")
	seen := filepath.Join(d.dir, "seen")
	script := "#!/bin/sh\ncat \"$1\" >>" + seen + "\nsed -e 's/, of course//' -e 's/tabz/tabs/' \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "EDITOR="+editor)
	s := d.sit(100, "review")
	card := s.until(ask)
	if !strings.Contains(card, "1 of 2") || !strings.Contains(card, "Redis") || !strings.Contains(card, "Postgres, of course") {
		t.Errorf("the card:\n%s", card)
	}
	s.typed("e")
	if out := s.until("kept"); strings.Contains(out, "proposed") || strings.Contains(out, "waits for a person") {
		t.Errorf("what the person wrote is called a proposal:\n%s", out)
	}
	s.until("2 of 2")
	s.until(ask)
	s.typed("e")
	s.until("kept")
	if rest := s.ends(); !strings.Contains(rest, "2 kept, 0 put back, 0 left") {
		t.Errorf("at the end: %q", rest)
	}
	given, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(given), "In Postgres, of course.") || !strings.Contains(string(given), "Use tabz.") {
		t.Errorf("the editor was given:\n%s", given)
	}
	if body := d.run("get", id); !strings.Contains(body, "In Postgres.") {
		t.Errorf("kept as:\n%s", body)
	}
	// What was proposed never counted, at no commit.
	for _, rev := range []string{"HEAD", "HEAD~1", "HEAD~2", "HEAD~3", "HEAD~4"} {
		out, err := exec.Command("git", "-C", filepath.Join(d.dir, "vault", "user"), "show", rev+":decisions.md").Output()
		if err == nil && bytes.Contains(out, []byte("of course")) {
			t.Errorf("the proposed text counted at %s", rev)
		}
	}

	// An editor that changes nothing, or fails, decides nothing.
	d.run("remember", "--agent", "codex", "--kind", "convention", "Use semicolons.")
	for _, editor := range []string{"true", "false"} {
		d.env = append(d.env, "EDITOR="+editor)
		s = d.sit(100, "review")
		s.until(ask)
		s.typed("e")
		s.until(ask)
		s.typed("q")
		if rest := s.ends(); !strings.Contains(rest, "0 kept, 0 put back, 1 left") {
			t.Errorf("with the editor %s: %q", editor, rest)
		}
	}
}

// What can't be taken opens again with the reason, until it can or nothing is
// changed; what was typed stays.
func TestEditorOpensAgain(t *testing.T) {
	d := newDesk(t)
	id := d.added("Queue", "In Redis.")
	editor := filepath.Join(d.dir, "editor")
	seen := filepath.Join(d.dir, "seen")
	// Each time it opens it shows what it was given, and makes the next mistake.
	script := `#!/bin/sh
cat "$1" >>SEEN
n=$(grep -c '^title: ' SEEN)
case $n in
1) sed -i 's/^supersedes: .*/supersedes: [zzzz2222]/; s/In Redis/In Postgres/' "$1" ;;
2) sed -i 's/^supersedes: .*/supersedes: []/; s/In Postgres/password: hunter2-correcthorsebatterystaple/' "$1" ;;
3) sed -i 's/^password: .*/In NATS./; s/^pinned: .*/pinned: maybe/' "$1" ;;
4) sed -i 's/^pinned: .*/pinned: false/' "$1" ;;
esac
`
	if err := os.WriteFile(editor, []byte(strings.ReplaceAll(script, "SEEN", seen)), 0o755); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "EDITOR="+editor)
	if out := d.sit(100, "edit", id).ends(); !strings.Contains(out, "edited") {
		t.Errorf("it ended with %q", out)
	}
	given, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# NOT TAKEN: no entry zzzz2222", "# NOT TAKEN: the body looks like a secret (password)", `# NOT TAKEN: line 8: "maybe" stands where true or false belongs`} {
		if strings.Count(string(given), want) != 1 {
			t.Errorf("%q is not once in:\n%s", want, given)
		}
	}
	lines := strings.Split(string(given), "\n")
	for i, line := range lines {
		if strings.Contains(line, "NOT TAKEN: line 8") && !strings.HasPrefix(lines[i+6], "pinned: maybe") {
			t.Errorf("line 8 is %q", lines[i+6])
		}
	}
	if body := d.run("get", id); !strings.Contains(body, "In NATS.") {
		t.Errorf("the entry is\n%s", body)
	}
}

func TestReviewFitsTheTerminal(t *testing.T) {
	d := newDesk(t)
	long := strings.Repeat("A queue in the database is one system less to run, and its jobs commit with the data. ", 6)
	d.run("remember", "--agent", "codex", "--kind", "decision", "--title", "Queue in Postgres, since it is there already and knows transactions", long)
	d.run("remember", "--agent", "codex", "--kind", "decision", "--title", "財務", strings.Repeat("做好财务护城河", 20))
	for _, columns := range []uint16{60, 200} {
		s := d.sit(columns, "review")
		for range 2 {
			for line := range strings.Lines(s.until(ask)) {
				if w := ansi.StringWidth(strings.TrimRight(line, "\r\n")); w > int(columns) {
					t.Errorf("%d columns for %d: %q", w, columns, line)
				}
			}
			s.typed("s")
		}
		s.ends()
	}
}

func TestReviewWithoutColoursOrKeys(t *testing.T) {
	d := newDesk(t)
	d.run("remember", "--agent", "codex", "--kind", "convention", "Use tabs.")
	d.run("remember", "--agent", "codex", "--kind", "convention", "Wrap errors.")
	plain := d.run("review") // over a pipe
	for _, want := range []string{"1 of 2", "2 of 2", "Use tabs.", "Wrap errors."} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is not in the list:\n%s", want, plain)
		}
	}
	if strings.Contains(plain, "\x1b") || strings.Contains(plain, "[k]eep") {
		t.Errorf("the list is not plain:\n%s", plain)
	}
	for setting, skip := range map[string]string{
		"NO_COLOR=1": "s",
		"TERM=dumb":  "skip\n", // there an answer is a line
	} {
		env := d.env
		d.env = append(d.env[:len(d.env):len(d.env)], setting)
		s := d.sit(80, "review")
		if card := s.until(ask); strings.Contains(card, "\x1b") {
			t.Errorf("colours with %s:\n%q", setting, card)
		} else if strings.Contains(card, "then Enter") != (setting == "TERM=dumb") {
			t.Errorf("how to answer with %s:\n%s", setting, card)
		}
		s.typed(skip)
		s.until("2 of 2")
		s.until(ask)
		s.typed("\x04")
		s.ends()
		d.env = env
	}
}

func TestReviewOfTwoThatMeet(t *testing.T) {
	d := newDesk(t)
	id := d.added("Queue", "In Redis.")
	d.run("edit", "--agent", "codex", id, "--body", "In Postgres.")
	d.run("edit", "--agent", "claude-code", id, "--body", "In SQLite.")
	s := d.sit(80, "review")
	s.until(ask)
	s.typed("k")
	// The second card stands against what the first has made of the entry.
	card := s.until(ask)
	for _, want := range []string{"changed in the same place", "Postgres", "SQLite"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is not on the second card:\n%s", want, card)
		}
	}
	s.typed("k") // seen, and chosen
	if rest := s.ends(); !strings.Contains(rest, "2 kept") {
		t.Errorf("at the end: %q", rest)
	}
	if body := d.run("get", id); !strings.Contains(body, "In SQLite.") {
		t.Errorf("kept as:\n%s", body)
	}
}

func TestReviewOfWhatOthersPushed(t *testing.T) {
	d := newDesk(t)
	config := filepath.Join(d.dir, "vault", "config.yaml")
	if err := os.WriteFile(config, []byte("durability: fast\nreview: {remote: hold}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.added("Queue", "In Redis.")
	scope := filepath.Join(d.dir, "vault", "user")
	file := filepath.Join(scope, "decisions.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte("In Redis."), []byte("In Postgres."), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "-C", scope, "-c", "user.name=Grace", "-c", "user.email=grace@example.org", "commit", "-qam", "theirs")
	cmd.Env = d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out := d.run("context"); strings.Contains(out, "Postgres") {
		t.Errorf("offered unseen:\n%s", out)
	}
	if out := d.run("review"); !strings.Contains(out, "1 of 1") || !strings.Contains(out, "Grace changed a decision") {
		t.Errorf("the plain list:\n%s", out)
	}
	s := d.sit(80, "review")
	if card := s.until(ask); !strings.Contains(card, "Postgres") {
		t.Errorf("the card:\n%s", card)
	}
	s.typed("k")
	if rest := s.ends(); !strings.Contains(rest, "1 kept, 0 put back, 0 left") {
		t.Errorf("at the end: %q", rest)
	}
	if out := d.run("context"); !strings.Contains(out, "Postgres") {
		t.Errorf("not offered:\n%s", out)
	}
}

// disagree leaves an entry with another version beside it, as a merge does.
func (d *desk) disagree(id, sibling, text string) {
	d.Helper()
	path := filepath.Join(d.dir, "vault", "user", "decisions.md")
	data, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	data = append(data, []byte("\n## Queue\n<!-- vault: {id: "+sibling+", created: 2026-01-02T03:04:05Z, conflict: "+id+"} -->\n\n"+text+"\n")...)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		d.Fatal(err)
	}
}

func TestSettleWithSingleKeys(t *testing.T) {
	d := newDesk(t)
	var ids []string
	for i, text := range []string{"In Redis.", "In Kafka.", "In a file.", "In memory."} {
		ids = append(ids, d.added("Queue", text))
		d.disagree(ids[i], "k000000"+strconv.Itoa(i), "Elsewhere "+strconv.Itoa(i)+".")
	}
	slices.Sort(ids)
	d.env = append(d.env, `EDITOR=sed -i "s/Elsewhere/It is elsewhere/; s/^In /Now in /"`)
	s := d.sit(80, "settle")
	if first := s.until(ask); !strings.Contains(first, "1 of 4") || !strings.Contains(first, "this, which stands") || !strings.Contains(first, "kept as k000000") {
		t.Errorf("the first shows:\n%s", first)
	}
	s.typed("x")
	s.until(ask)
	s.typed("t")
	s.until("settled")
	s.until("2 of 4")
	s.until(ask)
	s.typed("o")
	s.until("settled")
	s.until("3 of 4")
	s.until(ask)
	s.typed("e")
	s.until("settled")
	s.until("4 of 4")
	s.until(ask)
	s.typed("s")
	if rest := s.ends(); !strings.Contains(rest, "3 settled, 1 left") {
		t.Errorf("at the end: %q", rest)
	}
	for i, want := range []string{`\n *In [A-Za-z ]+\.`, "Elsewhere", "Now in"} {
		got := d.run("get", ids[i])
		if !regexp.MustCompile("(?s)"+want).MatchString(got) || strings.Contains(got, otherMark) {
			t.Errorf("%d is now:\n%s", i, got)
		}
	}
	if got := d.run("settle"); strings.Count(got, "which stands") != 1 {
		t.Errorf("left:\n%s", got)
	}
}
