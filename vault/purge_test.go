package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gitvault/vault"
)

func (p *place) purge(names ...string) []vault.PurgePlan {
	p.Helper()
	ctx := context.Background()
	plans, err := p.by("").PlanPurge(ctx, "", names)
	p.must(err)
	for _, plan := range plans {
		_, err := p.by("").Purge(ctx, plan)
		p.must(err)
	}
	return plans
}

func TestPurgeLeavesNothing(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	before := p.add("", vault.Draft{Title: "Kept before", Text: "This stays."}).Entry
	e := p.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over.", Tags: []string{"zoo"}}).Entry
	pref := p.add("", vault.Draft{Kind: vault.Preference, Title: "Zebra preference", Text: "Prefer zebras, always."}).Entry
	p.edit("", e.ID, vault.Edit{Title: ptr("A zebra plan, changed"), Text: ptr("Zebras take over slowly.")})
	p.edit("codex", e.ID, vault.Edit{Text: ptr("Zebras proposed by codex.")})
	after := p.add("", vault.Draft{Title: "Kept after", Text: "This stays, too."}).Entry
	held := p.add("codex", vault.Draft{Title: "Zebra card", Text: "Zebras on a card."})
	p.restore(held.Card)
	forgotten, err := p.by("").Forget(ctx, "", []string{pref.ID}, "no zebras any more")
	p.must(err)
	p.restore(forgotten[0].Commit) // whose message names that commit
	dir := p.user("")
	// Plain git has had its hand in it: a commit, a tag, a branch, packs and reflogs.
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), bytes.Replace(data, []byte("take over slowly"), []byte("take over at night"), 1), 0o644))
	p.git("-C", dir, "commit", "-qam", "Say when: A zebra plan, changed")
	p.git("-C", dir, "tag", "-a", "-m", "then", "then")
	p.git("-C", dir, "branch", "aside", "HEAD~2")
	p.git("-C", dir, "gc", "-q")
	_, err = p.by("").Recall(ctx, vault.RecallQuery{Text: "zebra"}) // an index, and a receipt
	p.must(err)
	authors := p.git("-C", dir, "log", "--format=%an %ae %ad %cd", "--date=iso")

	_, err = p.by("codex").PlanPurge(ctx, "", []string{e.ID})
	p.refuses(vault.Refused, err)
	plans, err := p.by("").PlanPurge(ctx, "", []string{e.ID, pref.ID, held.Entry.ID})
	p.must(err)
	plan := plans[0]
	if len(plans) != 1 || len(plan.Entries) != 3 || len(plan.Cards) != 1 || plan.Rewritten == 0 || plan.Rewritten >= plan.Commits || len(plan.Also) != 0 {
		t.Errorf("the plan: %+v", plan)
	}
	contains(t, fmt.Sprint(p.git("-C", dir, "log", "--format=%B")), "zebra")
	p.purge(e.ID, pref.ID, held.Entry.ID)

	p.holdsNot("zebra", "Zebra")
	p.sound(dir)
	if p.body(before.ID) != "This stays." || p.body(after.ID) != "This stays, too." {
		t.Error("other entries went along")
	}
	now := p.git("-C", dir, "log", "--format=%an %ae %ad %cd", "--date=iso")
	if !strings.HasSuffix(now, authors) || strings.Count(now, "\n") != strings.Count(authors, "\n")+1 {
		t.Errorf("who and when:\n%s\nwas\n%s", now, authors)
	}
	contains(t, p.git("-C", dir, "log", "--format=%s"), "remember: (purged)", "remember: Kept before", "Say when: (purged)", "purge: 3 entries")
	manifest, err := os.ReadFile(p.user("vault.yaml"))
	p.must(err)
	contains(t, string(manifest), "purged: [", e.ID, pref.ID, held.Entry.ID)
	// Commits that a message names are named as they are now.
	log := p.git("-C", dir, "log", "--format=%B")
	for line := range strings.Lines(log) {
		if h, ok := strings.CutPrefix(strings.TrimSpace(line), "Vault-Restores: "); ok {
			p.git("-C", dir, "cat-file", "-e", h)
		}
	}

	// It can't come back: not by hand, not by restoring.
	data, err = os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), append(data, "\n## The zebra plan\n<!-- vault: {id: "+e.ID+", created: 2026-11-30T19:27:00Z} -->\n\nZebras take over.\n"...), 0o644))
	p.add("", vault.Draft{Text: "Another."})
	if p.body(e.ID) != "" {
		t.Error("an old buffer brought it back")
	}
	_, err = p.by("").Restore(ctx, []string{e.ID}, vault.RestoreOptions{})
	p.refuses(vault.NotFound, err)
	p.holdsNot("zebra", "Zebra")
	p.sound(dir)
}

