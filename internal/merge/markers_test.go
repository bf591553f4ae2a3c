package merge

import (
	"strings"
	"testing"
)

func TestHasMarkers(t *testing.T) {
	const real = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> 1234567 (a commit)\n"
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"as git leaves them", "# D\n\n" + real, true},
		{"with the base", strings.Replace(real, "=======", "||||||| base\nbase\n=======", 1), true},
		{"with carriage returns", strings.ReplaceAll(real, "\n", "\r\n"), true},
		{"without labels", "<<<<<<<\na\n=======\nb\n>>>>>>>\n", true},
		{"without a last newline", strings.TrimSuffix(real, "\n"), true},
		{"a setext heading", "Title\n=======\n\ntext\n", false},
		{"in an example", "```\n" + real + "```\n", false},
		{"in an example of tildes", "~~~~ diff\n" + real + "~~~~\n", false},
		{"after an example", "```\nx\n```\n" + real, true},
		{"after a fence that nothing closes", "```\n" + real, true},
		{"where a shorter fence closes nothing", "````\n```\n" + real + "````\n", false},
		{"quoted", "> " + strings.ReplaceAll(real, "\n", "\n> "), false},
		{"indented", "    " + strings.ReplaceAll(real, "\n", "\n    "), false},
		{"in another order", ">>>>>>> a\n=======\n<<<<<<< b\n", false},
		{"one alone", "<<<<<<< a\ntext\n", false},
		{"longer lines of the same", "<<<<<<<< a\n========\n>>>>>>>> b\n", false},
		{"nothing", "", false},
	} {
		if got := HasMarkers([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
