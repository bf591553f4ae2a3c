package vault_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gitvault/internal/entryfile"
	"gitvault/vault"
)

// said is what a person told the vault: all that has to come back.
type said struct {
	kind              vault.Kind
	title, body, desc string
	tags              string
	pinned            bool
}

// A step is a commit and what it did to entries.
type step struct {
	commit        string
	before, after map[string]*said
}

// A model is what a vault should hold, kept in the simplest way there is.
type model struct {
	*desk
	t       *rapid.T
	entries map[string]said
	gone    map[string]said // forgotten ones, as they come back
	later   map[string]bool // of these: changes were taken back since ...
	vague   map[string]bool // ... and what comes of that is for the merge to say
	steps   []step

	buffer map[string]string // ledgers as an editor has them open
	typed  int
}

// Whatever a person does, in whatever order: what they said is what is there,
// in files that git and vault find nothing wrong with.
func TestAnySequenceOfChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "vault-model-")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		m := &model{desk: newDesk(t, dir, rapid.Uint64().Draw(t, "seed")), t: t, entries: map[string]said{}, gone: map[string]said{}, later: map[string]bool{}, vague: map[string]bool{},
			buffer: map[string]string{}}
		_, _, err = m.Init(ctx, vault.UserScope)
		require.NoError(t, err)
		for range rapid.IntRange(8, 16).Draw(t, "steps") {
			m.now = m.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour, -time.Minute}).Draw(t, "time"))
			rapid.SampledFrom([]func(){
				m.remember, m.remember, m.edit, m.edit, m.forget, m.bringBack, m.bringBack, m.restore, m.restore, m.restore, m.undo,
				m.typeSection, m.typeIntoBody, m.cutSection, m.cutSection, m.dropFile, m.foreign,
				m.openEditor, m.saveBuffer, m.saveBuffer,
			}).Draw(t, "step")()
			m.check(false)
		}
		m.check(true)
	})
}

// text draws what people and agents write, and what stands in a parser's way.
func text(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, "plain") {
		return rapid.SampledFrom([]string{"One system less to run.", "It was too slow, and nobody knew why. We gave up.", "Errors start in lower case", "Ask Ada"}).Draw(t, label)
	}
	lines := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`[A-Za-z ,.]{1,40}`),
		rapid.SampledFrom([]string{
			"## Context", "# Title", "### Deeper", "Setext", "======", "------", "---", "```", "```go", "~~~~", "> quoted", "- item",
			"- ## item", "1. one", "    indented", "\tcode", "", "", "<!-- vault: {id: gggggggg} -->", "<!-- open", "-->", "<div>", "</div>", "<pre>",
			"## Again #", "##", "#", "| a | b |", "|---|---|", "[link]: http://example.org", "&amp; <b>", "line end\r", "做好财务护城河", "\u200bzero", "e\u0301",
			"key: value", "...", "\\", "`code`", "*", "***", "a  ", "\u00a0", "<<<<<<< HEAD", "=======", ">>>>>>> other", "<?php", "<![CDATA[", "<!DOCTYPE html>",
		}),
		rapid.StringOfN(rapid.Rune(), 0, 12, -1),
	), 1, 8).Draw(t, label)
	s := strings.Map(func(r rune) rune {
		if r == 0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(strings.Join(lines, "\n"), "?"))
	if strings.TrimSpace(s) == "" {
		return "Something."
	}
	return s
}

func title(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "Queue in Postgres", "Use slog", "C# and F#", "# hash", "a: b", "- dash", "trailing #", "*stars* `code`", "[x] (y)",
		"\"quoted\"", "<b>bold</b>", "-->", "{id: x}", "ünï 做好", "\\", "1. first", "=", "---", "a \\# b", "&lt;"}).Draw(t, "title")
}

func tags(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{nil, {"git"}, {"git", "storage layer"}, {"1", "yes", "null"}, {"a:b", "[c]", "{d}", "#e", "-"}}).Draw(t, "tags")
}

// descriptions are those that are given; any other is derived.
var descriptions = []string{"", "in a line", "a: b # c", "\"", "'", "yes"}

