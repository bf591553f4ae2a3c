package generate

import (
	"strconv"
	"strings"
	"unicode"
)

// Anchors returns the anchors that a git host gives the headings of a Markdown
// file, by the 1-based line of the heading. A heading whose text has no letter
// has none.
//
// They are GitHub's: lower case, only letters, digits, marks, _ and -, blanks
// as -, and a number behind those that are taken. GitLab's differ where
// punctuation stands between blanks; there the link opens the file.
func Anchors(markdown []byte) map[int]string {
	anchors := map[int]string{}
	taken := map[string]int{}
	for _, h := range headings(string(markdown)) {
		slug := slugOf(h.text)
		if _, ok := taken[slug]; ok {
			base := slug
			for ok {
				taken[base]++
				slug = base + "-" + strconv.Itoa(taken[base])
				_, ok = taken[slug]
			}
		}
		taken[slug] = 0
		if slug != "" {
			anchors[h.line] = slug
		}
	}
	return anchors
}

// slugOf is the anchor of a heading whose Markdown is text, where no other has it.
func slugOf(text string) string {
	text = inlineText(text)
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			b.WriteByte(byte(r))
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) + 'a' - 'A')
		case r == ' ':
			b.WriteByte('-')
		case r == 0x130: // the one letter whose small form is two characters
			b.WriteString("i\u0307")
		case r > 0x7f && unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

type mdHeading struct {
	line int
	text string // its Markdown, without the marks of the heading
}

// headings finds the headings of a Markdown document, also in block quotes, as
// a git host would; those in list items deeper than three columns are missed.
func headings(s string) []mdHeading {
	var out []mdHeading
	var (
		fence     string   // the marker an open fence ends with
		htmlEnd   string   // what ends an open HTML block; "\n" is a blank line
		openDepth int      // depth of the quote that the fence or block stands in
		para      []string // lines of the open paragraph, which an underline makes a heading
		paraLine  int
		inList    bool // the paragraph is a list item's
		paraDepth int
	)
	for n := 1; s != ""; n++ {
		var line string
		line, s, _ = strings.Cut(s, "\n")
		line = strings.TrimSuffix(line, "\r")
		limit := len(line)
		if fence != "" || htmlEnd != "" {
			limit = openDepth
		}
		line, depth := unquote(line, limit)
		if depth < openDepth {
			fence, htmlEnd = "", ""
		}
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		for text != "" && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
			text = text[:len(text)-1]
		}
		switch {
		case fence != "":
			if indent < 4 && strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
			continue
		case htmlEnd == "\n":
			if text == "" {
				htmlEnd = ""
			}
			continue
		case htmlEnd != "":
			if closes(text, htmlEnd) {
				htmlEnd = ""
			}
			continue
		case text == "" || text[0] == '\t':
			para = para[:0]
			continue
		case indent >= 4:
			if len(para) > 0 {
				para = append(para, text)
			}
			continue
		}
		if depth > paraDepth {
			para = para[:0]
		}
		if h, ok := atx(text); ok {
			out = append(out, mdHeading{n, h})
			para = para[:0]
			continue
		}
		if f := fenceMarker(text); f != "" {
			fence, openDepth, para = f, depth, para[:0]
			continue
		}
		if e := htmlBlock(text, len(para) > 0); e != "" {
			para = para[:0]
			if e == "\n" || !closes(text[1:], e) {
				htmlEnd, openDepth = e, depth
			}
			continue
		}
		if len(para) > 0 && depth == paraDepth && underlines(text) && (!inList || indent > 1) {
			out = append(out, mdHeading{paraLine, strings.Join(para, " ")})
			para = para[:0]
			continue
		}
		_, item := listItem(text)
		switch {
		case thematicBreak(text):
			para = para[:0]
		case len(para) == 0 || item:
			para, paraLine, inList, paraDepth = append(para[:0], text), n, item, depth
		default:
			para = append(para, text)
		}
	}
	return out
}

// unquote takes at most limit marks of block quotes off a line and says how many.
func unquote(line string, limit int) (string, int) {
	depth := 0
	for {
		if depth == limit {
			return line, depth
		}
		rest := strings.TrimLeft(line, " ")
		if len(line)-len(rest) > 3 || !strings.HasPrefix(rest, ">") {
			return line, depth
		}
		line = strings.TrimPrefix(rest[1:], " ")
		depth++
	}
}

// atx returns the text of an ATX heading.
func atx(line string) (string, bool) {
	text := strings.TrimLeft(line, "#")
	if n := len(line) - len(text); n < 1 || n > 6 || text != "" && text[0] != ' ' && text[0] != '\t' {
		return "", false
	}
	text = strings.Trim(text, " \t")
	if end := strings.TrimRight(text, "#"); end == "" || end[len(end)-1] == ' ' || end[len(end)-1] == '\t' {
		text = strings.TrimRight(end, " \t")
	}
	return text, true
}

// fenceMarker returns the run of marks that opens a code fence.
func fenceMarker(line string) string {
	if line[0] != '`' && line[0] != '~' {
		return ""
	}
	info := strings.TrimLeft(line, line[:1])
	n := len(line) - len(info)
	if n < 3 || line[0] == '`' && strings.Contains(info, "`") {
		return ""
	}
	return line[:n]
}

// htmlBlock returns what ends the HTML block that line opens, "" for none.
func htmlBlock(line string, inPara bool) string {
	if line[0] != '<' || len(line) < 2 {
		return ""
	}
	if strings.HasPrefix(line, "<!--") {
		return "-->"
	}
	low := strings.ToLower(line)
	switch {
	case strings.HasPrefix(low, "<?"):
		return "?>"
	case strings.HasPrefix(low, "<![cdata["):
		return "]]>"
	case strings.HasPrefix(low, "<!") && len(low) > 2 && isLetter(low[2]):
		return ">"
	}
	name := strings.TrimPrefix(low[1:], "/")
	i := 0
	for i < len(name) && (isLetter(name[i]) || i > 0 && (isDigit(name[i]) || name[i] == '-')) {
		i++
	}
	if i == 0 || i < len(name) && !strings.ContainsRune(" \t/>", rune(name[i])) {
		return ""
	}
	tag := name[:i]
	switch tag {
	case "script", "pre", "style", "textarea":
		if low[1] != '/' {
			return "</" + tag + ">"
		}
		return ""
	}
	if strings.Contains(htmlBlocks, " "+tag+" ") {
		return "\n"
	}
	if n := htmlTag(line); !inPara && n == len(line) {
		return "\n" // one whole tag alone on its line
	}
	return ""
}

// closes reports whether a line has what ends an HTML block.
func closes(line, end string) bool {
	if strings.HasPrefix(end, "</") {
		line = strings.ToLower(line)
	}
	return strings.Contains(line, end)
}

const htmlBlocks = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "

// underlines reports whether a line under a paragraph makes it a heading.
func underlines(line string) bool {
	return (line[0] == '=' || line[0] == '-') && strings.Trim(line, line[:1]) == ""
}

func thematicBreak(line string) bool {
	mark, n := line[0], 0
	if mark != '*' && mark != '-' && mark != '_' {
		return false
	}
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