func TestPurgeOfWhatWasRolledAndOfItsSiblings(t *testing.T) {
	p := newPlace(t)
	var first string
	for i := range 40 {
		c := p.add("", vault.Draft{Title: fmt.Sprintf("Decision %d", i), Text: fmt.Sprintf("Zebra %d. ", i) + strings.Repeat("A long reason. ", 500)})
		if i == 0 {
			first = c.Entry.ID
		}
	}
	if _, err := os.Stat(p.user("decisions/0001.md")); err != nil {
		t.Fatal("nothing was rolled")
	}
	// A version beside it, as a merge leaves it.
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), append(data, "\n## Decision 0, theirs\n<!-- vault: {id: zzzzzzz9, created: 2026-11-30T19:27:00Z, conflict: "+first+"} -->\n\nThe other zebra.\n"...), 0o644))
	p.add("", vault.Draft{Text: "Adopts it."})
	p.purge(first)
	p.holdsNot("Zebra 0.", "The other zebra", "Decision 0,")
	contains(t, p.body(p.idOf("Decision 1")), "Zebra 1.")
	p.sound(p.user(""))
}

func TestPurgeSaysWhereElseTheTextIs(t *testing.T) {
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "Plan", Text: "Zebras take over at midnight."}).Entry
	other := p.add("", vault.Draft{Title: "Copy", Text: "He wrote: Zebras take over at midnight. I think not."}).Entry
	plan := p.purge(e.ID)[0]
	if len(plan.Also) != 1 || !strings.Contains(plan.Also[0], other.ID) {
		t.Errorf("also in %q", plan.Also)
	}
	if p.body(other.ID) == "" {
		t.Error("the other entry went along")
	}
	_, err := p.by("").PlanPurge(context.Background(), "", []string{"zzzz9999"})
	p.refuses(vault.NotFound, err)
}

func TestAStoppedPurgeIsFinished(t *testing.T) {
	p := newPlace(t)
	e := p.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."}).Entry
	p.add("", vault.Draft{Text: "Another."})
	// As if it had been stopped after it had said what it was about.
	state := filepath.Join(p.user(""), ".git", "vault", "state")
	p.must(os.WriteFile(filepath.Join(state, "purge"), []byte(`["`+e.ID+`"]`), 0o600))
	p.add("", vault.Draft{Text: "The next change."})
	p.holdsNot("zebra", "Zebra")
	if _, err := os.Stat(filepath.Join(state, "purge")); err == nil {
		t.Error("it is still under way")
	}
	p.sound(p.user(""))
}

func TestPurgeRefusesWhatIsNotInItsHands(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Text: "Zebras take over."}).Entry
	dir := p.user("")
	p.git("-C", dir, "worktree", "add", "-q", "--detach", filepath.Join(p.dir, "aside"))
	_, err := p.by("").PlanPurge(ctx, "", []string{e.ID})
	p.refuses(vault.Refused, err)
	p.git("-C", dir, "worktree", "remove", filepath.Join(p.dir, "aside"))
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), append(data, "\nmore\n"...), 0o644))
	p.git("-C", dir, "stash", "-q")
	_, err = p.by("").PlanPurge(ctx, "", []string{e.ID})
	p.refuses(vault.Refused, err)
	p.git("-C", dir, "stash", "drop", "-q")
	p.purge(e.ID)
	p.holdsNot("Zebras")
}