var kinds = []vault.Kind{vault.Decision, vault.Convention, vault.FailedPath, vault.OpenThread, vault.Preference, vault.SessionTrace}

func (m *model) remember() {
	d := vault.Draft{Scope: vault.UserScope, Kind: rapid.SampledFrom(kinds).Draw(m.t, "kind"), Title: title(m.t), Text: text(m.t, "text"), Tags: tags(m.t),
		Pin: rapid.Bool().Draw(m.t, "pin")}
	c, err := m.Remember(ctx, d)
	if vault.CodeOf(err) == vault.Invalid && err != nil {
		m.t.Logf("remember refused: %v", err)
		return
	}
	require.NoError(m.t, err)
	m.t.Logf("remember %s %s %q %s", c.Entry.ID, d.Kind, d.Title, oneLineOf(d.Text))
	if c.Unchanged {
		require.Contains(m.t, m.entries, c.Entry.ID)
		return
	}
	s := said{kind: d.Kind, title: d.Title, body: entryfile.TrimBody(d.Text), tags: strings.Join(d.Tags, "\n"), pinned: d.Pin}
	if s.title == "" {
		s.title = entryfile.DefaultTitle(s.body)
	}
	m.did(c.Commit, map[string]*said{c.Entry.ID: &s})
}

// any draws one of the entries.
func (m *model) any(list map[string]said) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(list))).Draw(m.t, "id"), true
}

func (m *model) edit() {
	if id, ok := m.any(m.entries); ok {
		m.editOf(id)
	}
}

func (m *model) editOf(id string) {
	s := m.entries[id]
	var ed vault.Edit
	switch rapid.IntRange(0, 4).Draw(m.t, "field") {
	case 0:
		s.body = entryfile.TrimBody(text(m.t, "body"))
		ed.Text = &s.body
		if m.entries[id].title == entryfile.DefaultTitle(m.entries[id].body) {
			s.title = entryfile.DefaultTitle(s.body)
		}
	case 1:
		s.title = title(m.t)
		if s.title == "" {
			return
		}
		if s.body == m.entries[id].title {
			s.body = s.title
		}
		ed.Title = &s.title
	case 2:
		list := tags(m.t)
		s.tags = strings.Join(list, "\n")
		ed.Tags = &list
	case 3:
		s.pinned = !s.pinned
		ed.Pin = &s.pinned
	case 4:
		s.desc = rapid.SampledFrom(descriptions).Draw(m.t, "description")
		ed.Description = &s.desc
	}
	c, err := m.Edit(ctx, id, ed)
	if err != nil && vault.CodeOf(err) == vault.Invalid {
		m.t.Logf("edit refused: %v", err)
		return
	}
	require.NoError(m.t, err)
	m.t.Logf("edit %s: %+v", id, s)
	require.Equal(m.t, s == m.entries[id], c.Unchanged, "unchanged")
	if !c.Unchanged {
		m.did(c.Commit, map[string]*said{id: &s})
	}
}

func (m *model) forget() {
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom(append(slices.Sorted(maps.Keys(m.entries)), "")), 1, 3, rapid.ID).Draw(m.t, "ids")
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	if len(ids) == 0 {
		return
	}
	list, err := m.Forget(ctx, "", ids, "no reason")
	require.NoError(m.t, err)
	require.Len(m.t, list, len(ids))
	m.t.Logf("forget %v", ids)
	change := map[string]*said{}
	for _, id := range ids {
		change[id] = nil
	}
	m.did(list[0].Commit, change)
}

func (m *model) bringBack() {
	id, ok := m.any(m.gone)
	if !ok {
		return
	}
	r, err := m.Restore(ctx, []string{id}, vault.RestoreOptions{})
	require.NoError(m.t, err)
	m.t.Logf("bring back %s", id)
	s := m.gone[id]
	if m.vague[id] {
		s, ok = m.read(id)
		require.True(m.t, ok)
	}
	m.did(r.Commit, map[string]*said{id: &s})
}

