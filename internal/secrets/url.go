package secrets

import (
	"regexp"
	"strings"
	"sync"
)

// urls finds passwords in the authority of URLs: scheme://user:password@host.
func (s *scanner) urls() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], "://")
		if i < 0 {
			break
		}
		i += at
		at = i + len("://")
		rest := s.text[at:min(len(s.text), at+512)]
		if n := strings.Index(rest, "://"); n >= 0 {
			rest = rest[:n]
		}
		if n := strings.IndexAny(rest, " \t\r\n\"'`<>()|,"); n >= 0 {
			rest = rest[:n]
		}
		if n := strings.IndexAny(rest, "/?#"); n >= 0 && strings.IndexByte(rest[:n], '@') >= 0 {
			rest = rest[:n]
		}
		end := strings.LastIndexByte(rest, '@')
		if end < 0 || end+1 >= len(rest) {
			continue
		}
		user, password, has := strings.Cut(rest[:end], ":")
		if strings.IndexByte(user, '/') >= 0 || port(password) {
			continue // the sign stands in the path
		}
		if !has {
			if len(user) >= 16 && random(user) && !placeholder(user) {
				s.add(ruleURLPassword, at, at+end, weightPassword)
			}
			continue
		}
		if login(user, password) {
			s.add(ruleURLPassword, at+len(user)+1, at+end, weightPassword)
		}
	}
	s.curl()
}

// port reports whether what follows the colon begins with a port's number and
// the path behind it.
func port(s string) bool {
	path := strings.TrimLeft(s, "0123456789")
	return len(path) < len(s) && path != "" && path[0] == '/'
}

var curlUser = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s(?:-u|--user)(?:=|\s{0,5})(?:"([^"\n]*:[^"\n]*)"|'([^'\n]*:[^'\n]*)'|([^\s"'<>:]+:(?:[^\s"'<>]+|'[^'\n]+'|"[^"\n]+")|"[^"\n]+":"[^"\n]+"))`)
})

// curlWindow is how far after the word curl its user may stand: some lines.
const curlWindow = 600

// curl finds the user and password that a curl command is given.
func (s *scanner) curl() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], "curl ")
		if i < 0 {
			return
		}
		i += at
		at = i + len("curl ")
		window := s.text[i:min(len(s.text), i+curlWindow)]
		if n := strings.Index(window[1:], "curl "); n >= 0 {
			window = window[:n+1]
		}
		m := curlUser().FindStringSubmatchIndex(window)
		for k := 2; k+1 < len(m); k += 2 {
			if m[k] < 0 {
				continue
			}
			value := window[m[k]:m[k+1]]
			user, password, _ := strings.Cut(value, ":")
			if login(user, password) || password == "" && login("", user) {
				s.add(ruleCurlUser, i+m[k], i+m[k+1], weightPassword)
			}
			at = i + m[k+1]
		}
	}
}

// login reports whether a user's password is a real one: not a variable, a
// placeholder, a well-known default or the user's own name.
func login(user, password string) bool {
	password = strings.Trim(password, `"'`)
	return len(password) >= 4 && !strings.EqualFold(user, password) &&
		!placeholder(password) && !wellKnown(password)
}
