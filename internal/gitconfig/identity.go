package gitconfig

import "strings"

// Person is whose commits they are.
type Person struct{ Name, Email string }

// Fallback is who commits where git knows nobody: "vault <user@host>".
func Fallback(user, host string) Person {
	user, host = word(user), word(host)
	if user == "" {
		user = "vault"
	}
	if host == "" {
		host = "localhost"
	}
	return Person{Name: "vault", Email: user + "@" + host}
}

// Identity is the person's name and address for what they author, each taken
// from the fallback where git's configuration has none.
func Identity(c *Config, fallback Person) Person { return person(c, "author", fallback) }

// Committer is the same for what they commit.
func Committer(c *Config, fallback Person) Person { return person(c, "committer", fallback) }

func person(c *Config, role string, fallback Person) Person {
	pick := func(name, otherwise string) string {
		for _, key := range []string{role + "." + name, "user." + name} {
			if value, ok := c.Get(key); ok {
				if value = clean(value); value != "" {
					return value
				}
			}
		}
		return otherwise
	}
	return Person{Name: pick("name", fallback.Name), Email: pick("email", fallback.Email)}
}

// clean takes out what git, too, keeps out of a commit's header: brackets and
// line ends anywhere, and at both ends blanks and punctuation.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '<', '>', '\n', '\r', 0:
			return -1
		}
		return r
	}, s)
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`.,:;"\'`, r) })
}

func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '@' {
			return '-'
		}
		return r
	}, clean(s))
}
