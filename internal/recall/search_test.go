package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitvault/internal/entryfile"
)

// scope indexes entries as one scope, an id by number where they have none.
func scope(t testing.TB, entries ...entryfile.Entry) *Index {
	t.Helper()
	byFile := map[string][]entryfile.Entry{}
	var files []FileRef
	for i, e := range entries {
		if e.Kind == "" {
			e.Kind = entryfile.Decision
		}
		if e.ID == "" {
			e.ID = fmt.Sprintf("g%07d", i)
		}
		path := e.Kind.Ledger()
		if path == "" {
			path = e.Kind.Dir() + "/" + e.ID + ".md"
		}
		byFile[path] = append(byFile[path], e)
	}
	for path, es := range byFile {
		files = append(files, FileRef{path, fmt.Sprint(len(es)), func() ([]entryfile.Entry, error) { return es, nil }})
	}
	ix, err := Open(context.Background(), "project", files, Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { ix.Close() })
	return ix
}

func find(t testing.TB, ix *Index, q Query) []Hit {
	t.Helper()
	res, err := Search(context.Background(), q, ix)
	require.NoError(t, err)
	return res.Hits
}

func note(body string) entryfile.Entry { return entryfile.Entry{Title: "Note", Body: body} }

var filler = []entryfile.Entry{
	note("The build cache lives under the home folder of the runner."),
	note("Release notes are written by hand, once a week."),
	note("The staging database is restored every night from the backup."),
	note("Use tabs in Makefiles, spaces elsewhere."),
}

func TestFindsAsPeopleWrite(t *testing.T) {
	for _, c := range []struct{ body, query string }{
		// scripts without spaces
		{"做好财务护城河", "财务护城河"},
		{"做好财务护城河", "财务"},
		{"做好财务护城河", "护城河"},
		{"做好财务护城河", "河"},
		{"做好财务护城河", "财"},
		{"用Redis做队列", "Redis"},
		{"用Redis做队列", "队列"},
		{"データベースは毎晩バックアップする", "バックアップ"},
		{"データベースは毎晩バックアップする", "毎晩"},
		{"ﾃﾞｰﾀﾍﾞｰｽを使う", "データベース"},
		{"배포는 금요일에 하지 않는다", "금요일"},
		{"배포는 금요일에 하지 않는다", "배포"},
		{"ใช้ฐานข้อมูลสำรองทุกคืน", "ฐานข้อมูล"},
		{"ใช้ Redis เป็นคิว", "คิว"},
		{"ＲＥＤＩＳを使う", "redis"},
		// names and symbols
		{"never run rm -rf on the volume", "rm -rf"},
		{"the engine is written in C++", "C++"},
		{"the plugin is written in C#", "C#"},
		{"secrets come from .env only", ".env"},
		{"the handler is api/v2-handler.", "api/v2-handler"},
		{"the handler is api/v2-handler.", "v2-handler"},
		{"the handler is api/v2-handler.", "handler"},
		{"call foo_bar before start", "foo_bar"},
		{"call foo_bar before start", "bar"},
		{"call foo_bar before start", "fooBar"},
		{"commits must not use --no-verify", "--no-verify"},
		{"commits must not use --no-verify", "verify"},
		{"ask user@host for access", "user@host"},
		{"the parser is parseHTTPBody", "parseHTTPBody"},
		{"the parser is parseHTTPBody", "http body"},
		{"the parser is parseHTTPBody", "parsehttpbody"},
		{"the lock-file is committed", "lockfile"},
		{"see internal/recall/index.go for it", "internal/recall/index.go"},
		{"see internal/recall/index.go for it", "index.go"},
		{"ping 10.0.12.7 first", "10.0.12.7"},
		// words that are operators elsewhere
		{"the AND gate of the circuit", "AND gate"},
		{"NEAR( is no operator", "NEAR("},
		{"select with * is slow", "*"},
		{"either OR neither", `neither" OR (`},
		// forms of a word
		{"we normalise addresses", "normalize"},
		{"we normalize addresses", "normalise"},
		{"the colour of a label", "colors"},
		{"migrations run at start", "migration"},
		{"one migration runs at start", "migrations"},
		{"Größe zählt", "grosse"},
		{"Größe zählt", "GRÖSSE"},
		{"re\u0301sume\u0301s are private", "résumés"},
		{"résumés are private", "resumes"},
		{"Ёлка стоит в офисе", "елка"},
		{"миграции запускаются при старте", "миграция"},
		{"les décisions sont notées ici pour toujours dans le dépôt", "décision"},
		{"las migraciones se ejecutan al inicio con el servidor de la empresa", "migración"},
		{"we wrote the parser by hand", "write"},
		// compounds
		{"the lock file is committed", "lockfile"},
		{"the lockfile is committed", "lock file"},
		{"the file-system is read only", "file system"},
		// mistakes
		{"the kubernetes cluster is small", "kubernets"},
		{"schedule of the deployments", "shcedule"},
		{"authentication by certificate", "authentification"},
	} {
		ix := scope(t, append([]entryfile.Entry{note(c.body)}, filler...)...)
		hits := find(t, ix, Query{Text: c.query})
		if len(hits) == 0 || hits[0].Entry.Body != c.body {
			t.Errorf("%q does not find %q: %v", c.query, c.body, titles(hits))
		}
	}
}

