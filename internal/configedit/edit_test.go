package configedit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var server = Object{{"command", "vault"}, {"args", []any{"mcp"}}}

func set(t require.TestingT, doc string) *JSON {
	j, err := ParseJSON([]byte(doc))
	require.NoError(t, err)
	require.NoError(t, j.Set([]string{"mcpServers", "vault"}, server))
	return j
}

func TestAMemberGoesIn(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"no document", "", "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": \"vault\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		{"only a comment", "// mine", "// mine\n{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": \"vault\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		{"an empty object", "{}", "{\n  \"mcpServers\": {\n    \"vault\": {\n      \"command\": \"vault\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		{"one line", `{"a": 1, "mcpServers": {"b": {}}}`, `{"a": 1, "mcpServers": {"b": {}, "vault": {"command": "vault", "args": ["mcp"]}}}`},
		{"comments, tabs, a trailing comma and CRLF",
			"{\r\n\t// servers\r\n\t\"mcpServers\": {\r\n\t\t\"b\": {}, // b's\r\n\t},\r\n}",
			"{\r\n\t// servers\r\n\t\"mcpServers\": {\r\n\t\t\"b\": {}, // b's\r\n\t\t\"vault\": {\r\n\t\t\t\"command\": \"vault\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t},\r\n\t},\r\n}"},
		{"a comment behind the last value",
			"\ufeff{\n    \"mcpServers\": {\n        \"b\": {} /* b's */ // really\n    }\n}\n",
			"\ufeff{\n    \"mcpServers\": {\n        \"b\": {}, /* b's */ // really\n        \"vault\": {\n            \"command\": \"vault\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := set(t, c.doc)
			require.Equal(t, c.want, string(j.Bytes()))
			back, ok := Undo(j.Bytes(), j.Changes())
			require.True(t, ok)
			require.Equal(t, c.doc, string(back))
			again := set(t, c.want)
			require.Empty(t, again.Changes())
		})
	}
}

func TestWhatIsNoDocumentIsRefusedByLine(t *testing.T) {
	for doc, problem := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}": "line 3: a comma is missing before '\"'",
		"{\n  \"a\": \n}":              "line 3: a value is missing before '}'",
		"{\n  'a': 1}":                 "line 2: a key has to stand here, in double quotes",
		"{\"a\": tru}":                 `line 1: "tru" is no value`,
		"{\n\n\"a\": {":                "line 3: '{' is never closed",
		"[1]":                          "line 1: the document is no object",
		"{} {}":                        "line 1: something stands behind the end of the document",
		"/* a":                         "line 1: a comment has no end",
		"{\"a":                         "line 1: a text has no closing quote",
	} {
		_, err := ParseJSON([]byte(doc))
		require.EqualError(t, err, problem, doc)
	}
	for doc, problem := range map[string]string{
		"{\n\"mcpServers\": \"none\"}":        "line 2: mcpServers is no object",
		"{\"mcpServers\": []}":                "line 1: mcpServers is no object",
		"{\"a\": 1,\n \"a\": 2}":              "line 1: the document has a key twice",
		"{\"mcpServers\": {\"a\":1,\"a\":2}}": "line 1: mcpServers has a key twice",
	} {
		j, err := ParseJSON([]byte(doc))
		require.NoError(t, err)
		require.EqualError(t, j.Set([]string{"mcpServers", "vault"}, server), problem)
	}
}

func TestTOMLTables(t *testing.T) {
	path := []string{"mcp_servers", "vault"}
	for _, c := range []struct{ name, doc, want string }{
		{"no document", "", "[mcp_servers.vault]\ncommand = \"vault\"\nargs = [\"mcp\"]\n"},
		{"no last line end", "a = 1 # one", "a = 1 # one\n\n[mcp_servers.vault]\ncommand = \"vault\"\nargs = [\"mcp\"]\n"},
		{"CRLF", "\ufeff[mcp_servers.b]\r\nx = '''\r\n[c]'''\r\n", "\ufeff[mcp_servers.b]\r\nx = '''\r\n[c]'''\r\n\r\n[mcp_servers.vault]\r\ncommand = \"vault\"\r\nargs = [\"mcp\"]\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := ParseTOML([]byte(c.doc))
			require.NoError(t, err)
			require.NoError(t, d.AddTable(path, server))
			require.Equal(t, c.want, string(d.Bytes()))
			back, ok := Undo(d.Bytes(), d.Changes())
			require.True(t, ok)
			require.Equal(t, c.doc, string(back))
		})
	}
	for doc, problem := range map[string]string{
		"mcp_servers = 1":                  "line 1: mcp_servers is written in a way that [mcp_servers.vault] can't be added to",
		"\nmcp_servers = { b = 1 }":        "line 2: mcp_servers is written in a way that [mcp_servers.vault] can't be added to",
		"[[mcp_servers]]\na = 1\n[x]\na=1": "line 1: mcp_servers is written in a way that [mcp_servers.vault] can't be added to",
	} {
		d, err := ParseTOML([]byte(doc))
		require.NoError(t, err)
		require.EqualError(t, d.AddTable(path, server), problem)
	}
	_, err := ParseTOML([]byte("a = 1\nb = \n"))
	var at *Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, 2, at.Line)
}

