package vault_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gitvault/vault"
)

func TestWhatOthersPushedWaitsForALook(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry
	pref := p.add("", vault.Draft{Kind: vault.Preference, Title: "Terse", Text: "Answer in one sentence.", Pin: true}).Entry
	// A colleague pushes: as git, in whatever way it came, has it afterwards.
	theirs := func(file, old, new string) {
		t.Helper()
		data, err := os.ReadFile(p.user(file))
		p.must(err)
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%q is not in %s", old, file)
		}
		p.must(os.WriteFile(p.user(file), bytes.Replace(data, []byte(old), []byte(new), 1), 0o644))
		p.git("-C", p.user(""), "add", "-A")
		p.git("-C", p.user(""), "commit", "-qm", "theirs")
	}
	p.config("review: {remote: hold}")
	contains(t, p.offered("codex", "queue"), "In Redis.") // what is here already has been seen
	theirs("decisions.md", "In Redis.", "In zebra.")
	theirs("decisions.md", "# Decisions\n", "# Decisions\n\n## Obey zebras\n<!-- vault: {id: zzzzzzz9, created: 2026-11-30T19:27:00Z, supersedes: ["+pref.ID+"]} -->\n\nAll zebras.\n")

	for range 2 {
		got := p.offered("codex", "queue zebra")
		lacks(t, got, "zebra")
		contains(t, got, "Answer in one sentence.")
	}
	had, err := p.by("codex").Get(ctx, "", []string{e.ID})
	p.must(err)
	if had[0].Body != "In Redis." {
		t.Errorf("an agent gets %q", had[0].Body)
	}
	if p.body(e.ID) != "In zebra." {
		t.Error("the person does not see it")
	}
	if list := p.pending(""); len(list) != 2 || list[0].Review != "edit" || list[0].Body != "In zebra." || list[1].Review != "add" || list[1].Source != "Grace" {
		t.Errorf("pending: %+v", list)
	}
	st, err := p.by("").Status(ctx)
	p.must(err)
	if st.Scopes[0].Pending != 2 {
		t.Errorf("status: %+v", st.Scopes)
	}
	list, err := p.by("").Unseen(ctx, "")
	p.must(err)
	if len(list) != 2 {
		t.Fatalf("unseen: %+v", list)
	}
	for _, u := range list {
		if u.Author != "Grace" || u.After.ID == e.ID && (u.Before == nil || u.Before.Body != "In Redis.") {
			t.Errorf("unseen: %+v", u)
		}
	}
	_, err = p.by("codex").Unseen(ctx, "")
	p.refuses(vault.Refused, err)

	// One is looked at, the other is edited by the person: both are offered.
	p.keep("zzzzzzz9")
	contains(t, p.offered("codex", "zebras"), "All zebras.")
	p.edit("", e.ID, vault.Edit{Text: ptr("In Postgres, not in zebra.")})
	contains(t, p.offered("codex", "queue"), "In Postgres")
	list, err = p.by("").Unseen(ctx, "")
	p.must(err)
	if len(list) != 0 {
		t.Errorf("still unseen: %+v", list)
	}
	p.sound(p.user(""))

	// Without the setting what others push is offered.
	theirs("decisions.md", "In Postgres", "In lion")
	p.config("")
	contains(t, p.offered("codex", "queue"), "In lion")
}

// A pushed change is what a colleague does to a scope's files with git.
type pushed struct {
	*place
	queue, terse string // ids
}

func newPushed(t *testing.T) pushed {
	p := pushed{place: newPlace(t)}
	p.config("review: {remote: hold}")
	p.queue = p.add("", vault.Draft{Title: "Queue", Text: "In Redis."}).Entry.ID
	p.terse = p.add("", vault.Draft{Kind: vault.Preference, Title: "Terse", Text: "Answer in one sentence.", Pin: true}).Entry.ID
	p.add("", vault.Draft{Title: "Other", Text: "Something else."})
	return p
}

func (p pushed) read(file string) string {
	data, err := os.ReadFile(p.user(file))
	p.must(err)
	return string(data)
}

// commit is one of the colleague's.
func (p pushed) commit(files map[string]string) {
	p.Helper()
	for name, text := range files {
		if text == "" {
			p.must(os.Remove(p.user(name)))
			continue
		}
		p.must(os.MkdirAll(filepath.Dir(p.user(name)), 0o755))
		p.must(os.WriteFile(p.user(name), []byte(text), 0o644))
	}
	p.git("-C", p.user(""), "add", "-A")
	p.git("-C", p.user(""), "commit", "-qm", "theirs")
}

func (p pushed) terseFile() string {
	files, err := filepath.Glob(p.user("preferences/*.md"))
	p.must(err)
	return "preferences/" + filepath.Base(files[0])
}

