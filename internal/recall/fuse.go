package recall

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"gitvault/internal/entryfile"
)

// A Recaller finds entries for a query, best first.
type Recaller interface {
	Recall(ctx context.Context, q Query) ([]Hit, error)
}

// A Source is a recaller that takes part in a fused answer.
type Source struct {
	Name     string
	Recaller Recaller
	Weight   float64       // 0 is 1
	Timeout  time.Duration // after which it is left out; 0 waits as long as the context does
}

// A Report says what came of one source.
type Report struct {
	Name string
	Hits int
	Err  error // why it was left out
}

// rankOffset keeps the first few places of one ranking from outweighing
// agreement between rankings.
const rankOffset = 60

// Fuse asks all sources at once and joins their rankings by reciprocal rank.
// One that fails or is late is left out; the reports, in the order of the
// sources, say so. Hits are joined by Key; a hit on a whole session trace
// speaks for the best passage of it that another source found.
func Fuse(ctx context.Context, q Query, sources []Source) ([]Hit, []Report) {
	answers := make([]chan answer, len(sources))
	asked := make([]context.Context, len(sources))
	for i, src := range sources {
		asked[i] = ctx
		if src.Timeout > 0 {
			var cancel context.CancelFunc
			asked[i], cancel = context.WithTimeout(ctx, src.Timeout)
			defer cancel()
		}
		answers[i] = make(chan answer, 1)
		go ask(asked[i], q, src, answers[i])
	}
	reports := make([]Report, len(sources))
	rankings := make([][]Hit, len(sources))
	for i, src := range sources {
		a := wait(asked[i], src, answers[i])
		rankings[i] = a.hits
		reports[i] = Report{src.Name, len(a.hits), a.err}
	}
	hits := fuse(sources, rankings, q.Explain)
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	return hits[:min(len(hits), limit, MaxLimit)], reports
}

type answer struct {
	hits []Hit
	err  error
}

func ask(ctx context.Context, q Query, src Source, to chan<- answer) {
	defer func() {
		if p := recover(); p != nil {
			to <- answer{err: fmt.Errorf("%s: %v", src.Name, p)}
		}
	}()
	hits, err := src.Recaller.Recall(ctx, q)
	to <- answer{hits, err}
}

// linger is how long a source that is late may take to clean up after itself,
// such as to end a program that it started.
const linger = 300 * time.Millisecond

// wait takes a source's answer. A source that ignores its deadline is not
// waited for much longer than that.
func wait(ctx context.Context, src Source, from <-chan answer) answer {
	var a answer
	select {
	case a = <-from:
	case <-ctx.Done():
		select {
		case a = <-from:
		case <-time.After(linger):
			a.err = ctx.Err()
		}
	}
	if a.err == context.DeadlineExceeded { //nolint:errorlint // one that says more is kept
		a.err = fmt.Errorf("no answer within %s", src.Timeout)
	}
	return a
}

func fuse(sources []Source, rankings [][]Hit, explain bool) []Hit {
	at := map[string]int{}
	best := map[string]int{} // entry, to its first hit
	var hits []Hit
	why := map[int][]string{}
	shares := map[int][]Part{}
	join := func(i int, src Source, rank int) {
		w := src.Weight
		if w == 0 {
			w = 1
		}
		share := w / float64(rankOffset+rank+1)
		hits[i].Score += share
		place := fmt.Sprintf("%s #%d", src.Name, rank+1)
		why[i] = append(why[i], place)
		shares[i] = append(shares[i], Part{place, rounded(share)})
	}
	var whole []func()
	for s, ranking := range rankings {
		seen := map[string]bool{}
		for rank, h := range ranking {
			key, entry := h.Key(), h.Scope+"\x00"+h.Entry.ID
			if seen[key] {
				continue
			}
			seen[key] = true
			if h.Backend == "" && h.Entry.Kind == entryfile.SessionTrace && h.Passage.End == 0 {
				whole = append(whole, func() {
					i, ok := best[entry]
					if !ok {
						i = len(hits)
						best[entry] = i
						h.Score = 0
						hits = append(hits, h)
					}
					join(i, sources[s], rank)
				})
				continue
			}
			i, ok := at[key]
			if !ok {
				i = len(hits)
				at[key] = i
				if _, ok := best[entry]; !ok && h.Backend == "" {
					best[entry] = i
				}
				h.Score = 0
				hits = append(hits, h)
			}
			join(i, sources[s], rank)
		}
	}
	for _, f := range whole {
		f()
	}
	for i := range hits {
		if len(sources) > 1 {
			hits[i].Why = strings.Trim(strings.Join(why[i], ", ")+": "+hits[i].Why, ": ")
		}
		if explain {
			x := &Explanation{Terms: []TermScore{}}
			if own := hits[i].Explain; own != nil {
				x.Terms, x.Parts = own.Terms, own.Parts
			}
			x.Parts = append(shares[i], x.Parts...)
			hits[i].Explain = x
		}
	}
	sort.SliceStable(hits, func(i, j int) bool {
		a, b := &hits[i], &hits[j]
		if (a.Caution != "") != (b.Caution != "") {
			return a.Caution != ""
		}
		return a.Score > b.Score
	})
	return hits
}