// restore takes any commit back. What nobody touched since goes back to what
// it was; what somebody did is refused, or merged.
func (m *model) restore() {
	if len(m.steps) == 0 {
		return
	}
	m.takeBack(rapid.SampledFrom(m.steps).Draw(m.t, "commit"), func(k step) (vault.Restored, error) {
		return m.Restore(ctx, []string{k.commit}, vault.RestoreOptions{})
	})
}

func (m *model) undo() {
	head := strings.TrimSpace(git(m.t, m.dir, "rev-parse", "HEAD"))
	i := slices.IndexFunc(m.steps, func(k step) bool { return k.commit == head })
	if i < 0 || len(m.steps[i].before) == 0 || strings.HasPrefix(git(m.t, m.dir, "log", "-1", "--format=%s"), "adopt") ||
		strings.HasPrefix(git(m.t, m.dir, "log", "-1", "--format=%s"), "undo") {
		return
	}
	m.takeBack(m.steps[i], func(step) (vault.Restored, error) { return m.Undo(ctx, vault.RestoreOptions{}) })
}

func (m *model) takeBack(k step, do func(step) (vault.Restored, error)) {
	change := map[string]*said{}
	sure, may := true, false
	var later []string // edits of what is gone: it is to come back without them
	for id, after := range k.after {
		before := k.before[id]
		now := m.lookup(id)
		switch {
		case now == nil && after != nil && before != nil:
			later = append(later, id)
		case now == nil && after == nil && (m.vague[id] || m.later[id]):
			sure, may = false, true
		case same(now, after):
			change[id] = before
		case same(now, before):
		default:
			sure = false
		}
	}
	r, err := do(k)
	m.t.Logf("take back %.10s: %v (sure: %v, later: %v)", k.commit, err, sure, later)
	if err == nil {
		for _, id := range later {
			m.later[id] = true
			gone, ok := m.gone[id]
			switch {
			case ok && !m.vague[id] && same(&gone, k.after[id]):
				m.gone[id] = *k.before[id]
			case !ok || m.vague[id] || !same(&gone, k.before[id]):
				m.vague[id] = true
			}
		}
		if len(later) > 0 {
			defer func(n int) { m.steps = m.steps[:n] }(len(m.steps)) // what it notes is tried elsewhere
		}
	}
	if !sure {
		if err != nil && !may {
			require.Equal(m.t, vault.Conflict, vault.CodeOf(err), "%v", err)
			return
		}
		change = map[string]*said{}
		for id := range k.after {
			if now, ok := m.read(id); ok {
				change[id] = &now
			} else {
				change[id] = nil
			}
		}
	}
	require.NoError(m.t, err)
	m.did(r.Commit, change)
}

func (m *model) lookup(id string) *said {
	if s, ok := m.entries[id]; ok {
		return &s
	}
	return nil
}

func same(a, b *said) bool { return a == b || a != nil && b != nil && *a == *b }

// did notes a commit, and what it did.
func (m *model) did(commit string, change map[string]*said) {
	k := step{commit: commit, before: map[string]*said{}, after: map[string]*said{}}
	for id, after := range change {
		before := m.lookup(id)
		if same(before, after) {
			continue
		}
		k.before[id], k.after[id] = before, after
		if after == nil {
			m.gone[id] = *before
			delete(m.entries, id)
		} else {
			m.entries[id] = *after
			delete(m.gone, id)
			delete(m.later, id)
			delete(m.vague, id)
		}
	}
	if commit != "" {
		m.steps = append(m.steps, k)
	}
}

// A hand edit counts at once, and the next command that writes commits it.

func (m *model) typeSection() {
	kind := rapid.SampledFrom([]vault.Kind{vault.Decision, vault.Convention}).Draw(m.t, "kind")
	name := rapid.SampledFrom([]string{"By hand", "Also by hand", "Typed"}).Draw(m.t, "name")
	body := rapid.SampledFrom([]string{"", "One line.", "Two\nlines.", "With `code`\n\n- and\n- a list"}).Draw(m.t, "body")
	if body == "" {
		body = name
	}
	file := filepath.Join(m.dir, kind.Ledger())
	data, err := os.ReadFile(file)
	require.NoError(m.t, err)
	if !plain(string(data)) {
		return
	}
	before := map[string]bool{}
	for id := range m.entries {
		before[id] = true
	}
	typed := strings.TrimRight(string(data), "\n") + "\n\n## " + name + "\n\n" + body + "\n"
	require.NoError(m.t, os.WriteFile(file, []byte(typed), 0o644))
	m.t.Logf("type %q into %s", name, kind.Ledger())
	m.adopted(func(e vault.Entry) bool { return !before[e.ID] }, func(vault.Entry) *said {
		return &said{kind: kind, title: name, body: body}
	}, 1)
}

