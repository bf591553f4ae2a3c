package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyWriters lets several processes write to one ledger at once, while
// somebody commits by hand, an editor saves, and readers look.
func TestManyWriters(t *testing.T) {
	if run := os.Getenv("GITSTORE_TEST_WRITER"); run != "" {
		writeMany(run)
		return
	}
	procs, each := 4, 12
	if *long {
		procs, each = 16, 100
	}
	dir := filepath.Join(t.TempDir(), "scope")
	r := makeRepo(t, dir, fast, map[string]string{"ledger.md": "# Ledger\n", "notes.md": "notes\n", "hand.md": "hand\n"})

	var wg sync.WaitGroup
	var mu sync.Mutex
	acked := map[string]bool{}
	var slowest time.Duration
	for p := range procs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			cmd := exec.Command(os.Args[0], "-test.run=^TestManyWriters$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("GITSTORE_TEST_WRITER=%d %d %s", p, each, dir))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("writer %d: %v\n%s", p, err, out)
			}
			mu.Lock()
			defer mu.Unlock()
			for line := range strings.Lines(string(out)) {
				var id string
				var wait time.Duration
				if n, _ := fmt.Sscanf(line, "acked %s %d", &id, &wait); n == 2 {
					acked[id] = true
					slowest = max(slowest, wait)
				}
			}
		}()
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	last := 0
	others.Add(3)
	go func() { // an editor
		defer others.Done()
		for n := 1; ; n++ {
			if err := saves["by rename"](r.workPath("notes.md"), fmt.Sprintf("notes %d\n", n)); err != nil {
				t.Error(err)
			}
			last = n
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
		}
	}()
	go func() { // a person at the command line
		defer others.Done()
		for n := 1; ; n++ {
			if err := os.WriteFile(r.workPath("hand.md"), []byte(fmt.Sprintf("hand %d\n", n)), 0o666); err != nil {
				t.Error(err)
			}
			if out, err := tryGit(t, dir, nil, "commit", "-qam", "by hand"); err != nil && !strings.Contains(out, ".lock") && !strings.Contains(out, "cannot lock ref") && !strings.Contains(out, "nothing to commit") && !strings.Contains(out, "no changes added") {
				t.Errorf("git commit: %s", out)
			}
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	go func() { // a reader
		defer others.Done()
		seen := 0
		for {
			v, err := r.View(context.Background())
			if err != nil {
				t.Errorf("reader: %v", err)
				return
			}
			data, err := v.Read("ledger.md")
			if err != nil {
				t.Errorf("reader: %v", err)
				return
			}
			if n := strings.Count(string(data), "\n"); n < seen || !strings.HasSuffix(string(data), "\n") {
				t.Errorf("reader: saw %d lines after %d", n, seen)
			} else {
				seen = n
			}
			if f, _ := v.File("ledger.md"); f.Dirty || f.Missing {
				t.Errorf("reader: %+v", f)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	wg.Wait()
	close(stop)
	others.Wait()

	// What the editor and the hand left is still to be adopted.
	tx := begin(t, r)
	if err := adopt(tx); err != nil {
		t.Fatal(err)
	}
	tx.Close()
	sound(t, r)
	if len(acked) != procs*each {
		t.Errorf("%d of %d were acknowledged", len(acked), procs*each)
	}
	lines := strings.Split(strings.TrimSpace(content(t, r, "ledger.md")), "\n")[1:]
	subjects := strings.Split(git(t, dir, "log", "--format=%s"), "\n")
	for id := range acked {
		for what, list := range map[string][]string{"ledger": lines, "history": subjects} {
			n := 0
			for _, s := range list {
				if s == id {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s is %d times in the %s", id, n, what)
			}
		}
	}
	if want := fmt.Sprintf("notes %d\n", last); content(t, r, "notes.md") != want {
		t.Errorf("the last save is lost: %q, not %q", content(t, r, "notes.md"), want)
	}
	t.Logf("%d writes, slowest %v, some by hand: %v", len(acked), slowest, slices.Contains(subjects, "by hand"))
}

func adopt(tx *Tx) error {
	for {
		v, err := tx.View()
		if err != nil {
			return err
		}
		take := Change{Message: "adopt", Author: me, Committer: me}
		for _, f := range v.Files() {
			if f.Dirty || f.Untracked {
				take.Take = append(take.Take, f.Path)
			}
		}
		if len(take.Take) == 0 {
			return nil
		}
		_, err = tx.Commit(take)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrChanged) {
			return err
		}
		tx.Refresh()
	}
}

func writeMany(run string) {
	var p, each int
	var dir string
	if _, err := fmt.Sscanf(run, "%d %d %s", &p, &each, &dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	r, err := Open(dir, Options{Durability: Fast, LockTimeout: time.Minute})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	for i := range each {
		id := fmt.Sprintf("writer%d-%d", p, i)
		start := time.Now()
		if err := appendLine(r, id); err != nil {
			fmt.Fprintln(out, "failed:", err)
			out.Flush()
			os.Exit(1)
		}
		fmt.Fprintln(out, "acked", id, int64(time.Since(start)))
	}
	out.Flush()
	os.Exit(0)
}

func appendLine(r *Repo, id string) error {
	tx, err := r.Begin(context.Background())
	if err != nil {
		return err
	}
	defer tx.Close()
	if err := adopt(tx); err != nil {
		return err
	}
	for {
		v, err := tx.View()
		if err != nil {
			return err
		}
		data, err := v.Read("ledger.md")
		if err != nil {
			return err
		}
		c := Change{Message: id, Author: me, Committer: me, Put: map[string][]byte{"ledger.md": append(data, id+"\n"...)}}
		_, err = tx.Commit(c)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrChanged) {
			return err
		}
		tx.Refresh()
	}
}

func TestWritersOfOneProcessTakeTurns(t *testing.T) {
	r := testRepo(t, map[string]string{"ledger.md": ""})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := appendLine(r, fmt.Sprintf("line%d", i)); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	sound(t, r)
	if n := strings.Count(content(t, r, "ledger.md"), "\n"); n != 20 {
		t.Errorf("%d lines", n)
	}
}

func TestBusy(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	tx := begin(t, r)
	other, err := Open(r.dir, Options{LockTimeout: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for range 3 {
		if _, err := other.Begin(context.Background()); !errors.Is(err, ErrBusy) {
			t.Fatalf("want ErrBusy, got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := other.Begin(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("want Canceled, got %v", err)
	}
	tx.Close()
	// A wait that was given up keeps the lock from nobody.
	for range 20 {
		for _, repo := range []*Repo{other, r} {
			tx, err := repo.Begin(context.Background())
			if errors.Is(err, ErrBusy) && repo == other {
				continue // a machine so slow that 30 ms were not enough
			}
			if err != nil {
				t.Fatal(err)
			}
			tx.Close()
		}
	}
}

// A lock that has been there for long is nobody's: that is said at once.
func TestALockThatWasLeftIsNotWaitedFor(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	patient, err := Open(r.dir, Options{Durability: Fast, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	for _, lock := range []string{r.indexPath() + ".lock", r.refPath() + ".lock"} {
		if err := os.WriteFile(lock, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		tx := begin(t, patient)
		_, err := tx.Commit(change("x", map[string]string{"a.md": "b"}))
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "vault doctor --fix") {
			t.Errorf("%v", err)
		}
		tx.Close()
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
	sound(t, r)
}

func TestForeignLocksAreWaitedForAndReported(t *testing.T) {
	r := testRepo(t, map[string]string{"a.md": "a"})
	for _, lock := range []string{r.indexPath() + ".lock", r.refPath() + ".lock"} {
		if err := os.WriteFile(lock, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		quick, err := Open(r.dir, Options{Durability: Fast, LockTimeout: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		tx := begin(t, quick)
		_, err = tx.Commit(change("x", map[string]string{"a.md": "b"}))
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), lock) || !strings.Contains(err.Error(), "wait for it and try again") {
			t.Errorf("%v", err)
		}
		if got := content(t, r, "a.md"); got != "a" {
			t.Errorf("a.md is %q", got)
		}
		time.AfterFunc(20*time.Millisecond, func() { os.Remove(lock) })
		tx.Close()
		commit(t, r, change("x", map[string]string{"a.md": "b"}))
		commit(t, r, change("y", map[string]string{"a.md": "a"}))
		sound(t, r)
		quick.Close()
	}
}
