package recall

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gitvault/internal/entryfile"
)

// A world is a set of files that changes, as an index meets it.
type world struct {
	files map[string][]entryfile.Entry
	loads int
	mu    sync.Mutex
}

func (w *world) refs() []FileRef {
	var refs []FileRef
	for path, es := range w.files {
		h := ""
		for _, e := range es {
			h += entryfile.Hash(e)
		}
		refs = append(refs, FileRef{path, h, func() ([]entryfile.Entry, error) {
			w.mu.Lock()
			w.loads++
			w.mu.Unlock()
			return es, nil
		}})
	}
	return refs
}

func (w *world) open(t require.TestingT, dir string) *Index {
	ix, err := Open(context.Background(), "project", w.refs(), Options{Dir: dir})
	require.NoError(t, err)
	return ix
}

var someWords = strings.Fields(`queue queues redis postgres cache cached caching naïve naive C++ .env foo_bar fooBar api/v2-handler
	décision décisions миграция миграции 财务护城河 データ 한국어 retry retries the of and --no-verify user@host schema schemata`)

func randomEntry(draw func(n int) int, n int) entryfile.Entry {
	words := func(n int) string {
		var s []string
		for range n {
			s = append(s, someWords[draw(len(someWords))])
			if draw(7) == 0 {
				s = append(s, "\n\n")
			}
		}
		return strings.Join(s, " ")
	}
	kinds := entryfile.Kinds()
	e := entryfile.Entry{
		ID: fmt.Sprintf("g%07d", n), Kind: kinds[draw(len(kinds))], Title: words(1 + draw(4)), Body: words(draw(60)),
		Created: fmt.Sprintf("2026-01-%02dT00:00:00Z", 1+draw(28)),
	}
	if draw(3) == 0 {
		e.Tags = []string{words(1)}
	}
	if draw(5) == 0 {
		e.Supersedes = []string{fmt.Sprintf("g%07d", draw(n+1))}
	}
	return e
}

func (w *world) change(draw func(n int) int) {
	path := fmt.Sprintf("decisions/%04d.md", draw(6))
	switch draw(4) {
	case 0:
		delete(w.files, path)
	default:
		var es []entryfile.Entry
		for i := range 1 + draw(5) {
			es = append(es, randomEntry(draw, draw(1000)*10+i))
		}
		w.files[path] = es
	}
}

// same asks both indexes the same things.
func same(t require.TestingT, a, b *Index, draw func(n int) int) {
	for range 5 {
		q := Query{Text: someWords[draw(len(someWords))] + " " + someWords[draw(len(someWords))], All: draw(2) == 0, Limit: 1 + draw(20), Explain: true}
		x, err := Search(context.Background(), q, a)
		require.NoError(t, err)
		y, err := Search(context.Background(), q, b)
		require.NoError(t, err)
		require.Equal(t, x, y, q.Text)
	}
}

func TestIncrementalIsFresh(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "n") }
		w := &world{files: map[string][]entryfile.Entry{}}
		for range 1 + draw(12) {
			w.change(draw)
			ix := w.open(rt, dir)
			fresh := w.open(rt, "")
			same(rt, ix, fresh, draw)
			ix.Close()
		}
	})
}

func TestOnlyChangesAreAnalysed(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewSource(1))
	w := &world{files: map[string][]entryfile.Entry{}}
	for i := range 40 {
		w.files[fmt.Sprintf("preferences/%d.md", i)] = []entryfile.Entry{randomEntry(r.Intn, i)}
	}
	w.open(t, dir).Close()
	require.Equal(t, 40, w.loads)
	for i := range 100 {
		w.files["decisions.md"] = append(w.files["decisions.md"], randomEntry(r.Intn, 100+i))
		w.open(t, dir).Close()
		require.Equal(t, 41+i, w.loads)
	}
	ix := w.open(t, dir)
	defer ix.Close()
	require.Equal(t, 140, w.loads)
	require.LessOrEqual(t, len(ix.segments), 2*mergeCount)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, len(ix.segments), "nothing else is left behind")
}

func TestManySmallFilesMerge(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewSource(2))
	w := &world{files: map[string][]entryfile.Entry{}}
	for i := range 60 {
		w.files[fmt.Sprintf("session_trace/%d.md", i)] = []entryfile.Entry{randomEntry(r.Intn, i)}
		w.open(t, dir).Close()
	}
	ix := w.open(t, dir)
	defer ix.Close()
	require.Less(t, len(ix.segments), 2*mergeCount)
	require.Equal(t, 60, w.loads)
	fresh := w.open(t, "")
	for range 20 {
		same(t, ix, fresh, r.Intn)
	}
}

// TestNoise deletes, cuts and overwrites what is in the cache, before and
// while an index is open.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	w := &world{files: map[string][]entryfile.Entry{}}
	for i := range 30 {
		w.files[fmt.Sprintf("decisions/%04d.md", i)] = []entryfile.Entry{randomEntry(r.Intn, 2*i), randomEntry(r.Intn, 2*i+1)}
	}
	fresh := w.open(t, "")
	dir := t.TempDir()
	for round := range 60 {
		ix := w.open(t, dir)
		if round%3 == 0 {
			same(t, ix, fresh, r.Intn)
		}
		noise(t, r, dir)
		same(t, ix, fresh, r.Intn)
		ix.Close()
	}
}