// plain reports whether what is typed at the end of a file begins a section
// there: an open fence would swallow it, and rightly so.
func plain(data string) bool {
	data = regexp.MustCompile(`(?m)^<!-- vault: .*$`).ReplaceAllString(data, "")
	return !strings.ContainsAny(data, "<\r") && !strings.Contains(data, "```") && !strings.Contains(data, "~~~")
}

// openEditor loads a ledger into an editor; saveBuffer saves it much later, with
// something typed at its end. Nothing that was done meanwhile is taken back.
func (m *model) openEditor() {
	kind := rapid.SampledFrom([]vault.Kind{vault.Decision, vault.Convention}).Draw(m.t, "kind")
	data, err := os.ReadFile(filepath.Join(m.dir, kind.Ledger()))
	require.NoError(m.t, err)
	if plain(string(data)) {
		m.buffer[kind.Ledger()] = string(data)
	}
}

func (m *model) saveBuffer() {
	for _, kind := range []vault.Kind{vault.Decision, vault.Convention} {
		data, ok := m.buffer[kind.Ledger()]
		if !ok {
			continue
		}
		delete(m.buffer, kind.Ledger())
		now, err := os.ReadFile(filepath.Join(m.dir, kind.Ledger()))
		require.NoError(m.t, err)
		if !plain(string(now)) {
			continue
		}
		var before map[string]said
		m.typed++
		for _, e := range slices.Sorted(maps.Keys(m.entries)) {
			if m.entries[e].kind == kind && strings.Contains(data, e) && rapid.Bool().Draw(m.t, "edited meanwhile") {
				m.editOf(e)
			}
		}
		before = maps.Clone(m.entries)
		name := fmt.Sprintf("Typed into an old buffer, %d", m.typed)
		data = strings.TrimRight(data, "\n") + "\n\n## " + name + "\n"
		require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, kind.Ledger()), []byte(data), 0o644))
		m.t.Logf("save an old buffer of %s", kind.Ledger())
		m.adopted(func(e vault.Entry) bool { _, ok := before[e.ID]; return !ok }, func(vault.Entry) *said {
			return &said{kind: kind, title: name, body: name}
		}, 1)
		return
	}
}

func (m *model) typeIntoBody() {
	id, file, data, ok := m.plainSection()
	if !ok {
		return
	}
	s := m.entries[id]
	edited := s
	edited.body = s.body + " And so on."
	require.NoError(m.t, os.WriteFile(file, []byte(strings.Replace(data, "\n"+s.body+"\n", "\n"+edited.body+"\n", 1)), 0o644))
	m.t.Logf("type into %s", id)
	m.adopted(func(e vault.Entry) bool { return e.ID == id }, func(vault.Entry) *said { return &edited }, 1)
}

func (m *model) cutSection() {
	id, file, data, ok := m.plainSection()
	if !ok {
		return
	}
	start := strings.Index(data, "## "+m.entries[id].title+"\n<!-- vault: {id: "+id)
	if start < 0 {
		return
	}
	end := len(data)
	if i := strings.Index(data[start+3:], "\n## "); i >= 0 {
		end = start + 3 + i + 1
	}
	require.NoError(m.t, os.WriteFile(file, []byte(data[:start]+data[end:]), 0o644))
	m.t.Logf("cut %s", id)
	m.adopted(nil, func(vault.Entry) *said { return nil }, 0, id)
}

