//go:build unix

package backends

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"gitvault/internal/recall"
)

// TestMain makes the test's own program an MCP server where it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv("BE_A_SERVER") == "" {
		os.Exit(m.Run())
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "search", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"results":[{"id":"n1","title":"A note"}]}`)}, nil
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
	time.Sleep(time.Hour) // it does not end with its input
}

// A life is a FIFO that a process holds open as long as it lives.
type life struct {
	name    string
	started chan struct{}
	over    chan struct{}
}

func newLife(t *testing.T) *life {
	l := &life{filepath.Join(t.TempDir(), "life"), make(chan struct{}), make(chan struct{})}
	require.NoError(t, syscall.Mkfifo(l.name, 0o600))
	go func() {
		f, err := os.Open(l.name)
		close(l.started)
		if err == nil {
			_, _ = io.Copy(io.Discard, f)
			close(l.over)
		}
	}()
	return l
}

func (l *life) ends(t *testing.T) {
	t.Helper()
	select {
	case <-l.over:
	case <-time.After(time.Minute):
		t.Fatal("a process that was started is still there")
	}
}

func source(t *testing.T, c Config) recall.Recaller {
	t.Helper()
	c.Name = "b"
	s, err := New(c, World{Environ: append(os.Environ(), "BE_A_SERVER=1"), Dir: t.TempDir(),
		Entries: func(context.Context) ([]recall.Hit, error) { return nil, nil }})
	require.NoError(t, err)
	return s.Recaller
}

// A backend that hangs behind a wrapper takes all that it has started with it.
func TestNothingIsLeftOfABackendThatHangs(t *testing.T) {
	for name, c := range map[string]Config{"program": {Kind: Program}, "mcp": {Kind: MCP, Tool: Tool{Tool: "search"}}} {
		t.Run(name, func(t *testing.T) {
			l := newLife(t)
			c.Command = []string{"sh", "-c", `sleep 1000 >"$0" & wait`, l.name}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { <-l.started; cancel() }()
			_, err := source(t, c).Recall(ctx, recall.Query{Text: "queue"})
			require.ErrorIs(t, err, context.Canceled)
			l.ends(t)
		})
	}
}

// What a program has answered counts, whatever it leaves behind.
func TestAnAnswerIsNotLostByWhatAProgramLeaves(t *testing.T) {
	for name, script := range map[string]string{
		"nothing":                     `echo "$1"`,
		"a child":                     `sleep 1000 3>"$0" & echo "$1"`,
		"itself":                      `exec 3>"$0"; echo "$1"; exec sleep 1000`,
		"itself, deaf":                `exec 3>"$0"; trap "" TERM; echo "$1"; sleep 1000`,
		"more than anybody would ask": `exec 3>"$0"; echo "$1"; yes`,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLife(t)
			c := Config{Kind: Program, Command: []string{"sh", "-c", script, l.name, `{"hits":[{"id":"n1","title":"A note"}]}`}}
			hits, err := source(t, c).Recall(context.Background(), recall.Query{Text: "queue"})
			require.NoError(t, err)
			require.Len(t, hits, 1)
			if name != "nothing" {
				l.ends(t)
			}
		})
	}
}

// An MCP server that goes on after its input has ended is ended, and what it
// answered counts.
func TestAServerIsEndedOnceItHasAnswered(t *testing.T) {
	l := newLife(t)
	c := Config{Kind: MCP, Tool: Tool{Tool: "search"}, Command: []string{"sh", "-c", `exec 3>"$0"; "$1"; true`, l.name, os.Args[0]}}
	hits, err := source(t, c).Recall(context.Background(), recall.Query{Text: "queue"})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	l.ends(t)
}

// A program that fails is not believed, and says itself what is wrong.
func TestAProgramThatFailsIsLeftOut(t *testing.T) {
	for script, told := range map[string]string{
		`echo '{"hits":[]}'; echo "no index" >&2; exit 3`: "sh: exit status 3: no index",
		`echo "no index"; exit 0`:                         "sh answered no JSON: invalid character",
		`exit 0`:                                          "sh answered no JSON: EOF",
	} {
		_, err := source(t, Config{Kind: Program, Command: []string{"sh", "-c", script}}).Recall(context.Background(), recall.Query{Text: "queue"})
		require.ErrorContains(t, err, told, script)
	}
}
