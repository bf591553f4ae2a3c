package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

// memory carries out one command on the user's scope.
func (p *place) memory(writer string, c vault.MemoryCommand) vault.MemoryAnswer {
	p.Helper()
	a, err := p.by(writer).MemoryTool(context.Background(), vault.UserScope, c)
	p.must(err)
	return a
}

func (p *place) viewed(writer, path string) string {
	p.Helper()
	return p.memory(writer, vault.MemoryCommand{Command: "view", Path: path}).Text
}

func (p *place) created(writer, path, text string) vault.MemoryAnswer {
	p.Helper()
	a := p.memory(writer, vault.MemoryCommand{Command: "create", Path: path, FileText: text})
	require.False(p, a.IsError, a.Text)
	return a
}

func (p *place) entry(id string) vault.Entry {
	p.Helper()
	list, err := p.by("").Get(context.Background(), "", []string{id})
	p.must(err)
	return list[0]
}

const emptyRoot = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories"

// Whoever writes, and whatever the policy: the agent works with its folder as
// with one on disk.
func TestTheMemoryToolIsAFolder(t *testing.T) {
	for _, policy := range []string{"hold", "apply", "off"} {
		for _, writer := range []string{"", "claude/s1"} {
			t.Run(policy+" "+writer, func(t *testing.T) {
				p := newPlace(t)
				p.config("review: " + policy + "\n")
				assert.Equal(t, emptyRoot, p.viewed(writer, "/memories"))
				made := p.created(writer, "/memories/notes.txt", "Meeting notes:\n- Discussed project timeline\n- Next steps defined\n")
				assert.Equal(t, "File created successfully at: /memories/notes.txt", made.Text)
				assert.Equal(t, writer != "" && policy == "hold", made.Pending)
				p.created(writer, "/memories/a b/c/deep", "one")
				p.created(writer, "/memories/decisions/queue.md", "Queue in Postgres: one system less.\n\n## Why\nFewer parts.")
				p.created(writer, "/memories/empty", "")
				p.created(writer, "/memories/.hidden", "x")
				assert.Equal(t, strings.Join([]string{
					"Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
					"123B\t/memories", "3B\t/memories/a b/", "3B\t/memories/a b/c/", "56B\t/memories/decisions/", "56B\t/memories/decisions/queue.md",
					"0B\t/memories/empty", "64B\t/memories/notes.txt",
				}, "\n"), p.viewed(writer, "/memories/"))
				assert.Contains(t, p.viewed(writer, "/memories/a b"), "3B\t/memories/a b/c/deep")
				assert.Equal(t, "Here's the content of /memories/notes.txt with line numbers:\n     1\tMeeting notes:\n     2\t- Discussed project timeline\n     3\t- Next steps defined",
					p.viewed(writer, "/memories/notes.txt"))
				assert.Equal(t, "Here's the content of /memories/empty with line numbers:\n     1\t", p.viewed(writer, "/memories/empty"))
				assert.Equal(t, "Here's the content of /memories/notes.txt with line numbers:\n     2\t- Discussed project timeline",
					p.memory(writer, vault.MemoryCommand{Command: "view", Path: "/memories/notes.txt", ViewRange: []int{2, 2}}).Text)

				edited := p.memory(writer, vault.MemoryCommand{Command: "str_replace", Path: "/memories/notes.txt", OldStr: "timeline", NewStr: "plan"})
				assert.Equal(t, "The memory file has been edited.\n     1\tMeeting notes:\n     2\t- Discussed project plan\n     3\t- Next steps defined", edited.Text)
				in := p.memory(writer, vault.MemoryCommand{Command: "insert", Path: "/memories/notes.txt", InsertLine: 1, InsertText: "- First\n"})
				assert.Equal(t, "The file /memories/notes.txt has been edited.", in.Text)
				p.memory(writer, vault.MemoryCommand{Command: "insert", Path: "/memories/empty", InsertLine: 0, InsertText: "now full"})
				assert.True(t, strings.HasSuffix(p.viewed(writer, "/memories/notes.txt"), ":\n     1\tMeeting notes:\n     2\t- First\n     3\t- Discussed project plan\n     4\t- Next steps defined"))
				assert.True(t, strings.HasSuffix(p.viewed(writer, "/memories/empty"), "\n     1\tnow full"))
				p.memory(writer, vault.MemoryCommand{Command: "str_replace", Path: "/memories/empty", OldStr: "now full", NewStr: ""})
				assert.True(t, strings.HasSuffix(p.viewed(writer, "/memories/empty"), "\n     1\t"))

				moved := p.memory(writer, vault.MemoryCommand{Command: "rename", OldPath: "/memories/a b", NewPath: "/memories/clients/eu"})
				assert.Equal(t, "Successfully renamed /memories/a b to /memories/clients/eu", moved.Text)
				assert.True(t, strings.HasSuffix(p.viewed(writer, "/memories/clients/eu/c/deep"), "\n     1\tone"))
				kind := p.memory(writer, vault.MemoryCommand{Command: "rename", OldPath: "/memories/notes.txt", NewPath: "/memories/conventions/notes.txt"})
				assert.False(t, kind.IsError, kind.Text)
				assert.Contains(t, p.viewed(writer, "/memories/conventions/notes.txt"), "- First")

				gone := p.memory(writer, vault.MemoryCommand{Command: "delete", Path: "/memories/clients"})
				assert.Equal(t, "Successfully deleted /memories/clients", gone.Text)
				for _, f := range []string{"empty", "conventions", "decisions/queue.md", ".hidden"} {
					p.memory(writer, vault.MemoryCommand{Command: "delete", Path: "/memories/" + f})
				}
				assert.Equal(t, emptyRoot, p.viewed(writer, "/memories"))
			})
		}
	}
}