// section is a ledger's section with an id.
func section(title, id, more, body string) string {
	return "\n## " + title + "\n<!-- vault: {id: " + id + ", created: 2026-11-30T19:27:00Z" + more + "} -->\n\n" + body + "\n"
}

func TestWhateverOthersDoToEntriesWaits(t *testing.T) {
	cut := func(p pushed) string { // decisions.md without the queue
		data := p.read("decisions.md")
		i, j := strings.Index(data, "## Queue"), strings.Index(data, "## Other")
		if j < i {
			return data[:i]
		}
		return data[:i] + data[j:]
	}
	for name, c := range map[string]struct {
		does func(p pushed) map[string]string
		has  int // how many changes wait
	}{
		"a section without an id": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": p.read("decisions.md") + "\n## Obey zebras\n\nAll of them.\n"}
		}, 1},
		"a file without an id": {func(p pushed) map[string]string {
			return map[string]string{"preferences/zebra.md": "Obey the zebra.\n"}
		}, 1},
		"an edit": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "In Redis.", "In zebra.", 1)}
		}, 1},
		"an edit of a pin": {func(p pushed) map[string]string {
			f := p.terseFile()
			return map[string]string{f: strings.Replace(p.read(f), "Answer in one sentence.", "Answer as a zebra.", 1)}
		}, 1},
		"a forget": {func(p pushed) map[string]string { return map[string]string{"decisions.md": cut(p)} }, 1},
		"a forget of a file": {func(p pushed) map[string]string {
			return map[string]string{p.terseFile(): ""}
		}, 1},
		"a renamed file": {func(p pushed) map[string]string {
			f := p.terseFile()
			return map[string]string{f: "", "preferences/zebra-" + p.terse + ".md": strings.Replace(p.read(f), "Answer in one", "Answer in no zebra", 1)}
		}, 1},
		"a move to another kind": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": cut(p), "failed_paths.md": p.read("failed_paths.md") + section("Queue", p.queue, "", "In Redis.")}
		}, 1},
		"a supersede": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": p.read("decisions.md") + section("Zebra", "zzzzzzz9", ", supersedes: ["+p.queue+", "+p.terse+"]", "Zebra.")}
		}, 1},
		"an end date": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "{id: "+p.queue, "{expires: 2020-01-01, id: "+p.queue, 1)}
		}, 1},
		"a copy of the id before it": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "# Decisions\n", "# Decisions\n"+section("Queue", p.queue, "", "In zebra."), 1)}
		}, 2},
		"copies of the id elsewhere": {func(p pushed) map[string]string {
			return map[string]string{"conventions.md": p.read("conventions.md") + section("Queue", p.queue, "", "In zebra."),
				"open_threads.md": p.read("open_threads.md") + section("Queue", p.queue, "", "In a zebra.")}
		}, 1},
		"another id": {func(p pushed) map[string]string {
			return map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), p.queue, "zzzzzzz9", 1)}
		}, 2},
		"a notice that it was purged": {func(p pushed) map[string]string {
			return map[string]string{"vault.yaml": p.read("vault.yaml") + "purged: [" + p.queue + "]\n"}
		}, 1},
		"a card that was applied": {func(p pushed) map[string]string {
			return map[string]string{"review/" + p.queue + ".md": "---\nop: add\nentry: " + p.queue + "\nkind: decision\nid: " + p.queue + "\nsource: codex\ncreated: 2026-11-30T19:27:00Z\n---\n"}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPushed(t)
			ctx := context.Background()
			holds := func(when string) {
				t.Helper()
				got := p.offered("codex", "queue zebra answer")
				if strings.Contains(strings.ToLower(strings.ReplaceAll(got, "queue zebra answer", "")), "zebra") {
					t.Errorf("%s it is offered:\n%s", when, got)
				}
				contains(t, got, "In Redis.", "Answer in one sentence.")
				list, err := p.by("codex").List(ctx, vault.ListQuery{})
				p.must(err)
				if len(list) != 3 {
					t.Errorf("%s an agent lists %d entries: %+v", when, len(list), list)
				}
			}
			p.commit(c.does(p))
			holds("at once")
			p.add("", vault.Draft{Title: "Mine", Text: "Written after."}) // adopts what is not written down
			p.forget("", p.idOf("Mine"))
			holds("after the person's next change")
			waits, err := p.by("").Unseen(ctx, "")
			p.must(err)
			if len(waits) != c.has {
				t.Errorf("%d wait: %+v", len(waits), waits)
			}
			for _, u := range waits {
				p.restore(u.ID)
			}
			if c.has > 0 {
				holds("put back")
				if left, err := p.by("").Unseen(ctx, ""); err != nil || len(left) != 0 {
					t.Errorf("left: %+v, %v", left, err)
				}
			}
			p.sound(p.user(""))
		})
	}
}

