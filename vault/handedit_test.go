package vault_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"gitvault/vault"
)

// typing changes a ledger as an editor does, and lets the vault commit it.
func (p *place) typing(change func(text string) string) {
	p.Helper()
	data, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.must(os.WriteFile(p.user("decisions.md"), []byte(change(string(data))), 0o644))
	_, err = p.by("").Check(context.Background(), "", true)
	p.must(err)
	p.sound(p.user(""))
}

func (p *place) titles() string {
	p.Helper()
	list, err := p.by("").List(context.Background(), vault.ListQuery{All: true})
	p.must(err)
	var out []string
	for _, e := range list {
		out = append(out, e.Title)
	}
	return strings.Join(out, ", ")
}

func TestALineWrittenOnTwiceIsOneEntry(t *testing.T) {
	p := newPlace(t)
	id := p.add("", vault.Draft{Title: "Queue", Text: "It is in Postgres."}).Entry.ID
	for _, more := range []string{" It is fast.", " It is fast enough for us, and will be for years."} {
		p.typing(func(text string) string { return strings.Replace(text, "Postgres.", "Postgres."+more, 1) })
	}
	if got := p.body(id); got != "It is in Postgres. It is fast enough for us, and will be for years. It is fast." {
		t.Errorf("body %q", got)
	}
	if got := p.titles(); got != "Queue" {
		t.Errorf("entries: %s", got)
	}
}

func TestASectionCutAfterOthersWereEditedIsForgotten(t *testing.T) {
	p := newPlace(t)
	first := p.add("", vault.Draft{Title: "First", Text: "One."}).Entry.ID
	second := p.add("", vault.Draft{Title: "Second", Text: "A text that is much longer than what was there before."}).Entry.ID
	p.edit("", first, vault.Edit{Title: ptr("The first of all, by another name")})
	p.typing(func(text string) string { return text[:strings.Index(text, "## Second")] })
	if got := p.body(second); got != "" {
		t.Errorf("it is still there: %q", got)
	}
}

func TestAnOldBufferBringsNothingBack(t *testing.T) {
	p := newPlace(t)
	gone := p.add("", vault.Draft{Title: "Gone", Text: "Forgotten meanwhile."}).Entry.ID
	edited := p.add("", vault.Draft{Title: "Edited", Text: "As it was."}).Entry.ID
	buffer, err := os.ReadFile(p.user("decisions.md"))
	p.must(err)
	p.forget("", gone)
	p.edit("", edited, vault.Edit{Text: ptr("As it is.")})
	late := p.add("", vault.Draft{Title: "Late", Text: "Remembered meanwhile."}).Entry.ID
	p.typing(func(string) string { return string(buffer) + "\n## Typed\n\nInto the old buffer.\n" })
	if got := p.titles(); got != "Typed, Late, Edited" {
		t.Errorf("entries: %s", got)
	}
	if p.body(edited) != "As it is." || p.body(late) != "Remembered meanwhile." {
		t.Errorf("edited %q, late %q", p.body(edited), p.body(late))
	}
}

// What a power cut leaves of a file is no edit of anybody's.
func TestZeroedFilesAreNoHandEdits(t *testing.T) {
	p := newPlace(t)
	id := p.add("", vault.Draft{Kind: vault.Decision, Title: "Zebras", Text: "They have stripes."}).Entry.ID
	ledger := p.user("decisions.md")
	whole, err := os.ReadFile(ledger)
	p.must(err)
	for name, torn := range map[string][]byte{
		"all of it": make([]byte, len(whole)),
		"the end":   append(whole[:len(whole)-20:len(whole)-20], make([]byte, 20)...),
		"nothing":   {},
	} {
		p.must(os.WriteFile(ledger, torn, 0o644))
		if _, err := p.by("").Remember(context.Background(), vault.Draft{Scope: vault.UserScope, Kind: vault.Decision, Text: "Another."}); vault.CodeOf(err) != vault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
		if p.body(id) != "They have stripes." {
			t.Errorf("%s: the entry is %q", name, p.body(id))
		}
		if got, err := os.ReadFile(ledger); err != nil || !bytes.Equal(got, torn) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	p.must(os.WriteFile(ledger, whole, 0o644))
	p.sound(p.user(""))
}
