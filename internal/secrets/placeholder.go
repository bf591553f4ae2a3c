package secrets

import "strings"

// placeholder reports whether a value stands for a secret rather than being
// one: a variable, a template, a call, or a word that says so.
func placeholder(v string) bool {
	if v == "" || filler(v) {
		return true
	}
	switch v[0] {
	case '$', '%', '{', '<', '[', '(', '@':
		if enclosed(v) {
			return true
		}
	}
	for _, mark := range []string{"${", "$(", "{{", "}}", "<", "...", "…", "***", "•••", "$ENV", "process.env", "os.environ", "getenv", "://"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	low := strings.ToLower(v)
	for _, word := range []string{"example", "changeme", "change_me", "change-me", "placeholder", "redacted", "your_", "your-", "yourp", "yours", "yourt", "yourk", "youra",
		"my_secret", "mysecret", "my-secret", "mypass", "my_pass", "my-pass", "dummy", "replace_", "replace-", "replaceme", "insert_", "insert-", "_here", "-here", "todo", "not-a-real", "notreal", "fakekey", "fake_", "fake-"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// enclosed reports whether v is a reference to a variable: $NAME, %NAME%,
// {name}, <name>, [name], (name), @NAME@.
func enclosed(v string) bool {
	last := v[len(v)-1]
	switch v[0] {
	case '$':
		return len(v) > 1 && strings.Trim(v[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789{}():.-") == "" && (word(v[1]) || v[1] == '{' || v[1] == '(')
	case '%':
		return last == '%' || len(v) <= 3
	case '{':
		return true // a type, a template
	case '<':
		return last == '>'
	case '[':
		return last == ']'
	case '(':
		return last == ')'
	case '@':
		return last == '@'
	}
	return false
}

func word(c byte) bool { return alnum(c) || c == '_' }

// filler reports whether v is padding: one character over and over, or the
// alphabet.
func filler(v string) bool {
	run, longest := 1, 1
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1] {
			run++
			longest = max(longest, run)
		} else {
			run = 1
		}
	}
	if longest*2 > len(v) {
		return true
	}
	low := strings.ToLower(v)
	if strings.Contains(low, "xxxxxx") || strings.Contains(low, "******") {
		return true
	}
	return strings.Contains(low, "abcdefghijklmnopqrstuvwxyz")
}

// wellKnown reports whether a password is a word that manuals use where the
// reader's own is meant, or a default that protects nothing.
func wellKnown(v string) bool {
	switch strings.ToLower(v) {
	case "password", "passwd", "passw", "pass", "pwd", "pw", "passphrase", "secret", "token", "key", "apikey", "api_key", "access_token", "api_token",
		"user", "username", "admin", "root", "test", "guest", "postgres", "mysql", "mongo", "redis", "rabbitmq", "minio", "minioadmin", "elastic", "docker", "default",
		"p4ssw0rd", "passw0rd", "foo", "bar", "baz", "foobar", "xxx", "yyy", "zzz", "abc", "credentials", "credential", "value", "string", "none", "null", "nil", "true", "false",
		"required", "optional", "hidden", "dbpass", "dbpassword", "db_password", "oauth", "oauth2", "x-oauth-basic", "basic", "bearer":
		return true
	}
	return false
}

// random reports whether a value looks made by a generator and not by a
// person: within its words letters change case or turn into digits and back
// more often than names, paths, versions and dates do.
func random(v string) bool {
	if len(v) < 10 || entropy(v) < 2.8 {
		return false
	}
	changes, letters, signs := 0, 0, 0
	prev := byte(0)
	for i := 0; i < len(v); i++ {
		k := class(v[i])
		switch k {
		case 'a', 'A':
			letters++
		case 0:
			signs++
		}
		// A capital that begins a word is no change: camelCase is how
		// people write names.
		if k != 0 && prev != 0 && k != prev && !(prev == 'a' && k == 'A' && lowerRun(v[i+1:]) >= 2) && !(prev == 'A' && k == 'a') {
			changes++
		}
		prev = k
	}
	if letters == 0 {
		return false
	}
	return changes >= 3 && (changes*100 >= len(v)*12 || len(v) >= 32 && signs == 0) || uuid(v)
}

// uuid reports whether v has the form of a UUID, which many services give
// out as keys.
func uuid(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := 0; i < len(v); i++ {
		switch i {
		case 8, 13, 18, 23:
			if v[i] != '-' {
				return false
			}
		default:
			if !hexDigit(v[i]) {
				return false
			}
		}
	}
	return true
}

func lowerRun(v string) int {
	n := 0
	for n < len(v) && class(v[n]) == 'a' {
		n++
	}
	return n
}

// class is 'a' for a lower-case letter, 'A' for an upper-case one, '0' for a
// digit and 0 for the rest.
func class(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= '0' && c <= '9':
		return '0'
	}
	return 0
}