func TestTheMemoryToolsWordsForWhatIsWrong(t *testing.T) {
	p := newPlace(t)
	p.config("review: off\n")
	p.created("claude/s1", "/memories/dir/notes.txt", "one\ntwo\none")
	for _, c := range []struct {
		cmd  vault.MemoryCommand
		want string
	}{
		{vault.MemoryCommand{Command: "view", Path: "/memories/none"}, "The path /memories/none does not exist. Please provide a valid path."},
		{vault.MemoryCommand{Command: "create", Path: "/memories/dir/notes.txt", FileText: "x"}, "Error: File /memories/dir/notes.txt already exists"},
		{vault.MemoryCommand{Command: "create", Path: "/memories/dir", FileText: "x"}, "Error: File /memories/dir already exists"},
		{vault.MemoryCommand{Command: "create", Path: "/memories", FileText: "x"}, "Error: File /memories already exists"},
		{vault.MemoryCommand{Command: "create", Path: "/memories/dir/notes.txt/more", FileText: "x"}, "Error: a file stands where /memories/dir/notes.txt/more needs a folder"},
		{vault.MemoryCommand{Command: "str_replace", Path: "/memories/none", OldStr: "x"}, "Error: The path /memories/none does not exist. Please provide a valid path."},
		{vault.MemoryCommand{Command: "str_replace", Path: "/memories/dir", OldStr: "x"}, "Error: The path /memories/dir does not exist. Please provide a valid path."},
		{vault.MemoryCommand{Command: "str_replace", Path: "/memories/dir/notes.txt", OldStr: "three", NewStr: "x"}, "No replacement was performed, old_str `three` did not appear verbatim in /memories/dir/notes.txt."},
		{vault.MemoryCommand{Command: "str_replace", Path: "/memories/dir/notes.txt", OldStr: "one", NewStr: "x"}, "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique"},
		{vault.MemoryCommand{Command: "insert", Path: "/memories/none", InsertText: "x"}, "Error: The path /memories/none does not exist"},
		{vault.MemoryCommand{Command: "insert", Path: "/memories/dir/notes.txt", InsertLine: 4, InsertText: "x"}, "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]"},
		{vault.MemoryCommand{Command: "delete", Path: "/memories/none"}, "Error: The path /memories/none does not exist"},
		{vault.MemoryCommand{Command: "delete", Path: "/memories/"}, "Error: The /memories directory itself can't be deleted"},
		{vault.MemoryCommand{Command: "rename", OldPath: "/memories/none", NewPath: "/memories/x"}, "Error: The path /memories/none does not exist"},
		{vault.MemoryCommand{Command: "rename", OldPath: "/memories/dir", NewPath: "/memories/dir/notes.txt"}, "Error: The destination /memories/dir/notes.txt already exists"},
		{vault.MemoryCommand{Command: "rename", OldPath: "/memories/dir", NewPath: "/memories/dir/sub"}, "Error: /memories/dir can't be moved to /memories/dir/sub: a file stands in the way"},
		{vault.MemoryCommand{Command: "append"}, `Error: unknown command "append": use view, create, str_replace, insert, delete or rename`},
		{vault.MemoryCommand{Command: "view", Path: "/memories/dir/notes.txt", ViewRange: []int{4, 5}}, "Error: Invalid `view_range`: [4, 5]. It should be within the range of lines of the file: [1, 3]"},
	} {
		a := p.memory("claude/s1", c.cmd)
		assert.Equal(t, c.want, a.Text)
		assert.True(t, a.IsError)
	}
	for _, path := range []string{"", "/", "notes.txt", "/memoriesx", "/memories/../etc/passwd", "/memories/a/../../b", "/memories/./a", "/memories//a", "/memories/a\\..\\b",
		"/memories/%2e%2e/a", "/memories/%2E%2E%2Fa", "/memories/a\x00b", "/memories/a\nb", "/etc/passwd", "C:\\x", "/memories/" + strings.Repeat("x", 2000), "/memories/\xff"} {
		for _, cmd := range []string{"view", "create", "str_replace", "insert", "delete"} {
			a := p.memory("claude/s1", vault.MemoryCommand{Command: cmd, Path: path, FileText: "x", OldStr: "x", InsertText: "x"})
			assert.True(t, a.IsError, "%s %q: %s", cmd, path, a.Text)
		}
		assert.True(t, p.memory("claude/s1", vault.MemoryCommand{Command: "rename", OldPath: "/memories/dir", NewPath: path}).IsError)
		assert.True(t, p.memory("claude/s1", vault.MemoryCommand{Command: "rename", OldPath: path, NewPath: "/memories/y"}).IsError)
	}
	refused := p.memory("claude/s1", vault.MemoryCommand{Command: "create", Path: "/memories/key", FileText: "the key is AKIA" + "IOSFODNN7EXAMPLQ"})
	assert.True(t, refused.IsError)
	assert.Contains(t, refused.Text, "looks like a secret")
	assert.NotContains(t, refused.Text, "AKIA")
	named := p.memory("claude/s1", vault.MemoryCommand{Command: "create", Path: "/memories/AKIA" + "IOSFODNN7EXAMPLQ", FileText: "x"})
	assert.Contains(t, named.Text, "the text of another field, such as a file's path, looks like a secret")
	long := p.memory("claude/s1", vault.MemoryCommand{Command: "create", Path: "/memories/decisions/long", FileText: strings.Repeat("x", 64<<10+1)})
	assert.Contains(t, long.Text, "the limit is 64 KiB")
}

