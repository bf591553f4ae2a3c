package secrets

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"gitvault/internal/entryfile"
)

// The secrets of these tests are made when the tests run, so that nobody's
// scanner finds any in the source.

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hexes  = "0123456789abcdef"
	base62 = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
)

// some returns n characters of an alphabet, the same ones for the same seed.
func some(seed, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// fitting returns a string that a pattern matches.
func fitting(r *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n += int(re.Rune[i+1]-re.Rune[i]) + 1
		}
		k := r.IntN(n)
		for i := 0; i < len(re.Rune); i += 2 {
			size := int(re.Rune[i+1]-re.Rune[i]) + 1
			if k < size {
				return string(re.Rune[i] + rune(k))
			}
			k -= size
		}
	case syntax.OpConcat, syntax.OpCapture:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(fitting(r, s))
		}
		return b.String()
	case syntax.OpAlternate:
		return fitting(r, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpQuest:
		return ""
	case syntax.OpPlus:
		return repeat(r, re.Sub[0], 8)
	case syntax.OpRepeat:
		return repeat(r, re.Sub[0], re.Min)
	}
	return ""
}

func repeat(r *rand.Rand, re *syntax.Regexp, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(fitting(r, re))
	}
	return b.String()
}

// token returns a token that fits a shape and has the entropy of a real one.
func token(t *testing.T, sh shape) string {
	t.Helper()
	re, err := syntax.Parse(sh.rest, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, uint64(len(sh.rest))))
	for range 1000 {
		rest := strings.ReplaceAll(fitting(r, re), "\n", " ")
		last := rest + "x"
		if (sh.entropy == 0 || entropy(rest) > sh.entropy) && alnum(last[max(0, len(rest)-1)]) && !harmlessShape(&sh, sh.prefix+rest) {
			return sh.prefix + rest
		}
	}
	t.Fatalf("no token fits %s", sh.rule)
	return ""
}

var surroundings = []struct{ name, before, after string }{
	{"alone", "", ""},
	{"sentence", "The deploy uses ", ", do not lose it."},
	{"full stop", "It is ", "."},
	{"code span", "run with `", "`"},
	{"fence", "```sh\nexport X=", "\n```\n"},
	{"table", "| staging | ", " |\n"},
	{"tight table", "|", "|"},
	{"block quote", "> seen in the log: ", "\n> and again\n"},
	{"bold", "**", "**"},
	{"link", "[key](", ")"},
	{"autolink", "<", ">"},
	{"list", "- ", "\r\n- next"},
	{"heading", "## Rotate ", "\n"},
	{"json", `{"a":"`, `","b":1}`},
	{"escaped json", `{\"a\":\"`, `\",\"b\":1}`},
	{"literal newline", `first\n`, `\nlast`},
	{"shell", "curl -H 'X-Key: ", "' https://host.internal/"},
	{"chinese", "密钥是", "，请勿外传"},
	{"japanese", "トークン「", "」です"},
	{"emoji", "🔑", "🔒"},
	{"bom", "\ufeff", ""},
	{"invalid utf-8", "\xff\xfe", "\xff"},
	{"html", "<td>", "</td>"},
	{"env", "KEY=", ";"},
}

func TestEveryShapeInEverySurrounding(t *testing.T) {
	for _, sh := range shapes {
		tok := token(t, sh)
		for _, in := range surroundings {
			text := in.before + tok + in.after
			found := Scan(text)
			if len(found) == 0 {
				t.Errorf("%s: not found in %s", sh.rule, in.name)
				continue
			}
			f := found[0]
			if f.Start > len(in.before)+len(sh.prefix) || f.End < len(in.before)+len(tok) {
				t.Errorf("%s in %s: found at [%d,%d), is at [%d,%d)", f.Rule, in.name, f.Start, f.End, len(in.before), len(in.before)+len(tok))
			}
		}
	}
}

