package vault

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/fsys"
)

// long makes the tests that try to break the vault do so everywhere and for
// much longer: see docs/robustness.md.
var long = flag.Bool("long", false, "try everything, which takes hours")

// lab is a home, a project's folder and a person, away from anybody's own.
type lab struct {
	base string
	fs   fsys.FS // what the next Home writes through; nil: the system's
	seed uint64  // where the next Home's ids come from
	now  time.Time
	as   Writer

	mu    sync.Mutex
	notes []string
}

var labTime = time.Date(2026, 11, 30, 19, 27, 0, 0, time.UTC)

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{base: t.TempDir(), seed: 1, now: labTime}
	l.make(t)
	return l
}

// make gives the lab its folders, those of a repository with a remote among
// them.
func (l *lab) make(t testing.TB) {
	t.Helper()
	for name, text := range map[string]string{
		"person/.gitconfig":   "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n",
		"widget/.git/HEAD":    "ref: refs/heads/main\n",
		"widget/.git/config":  "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = git@github.com:acme/widget.git\n",
		"widget/.git/objects": "", "widget/.git/refs/heads": "",
		"home/config.yaml": "durability: fast\n",
	} {
		l.put(t, name, text)
	}
}

// put writes a file below the lab's folder; an empty text makes a folder.
func (l *lab) put(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(l.base, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil && text == "" {
		err = os.MkdirAll(path, 0o755)
	} else if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (l *lab) open(t testing.TB) *Home {
	t.Helper()
	h, err := Open(l.options())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (l *lab) options() Options {
	var seed [32]byte
	seed[0], seed[1] = byte(l.seed), byte(l.seed>>8)
	env := map[string]string{"HOME": l.path("person"), "GIT_CONFIG_NOSYSTEM": "1"}
	return Options{
		Home: l.path("home"), Dir: l.path("widget"), UserHome: l.path("person"), Account: "ada", Host: "example.org",
		Env:    func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Now:    func() time.Time { return l.now },
		Random: &lockedReader{r: rand.NewChaCha8(seed)},
		Writer: l.as,
		Notice: func(m string) { l.mu.Lock(); l.notes = append(l.notes, m); l.mu.Unlock() },
		fs:     l.fs,
	}
}

func (l *lab) path(name string) string { return filepath.Join(l.base, filepath.FromSlash(name)) }

// user and project are the folders of the lab's two scopes.
func (l *lab) user() string    { return l.path("home/user") }
func (l *lab) project() string { return l.path("home/projects/github.com+acme+widget") }

func (l *lab) scopes() []string { return []string{l.user(), l.project()} }

type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (r *lockedReader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.Read(b)
}

// remember adds an entry and returns its id.
func (l *lab) remember(t testing.TB, kind Kind, title, text string) string {
	t.Helper()
	c, err := l.open(t).Remember(context.Background(), Draft{Kind: kind, Title: title, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	l.seed++
	return c.Entry.ID
}

// state says what the lab's scopes hold, to the reader that takes no lock: by
// entry, and by card, what it says. Times are left out: they depend on when a
// hand edit is looked at.
func (l *lab) state(t testing.TB, h *Home) map[string]string {
	t.Helper()
	out, err := stateOf(h)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return out
}

func stateOf(h *Home) (map[string]string, error) {
	out := map[string]string{}
	scopes, err := h.Scopes()
	if err != nil {
		return nil, err
	}
	for _, s := range scopes {
		t, err := s.read(context.Background())
		if err != nil {
			return nil, err
		}
		for _, why := range t.blocked {
			return nil, errors.New("blocked: " + why)
		}
		list, err := t.entries(context.Background())
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			key := s.name + " " + e.ID
			if out[key] != "" {
				return nil, fmt.Errorf("%s is there twice", key)
			}
			out[key] = fmt.Sprintf("%s|%s|%s|%s|%v|%v|%s", e.Kind, e.Title, e.Description, e.Body, e.Tags, e.Pinned, e.Status)
		}
		cards, err := t.cards()
		if err != nil {
			return nil, err
		}
		for _, c := range cards {
			out[s.name+" card "+c.ID] = c.Op + "|" + c.EntryID + "|" + c.Entry.Title + "|" + c.Entry.Body
		}
	}
	return out, nil
}

// only keeps what is about one scope.
func only(state map[string]string, scope string) map[string]string {
	out := map[string]string{}
	for k, v := range state {
		if strings.HasPrefix(k, scope+" ") {
			out[k] = v
		}
	}
	return out
}

func stateText(state map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(state)) {
		v := state[k]
		if len(v) > 100 {
			v = v[:100] + "…"
		}
		fmt.Fprintf(&b, "  %s: %s\n", k, v)
	}
	return b.String()
}

// git runs the real git in a scope; without one the test goes on without it.
func (l *lab) git(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitstore.GitEnv(os.Environ()), "HOME="+l.path("person"), "XDG_CONFIG_HOME=", "GIT_CONFIG_GLOBAL="+l.path("person/.gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var hasGit = sync.OnceValue(func() bool { _, err := exec.LookPath("git"); return err == nil })

// sound holds the scopes that are there to what git and vault think of them.
func (l *lab) sound(t testing.TB) {
	t.Helper()
	for _, dir := range l.scopes() {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		for _, args := range [][]string{
			{"status", "--porcelain", "--untracked-files=all"},
			{"fsck", "--strict", "--no-dangling", "--no-progress"},
			{"diff-index", "--cached", "HEAD"},
		} {
			if !hasGit() {
				break
			}
			if out, err := l.git(t, dir, args...); err != nil || out != "" {
				t.Fatalf("git %v in %s: %v\n%s", args, dir, err, out)
			}
		}
	}
	l.tidy(t)
}

// tidy is sound without git, and quicker: vault's own check finds nothing, and
// nothing is left over.
func (l *lab) tidy(t testing.TB) {
	t.Helper()
	h := l.open(t)
	found, err := h.Check(context.Background(), "", false)
	found = slices.DeleteFunc(found, func(f Finding) bool { return f.Rule == "duplicate" || f.Rule == "description" })
	if err != nil || len(found) > 0 {
		t.Fatalf("check: %v %+v", err, found)
	}
	scopes, err := h.Scopes()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scopes {
		git := filepath.Join(s.dir, ".git")
		left, err := os.ReadDir(filepath.Join(git, "vault", "state", "tmp"))
		if err != nil || len(left) > 0 {
			t.Fatalf("left behind: %v %v", left, err)
		}
		for _, name := range []string{"vault/state/journal", "vault/state/rescued", "vault/state/journal.damaged", "index.lock", "refs/heads/main.lock", "HEAD.lock"} {
			if _, err := os.Lstat(filepath.Join(git, name)); err == nil {
				t.Fatalf("left behind: %s", name)
			}
		}
	}
}

// ops counts the commits of a scope by what they did.
func (l *lab) ops(t testing.TB, name string) map[string]int {
	t.Helper()
	out := map[string]int{}
	h := l.open(t)
	s, err := h.Scope(name)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Exists() {
		return out
	}
	r, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range r.Log(context.Background(), head) {
		if err != nil {
			t.Fatal(err)
		}
		op, _, _ := strings.Cut(c.Subject(), ":")
		out[op]++
	}
	return out
}

// copyTree copies a folder with the times of its files.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, fi.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(target, fi.ModTime(), fi.ModTime())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bigLedger is the text of a ledger of about so many bytes, whose entries are
// the older the further up they stand.
func bigLedger(kind Kind, size int) string {
	var b strings.Builder
	b.WriteString(entryfile.Skeleton(kind))
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "\n## Choice %d\n<!-- vault: {id: g%07d, created: %s, source: person} -->\n\n%s\n", i, i,
			labTime.Add(time.Duration(i-10000)*time.Minute).Format(time.RFC3339), strings.Repeat("A queue in the database is one system less to run. ", 40))
	}
	return b.String()
}
