package importers

import (
	"regexp"
	"strings"
	"sync"

	"gitvault/internal/entryfile"
)

type clue struct {
	kind    entryfile.Kind
	pattern *regexp.Regexp
}

var clues = sync.OnceValue(func() []clue {
	return []clue{
		{entryfile.FailedPath, regexp.MustCompile(`(?i)\b(?:does not|doesn't|did not|didn't|do not|don't|won't|never) (?:help|work)s?\b|\bdead end\b|\btried\b.{0,80}\b(?:but|failed|without)\b|\bfailed because\b`)},
		{entryfile.Decision, regexp.MustCompile(`(?i)\b(?:we|i|team|was|were|been)(?: have| has)? (?:decided|chosen|chose|agreed|settled)\b|\bdecided (?:to|on|in|that|against|for)\b|\bchose\b.{0,60}\b(?:over|instead|because)\b|^decision:`)},
		{entryfile.OpenThread, regexp.MustCompile(`(?i)^(?:todo|fixme|open question|open|question)\b:?|\?$`)},
	}
})

// guess is the kind of a note that no source names: what its words say, else
// the kind given.
func guess(text string, otherwise entryfile.Kind) entryfile.Kind {
	first, _, _ := strings.Cut(text, "\n\n")
	if len(first) > 600 {
		first = first[:600]
	}
	for _, c := range clues() {
		if c.pattern.MatchString(strings.TrimSpace(first)) {
			return c.kind
		}
	}
	return otherwise
}