func TestATOMLTableGoesOut(t *testing.T) {
	doc := "[a]\nx = 1\n\n[mcp_servers.vault] # ours\ncommand = '/old/vault' # where\nargs = [\n  \"mcp\",\n]\n\n# about the environment\n[mcp_servers.vault.env]\nK = \"V\"\n\n# about b\n[mcp_servers.b]\ncommand = \"b\"\n"
	d, err := ParseTOML([]byte(doc))
	require.NoError(t, err)
	require.Equal(t, 4, d.Line("mcp_servers", "vault"))
	found, err := d.SetText([]string{"mcp_servers", "vault", "command"}, `/new/"vault"`)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, strings.Replace(doc, "'/old/vault'", `"/new/\"vault\""`, 1), string(d.Bytes()))
	require.NoError(t, d.RemoveTable([]string{"mcp_servers", "vault"}))
	require.Equal(t, "[a]\nx = 1\n\n# about the environment\n\n# about b\n[mcp_servers.b]\ncommand = \"b\"\n", string(d.Bytes()))
}

// trivia is white space and comments, which may hold anything.
func trivia() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\r\n\t", "\n    ", " // c, \"x\": {\n", "/* } */", "\n// [\n  "})
}

func document(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 3
		if depth > 0 {
			kinds = 5
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"true", "null", "-1.5e3", "12345678901234567890"}).Draw(t, "word")
		case 1, 2:
			return quote(rapid.StringOf(rapid.RuneFrom([]rune(`a"\/{}é:,`))).Draw(t, "text"))
		case 3:
			return object(t, depth-1, nil)
		}
		var parts []string
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			parts = append(parts, trivia().Draw(t, "before")+document(depth-1).Draw(t, "value")+trivia().Draw(t, "after"))
		}
		return "[" + strings.Join(parts, ",") + tail(t, len(parts)) + "]"
	})
}

func tail(t *rapid.T, n int) string {
	text := trivia().Draw(t, "tail")
	if n > 0 && rapid.Bool().Draw(t, "trailing comma") {
		text = "," + text
	}
	return text
}

func object(t *rapid.T, depth int, more map[string]string) string {
	var parts []string
	add := func(name, value string) {
		parts = append(parts, trivia().Draw(t, "before")+quote(name)+trivia().Draw(t, "colon")+":"+trivia().Draw(t, "value")+value+trivia().Draw(t, "after"))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "n") {
		add(fmt.Sprintf("k%d", i), document(depth).Draw(t, "member"))
	}
	for name, value := range more {
		add(name, value)
	}
	return "{" + strings.Join(parts, ",") + tail(t, len(parts)) + "}"
}

func anyConfig() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		more := map[string]string{}
		if rapid.Bool().Draw(t, "has servers") {
			more["mcpServers"] = object(t, 2, nil)
		}
		return rapid.SampledFrom([]string{"", bom}).Draw(t, "bom") + trivia().Draw(t, "head") + object(t, 2, more) + trivia().Draw(t, "foot")
	})
}

func value(t require.TestingT, data []byte) any {
	j, err := ParseJSON(data)
	require.NoError(t, err, string(data))
	return j.root.plain(j.data)
}

