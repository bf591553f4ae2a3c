package entryfile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmarkHeadings lists the ATX headings that goldmark finds at the top
// level, by the line they stand on.
func goldmarkHeadings(data []byte) (found []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("goldmark: %v", r)
		}
	}()
	atx := &markedATX{BlockParser: parser.NewATXHeadingParser(), at: map[ast.Node]int{}}
	var blocks []util.PrioritizedValue
	for _, b := range parser.DefaultBlockParsers() {
		if b.Priority == 600 {
			b.Value = atx
		}
		blocks = append(blocks, b)
	}
	p := parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	doc := p.Parse(text.NewReader(data))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if at, ok := atx.at[n]; ok {
			found = append(found, fmt.Sprintf("line %d level %d", 1+bytes.Count(data[:at], []byte("\n")), n.(*ast.Heading).Level))
		}
	}
	return found, nil
}

// markedATX remembers which headings are ATX ones, and where.
type markedATX struct {
	parser.BlockParser
	at map[ast.Node]int
}

func (m *markedATX) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, seg := reader.PeekLine()
	n, state := m.BlockParser.Open(parent, reader, pc)
	if n != nil {
		m.at[n] = seg.Start
	}
	return n, state
}

func scannedHeadings(data []byte) (found []string, deep bool) {
	s := scanner{data: data, plainRules: true}
	s.run()
	for _, h := range s.headings {
		found = append(found, fmt.Sprintf("line %d level %d", 1+bytes.Count(data[:h.start], []byte("\n")), h.level))
	}
	return found, s.deep
}

func FuzzScannerAgreesWithGoldmark(f *testing.F) {
	for _, doc := range []string{
		"## a\n", "# a\n## b ##\n", "```\n## no\n```\n## yes\n", "~~~x\n## no\n", "``` `\n## yes\n",
		"- a\n  ## no\n## yes\n", "> ## no\n## yes\n", "    ## no\n   ## yes\n", "a\n    ## no\n",
		"<!-- \n## no\n-->\n## yes\n", "<div>\n## no\n\n## yes\n", "text\n<b>\n## yes\n", "<b>\n## no\n",
		"<pre>\n\n## no\n</pre>\n## yes\n", "<?php\n## no\n?>\n", "<!X\n## no\n>\n", "<![CDATA[\n## no\n]]>\n",
		"[a]: b\n---\n<b>\n## x\n", "[a]: b\n===\n<b>\n## yes\n", "[a]: b\n'c\nd' e\n===\n<b>\n",
		"-\n\n  ## yes\n", "1. a\n2. b\n   ## no\n", "-\t## no\n", "-\t-\t## a\n\t## b\n", "> - a\n<b>\n## yes\n",
		"##\n##\t\n##\x0b\n", "-\t#\n", "10) a\n\n    ## no\n", "- - - a\n\n  ## b\n", "* * *\n- ---\n  ===\n",
		"a\n- ---\n", "+ a\n\n\n   ## no\n", "- [a]: b\n  ---\n  <b>\n  ## no\n", "<ſtyle>\n## no\n\n## no\n",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, deep := scannedHeadings(data)
		if deep {
			t.Skip("nested deeper than the scanner follows")
		}
		want, err := goldmarkHeadings(data)
		if err != nil {
			t.Skip(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in %q:\n got %v\nwant %v", data, got, want)
		}
	})
}
