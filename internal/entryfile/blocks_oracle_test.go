package entryfile

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"
)

// goldmarkHeadings lists the ATX headings that goldmark finds at the top
// level, and all that it finds anywhere, by the line they stand on.
func goldmarkHeadings(data []byte) (found, all []string, err error) {
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
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		at, isATX := atx.at[n]
		if !isATX {
			at = h.Lines().At(0).Start
		}
		line := fmt.Sprintf("line %d", 1+bytes.Count(data[:at], newline))
		all = append(all, line)
		if isATX && n.Parent() == doc {
			found = append(found, fmt.Sprintf("%s level %d", line, h.Level))
		}
		return ast.WalkContinue, nil
	})
	return found, all, err
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

// agreesWithGoldmark compares what the scanner finds with what goldmark does.
func agreesWithGoldmark(t interface {
	Errorf(string, ...any)
	Skip(...any)
}, data []byte) {
	s := scanner{data: data, plainRules: true}
	s.run()
	if s.deep {
		t.Skip("nested deeper than the scanner follows")
	}
	var got, gotAll []string
	for _, h := range s.headings {
		got = append(got, fmt.Sprintf("line %d level %d", 1+bytes.Count(data[:h.start], newline), h.level))
	}
	for _, h := range Headings(data) {
		gotAll = append(gotAll, fmt.Sprintf("line %d", h.Line))
	}
	want, wantAll, err := goldmarkHeadings(data)
	if err != nil {
		t.Skip(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in %q:\n got %v\nwant %v", data, got, want)
	}
	if fmt.Sprint(gotAll) != fmt.Sprint(wantAll) {
		t.Errorf("all in %q:\n got %v\nwant %v", data, gotAll, wantAll)
	}
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
	f.Fuzz(func(t *testing.T, data []byte) { agreesWithGoldmark(t, data) })
}

func TestScannerAgreesWithGoldmark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agreesWithGoldmark(t, []byte(markdown().Draw(t, "document"))) })
}
