package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a command line, or with what a program sends, is said
// without the secret it holds: such lines end up in logs and in the sight of
// agents.
func TestErrorsRepeatNoSecret(t *testing.T) {
	const key = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"
	token := "ghp" + "_" + key
	pem := "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB" + key + "\n" +
		"-----END OPENSSH PRIVATE " + "KEY-----"
	dir := t.TempDir()
	home := filepath.Join(dir, "vault")
	t.Setenv("HOME", dir)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	in := filepath.Join(dir, token+".jsonl")
	lines := `{"text":"A fact about queues.","created":"` + token + `"}` + "\n{" + token + "\n"
	if err := os.WriteFile(in, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	try := func(stdin string, args ...string) {
		t.Helper()
		for _, args := range [][]string{args, append([]string{"--json"}, args...)} {
			var out, errs bytes.Buffer
			w := world{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, dir: dir,
				lookup: func(name string) (string, bool) { v, ok := map[string]string{"VAULT_HOME": home}[name]; return v, ok }}
			run(context.Background(), args, w)
			if said := out.String() + errs.String(); strings.Contains(said, key[:8]) {
				t.Errorf("vault %.60q says %s", args, said)
			} else if !strings.Contains(said, "[secret: ") && !strings.Contains(strings.Join(args, " "), "hook") {
				t.Errorf("vault %.60q says %s", args, said)
			}
		}
	}
	try("", "remember", pem)
	try("", "remember", "--"+token)
	for _, flag := range []string{"--expires", "--kind", "--scope", "--supersedes", "--allow-secret", "-C"} {
		try("", "remember", "text", flag, token)
	}
	try("", token)
	try("", "edit", "gk2m", "password:", key)
	for _, verb := range []string{"get", "forget", "keep", "restore", "show", "purge", "blame"} {
		try("", verb, token)
	}
	try("", "import", "jsonl", in)
	try(`{"command":"`+token+`"}`, "memory-tool")
	try(`{"command":"view","path":"/memories/`+token+`"}`, "memory-tool")
	try(`{}`, "hook", token)
	try(`{}`, "hook", "prompt", "--client", token)
	try(`{}`, "hook", "prompt", "--"+token)
	log, err := os.ReadFile(filepath.Join(home, "state", "hooks.log"))
	if err != nil || strings.Contains(string(log), key[:8]) || !strings.Contains(string(log), "[secret: ") {
		t.Errorf("the log of hooks: %v\n%s", err, log)
	}
}

// A text that begins with a dash is taken for a flag; the error says how to
// give it, and does not repeat all of it.
func TestATextTakenForAFlag(t *testing.T) {
	for _, text := range []string{"--- a rule\n" + strings.Repeat("of many words ", 40), "--be brief and " + strings.Repeat("say why ", 40)} {
		for _, verb := range []string{"remember", "edit"} {
			var errs bytes.Buffer
			code := run(context.Background(), []string{verb, text}, world{stdin: strings.NewReader(""), stdout: &errs, stderr: &errs, dir: t.TempDir(),
				lookup: func(string) (string, bool) { return "", false }})
			if said := errs.String(); code != 2 || len(said) > 250 || !strings.Contains(said, "put -- before text that begins with a dash") {
				t.Errorf("%d: %s", code, said)
			}
		}
	}
}
