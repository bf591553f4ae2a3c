package workspace

import "testing"

// The way every command takes: a subfolder of a repository with a remote, a
// person's configuration, and a home that knows it.
func BenchmarkFind(b *testing.B) {
	s := newSandbox(b)
	s.write("home/.gitconfig", "[user]\nname=A\nemail=a@example.com\n[url \"git@github.com:\"]\ninsteadOf=gh:\n")
	s.clone("work/src/widget", "https://github.com/acme/widget")
	s.mkdir("work/src/widget/internal/deep/down")
	s.mkdir("elsewhere")
	s.link("elsewhere", "x")
	s.used("work/src/widget")
	dir := s.path("work/src/widget/internal/deep/down")
	for b.Loop() {
		if id, err := Find(dir, s.options); err != nil || id.Key != "github.com/acme/widget" {
			b.Fatal(id, err)
		}
	}
}