// What waits for review is seen by the session that wrote it, and by no other
// until a person has kept it.
func TestAnotherSessionSeesWhatWasKept(t *testing.T) {
	p := newPlace(t)
	made := p.created("claude/s1", "/memories/notes.txt", "one")
	require.Len(t, made.Cards, 1)
	assert.Contains(t, p.viewed("claude/s1", "/memories/notes.txt"), "one")
	for _, other := range []string{"claude/s2", "claude", "codex/s1", ""} {
		assert.Equal(t, emptyRoot, p.viewed(other, "/memories"), other)
	}
	p.keep(made.Cards[0])
	for _, writer := range []string{"claude/s1", "claude/s2", "claude", "codex/s1", ""} {
		assert.Contains(t, p.viewed(writer, "/memories/notes.txt"), "     1\tone", writer)
	}
	edited := p.memory("claude/s2", vault.MemoryCommand{Command: "str_replace", Path: "/memories/notes.txt", OldStr: "one", NewStr: "two"})
	assert.True(t, edited.Pending)
	assert.Contains(t, p.viewed("claude/s2", "/memories/notes.txt"), "two")
	again := p.memory("claude/s2", vault.MemoryCommand{Command: "insert", Path: "/memories/notes.txt", InsertLine: 1, InsertText: "three"})
	assert.Equal(t, edited.Cards, again.Cards, "one card, however often the agent thinks again")
	assert.Contains(t, p.viewed("claude/s1", "/memories/notes.txt"), "one")
	p.keep(again.Cards[0])
	assert.Contains(t, p.viewed("", "/memories/notes.txt"), "     1\ttwo\n     2\tthree")
	gone := p.memory("claude/s3", vault.MemoryCommand{Command: "delete", Path: "/memories/notes.txt"})
	assert.True(t, gone.Pending)
	assert.Equal(t, emptyRoot, p.viewed("claude/s3", "/memories"))
	assert.Contains(t, p.viewed("claude/s1", "/memories/notes.txt"), "two")
}

