package secrets

import "strings"

// flags finds the values of options that say what they are, where a space and
// no sign stands between: --password …, and what sshpass and .netrc files say.
func (s *scanner) flags() {
	text := s.text
	for at := 0; ; {
		i := strings.Index(text[at:], "--")
		if i < 0 {
			break
		}
		i += at
		at = i + 2
		for at < len(text) && (alnum(text[at]) || text[at] == '-') {
			at++
		}
		if name := text[i+2 : at]; at < len(text) && text[at] == ' ' && name != "" && name[0] != '-' && len(name) < nameWindow {
			s.word(kindOf(name), at+1)
		}
	}
	for _, mark := range [...]string{"sshpass -p ", " password "} {
		for at := 0; ; {
			i := strings.Index(text[at:], mark)
			if i < 0 {
				break
			}
			i += at
			at = i + len(mark)
			if mark == " password " && !afterLogin(text[max(0, i-nameWindow):i]) {
				continue
			}
			s.word(password, at)
		}
	}
}

// afterLogin reports whether a text ends in "login" and a name.
func afterLogin(text string) bool {
	i := strings.LastIndex(text, "login ")
	return i >= 0 && text[i:] != "login " && strings.IndexByte(text[i+len("login "):], ' ') < 0
}

// word judges the word at a place as a value of a kind.
func (s *scanner) word(k kind, at int) {
	if k == nothing {
		return
	}
	start, quote := opening(s.text, at)
	stop := closing(s.text, start, quote)
	if stop-start < 6 || start-at > 2 || !plausible(s.text[start:stop]) || s.text[start] == '-' {
		return
	}
	if rule, weight := judge(k, s.text[start:stop], '"', "", "="); rule != "" {
		s.add(rule, start, stop, weight)
	}
}