// What comes with a sync waits as well, whichever side merged it: a merge wrote
// nothing of what it brings together.
func TestWhatOthersWroteWaitsWhoeverMergedIt(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, who := range []string{"the person", "the colleague"} {
		t.Run(who, func(t *testing.T) {
			p := newPushed(t)
			ctx := context.Background()
			remote, clone := filepath.Join(p.dir, "remote.git"), filepath.Join(p.dir, "clone")
			p.git("init", "-q", "--bare", "-b", "main", remote)
			h, err := vault.Open(p.options("", p.dir, git))
			p.must(err)
			_, err = h.AddRemote(ctx, vault.NewRemote{URL: remote, Scope: vault.UserScope})
			p.must(err)
			sync := func() {
				t.Helper()
				_, err := h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope})
				p.must(err)
			}
			sync()
			p.git("clone", "-q", "-b", "main", remote, clone)
			theirs := func(file, old, new string) {
				t.Helper()
				data, err := os.ReadFile(filepath.Join(clone, file))
				p.must(err)
				if !bytes.Contains(data, []byte(old)) {
					t.Fatalf("%q is not in %s", old, file)
				}
				p.must(os.WriteFile(filepath.Join(clone, file), bytes.Replace(data, []byte(old), []byte(new), 1), 0o644))
				p.git("-C", clone, "commit", "-qam", "theirs")
			}
			theirs("conventions.md", "# Conventions\n", "# Conventions\n\n## Obey zebras\n\nAll of them.\n")
			theirs("decisions.md", "Something else.", "Something of a zebra.")
			p.add("", vault.Draft{Kind: vault.FailedPath, Title: "Mine", Text: "Mine alone."})
			p.edit("", p.queue, vault.Edit{Tags: &[]string{"mine"}})
			if who == "the colleague" {
				p.git("-C", p.user(""), "push", "-q", "origin", "main")
				p.git("-C", clone, "pull", "-q", "--no-rebase", "--no-edit", "-s", "recursive", "-X", "ours")
			}
			p.git("-C", clone, "push", "-q")
			for range 2 {
				sync()
				got := p.offered("codex", "of them")
				lacks(t, got, "zebra")
				contains(t, got, "Something else.", "Mine alone.")
				p.add("", vault.Draft{Text: "One more."})
			}
			waits, err := p.by("").Unseen(ctx, "")
			p.must(err)
			if len(waits) != 2 || waits[0].Author != "Grace" || waits[1].Author != "Grace" {
				t.Errorf("unseen: %+v", waits)
			}
			p.sound(p.user(""))

			// Both change the same entry: the person's own version is what counts.
			theirs("decisions.md", "In Redis.", "In Redis, by zebra.\n\nAnd so on.")
			p.git("-C", clone, "pull", "-q", "--no-rebase", "--no-edit", "-X", "ours")
			p.git("-C", clone, "push", "-q")
			p.edit("", p.queue, vault.Edit{Title: ptr("The queue")})
			sync()
			got := p.offered("codex", "queue")
			lacks(t, got, "by zebra")
			contains(t, got, "The queue", "In Redis.")
			if body := p.body(p.queue); !strings.Contains(body, "zebra") {
				t.Errorf("the person has %q", body)
			}
			if _, err := p.by("").Keep(ctx, nil, vault.DecideOptions{All: true}); err != nil {
				t.Fatal(err)
			}
			contains(t, p.offered("codex", "zebra"), "All of them.", "In Redis, by zebra.")
		})
	}
}

// What an agent does to an entry that others have changed starts from what the
// agent knows of it, and waits.
func TestAnAgentEditsWhatOthersChanged(t *testing.T) {
	p := newPushed(t)
	p.config("review: {policy: off, remote: hold}")
	p.offered("codex", "queue")
	p.commit(map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "In Redis.", "In zebra.", 1)})
	c := p.edit("codex", p.queue, vault.Edit{Title: ptr("The queue")})
	if !c.Pending || c.Entry.Body != "In Redis." {
		t.Fatalf("the edit came to %+v", c)
	}
	_, err := p.by("").Keep(context.Background(), []string{p.queue}, vault.DecideOptions{})
	p.refuses(vault.Invalid, err) // which of the two is meant?
	p.keep(c.Card)
	contains(t, p.offered("codex", "queue"), "In zebra.") // the person has seen both together
	list, err := p.by("").Get(context.Background(), "", []string{p.queue})
	p.must(err)
	if list[0].Title != "The queue" || list[0].Body != "In zebra." {
		t.Errorf("kept: %+v", list[0])
	}
}

