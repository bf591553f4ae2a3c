package entryfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Append adds a new entry: to a ledger at its end, in a file of its own as the
// whole content. An empty ledger gets the lines every ledger begins with.
func (d *Document) Append(e Entry) error {
	e.Kind = d.kind
	if !ValidID(e.ID) {
		return fmt.Errorf("%q is not an id", e.ID)
	}
	if _, taken := d.byID[e.ID]; taken {
		return fmt.Errorf("%s is in %s already", e.ID, d.path)
	}
	if !d.kind.IsLedger() {
		if len(d.sections) > 0 {
			return fmt.Errorf("%s holds an entry already", d.path)
		}
		out, err := printFile(e, d.eol)
		if err != nil {
			return err
		}
		_, skipped := trimBOM(d.data)
		d.reparse(append(d.data[:skipped:skipped], out...))
		return nil
	}
	out, err := printSection(e, d.eol)
	if err != nil {
		return err
	}
	gap := ""
	if _, skipped := trimBOM(d.data); len(d.data) == skipped {
		gap = Skeleton(d.kind) + d.eol
	} else {
		if d.data[len(d.data)-1] != '\n' {
			gap = d.eol
		}
		if !endsBlank(d.data) {
			gap += d.eol
		}
	}
	end := len(d.data)
	d.data = append(append(d.data, gap...), out...)
	at := end + len(gap)
	if n := len(d.sections); n > 0 && d.sections[n-1].next == end {
		last := d.own(n - 1)
		last.next = at
		if end == last.End && d.data[end-1] != '\n' {
			was := *last
			*last = d.readSection(was.Start, at)
			last.ID, last.Written = was.ID, was.Written
		}
	}
	s := d.readSection(at, len(d.data))
	s.Written = true
	d.byID[e.ID] = len(d.sections)
	d.sections = append(d.sections, &s)
	return nil
}

// readSection reads the section that was printed at start.
func (d *Document) readSection(start, next int) section {
	part := Document{kind: d.kind, path: d.path, data: d.data[start:next]}
	part.parseLedger()
	s := *part.sections[0]
	s.move(start)
	s.next = next
	return s
}

func (s *section) move(by int) {
	for _, p := range []*int{&s.Start, &s.End, &s.heading.start, &s.heading.end, &s.meta.start, &s.meta.end, &s.body.start, &s.body.end, &s.next} {
		*p += by
	}
}

func (d *Document) reparse(data []byte) {
	*d = *Parse(d.kind, d.path, data)
}

// endsBlank reports whether data ends with a blank line, or is empty.
func endsBlank(data []byte) bool {
	data, _ = trimBOM(data)
	n := len(data)
	if n == 0 {
		return true
	}
	if data[n-1] != '\n' {
		return false
	}
	start := n - 1
	for start > 0 && data[start-1] != '\n' {
		start--
	}
	return isBlank(data[start:])
}

var errUnreadable = errors.New("its vault comment or front matter cannot be read: mend that by hand first")

// Set writes e in place of the entry with its id. Only what changes is written
// anew: the heading, the metadata, the body, each as a whole.
func (d *Document) Set(e Entry) error {
	i, ok := d.byID[e.ID]
	if !ok {
		return fmt.Errorf("%s is not in %s", e.ID, d.path)
	}
	return d.replace(i, e)
}

// Replace is Set where the entry gets another id at the same time.
func (d *Document) Replace(id string, e Entry) error {
	i, ok := d.byID[id]
	if !ok {
		return fmt.Errorf("%s is not in %s", id, d.path)
	}
	if !ValidID(e.ID) {
		return fmt.Errorf("%q is not an id", e.ID)
	}
	if at, taken := d.byID[e.ID]; taken && at != i {
		return fmt.Errorf("%s is in %s already", e.ID, d.path)
	}
	return d.replace(i, e)
}

func (d *Document) replace(i int, e Entry) error {
	e.Kind = d.kind
	if !d.kind.IsLedger() {
		return d.replaceFile(normal(e))
	}
	s := d.sections[i]
	out, after, err := d.rewrite(s, normal(e))
	if err != nil {
		return err
	}
	d.splice(s.Start, s.End, out)
	after.move(s.Start)
	d.sections[i] = &after
	for j := i + 1; after.next != s.next && j < len(d.sections); j++ {
		d.own(j).move(after.next - s.next)
	}
	d.rename(i, s.ID, e.ID)
	return nil
}

