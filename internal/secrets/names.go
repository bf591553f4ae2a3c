package secrets

import "strings"

// kindOf says what a name promises of its value. A name is split into words
// at signs and at capitals, so that monkey and author are no key and no auth.
func kindOf(name string) kind {
	low := strings.ToLower(name)
	if !hinted(low) {
		return foreign(name)
	}
	words := splitName(name)
	for len(words) > 0 && ignorable(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) > 6 {
		words = words[len(words)-6:]
	}
	if len(words) == 0 || harmless(words[len(words)-1]) {
		return nothing
	}
	best := nothing
	for i, w := range words {
		k := kindOfWord(w)
		if i > 0 {
			switch pre := words[i-1]; {
			case (w == "key" || w == "token") && unlocksNothing(pre):
				return nothing
			case w == "key" && opens(pre):
				k = strong
			}
		}
		// A word far before the operator is prose about something else.
		if k != nothing && len(words)-1-i > 3 {
			continue
		}
		best = max(best, k)
	}
	return best
}

// hinted is the cheap test before a name is taken apart.
func hinted(low string) bool {
	for _, part := range hints {
		if strings.Contains(low, part) {
			return true
		}
	}
	for _, p := range providers {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

var hints = [...]string{"key", "token", "secret", "passw", "passphrase", "pwd", "auth", "cred", "access", "api"}

// providers whose own name before a random value is telling enough.
var providers = [...]string{
	"adafruit", "adobe", "airtable", "algolia", "alibaba", "asana", "atlassian", "beamer", "bitbucket", "bittrex", "cloudflare", "codecov", "cohere", "coinbase", "confluence", "confluent",
	"contentful", "datadog", "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity", "finnhub", "flickr", "freshbooks", "gitter", "gocardless", "heroku", "hubspot", "intercom", "jfrog", "jira",
	"kraken", "kucoin", "launchdarkly", "linkedin", "looker", "mailchimp", "mailgun", "mapbox", "mattermost", "meraki", "messagebird", "netlify", "newrelic", "new_relic", "nytimes", "okta", "plaid", "privateai",
	"rapidapi", "sendbird", "sentry", "snyk", "sonar", "sourcegraph", "squarespace", "sumo", "telegram", "travis", "twitch", "twitter", "typeform", "yandex", "zendesk", "bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com",
}

// foreign knows the word for a password in other languages, of which not all
// put spaces between words.
func foreign(name string) kind {
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 || name[i] == 'p' || name[i] == 'P' || name[i] == 's' || name[i] == 'm' || name[i] == 'w' || name[i] == 'k' {
			low := strings.ToLower(name)
			for _, w := range foreignWords {
				if strings.Contains(low, w) {
					return password
				}
			}
			return nothing
		}
	}
	return nothing
}

var foreignWords = [...]string{"密码", "密碼", "口令", "密钥", "密鑰", "令牌", "パスワード", "비밀번호", "пароль", "contraseña", "passwort", "kennwort", "mot de passe", "senha", "wachtwoord", "hasło"}

func kindOfWord(w string) kind {
	switch w {
	case "key", "keys", "auth", "access", "api":
		return weak
	case "pwd", "pass", "passwd", "passphrase", "passcode":
		return password
	}
	switch {
	case strings.Contains(w, "passw"):
		return password
	case strings.Contains(w, "secret"), strings.Contains(w, "token"), strings.Contains(w, "credential"), w == "cred", w == "creds",
		strings.HasSuffix(w, "apikey"), strings.HasSuffix(w, "accesskey"), strings.HasSuffix(w, "authkey"), strings.HasSuffix(w, "privatekey"), strings.HasSuffix(w, "secretkey"), w == "authorization":
		return strong
	}
	for _, p := range providers {
		if strings.HasPrefix(w, p) {
			return strong
		}
	}
	return nothing
}

// opens reports whether a key so called is a secret.
func opens(w string) bool {
	switch w {
	case "api", "private", "access", "auth", "secret", "signing", "encryption", "master", "account", "storage", "service", "license", "deploy", "shared", "webhook", "admin", "app", "client":
		return true
	}
	return false
}

// unlocksNothing reports whether a key or token so called is for everyone to
// see, or is no key to a lock.
func unlocksNothing(w string) bool {
	switch w {
	case "public", "pub", "primary", "foreign", "natural", "sequence", "schema", "bucket", "hot", "idx", "index", "csrf", "xsrf", "cache", "sort", "partition", "row", "map", "object", "dictionary", "hash", "next", "page", "continuation", "cursor":
		return true
	}
	return false
}

// harmless reports whether a name that ends in this word names something
// about a secret and not the secret.
func harmless(w string) bool {
	switch w {
	case "id", "ids", "name", "names", "url", "uri", "urls", "endpoint", "file", "files", "filename", "path", "dir", "version", "length", "len", "size", "count", "hash", "hashes", "hashing", "sha", "sha1", "sha256", "md5",
		"checksum", "digest", "commit", "rev", "revision", "fingerprint", "alias", "type", "kind", "expiry", "expires", "ttl", "prefix", "suffix", "field", "column", "label", "policy", "algorithm", "manager",
		"board", "code", "frame", "mesh", "pair", "press", "pressed", "ring", "selector", "signature", "stone", "word", "up", "down", "left", "right", "event", "source", "author", "authors", "accessor",
		"accessibility", "format", "pattern", "regex", "example", "issuer", "audience", "scope", "scopes", "date", "time", "timestamp", "at", "host", "port", "domain", "server", "package", "module", "import", "ref", "see", "docs", "test", "tests", "meshing", "signatures", "storetype", "public", "usage", "limit", "budget", "estimate", "used":
		return true
	}
	return false
}

// ignorable reports whether a word at the end of a name says nothing.
func ignorable(w string) bool {
	switch w {
	case "string", "value", "const", "var", "let", "str", "text", "new", "old", "current", "the", "here", "following", "to", "for", "is", "was", "my", "our", "plain", "data", "do", "not":
		return true
	}
	return strings.Trim(w, "0123456789") == ""
}

// splitName cuts a name into lower-case words.
func splitName(name string) []string {
	var words []string
	from := -1
	flush := func(to int) {
		if from >= 0 && to > from {
			words = append(words, strings.ToLower(name[from:to]))
		}
		from = -1
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !alnum(c) {
			flush(i)
			continue
		}
		if from < 0 {
			from = i
			continue
		}
		prev := class(name[i-1])
		if class(c) == 'A' && (prev == 'a' || prev == '0' || prev == 'A' && i+1 < len(name) && class(name[i+1]) == 'a') {
			flush(i)
			from = i
		}
	}
	flush(len(name))
	return words
}