// Two machines with the same memory, and the remote between them.
func TestPurgeReachesOtherClones(t *testing.T) {
	a := newPlace(t)
	ctx := context.Background()
	git, err := exec.LookPath("git")
	a.must(err)
	remote := filepath.Join(a.dir, "remote.git")
	a.git("init", "-q", "--bare", "-b", "main", remote)
	sync := func(p *place, agreed bool) error {
		h, err := vault.Open(p.options("", p.dir, git))
		p.must(err)
		_, err = h.Sync(ctx, vault.SyncQuery{Scope: vault.UserScope, Purge: agreed})
		return err
	}
	a.add("", vault.Draft{Title: "Kept", Text: "This stays."})
	e := a.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."}).Entry
	h, err := vault.Open(a.options("", a.dir, git))
	a.must(err)
	_, err = h.AddRemote(ctx, vault.NewRemote{Scope: vault.UserScope, URL: remote})
	a.must(err)
	a.must(sync(a, false))

	b := newPlace(t)
	b.ids = 1000 // of its own
	hb, err := vault.Open(b.options("", b.dir, git))
	b.must(err)
	_, err = hb.Clone(ctx, vault.NewClone{URL: remote, As: vault.UserScope})
	b.must(err)
	mine := b.add("", vault.Draft{Title: "On the other machine", Text: "New there."}).Entry
	b.edit("", e.ID, vault.Edit{Text: ptr("Zebras take over, says the other machine.")})

	a.purge(e.ID)
	a.add("", vault.Draft{Title: "After the purge", Text: "New here."})
	a.must(sync(a, false))
	a.holdsNot("zebra", "Zebra")

	// The other clone asks its person first, and touches nothing.
	err = sync(b, false)
	b.refuses(vault.Refused, err)
	contains(t, err.Error(), e.ID)
	if b.body(e.ID) == "" {
		t.Error("purged without a word")
	}
	b.must(sync(b, true))
	b.holdsNot("zebra", "Zebra")
	b.sound(b.user(""))
	if b.body(mine.ID) != "New there." || b.body(b.idOf("After the purge")) != "New here." {
		t.Error("something else was lost")
	}
	a.must(sync(a, false))
	a.holdsNot("zebra", "Zebra")
	a.sound(a.user(""))
	if x, y := a.git("-C", a.user(""), "rev-parse", "HEAD"), b.git("-C", b.user(""), "rev-parse", "HEAD"); x != y {
		t.Errorf("they differ: %s %s", x, y)
	}
	// The remote's branch holds nothing of it either.
	if out := a.git("-C", remote, "log", "-p", "main"); strings.Contains(out, "ebra") {
		t.Error("the remote's branch still holds it")
	}
}

// A remote that has gone on is purged, too, and what was new there is kept.
func TestPurgeMeetsARemoteThatHasGoneOn(t *testing.T) {
	a := newPlace(t)
	ctx := context.Background()
	git, err := exec.LookPath("git")
	a.must(err)
	remote := filepath.Join(a.dir, "remote.git")
	a.git("init", "-q", "--bare", "-b", "main", remote)
	open := func(p *place) *vault.Home {
		h, err := vault.Open(p.options("", p.dir, git))
		p.must(err)
		return h
	}
	sync := func(p *place, agreed bool) error {
		_, err := open(p).Sync(ctx, vault.SyncQuery{Scope: vault.UserScope, Purge: agreed})
		return err
	}
	e := a.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."}).Entry
	_, err = open(a).AddRemote(ctx, vault.NewRemote{Scope: vault.UserScope, URL: remote})
	a.must(err)
	a.must(sync(a, false))
	b := newPlace(t)
	b.ids = 1000 // of its own
	_, err = open(b).Clone(ctx, vault.NewClone{URL: remote, As: vault.UserScope})
	b.must(err)
	mine := b.add("", vault.Draft{Title: "On the other machine", Text: "New there."}).Entry
	b.edit("", e.ID, vault.Edit{Text: ptr("Zebras take over, says the other machine.")})
	b.must(sync(b, false))

	a.purge(e.ID)
	a.must(sync(a, false))
	a.holdsNot("zebra", "Zebra")
	a.sound(a.user(""))
	if a.body(mine.ID) != "New there." {
		t.Error("what was new at the remote is lost")
	}
	if out := a.git("-C", remote, "log", "-p", "main"); strings.Contains(out, "ebra") {
		t.Error("the remote's branch still holds it")
	}
	b.must(sync(b, true))
	b.holdsNot("zebra", "Zebra")
	b.sound(b.user(""))
}

// A purge that is stopped at any moment is finished by the next change, or was
// never begun.
func TestAPurgeStoppedAnywhere(t *testing.T) {
	for stop := 1; ; stop++ {
		p := newPlace(t)
		e := p.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."}).Entry
		p.add("", vault.Draft{Text: "Another."})
		p.git("-C", p.user(""), "tag", "then")
		ctx, cancel := context.WithCancel(context.Background())
		looks := 0
		o := p.options("", p.dir, "")
		o.Now = func() time.Time {
			if looks++; looks == stop {
				cancel()
			}
			p.clock = p.clock.Add(time.Second)
			return p.clock
		}
		h, err := vault.Open(o)
		p.must(err)
		plans, err := h.PlanPurge(context.Background(), "", []string{e.ID})
		p.must(err)
		before := looks
		_, err = h.Purge(ctx, plans[0])
		cancel()
		if looks < stop {
			p.must(err)
			p.holdsNot("zebra", "Zebra")
			if stop < before+2 {
				t.Errorf("it looked at the clock only %d times", looks-before)
			}
			return
		}
		p.add("", vault.Draft{Text: "The next change."})
		if p.body(e.ID) == "" {
			p.holdsNot("zebra", "Zebra")
		}
		p.sound(p.user(""))
	}
}