func TestFinds(t *testing.T) {
	pass := "r7" + some(1, 6, lower) + "!Q" + some(2, 3, digits)
	key := some(3, 32, base62)
	armour := func(label string) string {
		return "-----BEGIN " + label + "-----\n" + some(4, 64, base62) + "\n" + some(5, 64, base62) + "\n-----END " + label + "-----"
	}
	for _, c := range []struct{ name, rule, text string }{
		{"pem", "private-key", armour("PRIVATE KEY")},
		{"rsa", "private-key", armour("RSA PRIVATE KEY")},
		{"openssh", "private-key", armour("OPENSSH PRIVATE KEY")},
		{"pgp", "private-key", armour("PGP PRIVATE KEY BLOCK")},
		{"pem in a quote", "private-key", "> " + strings.ReplaceAll(armour("EC PRIVATE KEY"), "\n", "\n> ")},
		{"pem in json", "private-key", `{"k":"` + strings.ReplaceAll(armour("PRIVATE KEY"), "\n", `\n`) + `"}`},
		{"pem in go", "private-key", `"` + strings.ReplaceAll(armour("PRIVATE KEY"), "\n", "\\n\" +\n\t\"") + `"`},
		{"pem cut short", "private-key", armour("PRIVATE KEY")[:100]},
		{"pem with headers", "private-key", strings.Replace(armour("RSA PRIVATE KEY"), "\n", "\nProc-Type: 4,ENCRYPTED\n\n", 1)},

		{"url", "url-password", "postgres://app:" + pass + "@db.internal:5432/app"},
		{"url without user", "url-password", "redis://:" + pass + "@cache:6379"},
		{"url in a code span", "url-password", "use `amqps://svc:" + pass + "@mq/vhost`"},
		{"url with a short word", "url-password", "mysql://root:" + "hun" + "ter2@localhost/x"},
		{"url token", "url-password", "https://" + some(6, 40, hexes) + "@git.internal/a/b.git"},
		{"curl user", "curl-user", "curl -sS -u elastic:" + pass + " https://localhost:9200"},
		{"curl quoted user", "curl-user", "curl \\\n  --user 'svc:" + pass + "' https://localhost:9200"},

		{"assignment", "generic-api-key", "api_key = " + key},
		{"yaml", "generic-api-key", "client_secret: " + key},
		{"json", "generic-api-key", `{"accessToken": "` + key + `"}`},
		{"code span value", "generic-api-key", "The API key is `" + key + "`."},
		{"bold name", "generic-api-key", "**API key**: " + key},
		{"value on the next line", "generic-api-key", "API token:\n\n```\n" + key + "\n```"},
		{"row of a table", "generic-api-key", "| api token | " + key + " |"},
		{"column of a table", "generic-api-key", "| host | token |\n| --- | --- |\n| a | " + key + " |\n"},
		{"column of a quoted table", "password", "> | user | password |\n> |---|---|\n> | bob | " + pass + " |\n"},
		{"xml attribute", "password", `<add key="Password" value="` + pass + `" />`},
		{"name and value", "generic-api-key", "- name: SERVICE_TOKEN\n  value: \"" + key + "\""},
		{"environment", "password", "DB_PASSWORD=" + pass},
		{"prose", "password", "the root password is `" + pass + "`"},
		{"chinese", "password", "数据库密码：" + pass},
		{"chinese prose", "password", "密码是 " + pass},
		{"query", "generic-api-key", "https://host/x?access_token=" + key + "&n=1"},
		{"header", "authorization-header", "Authorization: Bearer " + key},
		{"fat arrow", "generic-api-key", `'secret' => '` + key + `'`},
		{"call", "generic-api-key", `setProperty("API_TOKEN", "` + key + `")`},
		{"escaped name", "generic-api-key", `api\_key = ` + key},
		{"uuid", "generic-api-key", "HEROKU_API_KEY=" + some(8, 8, hexes) + "-" + some(9, 4, hexes) + "-" + some(10, 4, hexes) + "-" + some(11, 4, hexes) + "-" + some(12, 12, hexes)},
		{"aws secret", "generic-api-key", "aws_secret_access_key = " + some(13, 40, base62+"+/")},
		{"azure", "azure-client-secret", "x " + some(14, 3, base62) + "8Q~" + some(15, 34, base62)},
		{"telegram", "telegram-bot-api-token", "bot " + some(16, 9, "123456789") + ":AA" + some(17, 33, base62)},
		{"zero-width space", "github-pat", "gh\u200bp_" + some(18, 20, base62) + "\u200b" + some(19, 16, base62)},
		{"escaped underscore", "stripe-access-token", `sk\_live\_` + some(20, 24, base62)},
		{"broken into lines", "github-pat", "> ghp_" + some(22, 10, base62) + "\n> " + some(23, 10, base62) + "\n> " + some(24, 16, base62) + "\n> and text"},
		{"jwt broken into lines", "jwt", "eyJ" + some(25, 40, base62) + "\r\n" + some(26, 8, base62) + ".eyJ" + some(27, 40, base62) + "\r\n." + some(28, 43, base62)},
		{"prose", "password", "The admin password is hun" + "ter2024."},
		{"option", "password", "mysql --user root --password " + pass + " db"},
		{"option with a token", "generic-api-key", "deploy --api-token " + key + " --yes"},
		{"sshpass", "password", "sshpass -p '" + pass + "' ssh host"},
		{"netrc", "password", "machine git.internal login bob password " + pass},
		{"connection string", "password", "Server=db;User Id=sa;Password=" + pass + ";Encrypt=true"},
		{"percent encoding before", "github-pat", "x%3Dghp_" + some(21, 36, base62)},
	} {
		found := Scan(c.text)
		if len(found) != 1 || found[0].Rule != c.rule {
			t.Errorf("%s: found %v, want one %s", c.name, found, c.rule)
		}
	}
}