// rewrite makes the text of a section that says e, read back, and the section
// as it is where that text begins at 0.
func (d *Document) rewrite(s *section, e Entry) ([]byte, section, error) {
	if err := printable(e); err != nil {
		return nil, section{}, err
	}
	old := s.Entry
	if !s.Written {
		old.ID = s.rawID
	}
	text, form := d.bodyText(s, e)
	var b strings.Builder
	named := headingText(d.data[s.heading.start:s.heading.end]) != ""
	if e.Title == s.Title && (named || e.Body == s.Body) {
		b.Write(d.data[s.heading.start:s.heading.end])
		if b.String()[b.Len()-1] != '\n' {
			b.WriteString(d.eol)
		}
	} else {
		b.WriteString(writeHeading(e.Title) + d.eol)
	}
	hadMeta := s.meta.end > s.meta.start
	comment := writeComment(&e, form)
	if hadMeta {
		b.Write(d.data[s.heading.end:s.meta.start])
	}
	if hadMeta && comment == writeComment(&old, s.form) {
		comment = strings.TrimRight(string(d.data[s.meta.start:s.meta.end]), "\r\n")
	}
	b.WriteString(comment + d.eol)
	b.WriteString(text)
	out := []byte(b.String())

	check := Document{kind: d.kind, path: d.path, data: out}
	check.parseLedger()
	if err := readBack(&check, e); err != nil {
		return nil, section{}, err
	}
	if e.Body != s.Body && s.End == s.next && s.next < len(d.data) {
		out = append(out, d.eol...) // a body may need a blank line to end at
	}
	after := *check.sections[0]
	after.next = len(out) + s.next - s.End
	after.Written = true
	return out, after, nil
}

// bodyText is what stands below the metadata: the bytes that are there where
// the body stays the same.
func (d *Document) bodyText(s *section, e Entry) (string, bodyForm) {
	hasBody := s.body.end > s.body.start
	if hasBody && e.Body == s.Body {
		text := string(d.data[s.meta.end:s.End])
		if !strings.HasSuffix(text, "\n") {
			text += d.eol
		}
		return text, s.form
	}
	if e.Body == e.Title {
		return "", plain
	}
	gap := d.eol
	if hasBody && s.body.start > s.meta.end {
		gap = string(d.data[s.meta.end:s.body.start])
	}
	raw, form := encodeBody(e.Body)
	if s.next < len(d.data) && !headingStands([]byte(raw+"\n\n"), d.data[s.next:]) {
		raw, form = quote(e.Body), quoted // a list would take in a heading that is indented
	}
	return gap + raw + d.eol, form
}

func (d *Document) splice(start, end int, with []byte) {
	out := make([]byte, 0, len(d.data)+len(with)-(end-start))
	out = append(out, d.data[:start]...)
	out = append(out, with...)
	d.data = append(out, d.data[end:]...)
}

func (d *Document) rename(i int, from, to string) {
	if d.byID[from] == i {
		delete(d.byID, from)
	}
	d.byID[to] = i
}

// Remove takes an entry out, with the blank lines after it, or before it where
// it is the last. It is an error where the id is not there, or where without
// the entry others would be read otherwise: an open fence above it would
// swallow a heading below.
func (d *Document) Remove(id string) error {
	i, ok := d.byID[id]
	if !ok {
		return fmt.Errorf("%s is not in %s", id, d.path)
	}
	s := d.sections[i]
	if s.Err != nil {
		return errUnreadable
	}
	start, end := s.Start, s.next
	last := s.next == len(d.data)
	if !d.kind.IsLedger() {
		end = len(d.data)
	} else if last {
		start, end = blankBefore(d.data, start), s.End
	}
	if d.kind.IsLedger() && !last && !d.stands(i, start, end) {
		return fmt.Errorf("without %s the text above it in %s would swallow what follows: close the open block there by hand", id, d.path)
	}
	d.splice(start, end, nil)
	removed := end - start
	d.sections = slices.Delete(d.sections, i, i+1)
	for j := i; j < len(d.sections); j++ {
		d.own(j).move(-removed)
	}
	if i > 0 && last && d.sections[i-1].next == s.Start {
		d.own(i - 1).next = len(d.data)
	}
	for other, at := range d.byID {
		if at > i {
			d.byID[other] = at - 1
		}
	}
	delete(d.byID, id)
	return nil
}