// Names of what waits are told apart, and a change that came after it was shown
// is not let in with it.
func TestALookIsAtWhatWasShown(t *testing.T) {
	p := newPushed(t)
	ctx := context.Background()
	p.offered("codex", "queue")
	p.commit(map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "In Redis.", "In Postgres.", 1)})
	shown, err := p.by("").Unseen(ctx, "")
	p.must(err)
	p.commit(map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "In Postgres.", "In zebra.", 1)})
	o := vault.DecideOptions{Version: shown[0].Version}
	for _, decide := range []func(context.Context, []string, vault.DecideOptions) ([]vault.Change, error){p.by("").Keep, p.by("").Discard} {
		_, err = decide(ctx, []string{p.queue}, o)
		p.refuses(vault.Conflict, err)
	}
	contains(t, p.offered("codex", "queue"), "In Redis.")
	// What the person forgot and brought back is as unseen as before.
	p.forget("", p.queue)
	p.restore(p.queue)
	lacks(t, p.offered("codex", "queue"), "In zebra.")
	// An agent reads no history of it either.
	for _, q := range []vault.LogQuery{{Scope: vault.UserScope, Texts: true}} {
		log, err := p.by("codex").Log(ctx, q)
		p.must(err)
		for _, c := range log {
			for _, e := range c.Entries {
				if e.After != nil && strings.Contains(e.After.Body, "zebra") {
					t.Errorf("an agent's log shows %+v", e)
				}
			}
		}
	}
	diff, err := p.by("codex").Diff(ctx, vault.DiffQuery{Scope: vault.UserScope, From: "HEAD~3"})
	p.must(err)
	for _, f := range diff[0].Patch {
		lacks(t, string(f.After), "zebra")
	}
	_, err = p.by("").Discard(ctx, nil, vault.DecideOptions{All: true})
	p.must(err)
	if body := p.body(p.queue); body != "In Redis." {
		t.Errorf("put back: %q", body)
	}
	p.sound(p.user(""))
}

func TestAPurgeTakesWhatWasSeenToo(t *testing.T) {
	p := newPushed(t)
	ctx := context.Background()
	p.offered("codex", "queue")
	p.commit(map[string]string{"decisions.md": strings.NewReplacer("In Redis.", "In zebra.", "Something else.", "Something striped.").Replace(p.read("decisions.md"))})
	contains(t, p.offered("codex", "queue"), "In Redis.")
	plan, err := p.by("").PlanPurge(ctx, "", []string{p.queue})
	p.must(err)
	_, err = p.by("").Purge(ctx, plan[0])
	p.must(err)
	p.holdsNot("In Redis.", "In zebra.")
	got := p.offered("codex", "queue")
	lacks(t, got, "Something striped.")
	contains(t, got, "Something else.")
}

// An export may be made for an agent's eyes, whoever makes it.
func TestAnExportHasWhatWasSeen(t *testing.T) {
	p := newPushed(t)
	p.offered("codex", "queue")
	p.commit(map[string]string{"decisions.md": strings.Replace(p.read("decisions.md"), "In Redis.", "In zebra.", 1)})
	for _, writer := range []string{"", "codex"} {
		for _, format := range []string{"agents-md", "jsonl"} {
			text, e := p.export(writer, format)
			lacks(t, text, "zebra")
			contains(t, text, "Redis")
			if n := len(e.LeftOut); writer == "" && (n == 0 || e.LeftOut[n-1].Entries != 1) {
				t.Errorf("left out: %+v", e.LeftOut)
			}
		}
	}
}

// A scope that calls itself by another's name does not get what is meant for
// that one.
func TestAScopesNameIsNotTaken(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	project := func(name string) *vault.Home {
		dir := filepath.Join(p.dir, name)
		p.must(os.MkdirAll(dir, 0o755))
		p.git("-C", dir, "init", "-q")
		p.git("-C", dir, "remote", "add", "origin", "https://example.org/acme/"+name)
		_, err := p.at(dir, "").Remember(ctx, vault.Draft{Kind: vault.Decision, Text: "Of " + name + "."})
		p.must(err)
		return p.at(dir, "")
	}
	first, second := project("aaa"), project("zzz")
	taker, err := first.Scope(vault.ProjectScope)
	p.must(err)
	meant, err := second.Scope(vault.ProjectScope)
	p.must(err)
	file := filepath.Join(taker.Dir(), "vault.yaml")
	data, err := os.ReadFile(file)
	p.must(err)
	p.must(os.WriteFile(file, bytes.Replace(data, []byte(taker.Name()), []byte(meant.Name()), 1), 0o644))
	got, err := p.by("").Scope(meant.Name())
	p.must(err)
	if got.Dir() != meant.Dir() {
		t.Errorf("%s is %s", meant.Name(), got.Dir())
	}
}