func titles(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Entry.Title+": "+h.Snippet)
	}
	return out
}

func TestPhrase(t *testing.T) {
	ix := scope(t, note("cache the query plan"), note("plan the query cache"), note("a query is a plan, cache or not"))
	hits := find(t, ix, Query{Text: `"query plan"`})
	require.Len(t, hits, 1)
	require.Equal(t, "cache the query plan", hits[0].Entry.Body)

	hits = find(t, ix, Query{Text: `which cache has the "query cache"`})
	require.Len(t, hits, 3)
	require.Equal(t, "plan the query cache", hits[0].Entry.Body)

	hits = find(t, ix, Query{Text: `"plan cache query"`})
	require.Len(t, hits, 3, "words of a phrase nobody wrote are still words")
}

func TestOneWordMissing(t *testing.T) {
	want := note("Workers take jobs from the Redis queue, retry five times with backoff, and park poison messages.")
	ix := scope(t, append([]entryfile.Entry{want}, filler...)...)
	hits := find(t, ix, Query{Text: "how do workers retry jobs from the redis queue with zookeeper backoff messages"})
	require.Equal(t, want.Body, hits[0].Entry.Body)
}

func TestCurrentOnly(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ix := scope(t,
		entryfile.Entry{ID: "gaaaaaaa", Title: "Queue", Body: "the queue is beanstalk"},
		entryfile.Entry{ID: "gbbbbbbb", Title: "Queue", Body: "the queue is redis", Supersedes: []string{"gaaaaaaa"}},
		entryfile.Entry{ID: "gccccccc", Title: "Queue", Body: "the queue is frozen for the audit", Expires: "2026-04-30"},
		entryfile.Entry{ID: "gddddddd", Title: "Queue", Body: "the queue is lossy", Expires: "2026-05-01"},
		entryfile.Entry{ID: "geeeeeee", Kind: entryfile.OpenThread, Title: "Queue", Body: "which queue", Status: "resolved"},
		entryfile.Entry{ID: "gfffffff", Title: "Queue", Body: "the queue is rabbit", Conflict: "gbbbbbbb"},
	)
	ids := func(hits []Hit) string {
		var s []string
		for _, h := range hits {
			s = append(s, h.Entry.ID[1:2])
		}
		return strings.Join(s, "")
	}
	require.ElementsMatch(t, []byte("bd"), []byte(ids(find(t, ix, Query{Text: "queue", Now: now}))))
	require.ElementsMatch(t, []byte("bcd"), []byte(ids(find(t, ix, Query{Text: "queue"}))))
	require.ElementsMatch(t, []byte("e"), []byte(ids(find(t, ix, Query{Text: "queue", Status: "resolved"}))))
	for status, want := range map[string]string{"superseded": "a", "expired": "c", "resolved": "e", "open": "", "": "bd"} {
		require.ElementsMatch(t, []byte(want), []byte(ids(find(t, ix, Query{Text: "queue", Status: status, Now: now}))), status)
	}
	all := find(t, ix, Query{Text: "queue", Now: now, All: true})
	require.ElementsMatch(t, []byte("abcdef"), []byte(ids(all)))
	for _, h := range all {
		require.Equal(t, h.Entry.ID == "gccccccc", h.Expired)
		if h.Entry.ID == "gaaaaaaa" {
			require.Equal(t, []string{"gbbbbbbb"}, h.SupersededBy)
		} else {
			require.Empty(t, h.SupersededBy)
		}
	}
}