func TestFindsNothing(t *testing.T) {
	for _, text := range []string{
		"",
		"a plain sentence about tokens, keys and passwords.",
		"AKIA" + "IOSFODNN7EXAMPLE",
		"ghp_" + strings.Repeat("x", 36),
		"glpat-" + strings.Repeat("*", 20),
		"api_key: ${API_KEY}",
		"api_key: <your-api-key-1>",
		"api_key = YOUR_API_KEY_123",
		"password: changeme1",
		"password = \"{{ vault_password_1 }}\"",
		"password: ********",
		"DB_PASSWORD=$DB_PASSWORD2",
		"token = os.environ[\"TOKEN_V2\"]",
		"token := getToken(ctx, id2)",
		"secret: !vault some-name-2",
		"postgres://user:password@localhost/db",
		"postgres://postgres:postgres@localhost/db",
		"https://user:${PASS}@host/",
		"https://user:<password>@host/",
		"https://example.com:8080/a@b",
		"https://lists.example.org/thread/a1b2c3d4e5f6a7b8c9d0@list",
		"git@github.com:acme/widget.git",
		"ssh://git@github.com:22/acme/widget.git",
		"curl -u user:$TOKEN https://host",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + some(1, 64, base62) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + some(1, 64, base62) + "\n-----END PUBLIC KEY-----",
		"commit " + some(2, 40, hexes),
		"sha256: " + some(3, 64, hexes),
		"the auth change landed in commit " + some(4, 40, hexes),
		"public_key = " + some(5, 43, base62),
		"primaryKey=" + some(6, 30, base62),
		"monkey: " + some(7, 30, base62),
		"author: jane.doe2@example.com",
		"key: internal/secrets/scan2.go",
		"token budget: 3000",
		"tokens: 1784900000000",
		"The password policy: Argon2id with 64 MiB",
		"password: bcrypt",
		"Passwords: see docs/security-2.md",
		"| key | meaning |\n| --- | --- |\n| id | 8 characters of base32 |\n| created, updated | RFC 3339 |",
		"| token | sense |\n|---|---|\n| `--no-verify2` | skips |",
		"api: v2-handler/2026-11-30",
		"access: 2026-11-30T19:27:00Z",
		"cache key: user-42-profile-v3",
		"STATUS_WRONG_PASSWORD Handle = 0x80310037",
		"cmd.Env = append(env, \"PWD=\"+dir2)",
		"keyboard: de-latin1-nodeadkeys",
		"密码需要至少 12 个字符",
		"KeyPair = X25519.KeyPair",
		"internal/secrets/token.go@" + some(9, 40, hexes),
		"codewhale/memory/workspace/" + some(10, 64, hexes) + "/MEMORY.md:2; docs/auth2.md",
		"5f0c2a1e-1b2c-4d3e-8f90-abcdefabcdef",
		"3f9c2d1 (main)",
		"the password is bcrypt2-hashed by the server",
		"run it with --password-file /run/secrets/db2",
		"vault --token budget2000 is a flag",
		"ghp_\nand then nothing that goes on for long enough to be one",
		"login first, then the password field2 appears",
		"token: ops_" + some(8, 12, base62) + "...",
		"snowflake.password=\njdbc.snowflake.url=",
	} {
		if found := Scan(text); len(found) > 0 {
			t.Errorf("%q: found %v", text, found)
		}
	}
}

