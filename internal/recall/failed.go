package recall

import (
	"strings"

	"gitvault/internal/entryfile"
)

const (
	resemblance = 0.5 // share of the task's weight that a failed path must have
	nearTop     = 0.4 // of the best score that it must reach
	mostFailed  = 2   // failed paths put first
)

// failedFirst puts failed paths that resemble the task before all else: who
// repeats one should know.
func (s *searcher) failedFirst(list []candidate, limit int) []candidate {
	var first, rest []candidate
	for i, c := range list {
		if i < 2*limit && len(first) < mostFailed && s.entries[c.entry].isFailedPath() &&
			c.score >= nearTop*list[0].score && s.resembles(c.entry) {
			first = append(first, c)
			continue
		}
		rest = append(rest, c)
	}
	if len(first) == 0 {
		return list
	}
	return append(first, rest...)
}

// resembles reports whether an entry has most of what the query is about.
func (s *searcher) resembles(e uint32) bool {
	have, all, words := 0.0, 0.0, 0
	for i := range min(len(s.weights), 64) {
		if !s.foundAny[i] {
			continue
		}
		all += s.weights[i]
		if s.scores.matched[e]&(1<<i) != 0 {
			have += s.weights[i]
			words++
		}
	}
	return all > 0 && have >= resemblance*all && (words >= 2 || len(s.weights) == 1)
}

// whyFailed is what a failed path says about its failure: the first sentence
// with a reason in it, else its description, else how it begins.
func whyFailed(e *entryfile.Entry) string {
	for _, text := range []string{e.Outcome, e.Description, e.Body} {
		for _, sentence := range sentences(text) {
			low := " " + strings.ToLower(sentence)
			for _, cue := range [...]string{"because", "fail", "broke", "did not", "didn't", "does not", "doesn't",
				"cannot", "can't", "too slow", "error", "crash", "lost", "reason", "why:", "timed out", "instead"} {
				if strings.Contains(low, " "+cue) || cue == "fail" && strings.Contains(low, cue) {
					return limitText(sentence)
				}
			}
		}
	}
	if e.Description != "" {
		return limitText(oneLine(e.Description))
	}
	return firstSentence(e.Body)
}

func sentences(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		line = oneLine(line)
		for line != "" {
			s := line
			if i := strings.Index(line, ". "); i >= 0 {
				s = line[:i+1]
			}
			line = strings.TrimSpace(line[len(s):])
			out = append(out, s)
		}
	}
	return out
}