// An export made before the purge does not bring the text back; what a person
// says anew is theirs to say.
func TestPurgedStaysOutOfImports(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	e := p.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."}).Entry
	p.edit("codex", e.ID, vault.Edit{Text: ptr("Zebras proposed by codex.")})
	held := p.add("codex", vault.Draft{Title: "Zebra card", Text: "Zebras on a card."})
	p.add("", vault.Draft{Title: "Kept", Text: "This stays."})
	old, _ := p.export("", "jsonl")
	file := filepath.Join(t.TempDir(), "old.jsonl")
	p.must(os.WriteFile(file, []byte(old), 0o644))
	p.purge(e.ID, held.Entry.ID)

	before := p.commits()
	for _, hold := range []bool{false, true} {
		done, err := p.by("").Import(ctx, vault.Import{Format: "jsonl", Paths: []string{file}, Hold: hold})
		p.must(err)
		if len(done.Added) != 0 || done.Known != 1 || len(done.Refused) != 3 {
			t.Errorf("imported: %+v", done)
		}
		for _, r := range done.Refused {
			contains(t, r.Reason, "was purged here", "vault remember")
		}
	}
	if p.commits() != before {
		t.Error("a commit was made of nothing")
	}
	p.holdsNot("Zebras take over", "Zebras proposed", "Zebras on a card")
	again := p.add("", vault.Draft{Title: "The zebra plan", Text: "Zebras take over."})
	if again.Unchanged || again.Entry.ID == e.ID {
		t.Errorf("remembered anew: %+v", again)
	}
	done, err := p.by("").Import(ctx, vault.Import{Format: "jsonl", Paths: []string{file}})
	p.must(err)
	if done.Known != 2 {
		t.Errorf("what is there again: %+v", done)
	}
}

// Git's own places hold texts too: messages of tags, notes, what was fetched
// from other remotes. What is nobody's entry is named, wherever in the history.
func TestPurgeReachesTagsNotesAndRemotes(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	const text = "Zebras take over at midnight."
	dir := p.user("")
	before := p.add("", vault.Draft{Title: "Kept", Text: "This stays."})
	e := p.add("", vault.Draft{Title: "The zebra plan", Text: text + "\n\nAnd then they rest until noon."}).Entry
	copied := p.add("", vault.Draft{Title: "Copied", Text: "He wrote: " + text + "\n\nAnd then they rest until noon."}).Entry
	p.forget("", copied.ID)
	p.must(os.WriteFile(p.user("notes.txt"), []byte("Note: The zebra plan says "+text+"\n\nAnd then they rest until noon.\n"), 0o644))
	p.add("", vault.Draft{Text: "Another."})
	p.must(os.Remove(p.user("notes.txt")))
	p.add("", vault.Draft{Text: "And another."})
	p.git("-C", dir, "tag", "-a", "-m", "The zebra plan: "+text, "then")
	p.git("-C", dir, "tag", "-a", "-m", "Before it, "+text, "early", before.Commit)
	p.git("-C", dir, "notes", "add", "-m", "It says: And then they rest until noon.", "HEAD")
	p.git("-C", dir, "notes", "add", "-m", "A note that stays.", "HEAD~1")
	p.git("-C", dir, "update-ref", "refs/remotes/elsewhere/main", "HEAD")
	p.git("-C", dir, "gc", "-q")
	then := p.git("-C", dir, "for-each-ref", "--format=%(refname)")

	plans, err := p.by("").PlanPurge(ctx, "", []string{e.ID})
	p.must(err)
	also := strings.Join(plans[0].Also, "\n")
	contains(t, also, copied.ID+" in decisions.md, in earlier commits", "notes.txt, in earlier commits")
	if len(plans[0].Also) != 2 {
		t.Errorf("also: %q", plans[0].Also)
	}
	p.purge(e.ID)
	if now := p.git("-C", dir, "for-each-ref", "--format=%(refname)"); now != then {
		t.Errorf("refs:\n%s\nwere\n%s", now, then)
	}
	for _, ref := range []string{"then", "early"} {
		lacks(t, p.git("-C", dir, "cat-file", "tag", ref), "Zebra", "zebra")
	}
	contains(t, p.git("-C", dir, "notes", "show", "HEAD~1"), "It says: (purged)")
	contains(t, p.git("-C", dir, "notes", "show", "HEAD~2"), "A note that stays.")
	p.sound(dir)
	// With what was named purged too, only the person's own file is left.
	p.purge(copied.ID)
	list := p.git("-C", dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
	var holding []string
	for line := range strings.Lines(list) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind != "tree" && strings.Contains(p.git("-C", dir, "cat-file", kind, name), "Zebras take over") {
			holding = append(holding, p.git("-C", dir, "cat-file", kind, name))
		}
	}
	if len(holding) != 1 || !strings.HasPrefix(holding[0], "Note: ") {
		t.Errorf("held by %q", holding)
	}
	p.sound(dir)
}