// Entries that were remembered otherwise are files too: a heading and a body.
func TestEveryEntryIsAFile(t *testing.T) {
	p := newPlace(t)
	p.config("review: off\n")
	one := p.add("", vault.Draft{Title: "Queue in Postgres", Text: "One system less to run.", Tags: []string{"storage"}}).Entry
	two := p.add("", vault.Draft{Kind: vault.Preference, Text: "Answer in short sentences."}).Entry
	path := "/memories/decisions/queue-in-postgres-" + one.ID + ".md"
	assert.Contains(t, p.viewed("claude/s1", "/memories"), path)
	assert.True(t, strings.HasSuffix(p.viewed("claude/s1", path), ":\n     1\t# Queue in Postgres\n     2\t\n     3\tOne system less to run."))
	pref := "/memories/preferences/answer-in-short-sentences-" + two.ID + ".md"
	assert.True(t, strings.HasSuffix(p.viewed("claude/s1", pref), "\n     1\t# Answer in short sentences."))

	p.memory("claude/s1", vault.MemoryCommand{Command: "str_replace", Path: path, OldStr: "# Queue in Postgres", NewStr: "# All queues in Postgres"})
	got := p.entry(one.ID)
	assert.Equal(t, "All queues in Postgres", got.Title)
	assert.Equal(t, "One system less to run.", got.Body)
	assert.Equal(t, []string{"storage"}, got.Tags)
	assert.Contains(t, p.viewed("claude/s1", path), "# All queues", "the old name still finds it")
	p.memory("claude/s1", vault.MemoryCommand{Command: "insert", Path: path, InsertLine: 3, InsertText: "And to watch."})
	assert.Equal(t, "One system less to run.\nAnd to watch.", p.entry(one.ID).Body)

	refused := p.memory("claude/s1", vault.MemoryCommand{Command: "rename", OldPath: path, NewPath: "/memories/q.md"})
	assert.Contains(t, refused.Text, "named by its title")
	assert.True(t, refused.IsError)
	p.memory("claude/s1", vault.MemoryCommand{Command: "delete", Path: "/memories/decisions"})
	assert.NotContains(t, p.viewed("claude/s1", "/memories"), one.ID)
}

// One command is one commit, also one that touches many files, and git and
// check find nothing wrong with any of it.
func TestACommandIsACommit(t *testing.T) {
	p := newPlace(t)
	p.config("review: off\n")
	for i := range 5 {
		p.created("claude/s1", fmt.Sprintf("/memories/many/%d.md", i), fmt.Sprintf("file %d", i))
	}
	log := func() int {
		list, err := p.by("").Log(context.Background(), vault.LogQuery{})
		p.must(err)
		return len(list)
	}
	before := log()
	a := p.memory("claude/s1", vault.MemoryCommand{Command: "rename", OldPath: "/memories/many", NewPath: "/memories/few"})
	assert.NotEmpty(t, a.Commit)
	assert.Equal(t, before+1, log())
	p.memory("claude/s1", vault.MemoryCommand{Command: "view", Path: "/memories"})
	p.memory("claude/s1", vault.MemoryCommand{Command: "view", Path: "/memories/none"})
	same := p.memory("claude/s1", vault.MemoryCommand{Command: "str_replace", Path: "/memories/few/1.md", OldStr: "file", NewStr: "file"})
	assert.Equal(t, before+1, log(), "what changes nothing commits nothing")
	assert.Empty(t, same.Commit)
	p.memory("claude/s1", vault.MemoryCommand{Command: "delete", Path: "/memories/few"})
	assert.Equal(t, before+2, log())
	findings, err := p.by("").Check(context.Background(), "", false)
	p.must(err)
	assert.Empty(t, findings)
}