// plainSection finds an entry whose text a person would find easily.
func (m *model) plainSection() (id, file, data string, ok bool) {
	for _, id := range slices.Sorted(maps.Keys(m.entries)) {
		s := m.entries[id]
		if !s.kind.IsLedger() || strings.Trim(s.body, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,") != "" || s.body == s.title {
			continue
		}
		file := filepath.Join(m.dir, s.kind.Ledger())
		data, err := os.ReadFile(file)
		require.NoError(m.t, err)
		if strings.Count(string(data), "\n"+s.body+"\n") == 1 && !strings.Contains(string(data), "\r") && !strings.Contains(string(data), "<<<<") {
			return id, file, string(data), true
		}
	}
	return "", "", "", false
}

func (m *model) dropFile() {
	for _, id := range slices.Sorted(maps.Keys(m.entries)) {
		if m.entries[id].kind != vault.Preference {
			continue
		}
		files, err := filepath.Glob(filepath.Join(m.dir, "preferences", "*"+id+".md"))
		require.NoError(m.t, err)
		require.Len(m.t, files, 1)
		require.NoError(m.t, os.Remove(files[0]))
		m.t.Logf("remove %s", files[0])
		m.adopted(nil, func(vault.Entry) *said { return nil }, 0, id)
		return
	}
}

// foreign puts a file of the person's own beside; the next change commits it.
func (m *model) foreign() {
	file := filepath.Join(m.dir, rapid.SampledFrom([]string{"notes.txt", "README.md", "docs/a.md"}).Draw(m.t, "file"))
	require.NoError(m.t, os.MkdirAll(filepath.Dir(file), 0o755))
	data := []byte(text(m.t, "foreign"))
	require.NoError(m.t, os.WriteFile(file, data, 0o644))
	if strings.Contains(string(data), "<<<<<<<") {
		require.NoError(m.t, os.Remove(file))
	}
	m.t.Logf("write %s", file)
	m.adopted(nil, nil, 0)
	if kept, err := os.ReadFile(file); err == nil {
		require.Equal(m.t, string(data), string(kept))
	}
}

// adopted lets the vault commit a hand edit, and takes into the model what
// entries it made: as many as want, told by isIt; those of ids are changed.
func (m *model) adopted(isIt func(vault.Entry) bool, says func(vault.Entry) *said, want int, ids ...string) {
	list, err := m.List(ctx, vault.ListQuery{Scope: vault.UserScope, All: true})
	require.NoError(m.t, err)
	was := strings.TrimSpace(git(m.t, m.dir, "rev-parse", "HEAD"))
	_, err = m.Check(ctx, vault.UserScope, true)
	require.NoError(m.t, err)
	head := strings.TrimSpace(git(m.t, m.dir, "rev-parse", "HEAD"))
	if head == was {
		head = "" // it was there already, and the commit is another step's
	}
	change := map[string]*said{}
	for _, e := range list {
		if isIt != nil && isIt(e) {
			change[e.ID] = says(e)
		}
	}
	require.Len(m.t, change, want)
	for _, id := range ids {
		change[id] = nil
	}
	m.did(head, change)
}

func (m *model) read(id string) (said, bool) {
	list, err := m.Get(ctx, vault.UserScope, []string{id})
	if vault.CodeOf(err) == vault.NotFound && err != nil {
		return said{}, false
	}
	require.NoError(m.t, err)
	e := list[0]
	s := said{kind: e.Kind, title: e.Title, body: e.Body, tags: strings.Join(e.Tags, "\n"), pinned: e.Pinned}
	if want, ok := m.entries[id]; ok && want.desc == e.Description {
		s.desc = want.desc // a description that was given; else it is derived
	} else if ok && want.desc != "" && slices.Contains(descriptions, e.Description) {
		s.desc = e.Description
	}
	return s, true
}

// check compares all that the vault holds with the model.
func (m *model) check(fsck bool) {
	list, err := m.List(ctx, vault.ListQuery{Scope: vault.UserScope, All: true})
	require.NoError(m.t, err)
	ids := map[string]bool{}
	for _, e := range list {
		ids[e.ID] = true
	}
	require.Equal(m.t, slices.Sorted(maps.Keys(m.entries)), slices.Sorted(maps.Keys(ids)))
	for id, want := range m.entries {
		got, ok := m.read(id)
		require.True(m.t, ok)
		require.Equal(m.t, want, got, id)
	}
	m.sound(m.t, fsck)
}
