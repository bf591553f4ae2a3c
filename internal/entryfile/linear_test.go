package entryfile

import (
	"strings"
	"testing"
)

// Texts that have brought parsers of Markdown or YAML to their knees. Each is a
// quarter of a megabyte; a parser that is not linear does not come back from them.
func hostile() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, (256<<10)/len(s)) }
	return map[string]string{
		"one line":                  fill("x"),
		"blank lines":               fill("\n"),
		"headings":                  fill("## \n"),
		"headings with comments":    fill("## x\n<!-- vault: {} -->\n"),
		"titles":                    fill("# x\n"),
		"quotes in quotes":          fill(">"),
		"quotes, deeper each line":  fill("> > > > > > > > > > > > > > > > >\n"),
		"lists in lists":            fill("- "),
		"lists in lists, blanks":    strings.Repeat("- ", 1<<16) + fill("\n"),
		"list items":                fill("- x\n"),
		"ever more indented":        fill("- x\n  - y\n    - z\n"),
		"tabs":                      fill("\t"),
		"rules":                     fill("- - -\n"),
		"backticks":                 fill("`"),
		"fences":                    fill("```\n"),
		"open comments":             fill("<!--\n"),
		"end tags":                  "<pre>\n" + fill("</"),
		"attributes":                "<a" + fill(" a=b"),
		"one paragraph":             fill("x\n"),
		"link references":           fill("[a]: b\n") + "===\n",
		"link titles that are open": "[a]: b\n" + fill("'x\n") + "===\n",
		"brackets":                  fill("[\n") + "===\n",
		"marks at the end":          "## x " + fill("#"),
		"escaped marks":             "## " + fill(`\`) + "#",
		"broken comment":            "## x\n<!-- vault: {id: " + fill("{a: ") + "\n",
		"keys":                      "## x\n<!-- vault: {" + fill("a: b, ") + "c: d} -->\n",
		"nested YAML":               "## x\n<!-- vault: {a: " + fill("[") + "} -->\n",
		"YAML items":                "## x\n<!-- vault: {a: [" + fill("?x, ") + "]} -->\n",
		"front matter":              "---\n" + fill("a: b\n"),
		"front matter, quoted":      "---\na: \"" + fill("x\n") + "---\n",
		"front matter, comments":    "---\na: b\n" + fill("# x\n") + "c: 'd'\n---\n",
		"front matter, list":        "---\na:\n" + fill("- x\n") + "---\n",
	}
}

func TestParseIsLinear(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"decisions.md", "preferences/x.md"} {
				kind, _ := KindOf(path)
				d := Parse(kind, path, []byte(text))
				if string(d.Bytes()) != text {
					t.Error("not lossless")
				}
				for _, s := range d.Sections() {
					DefaultTitle(s.Body)
					s.Entry.Line()
				}
			}
		})
	}
}