func TestALongFolderAndALongFileComeInParts(t *testing.T) {
	p := newPlace(t)
	p.config("review: off\n")
	text := strings.TrimSuffix(strings.Repeat("a line of some length\n", 10_000), "\n")
	p.created("claude/s1", "/memories/long.txt", text)
	first := p.viewed("claude/s1", "/memories/long.txt")
	assert.Less(t, len(first), 70<<10)
	assert.Contains(t, first, "more lines: view with view_range [")
	p.created("claude/s1", "/memories/wide.txt", strings.Repeat("é", 300<<10)+"\nend")
	wide := p.viewed("claude/s1", "/memories/wide.txt")
	assert.Less(t, len(wide), 73<<10)
	assert.Contains(t, wide, "(line 1 goes on: its first 64 KiB are shown; break it up with str_replace to see the rest; 1 more lines: view with view_range [2, 2])")
	edited := p.memory("claude/s1", vault.MemoryCommand{Command: "str_replace", Path: "/memories/wide.txt", OldStr: "end", NewStr: "The end"})
	assert.False(t, edited.IsError)
	assert.Less(t, len(edited.Text), 73<<10)
	twice := p.memory("claude/s1", vault.MemoryCommand{Command: "str_replace", Path: "/memories/wide.txt", OldStr: "é", NewStr: "e"})
	assert.Contains(t, twice.Text, "in lines: 1, 1, 1")
	assert.Less(t, len(twice.Text), 300)
	last := p.memory("claude/s1", vault.MemoryCommand{Command: "view", Path: "/memories/long.txt", ViewRange: []int{9_999, -1}})
	assert.True(t, strings.HasSuffix(last.Text, "  9999\ta line of some length\n 10000\ta line of some length"), last.Text)

	for i := range 250 {
		p.add("", vault.Draft{Kind: vault.Decision, Text: fmt.Sprintf("Fact %03d.", i)})
	}
	list := p.viewed("claude/s1", "/memories")
	assert.Contains(t, list, "(54 more: view with view_range [201, -1])")
	rest := p.memory("claude/s1", vault.MemoryCommand{Command: "view", Path: "/memories", ViewRange: []int{201, -1}})
	assert.Equal(t, 54, strings.Count(rest.Text, "\n"))
	assert.Contains(t, rest.Text, "/memories/long.txt")
}

// What a session has deleted is gone for it, also where it had changed or
// renamed the file before, and no person has seen any of it yet.
func TestWhatIsDeletedAfterAChangeThatWaitsIsGone(t *testing.T) {
	const file = "/memories/decisions/one.md"
	edit := vault.MemoryCommand{Command: "str_replace", Path: file, OldStr: "first", NewStr: "second"}
	rename := vault.MemoryCommand{Command: "rename", OldPath: file, NewPath: "/memories/decisions/two.md"}
	other := vault.MemoryCommand{Command: "rename", OldPath: file, NewPath: "/memories/conventions/two.md"}
	for name, c := range map[string]struct {
		before vault.MemoryCommand
		path   string
	}{
		"edited":           {edit, file},
		"renamed":          {rename, rename.NewPath},
		"folder":           {edit, "/memories/decisions"},
		"of a renamed one": {rename, "/memories/decisions"},
		"of another kind":  {other, "/memories/conventions"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			made := p.created("claude/s1", file, "first")
			p.keep(made.Cards[0])
			require.False(t, p.memory("claude/s1", c.before).IsError)
			gone := p.memory("claude/s1", vault.MemoryCommand{Command: "delete", Path: c.path})
			assert.Equal(t, "Successfully deleted "+c.path, gone.Text)
			assert.Equal(t, emptyRoot, p.viewed("claude/s1", "/memories"))
			assert.Contains(t, p.viewed("claude/s2", file), "first", "until a person has kept it")
			waiting := p.pending("")
			require.Len(t, waiting, 1)
			assert.Equal(t, "forget", waiting[0].Review)
			if name != "of another kind" { // there the card of the old name waits since the rename
				assert.True(t, gone.Pending)
				assert.Equal(t, []string{waiting[0].Card}, gone.Cards)
			}
			p.keep(waiting[0].Card)
			assert.Equal(t, emptyRoot, p.viewed("claude/s2", "/memories"))
		})
	}
}

func TestTwoFilesOfOneName(t *testing.T) {
	p := newPlace(t)
	one := p.created("claude/s1", "/memories/dir/same.md", "one")
	two := p.created("claude/s2", "/memories/dir/same.md", "two")
	p.keep(one.Cards[0], two.Cards[0])
	assert.Regexp(t, `/memories/dir/same-[0-9a-z]{8}\.md(\n|$)`, p.viewed("claude/s3", "/memories/dir"))
}

func TestACommandWithoutWhatItNeeds(t *testing.T) {
	p := newPlace(t)
	p.config("review: off\n")
	for _, c := range [][2]string{
		{`{"command":"create","path":"/memories/a"}`, "Error: the command create needs `file_text`"},
		{`{"command":"create","path":"/memories/a","file_text":null}`, "Error: the command create needs `file_text`"},
		{`{"command":"insert","path":"/memories/a","insert_line":0}`, "Error: the command insert needs `insert_text`"},
		{`{"command":"create","path":"/memories/a","file_text":""}`, "File created successfully at: /memories/a"},
	} {
		var cmd vault.MemoryCommand
		require.NoError(t, json.Unmarshal([]byte(c[0]), &cmd))
		assert.Equal(t, c[1], p.memory("claude/s1", cmd).Text)
	}
}
