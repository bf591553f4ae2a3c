package generate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitvault/internal/entryfile"
)

// Whatever the bounds, a block has an entry of each scope, or says which bounds
// it takes for that.
func TestATightBlockKeepsAFloorOrSaysWhatItTakes(t *testing.T) {
	wordy := crowd(User, "user", 60)
	for i := range wordy.Entries {
		wordy.Entries[i].Description = strings.Repeat("a long line ", 9)
	}
	pinned := ContextScope{Role: Project, Name: "p", Entries: []entryfile.Entry{
		{ID: "g1111111", Kind: entryfile.Decision, Title: "Huge", Body: strings.Repeat("long ", 5000), Created: "2026-03-01T00:00:00Z", Pinned: true}}}
	team := crowd(Shared, "team/go", 50)
	for name, scopes := range map[string][]ContextScope{
		"both":   {crowd(User, "user", 50), crowd(Project, "p", 50)},
		"wordy":  {wordy, crowd(Project, "p", 50)},
		"pinned": {wordy, pinned},
		"shared": {wordy, crowd(Project, "p", 50), team, team},
		"one":    {{Role: User, Name: "user"}, crowd(Project, "p", 5)},
	} {
		for _, format := range []Format{XML, Markdown, JSON} {
			for _, query := range []bool{false, true} {
				told := 0
				for n := 20; n < 900; n += 97 {
					in := ContextInput{Format: format, Tokens: n, Query: query, Scopes: scopes}
					r := Context(in)
					var without []string
					for i, s := range r.Scopes {
						if scopes[i].Role != Shared && len(scopes[i].Entries) > 0 && s.Shown == 0 {
							without = append(without, s.Name)
						}
					}
					require.Equal(t, without, r.Starved, "%s %s %d", name, format, n)
					if without == nil {
						continue
					}
					told++
					require.Greater(t, r.Least.Tokens, n, "%s %s %v %v", name, format, query, without)
					in.Tokens, in.Bytes = r.Least.Tokens, r.Least.Bytes
					again := Context(in)
					require.Empty(t, again.Starved, "%s %s %d: %d %d", name, format, n, in.Tokens, in.Bytes)
					assert.LessOrEqual(t, again.Tokens, in.Tokens)
					assert.LessOrEqual(t, again.Bytes, in.Bytes)
				}
				assert.NotZero(t, told)
			}
		}
	}
}