// In any document: what goes in comes out again to the same bytes, twice is
// once, and all that it was otherwise it stays.
func TestAnyJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := anyConfig().Draw(t, "document")
		j, err := ParseJSON([]byte(doc))
		require.NoError(t, err)
		before := value(t, []byte(doc)).(map[string]any)
		require.NoError(t, j.Set([]string{"mcpServers", "vault"}, server))
		require.NoError(t, j.Append([]string{"hooks", "Stop"}, Object{{"hooks", []any{Object{{"timeout", 10}}}}}))
		after := value(t, j.Bytes()).(map[string]any)
		require.Equal(t, Plain(server), after["mcpServers"].(map[string]any)["vault"])
		delete(after, "hooks")
		delete(after["mcpServers"].(map[string]any), "vault")
		if before["mcpServers"] == nil {
			delete(after, "mcpServers")
		}
		require.Equal(t, before, after)
		require.Empty(t, set(t, string(j.Bytes())).Changes())

		back, ok := Undo(j.Bytes(), j.Changes())
		require.True(t, ok)
		require.Equal(t, doc, string(back))
		if back, ok := UndoAnywhere(j.Bytes(), j.Changes()); ok {
			require.Equal(t, doc, string(back))
		}

		// Without a record it comes out of the document that it is in.
		require.NoError(t, j.Remove([]string{"mcpServers", "vault"}))
		require.NoError(t, j.RemoveElement([]string{"hooks", "Stop"}, 0))
		for _, path := range [][]string{{"hooks", "Stop"}, {"hooks"}} {
			require.NoError(t, j.Prune(path))
		}
		if before["mcpServers"] == nil {
			require.NoError(t, j.Remove([]string{"mcpServers"}))
		}
		require.Equal(t, before, value(t, j.Bytes()))
		require.Equal(t, comments(doc), comments(string(j.Bytes())))
	})
}

// comments counts the comments of the generated documents.
func comments(doc string) [3]int {
	return [3]int{strings.Count(doc, "// c, "), strings.Count(doc, "/* } */"), strings.Count(doc, "// [\n")}
}

func TestAnyTOML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		var lines []string
		for i := range rapid.IntRange(0, 5).Draw(t, "tables") {
			lines = append(lines, rapid.SampledFrom([]string{"", "# about it", " [mcp_servers.s%d] # x", "[t%d]", "[[list]]", "['q u.%d'.x]"}).Draw(t, "head"))
			if strings.Contains(lines[len(lines)-1], "%d") {
				lines[len(lines)-1] = fmt.Sprintf(lines[len(lines)-1], i)
			}
			if !strings.HasPrefix(strings.TrimSpace(lines[len(lines)-1]), "[") {
				continue
			}
			for k := range rapid.IntRange(0, 3).Draw(t, "keys") {
				v := rapid.SampledFrom([]string{"1", `"a # b"`, "'''" + nl + "[x]" + nl + "'''", "[1," + nl + " 2]", "{ a = 1 }", "2020-01-01", "\"\"\"\\" + nl + "[mcp_servers.vault]\"\"\" # c"}).Draw(t, "value")
				lines = append(lines, fmt.Sprintf("k%d = %s", k, v))
			}
		}
		doc := strings.Join(lines, nl) + rapid.SampledFrom([]string{"", nl}).Draw(t, "end")
		d, err := ParseTOML([]byte(doc))
		require.NoError(t, err, doc)
		before := clone(d.value)
		path := []string{"mcp_servers", "vault"}
		require.NoError(t, d.AddTable(path, append(server, Field{"env", Object{{"VAULT_HOME", "/a \"b\""}}})))
		back, ok := Undo(d.Bytes(), d.Changes())
		require.True(t, ok)
		require.Equal(t, doc, string(back))
		require.NoError(t, d.RemoveTable(path))
		require.True(t, reflect.DeepEqual(tidy(before), tidy(clone(d.value))), string(d.Bytes()))
		if doc != "" {
			require.Equal(t, strings.TrimRight(doc, "\r\n"), strings.TrimRight(string(d.Bytes()), "\r\n"))
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte("{\"a\": [1, {}], // c\n \"mcpServers\": {},}"))
	f.Add([]byte("\ufeff{\r\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := ParseJSON(data)
		if err != nil {
			return
		}
		if j.Set([]string{"mcpServers", "vault"}, server) != nil {
			return
		}
		back, ok := Undo(j.Bytes(), j.Changes())
		require.True(t, ok)
		require.Equal(t, string(data), string(back))
		require.NoError(t, j.Remove([]string{"mcpServers", "vault"}))
		_, _, found, err := j.Get("mcpServers", "vault")
		require.NoError(t, err)
		require.False(t, found)
	})
}

func FuzzTOML(f *testing.F) {
	f.Add([]byte("a = 1\n[b]\nc = '''\n'''\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseTOML(data)
		if err != nil {
			return
		}
		if _, there := d.Get("mcp_servers", "vault"); there || d.AddTable([]string{"mcp_servers", "vault"}, server) != nil {
			return
		}
		back, ok := Undo(d.Bytes(), d.Changes())
		require.True(t, ok)
		require.Equal(t, string(data), string(back))
		if d.RemoveTable([]string{"mcp_servers", "vault"}) == nil {
			require.NoError(t, toml.Unmarshal(d.Bytes()[len(d.Bytes())-len(strings.TrimPrefix(string(d.Bytes()), bom)):], &map[string]any{}))
		}
	})
}