func TestEndOfLongBody(t *testing.T) {
	body := strings.Repeat("The scheduler wakes every minute and looks at the table of jobs.\n\n", 900) +
		"Only here: the zeppelin hangar is heated with geothermal water."
	ix := scope(t, append([]entryfile.Entry{note(body)}, filler...)...)
	hits := find(t, ix, Query{Text: "geothermal zeppelin"})
	require.Len(t, hits, 1)
	require.Contains(t, hits[0].Snippet, "zeppelin hangar is heated with geothermal water")
	require.Contains(t, hits[0].Entry.Body[hits[0].Passage.Start:hits[0].Passage.End], "zeppelin")
	require.Greater(t, hits[0].Passage.Line, 1000)
	require.Contains(t, hits[0].Why, "zeppelin (body)")
}

func TestOddQueries(t *testing.T) {
	ix := scope(t, filler...)
	for _, q := range []string{"", "   \n\t", "\x00\x01\x02", "()", "\"\"", "\xff\xfe"} {
		_, err := Search(context.Background(), Query{Text: q}, ix)
		require.True(t, errors.Is(err, ErrNoWords), "%q: %v", q, err)
	}
	var words []string
	for i := range 10_000 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	words[9_000] = "Makefiles"
	hits := find(t, ix, Query{Text: strings.Join(words, " ")})
	require.Empty(t, hits, "past the part of a query that is looked at")
	words[3_000] = "Makefiles"
	hits = find(t, ix, Query{Text: strings.Join(words, " ")})
	require.Contains(t, hits[0].Entry.Body, "Makefiles")
	hits = find(t, ix, Query{Text: "tabs\x00in\x1b[31mMakefiles\x07"})
	require.Contains(t, hits[0].Entry.Body, "Makefiles")
	require.NotContains(t, hits[0].Snippet, "\x1b")
}

func TestFilters(t *testing.T) {
	ix := scope(t,
		entryfile.Entry{ID: "gaaaaaaa", Title: "Queue a", Tags: []string{"Storage", "fast"}, Paths: []string{"cmd/worker/main.go@1234567"}, Created: "2026-01-01T00:00:00Z"},
		entryfile.Entry{ID: "gbbbbbbb", Title: "Queue b", Kind: entryfile.Convention, Tags: []string{"storage"}, Paths: []string{"cmd"}, Created: "2026-02-01T00:00:00Z"},
		entryfile.Entry{ID: "gccccccc", Title: "Queue c", Kind: entryfile.Preference, Paths: []string{"cmd/workers"}, Created: "2026-01-01T00:00:00Z", Updated: "2026-03-01T00:00:00Z"},
	)
	date := func(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{}, "abc"},
		{Query{Kinds: []entryfile.Kind{entryfile.Convention, entryfile.Preference}}, "bc"},
		{Query{Tags: []string{"storage"}}, "ab"},
		{Query{Tags: []string{"storage", "FAST"}}, "a"},
		{Query{Tags: []string{"none"}}, ""},
		{Query{Path: "cmd/worker/main.go"}, "ab"},
		{Query{Path: "cmd/worker"}, "ab"},
		{Query{Path: "cmd/"}, "abc"},
		{Query{Path: "docs"}, ""},
		{Query{Since: date(2)}, "bc"},
		{Query{Until: date(2)}, "a"},
		{Query{Since: date(1), Until: date(3)}, "ab"},
	} {
		c.q.Text = "queue"
		var got []string
		for _, h := range find(t, ix, c.q) {
			got = append(got, h.Entry.ID[1:2])
		}
		require.ElementsMatch(t, strings.Split(c.want, ""), append(got, strings.Split("", "")...), "%+v", c.q)
	}
}

func TestLimitAndBudget(t *testing.T) {
	var entries []entryfile.Entry
	for i := range 50 {
		entries = append(entries, note(fmt.Sprintf("queue number %d", i)))
	}
	ix := scope(t, entries...)
	res, err := Search(context.Background(), Query{Text: "queue"}, ix)
	require.NoError(t, err)
	require.Len(t, res.Hits, DefaultLimit)
	require.Equal(t, 40, res.Omitted)

	calls := 0
	res, err = Search(context.Background(), Query{Text: "queue", Limit: 20, Budget: 25, Tokens: func(*Hit) int {
		calls++
		if calls == 2 {
			return 1000 // too large: passed over, not the end
		}
		return 4
	}}, ix)
	require.NoError(t, err)
	require.Len(t, res.Hits, 6)
	require.Equal(t, 24, res.Tokens)
	require.Equal(t, 44, res.Omitted)
}