func TestPlaceAndRange(t *testing.T) {
	tok := "ghp_" + some(1, 36, base62)
	text := "первая строка\r\n> ключ: `" + tok + "` ok\n" + tok
	found := Scan(text)
	if len(found) != 2 {
		t.Fatalf("found %v", found)
	}
	for i, want := range []struct{ line, column int }{{2, 10}, {3, 1}} {
		f := found[i]
		if f.Line != want.line || f.Column != want.column || text[f.Start:f.End] != tok {
			t.Errorf("finding %d: %v at [%d,%d)", i, f, f.Start, f.End)
		}
	}
	if s := found[0].String(); s != "github-pat at line 2, column 10" {
		t.Errorf("says %q", s)
	}
}

func TestRangeCountsHiddenCharacters(t *testing.T) {
	tok := `sk\_live\_` + some(2, 12, base62) + "\u200b" + some(3, 12, base62)
	text := "\u200ba \\* " + tok + " b"
	found := Scan(text)
	if len(found) != 1 || text[found[0].Start:found[0].End] != tok {
		t.Fatalf("found %v", found)
	}
}

func TestRedact(t *testing.T) {
	tok, pass := "ghp_"+some(1, 36, base62), some(2, 12, base62)+"7!"
	text := "a " + tok + " b postgres://u:" + pass + "@h c"
	want := "a [secret: github-pat] b postgres://u:[secret: url-password]@h c"
	if got := Redact(text); got != want {
		t.Errorf("got %q", got)
	}
	if got := Redact("nothing here"); got != "nothing here" {
		t.Errorf("got %q", got)
	}
	for _, quoted := range []string{pass, pass[:10] + "…", tok[:20]} {
		said := "remember db_password=" + pass + " " + tok
		if got := Redact(`unexpected argument "`+quoted+`"`, said); strings.Contains(got, quoted[:8]) || !strings.Contains(got, "[secret: ") {
			t.Errorf("%q is quoted in %q", quoted, got)
		}
	}
	if got := Redact("unexpected argument", "remember db_password="+pass); got != "unexpected argument" {
		t.Errorf("got %q", got)
	}
}

func TestWithout(t *testing.T) {
	found := Scan("ghp_" + some(1, 36, base62) + " api_key = " + some(2, 32, base62))
	if len(found) != 2 {
		t.Fatalf("found %v", found)
	}
	if left := Without(found, "github-pat"); len(left) != 1 || left[0].Rule != "generic-api-key" {
		t.Errorf("left %v", left)
	}
	if left := Without(found); len(left) != 2 {
		t.Errorf("left %v", left)
	}
}

