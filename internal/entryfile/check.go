package entryfile

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Check says what is wrong with an entry that is about to be remembered or
// changed, on one line; nil if nothing is. Entries already in a file are not
// held to it: what a person wrote there stays.
func Check(e Entry) error {
	if e.ID != "" && !ValidID(e.ID) {
		return fmt.Errorf("%q is not an id: ids are %d characters of lower-case base32 that begin with g to z", e.ID, IDLength)
	}
	if _, err := ParseKind(string(e.Kind)); err != nil {
		return err
	}
	if err := checkBody(e); err != nil {
		return err
	}
	if err := checkTitle(e.Title); err != nil {
		return err
	}
	if err := checkShort("description", e.Description, MaxDescription); err != nil {
		return err
	}
	if err := checkTags(e.Tags); err != nil {
		return err
	}
	for _, t := range []struct{ name, text string }{
		{"source", e.Source}, {"evidence", e.Evidence}, {"code", e.Code}, {"session", e.Session}, {"outcome", e.Outcome},
	} {
		if err := checkText(t.name, t.text); err != nil {
			return err
		}
		if len(t.text) > MaxBody {
			return tooLarge(t.name, len(t.text), MaxBody, "shorten it")
		}
	}
	for _, p := range e.Paths {
		if err := checkShort("path", p, MaxPath); err != nil {
			return err
		}
		if p == "" {
			return fmt.Errorf("a path is empty: name a file of the workspace")
		}
	}
	for _, ids := range []struct {
		name string
		ids  []string
	}{{"supersedes", e.Supersedes}, {"derived_from", e.DerivedFrom}, {"conflict", nonEmpty(e.Conflict)}} {
		for _, id := range ids.ids {
			if !ValidID(id) {
				return fmt.Errorf("%s names %q, which is not an id", ids.name, id)
			}
		}
	}
	if e.Status != "" && e.Status != StatusOpen && e.Status != StatusResolved {
		return fmt.Errorf("status is %q: it must be %s or %s", e.Status, StatusOpen, StatusResolved)
	}
	for _, t := range []struct{ name, text string }{{"created", e.Created}, {"updated", e.Updated}} {
		if t.text == "" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, t.text); err != nil || Stamp(at) != t.text {
			return fmt.Errorf("%s is %q: write it as 2026-11-30T19:27:00Z", t.name, t.text)
		}
	}
	if err := checkDate("expires", e.Expires); err != nil {
		return err
	}
	return checkExtra(e.Extra)
}

// checkExtra refuses further keys that would not read back as they are.
func checkExtra(extra []Field) error {
	for i, f := range extra {
		if _, known := fieldIndex[f.Key]; known {
			return fmt.Errorf("the key %q is one of the format's own: it can't be a further one", f.Key)
		}
		if slices.ContainsFunc(extra[:i], func(o Field) bool { return o.Key == f.Key }) {
			return fmt.Errorf("the key %q is there twice", f.Key)
		}
		if !f.readsBack() {
			return fmt.Errorf("the key %q with the value %q can't be written on one line of YAML: write the value as plain or quoted text", Shorten(f.Key, 60), Shorten(f.Value, 60))
		}
	}
	return nil
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func checkTitle(title string) error {
	if strings.TrimSpace(title) == "" {
		return fmt.Errorf("the title is empty: say in a few words what this is about")
	}
	if err := checkLine("title", title); err != nil {
		return err
	}
	return checkLength("title", title, MaxTitle, "shorten it or put the rest in the body")
}

func checkBody(e Entry) error {
	limit := e.Kind.MaxBody()
	if err := checkText("body", e.Body); err != nil {
		return err
	}
	if len(e.Body) > limit {
		return tooLarge("body", len(e.Body), limit, "shorten it, or keep the text in a file and name its path")
	}
	return nil
}

func tooLarge(name string, size, limit int, advice string) error {
	return fmt.Errorf("%s is %s; the limit is %s: %s", name, sizeOver(size, limit), formatSize(limit), advice)
}

// sizeOver writes a size so that it is seen to be over the limit.
func sizeOver(size, limit int) string {
	if formatSize(size) == formatSize(limit) {
		return fmt.Sprintf("%d bytes", size)
	}
	return formatSize(size)
}

func formatSize(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}

// checkText refuses what is not text.
func checkText(name, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%s holds a NUL byte: it is binary, not text", name)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s is not valid UTF-8: it is binary, or text in another encoding", name)
	}
	return nil
}

// checkShort refuses what is not one line of at most limit characters.
func checkShort(name, text string, limit int) error {
	if err := checkLine(name, text); err != nil {
		return err
	}
	return checkLength(name, text, limit, "shorten it")
}

func checkLength(name, text string, limit int, advice string) error {
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Errorf("%s is %d characters; the limit is %d: %s", name, n, limit, advice)
	}
	return nil
}

// checkLine refuses what is not one line of text.
func checkLine(name, text string) error {
	if err := checkText(name, text); err != nil {
		return err
	}
	for _, r := range text {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("%s has more than one line: put it on one", name)
		}
		if unicode.IsControl(r) && r != '\t' {
			return fmt.Errorf("%s holds the control character %U: take it out", name, r)
		}
	}
	return nil
}

func checkTags(tags []string) error {
	if len(tags) > MaxTags {
		return fmt.Errorf("there are %d tags; the limit is %d: leave some out", len(tags), MaxTags)
	}
	for i, t := range tags {
		if err := checkShort("tag", t, MaxTag); err != nil {
			return err
		}
		if t == "" || strings.Trim(t, " ") != t {
			return fmt.Errorf("the tag %q is empty or has spaces at its ends", t)
		}
		if strings.ContainsAny(t, ",\t") {
			return fmt.Errorf("the tag %q holds a comma or tab: make it two tags", t)
		}
		for _, other := range tags[:i] {
			if t == other {
				return fmt.Errorf("the tag %q is there twice", t)
			}
		}
	}
	return nil
}

// checkDate refuses what is neither a date nor a time.
func checkDate(name, text string) error {
	if text == "" {
		return nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if _, err := time.Parse(layout, text); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is %q: write a date as 2026-11-30", name, text)
}