func noise(t *testing.T, r *rand.Rand, dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		switch r.Intn(6) {
		case 0:
			os.Remove(name)
		case 1:
			require.NoError(t, os.Truncate(name, int64(r.Intn(len(data)+1))))
		case 2:
			r.Read(data)
			require.NoError(t, os.WriteFile(name, data, 0o600))
		default:
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			require.NoError(t, err)
			for range 1 + r.Intn(4) {
				if len(data) > 0 {
					_, err = f.WriteAt([]byte{byte(r.Intn(256)), byte(r.Intn(256))}, int64(r.Intn(len(data))))
					require.NoError(t, err)
				}
			}
			f.Close()
		}
	}
	if r.Intn(5) == 0 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stranger.recall"), []byte("hello"), 0o600))
	}
}

func TestWithoutCache(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	w := &world{files: map[string][]entryfile.Entry{"decisions.md": {randomEntry(r.Intn, 1), randomEntry(r.Intn, 2)}}}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	ix := w.open(t, filepath.Join(file, "no", "folder"))
	defer ix.Close()
	same(t, ix, w.open(t, ""), r.Intn)
}

func TestProcessesAtOnce(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewSource(5))
	w := &world{files: map[string][]entryfile.Entry{}}
	for i := range 20 {
		w.files[fmt.Sprintf("decisions/%04d.md", i)] = []entryfile.Entry{randomEntry(r.Intn, i)}
	}
	other := &world{files: map[string][]entryfile.Entry{"decisions.md": {randomEntry(r.Intn, 99)}}}
	fresh, otherFresh := w.open(t, ""), other.open(t, "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewSource(int64(i)))
			for range 20 {
				if r.Intn(2) == 0 { // a process that sees the scope as it was
					ix := other.open(t, dir)
					same(t, ix, otherFresh, r.Intn)
					ix.Close()
					continue
				}
				ix := w.open(t, dir)
				same(t, ix, fresh, r.Intn)
				ix.Close()
			}
		}()
	}
	wg.Wait()
}

func TestUnreadableFile(t *testing.T) {
	files := []FileRef{
		{"decisions.md", "1", func() ([]entryfile.Entry, error) { return nil, errors.New("permission denied") }},
		{"conventions.md", "1", func() ([]entryfile.Entry, error) {
			return []entryfile.Entry{{ID: "gaaaaaaa", Kind: entryfile.Convention, Title: "Tabs", Body: "Tabs it is."}}, nil
		}},
	}
	ix, err := Open(context.Background(), "project", files, Options{Dir: t.TempDir()})
	require.NoError(t, err)
	defer ix.Close()
	require.Len(t, ix.Failures(), 1)
	require.ErrorContains(t, ix.Failures()[0], "decisions.md: permission denied")
	require.Len(t, find(t, ix, Query{Text: "tabs"}), 1)
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := rand.New(rand.NewSource(6))
	w := &world{files: map[string][]entryfile.Entry{"decisions.md": {randomEntry(r.Intn, 1)}}}
	_, err := Open(ctx, "project", w.refs(), Options{Dir: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
}

// TestEveryEntryIsFound looks for each entry by a word that only it has.
func TestEveryEntryIsFound(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewSource(7))
	w := &world{files: map[string][]entryfile.Entry{}}
	for i := range 300 {
		e := randomEntry(r.Intn, i)
		e.Supersedes = nil
		rare := fmt.Sprintf("zq%dx", i)
		switch i % 4 {
		case 0:
			e.Title += " " + rare
		case 1:
			e.Description = rare
		case 2:
			e.Tags = append(e.Tags, rare)
		case 3:
			e.Body += "\n\n" + rare
		}
		path := fmt.Sprintf("decisions/%04d.md", i%17)
		w.files[path] = append(w.files[path], e)
	}
	ix := w.open(t, dir)
	defer ix.Close()
	for i := range 300 {
		hits := find(t, ix, Query{Text: fmt.Sprintf("zq%dx", i), Limit: 1})
		require.Len(t, hits, 1)
		require.Equal(t, fmt.Sprintf("g%07d", i), hits[0].Entry.ID)
	}
}

func TestScopesTogether(t *testing.T) {
	a := &world{files: map[string][]entryfile.Entry{"decisions.md": {
		{ID: "gaaaaaaa", Kind: entryfile.Decision, Title: "Queue", Body: "redis"},
		{ID: "gbbbbbbb", Kind: entryfile.Decision, Title: "Queue two", Body: "redis", Supersedes: []string{"gaaaaaaa"}},
	}}}
	b := &world{files: map[string][]entryfile.Entry{"decisions.md": {{ID: "gaaaaaaa", Kind: entryfile.Decision, Title: "Queue", Body: "redis"}}}}
	x, y := a.open(t, t.TempDir()), b.open(t, t.TempDir())
	user, err := Open(context.Background(), "user", b.refs(), Options{})
	require.NoError(t, err)
	y.Close()
	res, err := Search(context.Background(), Query{Text: "redis queue"}, x, user)
	require.NoError(t, err)
	require.Len(t, res.Hits, 2)
	require.Equal(t, "user", res.Hits[0].Scope, "an id of another scope replaces nothing")
	require.Equal(t, "gbbbbbbb", res.Hits[1].Entry.ID)
}