// A token given to a telling name is one finding with the token's own name,
// so that one override is enough.
func TestOverlapsAreOneFinding(t *testing.T) {
	found := Scan("GITHUB_TOKEN=ghp_" + some(1, 36, base62))
	if len(found) != 1 || found[0].Rule != "github-pat" {
		t.Errorf("found %v", found)
	}
}

func TestScanEntryNamesTheField(t *testing.T) {
	tok := "npm_" + some(1, 36, base62)
	for field, e := range map[string]entryfile.Entry{
		"title":       {Title: "use " + tok},
		"description": {Description: tok},
		"body":        {Title: "t", Body: "one\ntwo " + tok},
		"tags":        {Tags: []string{"a", tok}},
		"evidence":    {Evidence: tok},
		"paths":       {Paths: []string{tok}},
		"source":      {Source: tok},
		"session":     {Session: tok},
		"code":        {Code: tok},
		"outcome":     {Outcome: tok},
		"extra":       {Extra: []entryfile.Field{{Key: "x", Value: tok}}},
	} {
		found := ScanEntry(e)
		if len(found) != 1 || found[0].Field != field {
			t.Errorf("%s: found %v", field, found)
			continue
		}
		if strings.Contains(fmt.Sprintf("%v %+v", found, found), tok[8:]) {
			t.Errorf("%s: the finding repeats the secret", field)
		}
		if left := ScanEntry(e, "npm-access-token"); len(left) != 0 {
			t.Errorf("%s: not overridden: %v", field, left)
		}
	}
	if found := ScanEntry(entryfile.Entry{Title: tok, Body: tok}); len(found) != 1 {
		t.Errorf("a heading that is the whole text: found %v", found)
	}
}

func TestRules(t *testing.T) {
	for _, name := range []string{"private-key", "github-pat", "password", "jwt", "azure-client-secret"} {
		if !IsRule(name) {
			t.Errorf("%s is no rule", name)
		}
	}
	if IsRule("nonsense") {
		t.Error("nonsense is a rule")
	}
	Rules()[0] = "changed"
	if Rules()[0] == "changed" {
		t.Error("a caller can change the rules")
	}
}

// Texts made to be slow: the time must grow with the length, not its square.
// Steps are not counted here; a quadratic scan of these would take minutes.
func TestLongHostileTexts(t *testing.T) {
	const n = 1 << 18
	for _, unit := range []string{
		"AKIA ", "ey", "ey.", "://", "://a:b@", "password=", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n", "curl -u ", "curl ", "|--|", "--", "a|--|\n|--|\n", "|\n", "\\_", "\u200b", "token: ", "1:A", "=", ":", "key=value=", "\"", "ghp_", "xoxb-1-", "SK", " is ", "name: key value=", "A", "é", "\xff",
	} {
		Scan(strings.Repeat(unit, n/len(unit)))
	}
}

func FuzzScan(f *testing.F) {
	f.Add("api_key = \"" + some(1, 32, base62) + "\"")
	f.Add("| a | password |\n|---|---|\n| b | " + some(2, 12, base62) + "1! |")
	f.Add("-----BEGIN PRIVATE KEY-----\n" + some(3, 64, base62))
	f.Add("postgres://a:" + some(4, 9, base62) + "@h\\_\u200b")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, x := range Scan(text) {
			if x.Start < at || x.End <= x.Start || x.End > len(text) || x.Line < 1 || x.Column < 1 || !IsRule(x.Rule) {
				t.Fatalf("bad finding %+v in %d bytes", x, len(text))
			}
			at = x.End
		}
		if again := Scan(Redact(text)); len(again) > len(Scan(text)) {
			t.Fatalf("redacting made more findings: %v", again)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	line := "The queue keeps its tokens in `internal/queue`: see docs/queue.md, retry 3 times | key: user-42, then park the file. "
	text := strings.Repeat(line, 64<<10/len(line)+1)[:64<<10]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Scan(text)
	}
}

func BenchmarkScanLine(b *testing.B) {
	for b.Loop() {
		Scan("One repository per scope: a commit per change gives undo, blame and sync for nothing, see docs/adr/0003.md")
	}
}
