package secrets

import "strings"

const pemBegin = "-----BEGIN "

// privateKeys finds private keys in PEM, OpenSSH and PGP armour, also where
// quoting, a table or a string literal stands between the lines, and also
// where the end is missing.
func (s *scanner) privateKeys() {
	for at := 0; ; {
		i := strings.Index(s.text[at:], pemBegin)
		if i < 0 {
			return
		}
		i += at
		at = i + len(pemBegin)
		header := s.text[at:min(len(s.text), at+120)]
		n := strings.Index(header, "-----")
		if n < 0 {
			continue
		}
		label := strings.ToUpper(header[:n])
		if !strings.Contains(label, "PRIVATE KEY") || strings.ContainsAny(label, "\n\r") {
			continue
		}
		body := at + n + len("-----")
		end, letters := armour(s.text, body)
		if letters < 40 {
			continue
		}
		s.add(rulePrivateKey, i, end, weightShape)
		at = end
	}
}

// armour reads the base64 lines after a header and returns where they end and
// how many characters of a key they hold.
func armour(text string, at int) (end, letters int) {
	end = at
	run := 0
	for i := at; i < len(text); i++ {
		c := text[i]
		switch {
		case alnum(c) || c == '+' || c == '/':
			run++
			if run >= 16 {
				letters += run
				run = 0
				end = i + 1
			}
		case strings.HasPrefix(text[i:], "-----END"):
			letters += run
			if n := strings.Index(text[i+5:min(len(text), i+120)], "-----"); n >= 0 {
				return i + 5 + n + 5, letters
			}
			return i, letters
		case strings.IndexByte(" \t\r\n>|\\'\"`,=;+:.()-*", c) >= 0:
			if run > 0 && letters > 0 {
				letters += run
				end = i
			}
			run = 0
		default:
			return end, letters
		}
		if i-end > 400 {
			return end, letters
		}
	}
	if run > 0 && letters > 0 {
		letters += run
		end = len(text)
	}
	return end, letters
}