func TestFailedPathFirst(t *testing.T) {
	ix := scope(t, append([]entryfile.Entry{
		{Title: "Job queue on Redis streams", Body: "Jobs go to Redis streams; job queue, queue of jobs."},
		{Title: "Job queue retries", Body: "Retries of the job queue back off."},
		{Kind: entryfile.FailedPath, Title: "Postgres as the job queue", Body: "We tried LISTEN and NOTIFY. It failed because connections were dropped by the pooler. Do not try again."},
		{Kind: entryfile.FailedPath, Title: "Sharding by tenant", Body: "Too slow. The job was too big."},
	}, filler...)...)
	hits := find(t, ix, Query{Text: "put the job queue into postgres"})
	require.Equal(t, "Postgres as the job queue", hits[0].Entry.Title)
	require.Equal(t, "It failed because connections were dropped by the pooler.", hits[0].Caution)
	for _, h := range hits[1:] {
		require.Empty(t, h.Caution)
	}
	hits = find(t, ix, Query{Text: "redis streams retries"})
	require.NotEqual(t, entryfile.FailedPath, hits[0].Entry.Kind)
}

func TestTracePassages(t *testing.T) {
	body := "Ann: where do the backups go?\n\nBob: To the vault in Oslo, every night.\n\nAnn: And the logs?\n\nBob: They are kept a week.\n"
	ix := scope(t, entryfile.Entry{Kind: entryfile.SessionTrace, Title: "Session", Body: body, Created: "2026-05-03T10:00:00Z"}, filler[0])
	hits := find(t, ix, Query{Text: "Where do backups go?"})
	require.GreaterOrEqual(t, len(hits), 2)
	require.Equal(t, "Ann: where do the backups go?", hits[0].Snippet)
	require.Equal(t, "Bob: To the vault in Oslo, every night.", hits[1].Snippet, "an answer follows its question")
	require.Equal(t, 3, hits[1].Passage.Line)
	require.NotEqual(t, hits[0].Key(), hits[1].Key())
	require.Contains(t, hits[1].Why, "backups (around it)")

	hits = find(t, ix, Query{Text: "may 2026 logs"})
	require.Equal(t, "Ann: And the logs?", hits[0].Snippet)
}

func TestIsAbout(t *testing.T) {
	for _, test := range []struct {
		path, wanted string
		about        bool
	}{
		{"src/pool.go", "src/pool.go", true},
		{"src/pool.go@3f9c2d1", "src", true},
		{"src", "src/pool.go", true},
		{"src/pool.go", ".", true},
		{"src/pool.go", "sr", false},
		{"src/pool.go", "src/pool", false},
		{"docs", "src", false},
	} {
		require.Equal(t, test.about, IsAbout(test.path, test.wanted), "%v", test)
		ix := scope(t, append([]entryfile.Entry{{ID: "gaaaaaaa", Title: "Sockets", Body: "pooled", Paths: []string{test.path}}}, filler...)...)
		require.Equal(t, test.about, len(find(t, ix, Query{Text: "sockets pooled", Path: test.wanted})) == 1, "%v", test)
	}
}

// What is over, however long ago, comes in one order, whatever file it stands in.
func TestOldThingsComeInOneOrder(t *testing.T) {
	var old []entryfile.Entry
	for i := range 30 {
		e := entryfile.Entry{ID: fmt.Sprintf("g%07d", i), Kind: entryfile.OpenThread, Title: "Queue", Body: "which queue", Status: entryfile.StatusResolved}
		e.Created = []string{"", "0001-01-01T00:00:00Z", "1905-06-30T00:00:00Z", "1969-12-31T23:59:59Z", "2026-01-01T00:00:00Z"}[i%5]
		old = append(old, e)
	}
	ids := func(list []entryfile.Entry) []string {
		var out []string
		for _, h := range find(t, scope(t, list...), Query{Text: "queue", Status: entryfile.StatusResolved, Limit: 10}) {
			out = append(out, h.Entry.ID)
		}
		return out
	}
	first := ids(old)
	require.ElementsMatch(t, []string{"g0000004", "g0000009", "g0000014", "g0000019", "g0000024", "g0000029"}, first[:6], "the newest first")
	slices.Reverse(old)
	require.Equal(t, first, ids(old))
}