// blankBefore is where the blank lines before at begin.
func blankBefore(data []byte, at int) int {
	for at > 0 {
		start := at - 1
		for start > 0 && data[start-1] != '\n' {
			start--
		}
		if !isBlank(data[start:at]) {
			break
		}
		at = start
	}
	return at
}

// RemoveAll takes many entries out, as Remove does, in one pass over the file.
func (d *Document) RemoveAll(ids []string) error {
	gone := make([]bool, len(d.sections))
	for _, id := range ids {
		i, ok := d.byID[id]
		if !ok {
			return fmt.Errorf("%s is not in %s", id, d.path)
		}
		if d.sections[i].Err != nil {
			return errUnreadable
		}
		gone[i] = true
	}
	out := make([]byte, 0, len(d.data))
	at := 0
	for i, s := range d.sections {
		if gone[i] {
			out = append(out, d.data[at:s.Start]...)
			at = s.next
		}
	}
	out = append(out, d.data[at:]...)
	after := Parse(d.kind, d.path, out)
	if len(after.sections) != len(d.sections)-len(ids) {
		return fmt.Errorf("without %d entries the text between them in %s would be read otherwise: close the open blocks there by hand", len(ids), d.path)
	}
	*d = *after
	return nil
}

// stands reports whether what follows section i is still read as it is when
// the bytes from start to end are gone.
func (d *Document) stands(i, start, end int) bool {
	above := 0
	if i > 0 {
		above = d.sections[i-1].Start
	}
	text, _ := trimBOM(d.data[above:start])
	return headingStands(text, d.data[end:])
}

// headingStands reports whether the heading that below begins with is one when
// it stands under above.
func headingStands(above, below []byte) bool {
	line := lineAfter(below, 0, len(below))
	text := append(bytes.Clone(above), below[:min(len(below), line+len(commentStart))]...)
	for _, h := range topHeadings(text) {
		if h.start == len(above) {
			return true
		}
	}
	return false
}

// Adopt writes down the ids of the entries that have none in the file. Where
// such an entry has no created, source, session or code, it gets those of with.
// Adopt returns the ids; after an error nothing has changed.
func (d *Document) Adopt(with Entry) ([]string, error) {
	if !d.kind.IsLedger() {
		if len(d.sections) == 0 || d.sections[0].Written || d.sections[0].Err != nil {
			return nil, nil
		}
		id := d.sections[0].ID
		if err := d.replaceFile(d.sections[0].Entry.adopted(with)); err != nil {
			return nil, err
		}
		return []string{id}, nil
	}
	var ids []string
	var data bytes.Buffer
	done := 0 // how far data is written
	after := d.Clone()
	after.ownAll()
	for i, s := range after.sections {
		data.Write(d.data[done:s.Start])
		done = s.Start
		moved := data.Len() - done
		if s.Written || s.Err != nil {
			s.move(moved)
			continue
		}
		out, written, err := d.rewrite(d.sections[i], s.Entry.adopted(with))
		if err != nil {
			return nil, err
		}
		done = s.End
		ids = append(ids, s.ID)
		*s = written
		s.move(data.Len())
		data.Write(out)
	}
	if len(ids) > 0 {
		data.Write(d.data[done:])
		d.data, d.sections = data.Bytes(), after.sections
	}
	return ids, nil
}

// adopted is e with what it lacks of what is known of a hand edit.
func (e Entry) adopted(with Entry) Entry {
	e.Created = cmp.Or(e.Created, with.Created)
	e.Source = cmp.Or(e.Source, with.Source)
	e.Session = cmp.Or(e.Session, with.Session)
	e.Code = cmp.Or(e.Code, with.Code)
	return e
}
