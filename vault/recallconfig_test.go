package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// A wrong word in a recall backend leaves out that backend and nothing else,
// and whoever looks for it is told what to write.
func TestAMistakeInABackendLeavesOutThatBackend(t *testing.T) {
	for name, test := range map[string]struct{ config, told string }{
		"unknown kind": {"recall:\n  backends:\n    - {name: vecs, kind: embedding, url: 'http://127.0.0.1:1/v1', model: m}",
			`recall backend vecs is left out: FILE line 3: unknown kind "embedding": write mcp, embeddings or program`},
		"no kind":         {"recall: {backends: [{name: vecs}]}", "recall backend vecs is left out: FILE line 1: it has no kind: write mcp, embeddings or program"},
		"bad timeout":     {"recall: {backends: [{name: p, kind: program, command: [x], timeout: soon}]}", `recall backend p is left out: FILE line 1: timeout is "soon": write a duration such as 5s`},
		"number as time":  {"recall: {backends: [{name: p, kind: program, command: [x], timeout: 5}]}", `recall backend p is left out: FILE line 1: timeout is "5": write a duration such as 5s`},
		"bad weight":      {"recall: {backends: [{name: p, kind: program, command: [x], weight: much}]}", `recall backend p is left out: FILE line 1: weight is "much": write a number such as 0.5`},
		"no number":       {"recall: {backends: [{name: p, kind: program, command: [x], weight: .nan}]}", "recall backend p is left out: FILE line 1: weight is NaN: write a number such as 0.5"},
		"missing name":    {"recall: {backends: [{kind: program, command: [x]}]}", "recall backend number 1 is left out: FILE line 1: it has no name: write name: and what its hits are to be shown under"},
		"a word as list":  {"recall: {backends: [{name: p, kind: program, command: x}]}", `recall backend p is left out: FILE line 1: command is "x": write a list such as [my-search, --json]`},
		"no backend":      {"recall: {backends: [5]}", `recall backend number 1 is left out: FILE line 1: it is "5": write name:, kind: and what belongs to that`},
		"no section":      {"recall: 5", `recall backends are left out: FILE line 1: recall is "5": write backends: under it`},
		"no list":         {"recall: {backends: {name: p}}", "recall backends are left out: FILE line 1: recall.backends is a mapping: write a list, with a dash before each backend"},
		"twice the name":  {"recall: {backends: [{name: p, kind: program, command: [/nonexistent]}, {name: p, kind: program, command: [y]}]}", "recall backend p is left out: FILE line 1: another one is called that too: give it another name"},
		"built-in's name": {"recall: {backends: [{name: lexical, kind: program, command: [x]}]}", "recall backend lexical is left out: FILE line 1: that is what built-in recall is called: give it another name"},
		"unknown mapping": {"recall: {backends: [{name: m, kind: mcp, command: [x], mapping: morane}]}",
			`recall backend m is left out: FILE line 1: unknown mapping "morane": write moraine, or none, and tool, results, id, title and text`},
		"two mistakes": {"recall: {backends: [{name: a, kind: x}, {name: b, kind: y}]}",
			`recall backend a is left out: FILE line 1: unknown kind "x": write mcp, embeddings or program; and 1 more, which 'vault status' lists`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.must(os.WriteFile(filepath.Join(p.dir, "home", "config.yaml"), []byte(test.config), 0o600))
			file := filepath.Join(p.dir, "home", "config.yaml")
			told := replaceFile(test.told, file)

			p.add("", vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Queue in Postgres."})
			_, err := p.by("").List(context.Background(), vault.ListQuery{})
			p.must(err)
			require.Empty(t, p.told, "what does not search is not concerned")

			got, err := p.by("").Recall(context.Background(), vault.RecallQuery{Text: "queue"})
			p.must(err)
			require.Equal(t, []string{"Queue in Postgres."}, titlesOf(got))
			require.Equal(t, []string{told}, got.Notes)
			require.Equal(t, []string{told}, p.told)

			block, err := p.by("").Context(context.Background(), vault.ContextQuery{Query: "queue"})
			p.must(err)
			require.Contains(t, block.Text, "Queue in Postgres.")
			p.told = nil
			answer, err := p.by("claude-code").Hook(context.Background(), vault.HookCall{Event: vault.HookPrompt, Session: "s", Prompt: "queue"})
			p.must(err)
			require.Contains(t, answer.Context, "Queue in Postgres.")
			require.Empty(t, p.told, "a hook says nothing of it")

			st, err := p.by("").Status(context.Background())
			p.must(err)
			require.NotEmpty(t, st.Backends)
			require.Contains(t, st.Backends[0].Error, file+" line ")

			found, err := p.by("").Doctor(context.Background(), vault.Checkup{})
			p.must(err)
			require.True(t, anyTrouble(found, file, "left out: line "), found)
		})
	}
}

// A setting that is not known changes nothing, and is named.
func TestAnUnknownSettingOfABackendIsNamed(t *testing.T) {
	p := newPlace(t)
	p.config("recall: {backends: [{name: p, kind: program, command: [/nonexistent], colour: red}], speed: 9}")
	p.add("", vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Queue in Postgres."})
	contains(t, p.told[0], "line 2: field colour of a recall backend is unknown", "line 2: field recall.speed is unknown")
	st, err := p.by("").Status(context.Background())
	p.must(err)
	require.Equal(t, "p", st.Backends[0].Name)
	require.Empty(t, st.Backends[0].Error)
}

func replaceFile(s, file string) string { return strings.ReplaceAll(s, "FILE", file) }

func anyTrouble(found []vault.Trouble, file, text string) bool {
	return slices.ContainsFunc(found, func(t vault.Trouble) bool { return t.File == file && strings.Contains(t.Message, text) })
}
