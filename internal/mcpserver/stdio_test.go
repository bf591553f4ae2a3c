package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/vault"
)

func hello(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`, version)
}

// talk sends a whole conversation at once and returns the answers by id.
func talk(t *testing.T, s *Server, lines string) map[string]map[string]any {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, s.ServeIO(t.Context(), strings.NewReader(lines), &out))
	answers := map[string]map[string]any{}
	in := bufio.NewScanner(&out)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var list []map[string]any
		if in.Bytes()[0] != '[' {
			list = make([]map[string]any, 1)
			require.NoError(t, json.Unmarshal(in.Bytes(), &list[0]), in.Text())
		} else {
			require.NoError(t, json.Unmarshal(in.Bytes(), &list), in.Text())
		}
		for _, m := range list {
			answers[fmt.Sprint(m["id"])] = m
		}
	}
	return answers
}

// The end of the input waits for the answers: what is piped in is answered
// whole, and what was answered is stored.
func TestTheEndOfTheInputWaitsForTheAnswers(t *testing.T) {
	for _, version := range versions[1:] {
		l := newLab(t)
		l.settings("review: off\n")
		dir := l.project("widget")
		lines := hello(version)
		for i := 1; i <= 20; i++ {
			lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Fact %d.","kind":"decision"}}}`+"\n", i, i)
		}
		answers := talk(t, New(l.options(dir)), strings.TrimSuffix(lines, "\n"))
		require.Len(t, answers, 21)
		assert.Equal(t, version, answers["0"]["result"].(map[string]any)["protocolVersion"])
		list, err := l.person(dir).List(t.Context(), vault.ListQuery{})
		require.NoError(t, err)
		assert.Len(t, list, 20)
	}
}

func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	l := newLab(t)
	lines := hello("2025-11-25") + strings.Join([]string{
		`garbage`, `{"jsonrpc":"2.0"`, `[]`, `42`, `{"id":7}`, ``, "\x00\xff", `[{"jsonrpc":"2.0","id":8,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":9,"method":"no/such"}`, `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":7}`,
		`{"jsonrpc":"2.0","id":"last","method":"ping"}`,
	}, "\n")
	var out bytes.Buffer
	require.NoError(t, New(l.options(l.project("widget"))).ServeIO(t.Context(), strings.NewReader(lines), &out))
	text := out.String()
	assert.Contains(t, text, `-32700`)
	assert.Contains(t, text, `-32600`)
	assert.Contains(t, text, `-32601`)
	assert.Contains(t, text, "batches are not part of protocol version 2025-11-25")
	assert.Contains(t, text, `"id":"last"`)
}

func TestBatchesOfTheVersionsThatHaveThem(t *testing.T) {
	l := newLab(t)
	answers := talk(t, New(l.options(l.project("widget"))), hello("2025-03-26")+
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}]`)
	assert.Contains(t, answers, "1")
	assert.Contains(t, answers["2"]["result"], "structuredContent")
}

func TestAMessageOverTheLimitIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("16 MiB")
	}
	l := newLab(t)
	in, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, hello("2025-11-25"))
		_, _ = w.Write(bytes.Repeat([]byte("x"), maxLine+10))
		_, _ = io.WriteString(w, "\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		w.Close()
	}()
	var out bytes.Buffer
	require.NoError(t, New(l.options(l.project("widget"))).ServeIO(t.Context(), in, &out))
	assert.Contains(t, out.String(), "over 16 MiB")
	assert.Contains(t, out.String(), `"id":1`)
}

// A client that goes away while the person is being asked leaves the change
// held, and the server ends.
func TestTheClientGoesAwayInTheMiddleOfAQuestion(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	lines := strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1) +
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Tabs.","kind":"convention"}}}` + "\n"
	answers := talk(t, New(l.options(dir)), lines)
	result := answers["1"]["result"].(map[string]any)["structuredContent"].(map[string]any)
	assert.Equal(t, true, result["pending"])
	pending, err := l.person(dir).Pending(t.Context(), "")
	require.NoError(t, err)
	assert.Len(t, pending, 1)
}

// A call that the client takes back ends, and its connection goes on.
func TestACancelledCallEnds(t *testing.T) {
	l := newLab(t)
	dir := l.project("widget")
	s := New(l.options(dir))
	s.writing <- struct{}{} // somebody writes, for as long as it takes
	in, w := io.Pipe()
	r, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeIO(t.Context(), in, out); out.Close() }()
	lines := bufio.NewScanner(r)
	_, err := io.WriteString(w, hello("2025-11-25"))
	require.NoError(t, err)
	require.True(t, lines.Scan())
	_, err = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Tabs.","kind":"convention"}}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
{"jsonrpc":"2.0","id":2,"method":"ping"}
`)
	require.NoError(t, err)
	for seen := false; !seen; {
		require.True(t, lines.Scan())
		seen = strings.Contains(lines.Text(), `"id":2`)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	w.Close()
	require.NoError(t, <-done)
	<-s.writing
	pending, err := l.person(dir).Pending(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, pending)
}
