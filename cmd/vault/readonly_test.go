//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// within runs a shell script where the vault's folder is mounted anew, by the
// script's first line. Without the right to mount it skips the test.
func (d *desk) within(mount, script string) string {
	d.Helper()
	try := exec.Command("unshare", "-rm", "sh", "-c", mount)
	try.Env, try.Dir = d.env, d.dir
	if out, err := try.CombinedOutput(); err != nil {
		d.Skipf("no mounting here: %v %s", err, out)
	}
	cmd := exec.Command("unshare", "-rm", "sh", "-c", mount+"\n"+script)
	cmd.Env, cmd.Dir = d.env, d.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

const mountReadOnly = `set -e; mount --bind "$VAULT_HOME" "$VAULT_HOME"; mount -o remount,ro,bind "$VAULT_HOME"; set +e`

// Whatever only reads does so where nothing can be written, the first time as
// well, without caches; what writes says why it can't, in a line, and exits
// with 1.
func TestReadOnlyHome(t *testing.T) {
	d := newDesk(t)
	d.run("remember", "Answer in short sentences.")
	id := d.added("Queue in Postgres", "One system less to run.")
	scope := filepath.Join(d.dir, "vault", "user")
	if err := os.RemoveAll(filepath.Join(scope, ".git", "vault", "cache")); err != nil {
		t.Fatal(err)
	}
	head := func() string {
		out, err := os.ReadFile(filepath.Join(scope, ".git", "refs", "heads", "main"))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := head()
	prompt := `{"hook_event_name":"SessionStart","session_id":"s","cwd":"` + d.dir + `","source":"startup"}`
	calls := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i, call := range []string{`"list","arguments":{}`, `"recall","arguments":{"query":"queue"}`, `"get","arguments":{"id":"` + id + `"}`, `"context","arguments":{}`} {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`, i+2, call))
	}
	reads := []string{
		"vault list", "vault get " + id, "vault recall queue", "vault context", "vault log", "vault diff HEAD~1", "vault show HEAD", "vault show " + id,
		"vault export jsonl", "vault blame " + id, "vault hook session-start <prompt", "vault mcp <calls",
	}
	quiet := []string{"vault status", "vault check", "vault scopes", "vault doctor"}
	writes := []string{"vault remember New.", "vault edit " + id + " --title New", "vault forget " + id, "vault undo", "vault restore HEAD", "vault import jsonl in.jsonl"}
	for name, text := range map[string]string{"prompt": prompt, "calls": strings.Join(calls, "\n") + "\n", "in.jsonl": `{"title":"New","body":"New."}` + "\n"} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var script strings.Builder
	for _, c := range append(append(reads, quiet...), writes...) {
		in := " </dev/null"
		if strings.Contains(c, "<") {
			in = ""
		}
		fmt.Fprintf(&script, "echo '== %s'; %s%s 2>&1; echo \"exit $?\"\n", c, c, in)
	}
	out := d.within(mountReadOnly, script.String())
	answers := map[string]string{}
	for _, part := range strings.Split(out, "== ")[1:] {
		c, answer, _ := strings.Cut(part, "\n")
		answers[c] = answer
	}
	for _, c := range reads {
		if a := answers[c]; !strings.HasSuffix(a, "exit 0\n") || !strings.Contains(a, "Queue in Postgres") && !strings.Contains(a, "One system less") || strings.Contains(a, "read-only") {
			t.Errorf("%s: %s", c, a)
		}
	}
	for _, c := range quiet {
		if a := answers[c]; !strings.HasSuffix(a, "exit 0\n") || strings.Contains(a, "read-only") {
			t.Errorf("%s: %s", c, a)
		}
	}
	for _, c := range writes {
		if a := answers[c]; !regexp.MustCompile(`^vault: [^\n]*read-only file system[^\n]*\nexit 1\n$`).MatchString(a) {
			t.Errorf("%s: %s", c, a)
		}
	}
	if head() != before {
		t.Error("something was written")
	}
	d.run("remember", "Now it can.")
}

// On a disk that is full a write says so, in a line, and nothing of it is
// there; what reads goes on, and so does the next write once there is space.
func TestFullDisk(t *testing.T) {
	d := newDesk(t)
	d.added("Queue in Postgres", "One system less to run.")
	out := d.within(`set -e; cp -a "$VAULT_HOME" copy; mount -t tmpfs -o size=2m none "$VAULT_HOME"; cp -a copy/. "$VAULT_HOME"; set +e`, `
dd if=/dev/zero of="$VAULT_HOME/ballast" bs=1k 2>/dev/null
vault remember "A text that finds no place." 2>&1; echo "exit $?"
vault list 2>&1
vault log 2>&1 | grep -c remember:
rm "$VAULT_HOME/ballast"
vault remember "A text that finds its place." 2>&1
vault list --json | grep -c "no place"
cd "$VAULT_HOME/user" && git status --porcelain && git fsck --strict --no-dangling --no-progress && git log --format=%s
exit 0`)
	want := regexp.MustCompile(`^vault: [^\n]*no space left on device[^\n]*
exit 1
decision +[a-z0-9]{8} +Queue in Postgres[^\n]*
1
remembered [^\n]*
0
remember: A text that finds its place.
remember: Queue in Postgres
$`)
	if !want.MatchString(out) {
		t.Errorf("it says\n%s", out)
	}
}
