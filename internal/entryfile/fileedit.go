package entryfile

import "strings"

// replaceFile writes e in place of the entry that the file is.
func (d *Document) replaceFile(e Entry) error {
	if err := printable(e); err != nil {
		return err
	}
	s := *d.sections[0]
	out, err := d.newFile(&s, e)
	if err != nil && s.front != nil {
		s.front = nil // YAML with more to it than lines of keys: all of it anew
		out, err = d.newFile(&s, e)
	}
	if err != nil {
		return err
	}
	d.reparse(out)
	return nil
}

// newFile is the file with e in place of s, read back.
func (d *Document) newFile(s *section, e Entry) ([]byte, error) {
	var b strings.Builder
	b.Write(d.data[:s.Start])
	if s.meta.end > s.meta.start {
		b.Write(d.data[s.meta.start:lineAfter(d.data, s.meta.start, s.meta.end)])
		d.writeFront(&b, s, &e)
		b.Write(d.data[d.closingFence(s):s.meta.end])
		if d.data[s.meta.end-1] != '\n' {
			b.WriteString(d.eol)
		}
	} else {
		b.WriteString("---" + d.eol)
		d.writeFront(&b, s, &e)
		b.WriteString("---" + d.eol)
	}
	switch hasBody := s.body.end > s.body.start; {
	case hasBody && e.Body == s.Body:
		if s.meta.end == s.meta.start {
			b.WriteString(d.eol)
		}
		b.Write(d.data[s.meta.end:])
	case e.Body != e.Title:
		b.WriteString(d.eol + e.Body + d.eol)
		b.Write(d.data[s.End:])
	default:
		b.Write(d.data[s.End:])
	}
	out := []byte(b.String())
	check := Document{kind: d.kind, path: d.path, data: out}
	check.parseFile()
	if len(check.sections) == 1 {
		check.sections[0].End = len(out) // blank lines after it are the person's
	}
	return out, readBack(&check, e)
}

// closingFence is where the last line of the front matter begins.
func (d *Document) closingFence(s *section) int {
	start := s.meta.end - 1
	for start > s.meta.start && d.data[start-1] != '\n' {
		start--
	}
	return start
}

// writeFront writes the keys of e between the fences. The lines of keys that
// stay the same are kept, comments between them, too.
func (d *Document) writeFront(b *strings.Builder, s *section, e *Entry) {
	type item struct{ key, text string }
	var items []item
	wanted := map[string]string{}
	writePairs(e, true, plain, inBlock, func(key, value string) { wanted[key] = value })
	before := map[string]string{}
	old := s.Entry
	if !s.Written {
		old.ID = s.rawID
	}
	writePairs(&old, true, plain, inBlock, func(key, value string) { before[key] = value })

	at := s.meta.start
	if s.meta.end > s.meta.start {
		at = lineAfter(d.data, at, s.meta.end)
	}
	kept := map[string]bool{}
	for _, l := range s.front {
		value, stays := wanted[l.key]
		_, was := before[l.key]
		if gap := string(d.data[at:l.start]); gap != "" {
			items = append(items, item{"", gap})
		}
		at = l.end
		if !stays && was {
			continue
		}
		kept[l.key] = true
		text := string(d.data[l.start:l.end])
		if stays && value != before[l.key] {
			text = l.key + ": " + value + d.eol
		}
		items = append(items, item{l.key, text})
	}
	tail := ""
	if s.front != nil {
		tail = string(d.data[at:d.closingFence(s)])
	}
	writePairs(e, true, plain, inBlock, func(key, value string) {
		if kept[key] {
			return
		}
		if was, ok := before[key]; ok && was == value && s.Written && s.front != nil && e.Body == s.Body {
			return // it follows from the name or the body, and still does
		}
		i := 0
		for j, it := range items {
			if it.key != "" && !comesAfter(it.key, key) {
				i = j + 1
			}
		}
		items = append(items[:i:i], append([]item{{key, key + ": " + value + d.eol}}, items[i:]...)...)
	})
	for _, it := range items {
		b.WriteString(it.text)
	}
	b.WriteString(tail)
}

// comesAfter reports whether the key a is written after b.
func comesAfter(a, b string) bool {
	i, known := fieldIndex[a]
	if !known {
		i = len(fields)
	}
	j, known := fieldIndex[b]
	if !known {
		j = len(fields)
	}
	return i > j
}
