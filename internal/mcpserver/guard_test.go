package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever part of the server finds fault with a request, it does not send back
// the secret that stands in it.
func TestErrorsRepeatNoSecret(t *testing.T) {
	const key = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"
	token := "ghp" + "_" + key
	l := newLab(t)
	requests := []string{
		`"tools/call","params":{"name":"TOKEN","arguments":{}}`,
		`"tools/call","params":{"name":"get","arguments":{"id":"TOKEN"}}`,
		`"tools/call","params":{"name":"list","arguments":{"cursor":"TOKEN"}}`,
		`"tools/call","params":{"name":"list","arguments":{"TOKEN":"x"}}`,
		`"tools/call","params":{"name":"remember","arguments":{"text":"A fact.","scope":"TOKEN"}}`,
		`"tools/call","params":{"name":"remember","arguments":{"text":"A fact.","kind":"TOKEN"}}`,
		`"tools/call","params":{"name":"remember","arguments":{"text":"A fact.","supersedes":["TOKEN"]}}`,
		`"resources/read","params":{"uri":"vault://entry/TOKEN"}`,
		`"resources/read","params":{"uri":"TOKEN"}`,
		`"prompts/get","params":{"name":"TOKEN"}`,
		`"prompts/get","params":{"name":"recall","arguments":{"query":"x","kind":"TOKEN"}}`,
		`"TOKEN","params":{}`,
	}
	lines := hello(versions[1])
	for i, r := range requests {
		lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", i+1, strings.ReplaceAll(r, "TOKEN", token))
	}
	answers := talk(t, New(l.options(l.project("widget"))), lines)
	require.Len(t, answers, len(requests)+1)
	for i, r := range requests {
		said := fmt.Sprint(answers[fmt.Sprint(i+1)])
		assert.NotContains(t, said, key[:8], r)
		assert.Contains(t, said, "[secret: github-pat]", r)
	}
}

// A client that calls itself what a reader takes for the person goes on working,
// by a name that tells it from them.
func TestAClientThatPassesForThePerson(t *testing.T) {
	l := newLab(t)
	for i, name := range []string{"рerson", "ｐｅｒｓｏｎ", "pers0n", "person ", " \u202eperson"} {
		lines := strings.Replace(hello(versions[1]), `"raw"`, fmt.Sprintf("%q", name), 1) +
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Fact %d.","kind":"decision"}}}`+"\n", i)
		said := fmt.Sprint(talk(t, New(l.options(l.folder("here"))), lines)["1"])
		assert.NotContains(t, said, "isError", name)
	}
	list, err := l.person(l.folder("here")).Pending(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, list, 5)
	for _, e := range list {
		assert.Contains(t, e.Source, "agent ")
	}
}
