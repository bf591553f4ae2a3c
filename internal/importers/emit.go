package importers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gitvault/internal/entryfile"
)

// emit completes a record and gives it to the sink, or refuses it by name.
func (s *source) emit(r Record) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	e := &r.Entry
	if s.in.Kind != "" && e.ID == "" {
		e.Kind = s.in.Kind
		if s.in.Kind != entryfile.OpenThread {
			e.Status, e.Outcome = "", ""
		}
	}
	if e.ID == "" {
		e.Source = "import:" + s.format
		e.Evidence = strings.Join(nonEmpty(r.Where, e.Evidence), "; ")
		shape(e)
	}
	if strings.TrimSpace(e.Title) == "" && strings.TrimSpace(e.Body) == "" {
		s.refuse(r.Where, "it is empty")
		return nil
	}
	if err := entryfile.Check(*e); err != nil {
		s.refuse(r.Where, "%q: %s", e.Title, err)
		return nil
	}
	said := textHash(string(e.Kind) + "\x00" + e.Title + "\x00" + e.Body)
	switch before, again := s.seen[r.Key]; {
	case !again:
		s.seen[r.Key] = said
	case before == said:
		s.note(r.Where, "it is there twice in the source")
		return nil
	default:
		s.note(r.Where, "something else in the source has the same id, name or place: both are taken")
		r.Key += "\x00" + r.Where
		if s.seen[r.Key] == said {
			return nil
		}
		s.seen[r.Key] = said
	}
	if s.out.Record == nil {
		return nil
	}
	return s.out.Record(r)
}

// shape makes foreign text fit an entry's fields without losing any of it:
// what is too long for one goes into the body.
func shape(e *entryfile.Entry) {
	e.Body = trimBlank(e.Body)
	e.Title = oneLine(e.Title)
	e.Description = oneLine(e.Description)
	if e.Title == "" {
		e.Title = entryfile.DefaultTitle(e.Body)
	}
	if utf8.RuneCountInString(e.Title) > entryfile.MaxTitle {
		e.Body = joinParagraphs(e.Title, e.Body)
		e.Title = entryfile.DefaultTitle(e.Title)
	}
	if e.Body == "" {
		e.Body = e.Title
	}
	if utf8.RuneCountInString(e.Description) > entryfile.MaxDescription {
		e.Body = joinParagraphs(e.Description, e.Body)
		e.Description = ""
	}
	if e.Description == e.Title {
		e.Description = ""
	}
	tags, rest := fitTags(e.Tags)
	e.Tags = tags
	if len(rest) > 0 {
		e.Body = joinParagraphs(e.Body, "Tags: "+strings.Join(rest, ", "))
	}
	if e.Kind == entryfile.OpenThread && e.Status == "" {
		e.Status = entryfile.StatusOpen
	}
	if e.Updated != "" && e.Updated <= e.Created {
		e.Updated = ""
	}
}

// fitTags returns the tags that an entry can have, and those it cannot.
func fitTags(all []string) (tags, rest []string) {
	for _, t := range all {
		for part := range strings.SplitSeq(t, ",") {
			part = strings.TrimPrefix(oneLine(part), "#")
			switch {
			case part == "" || slices.Contains(tags, part):
			case len(tags) == entryfile.MaxTags || utf8.RuneCountInString(part) > entryfile.MaxTag:
				rest = append(rest, part)
			default:
				tags = append(tags, part)
			}
		}
	}
	return tags, rest
}

// oneLine joins a text's words with single spaces, without control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// trimBlank takes blank lines off a text's ends, and spaces off its last line.
func trimBlank(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

func joinParagraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}
