package secrets

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// A shape is a kind of token that one can tell by its beginning. Shapes are
// looked for only where a word begins, and a pattern is compiled when its
// prefix is first met.
type shape struct {
	rule   string
	prefix string
	rest   string // pattern of what follows the prefix
	// entropy is the bits a character that the rest must exceed: 0 for any
	// rest, little where the prefix leaves no doubt and only padding is to be
	// left out, 3 and more where words could follow.
	entropy float64
}

// The names are those that gitleaks uses where both know the token, since
// people may have met them there. Lengths are lower bounds where the provider
// documents none.
var shapes = [...]shape{
	{"1password-secret-key", "A3-", `[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`, 3},
	{"1password-service-account-token", "ops_eyJ", `[a-zA-Z0-9+/]{250,}={0,3}`, 4},
	{"adobe-client-secret", "p8e-", `[a-zA-Z0-9]{32}`, 1.5},
	{"age-secret-key", "AGE-SECRET-KEY-1", `[0-9A-Z]{58}`, 0},
	{"airtable-personal-access-token", "pat", `[0-9A-Za-z]{14}\.[a-f0-9]{64}`, 3},
	{"alibaba-access-key-id", "LTAI", `[a-zA-Z0-9]{12,24}`, 2.5},
	{"anthropic-api-key", "sk-ant-", `(?:api|admin|oat|ort|sid)\d\d-[\w-]{80,}`, 1.5},
	{"artifactory-api-key", "AKCp", `[A-Za-z0-9]{69}`, 4},
	{"artifactory-reference-token", "cmVmd", `[A-Za-z0-9]{59}`, 4},
	{"atlassian-api-token", "ATATT3", `[\w=-]{120,}`, 3.5},
	{"atlassian-api-token", "ATCTT3", `[\w=-]{120,}`, 3.5},
	{"authress-access-key", "sc_", `[a-zA-Z0-9]{5,30}\.[a-zA-Z0-9]{4,6}\.acc[_-][a-zA-Z0-9-]{10,32}\.[a-zA-Z0-9+/_=-]{30,120}`, 2},
	{"authress-access-key", "ext_", `[a-zA-Z0-9]{5,30}\.[a-zA-Z0-9]{4,6}\.acc[_-][a-zA-Z0-9-]{10,32}\.[a-zA-Z0-9+/_=-]{30,120}`, 1.5},
	{"authress-access-key", "scauth_", `[a-zA-Z0-9]{5,30}\.[a-zA-Z0-9]{4,6}\.acc[_-][a-zA-Z0-9-]{10,32}\.[a-zA-Z0-9+/_=-]{30,120}`, 1.5},
	{"authress-access-key", "authress_", `[a-zA-Z0-9]{5,30}\.[a-zA-Z0-9]{4,6}\.acc[_-][a-zA-Z0-9-]{10,32}\.[a-zA-Z0-9+/_=-]{30,120}`, 1.5},
	{"aws-access-token", "AKIA", `[A-Z0-9]{16}`, 1.5},
	{"aws-access-token", "ASIA", `[A-Z0-9]{16}`, 1.5},
	{"aws-access-token", "ABIA", `[A-Z0-9]{16}`, 1.5},
	{"aws-access-token", "ACCA", `[A-Z0-9]{16}`, 1.5},
	{"aws-access-token", "A3T", `[A-Z0-9]{17}`, 1.5},
	{"aws-bedrock-api-key", "ABSK", `[A-Za-z0-9+/]{109,269}={0,2}`, 3},
	{"aws-bedrock-api-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", `[A-Za-z0-9+/=]*`, 0},
	{"buildkite-token", "bkua_", `[a-f0-9]{40}`, 1.5},
	{"clickhouse-cloud-api-secret-key", "4b1d", `[A-Za-z0-9]{38}`, 4},
	{"clojars-api-token", "CLOJARS_", `[a-zA-Z0-9]{60}`, 1.5},
	{"cloudflare-origin-ca-key", "v1.0-", `[a-f0-9]{24}-[a-f0-9]{146}`, 1.5},
	{"databricks-api-token", "dapi", `[a-f0-9]{32}(?:-\d)?`, 3},
	{"defined-networking-api-token", "dnkey-", `[a-z0-9=_-]{26}-[a-z0-9=_-]{52}`, 1.5},
	{"digitalocean-token", "dop_v1_", `[a-f0-9]{64}`, 1.5},
	{"digitalocean-token", "doo_v1_", `[a-f0-9]{64}`, 1.5},
	{"digitalocean-token", "dor_v1_", `[a-f0-9]{64}`, 1.5},
	{"discord-webhook", "https://discord.com/api/webhooks/", `\d{17,20}/[\w-]{60,80}`, 3},
	{"discord-webhook", "https://discordapp.com/api/webhooks/", `\d{17,20}/[\w-]{60,80}`, 3},
	{"docker-access-token", "dckr_pat_", `[\w-]{24,}`, 1.5},
	{"docker-access-token", "dckr_oat_", `[\w-]{24,}`, 1.5},
	{"doppler-api-token", "dp.", `(?:pt|ct|sa|st\.\w+|scim|audit)\.[a-zA-Z0-9]{40,44}`, 2},
	{"dropbox-api-token", "sl.", `[\w=-]{130,}`, 3},
	{"duffel-api-token", "duffel_", `(?:test|live)_[\w=-]{43}`, 1.5},
	{"dynatrace-api-token", "dt0c01.", `[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`, 3.5},
	{"dynatrace-api-token", "dt0s01.", `[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`, 3.5},
	{"easypost-api-token", "EZAK", `[a-zA-Z0-9]{54}`, 2},
	{"easypost-api-token", "EZTK", `[a-zA-Z0-9]{54}`, 2},
	{"facebook-access-token", "EAAM", `[a-zA-Z0-9]{100,}`, 3.5},
	{"facebook-access-token", "EAAC", `[a-zA-Z0-9]{100,}`, 3.5},
	{"facebook-access-token", "EAAG", `[a-zA-Z0-9]{100,}`, 3.5},
	{"figma-token", "figd_", `[\w-]{38,}`, 1.5},
	{"flutterwave-key", "FLWSECK", `(?:_TEST)?-(?:[a-hA-H0-9]{32}-X|[a-hA-H0-9]{12})`, 2},
	{"flutterwave-key", "FLWPUBK", `(?:_TEST)?-[a-hA-H0-9]{32}-X`, 2},
	{"flyio-access-token", "fo1_", `[\w-]{43}`, 3.5},
	{"flyio-access-token", "fm1a_", `[a-zA-Z0-9+/]{100,}={0,3}`, 4},
	{"flyio-access-token", "fm1r_", `[a-zA-Z0-9+/]{100,}={0,3}`, 4},
	{"flyio-access-token", "fm2_", `[a-zA-Z0-9+/]{100,}={0,3}`, 4},
	{"frameio-api-token", "fio-u-", `[\w=-]{64}`, 1.5},
	{"gcp-api-key", "AIza", `[\w-]{35}`, 3.5},
	{"gcp-oauth-client-secret", "GOCSPX-", `[\w-]{24,}`, 1.5},
	{"gcp-oauth-token", "ya29.", `[\w.-]{30,}`, 1.5},
	{"gcp-oauth-token", "1//0", `[\w-]{40,}`, 3},
	{"github-app-token", "ghu_", `[0-9a-zA-Z]{36,}`, 1.5},
	{"github-app-token", "ghs_", `[0-9a-zA-Z]{36,}`, 1.5},
	{"github-fine-grained-pat", "github_pat_", `\w{60,}`, 1.5},
	{"github-oauth", "gho_", `[0-9a-zA-Z]{36,}`, 1.5},
	{"github-pat", "ghp_", `[0-9a-zA-Z]{36,}`, 1.5},
	{"github-refresh-token", "ghr_", `[0-9a-zA-Z]{36,}`, 1.5},
	{"gitlab-cicd-job-token", "glcbt-", `[0-9a-zA-Z]{1,5}_[\w-]{20,}`, 1.5},
	{"gitlab-deploy-token", "gldt-", `[\w-]{20,}`, 1.5},
	{"gitlab-feature-flag-token", "glffct-", `[\w-]{20,}`, 1.5},
	{"gitlab-feed-token", "glft-", `[\w-]{20,}`, 1.5},
	{"gitlab-incoming-mail-token", "glimt-", `[\w-]{25,}`, 1.5},
	{"gitlab-kubernetes-agent-token", "glagent-", `[\w-]{50,}`, 1.5},
	{"gitlab-oauth-app-secret", "gloas-", `[\w-]{64,}`, 1.5},
	{"gitlab-pat", "glpat-", `[\w-]{20,}(?:\.[0-9a-z.]{7,})?`, 1.5},
	{"gitlab-pipeline-trigger-token", "glptt-", `[0-9a-zA-Z_-]{20,}`, 1.5},
	{"gitlab-runner-token", "glrt-", `[\w-]{20,}(?:\.[0-9a-z.]{7,})?`, 1.5},
	{"gitlab-runner-token", "GR1348941", `[\w-]{20,}`, 3},
	{"gitlab-scim-token", "glsoat-", `[\w-]{20,}`, 1.5},
	{"gitlab-session-cookie", "_gitlab_session=", `[0-9a-z]{32}`, 3},
	{"grafana-api-key", "eyJrIjoi", `[A-Za-z0-9]{70,400}={0,3}`, 3},
	{"grafana-cloud-api-token", "glc_", `[A-Za-z0-9+/]{32,400}={0,3}`, 1.5},
	{"grafana-service-account-token", "glsa_", `[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`, 1.5},
	{"harness-api-key", "pat.", `[\w-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`, 1.5},
	{"harness-api-key", "sat.", `[\w-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`, 1.5},
	{"heroku-api-key", "HRKU-", `AA[\w-]{58}`, 3.5},
	{"huggingface-token", "hf_", `[a-zA-Z0-9]{34,37}`, 1.5},
	{"huggingface-token", "api_org_", `[a-zA-Z]{34}`, 1.5},
	{"infracost-api-token", "ico-", `[a-zA-Z0-9]{32}`, 1.5},
	{"intra42-client-secret", "s-s4t2", `(?:ud|af)-[a-f0-9]{64}`, 3},
	{"jwt", "ey", `[A-Za-z0-9_-]{15,}\.ey[\w/-]{15,}(?:\.[\w/-]{10,}={0,2})?`, 3},
	{"jwt-base64", "ZXlK", `(?:[A-Za-z0-9+/]{60,}={0,2})`, 3},
	{"langsmith-api-key", "lsv2_", `(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, 1.5},
	{"linear-api-key", "lin_api_", `[a-zA-Z0-9]{40}`, 1.5},
	{"linear-api-key", "lin_oauth_", `[a-zA-Z0-9]{40,}`, 1.5},
	{"mailgun-api-key", "key-", `[a-f0-9]{32}`, 1.5},
	{"mapbox-api-token", "sk.eyJ", `[\w-]{60,}\.[\w-]{20,}`, 3},
	{"mapbox-api-token", "pk.", `[a-z0-9]{60}\.[a-z0-9]{22}`, 3},
	{"microsoft-teams-webhook", "https://", `[a-z0-9-]+\.webhook\.office\.com/webhookb2/[a-z0-9@-]{60,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}`, 3},
	{"new-relic-key", "NRAK-", `[a-zA-Z0-9]{27}`, 1.5},
	{"new-relic-key", "NRII-", `[a-zA-Z0-9-]{32}`, 1.5},
	{"new-relic-key", "NRJS-", `[a-f0-9]{19}`, 1.5},
	{"notion-api-token", "ntn_", `[0-9]{11}[A-Za-z0-9]{35}`, 3.5},
	{"notion-api-token", "secret_", `[A-Za-z0-9]{43}`, 3.5},
	{"npm-access-token", "npm_", `[a-zA-Z0-9]{36,}`, 1.5},
	{"nuget-api-key", "oy2", `[a-z0-9]{43}`, 3.5},
	{"nvidia-api-key", "nvapi-", `[\w-]{60,}`, 1.5},
	{"octopus-deploy-api-key", "API-", `[A-Z0-9]{26}`, 1.5},
	{"openai-api-key", "sk-proj-", `[\w-]{40,}`, 1.5},
	{"openai-api-key", "sk-svcacct-", `[\w-]{40,}`, 1.5},
	{"openai-api-key", "sk-admin-", `[\w-]{40,}`, 1.5},
	{"openai-api-key", "sk-", `[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}`, 3},
	{"openrouter-api-key", "sk-or-", `v1-[a-f0-9]{64}`, 1.5},
	{"sk-api-key", "sk-", `[A-Za-z0-9]{32,64}`, 3},
	{"openshift-user-token", "sha256~", `[\w-]{43}`, 3.5},
	{"perplexity-api-key", "pplx-", `[a-zA-Z0-9]{48}`, 3.5},
	{"plaid-api-token", "access-", `(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, 1.5},
	{"planetscale-token", "pscale_", `(?:tkn|oauth|pw)_[\w=.-]{32,64}`, 1.5},
	{"postman-api-token", "PMAK-", `[a-fA-F0-9]{24}-[a-fA-F0-9]{34}`, 1.5},
	{"prefect-api-token", "pnu_", `[a-zA-Z0-9]{36}`, 1.5},
	{"pulumi-api-token", "pul-", `[a-f0-9]{40}`, 1.5},
	{"pypi-upload-token", "pypi-", `AgE[\w-]{50,}`, 1.5},
	{"readme-api-token", "rdme_", `[a-z0-9]{70}`, 1.5},
	{"replicate-api-token", "r8_", `[A-Za-z0-9]{37,}`, 3},
	{"rubygems-api-token", "rubygems_", `[a-f0-9]{48}`, 1.5},
	{"scalingo-api-token", "tk-us-", `[\w-]{48}`, 1.5},
	{"sendgrid-api-token", "SG.", `[\w=-]{16,}\.[\w=.-]{30,}`, 1.5},
	{"sendgrid-api-token", "SG.", `[\w=.-]{66}`, 1.5},
	{"sendinblue-api-token", "xkeysib-", `[a-f0-9]{64}-[a-zA-Z0-9]{16}`, 1.5},
	{"sentry-org-token", "sntrys_eyJ", `[\w+/=-]{60,}`, 3.5},
	{"sentry-user-token", "sntryu_", `[a-f0-9]{64}`, 1.5},
	{"settlemint-token", "sm_", `(?:aat|pat|sat)_[a-zA-Z0-9]{16}`, 3},
	{"shippo-api-token", "shippo_", `(?:live|test)_[a-fA-F0-9]{40}`, 1.5},
	{"shopify-token", "shpat_", `[a-fA-F0-9]{32}`, 1.5},
	{"shopify-token", "shpca_", `[a-fA-F0-9]{32}`, 1.5},
	{"shopify-token", "shppa_", `[a-fA-F0-9]{32}`, 1.5},
	{"shopify-token", "shpss_", `[a-fA-F0-9]{32}`, 1.5},
	{"slack-app-token", "xapp-", `\d-[A-Z0-9]+-\d+-[a-z0-9]+`, 1.5},
	{"slack-bot-token", "xoxb-", `(?:[0-9]{8,14}-)+[a-zA-Z0-9-]{16,}`, 1.5},
	{"slack-config-token", "xoxe.xox", `[bp]-\d-[a-zA-Z0-9]{100,}`, 2},
	{"slack-config-token", "xoxe-", `\d-[a-zA-Z0-9]{100,}`, 1.5},
	{"slack-legacy-token", "xoxo-", `\d+-\d+-\d+-[a-fA-F\d]+`, 1.5},
	{"slack-legacy-token", "xoxs-", `\d+-\d+-\d+-[a-fA-F\d]+`, 1.5},
	{"slack-legacy-token", "xoxa-", `(?:\d-)?[0-9a-zA-Z-]{8,48}`, 1.5},
	{"slack-legacy-token", "xoxr-", `(?:\d-)?[0-9a-zA-Z-]{8,48}`, 1.5},
	{"slack-session-token", "xoxc-", `[0-9a-zA-Z-]{40,}`, 1.5},
	{"slack-session-token", "xoxd-", `[0-9a-zA-Z%+/=-]{40,}`, 1.5},
	{"slack-user-token", "xoxp-", `(?:[0-9]{10,13}-){3}[a-zA-Z0-9-]{28,34}`, 1.5},
	{"slack-user-token", "xoxe-", `(?:[0-9]{10,13}-){3}[a-zA-Z0-9-]{28,34}`, 1.5},
	{"slack-webhook-url", "hooks.slack.com/", `(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,}`, 3},
	{"sonar-api-token", "squ_", `[a-z0-9]{40}`, 1.5},
	{"sonar-api-token", "sqp_", `[a-z0-9]{40}`, 1.5},
	{"sonar-api-token", "sqa_", `[a-z0-9]{40}`, 1.5},
	{"sourcegraph-access-token", "sgp_", `(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}`, 1.5},
	{"square-access-token", "EAAA", `[\w-]{22,60}`, 3.5},
	{"square-access-token", "sq0atp-", `[\w-]{22,60}`, 1.5},
	{"square-access-token", "sq0csp-", `[\w-]{22,60}`, 1.5},
	{"stripe-access-token", "sk_", `(?:test|live|prod)_[a-zA-Z0-9]{10,99}`, 2.5},
	{"stripe-access-token", "rk_", `(?:test|live|prod)_[a-zA-Z0-9]{10,99}`, 2.5},
	{"stripe-webhook-secret", "whsec_", `[a-zA-Z0-9+/=]{24,}`, 1.5},
	{"supabase-token", "sbp_", `[a-f0-9]{40}`, 1.5},
	{"tailscale-key", "tskey-", `[a-z]+-[a-zA-Z0-9]+-[a-zA-Z0-9]{20,}`, 1.5},
	{"twilio-api-key", "SK", `[0-9a-fA-F]{32}`, 3},
	{"typeform-api-token", "tfp_", `[\w=.-]{40,}`, 1.5},
	{"vault-batch-token", "hvb.", `[\w-]{138,300}`, 3.5},
	{"vault-service-token", "hvs.", `[\w-]{24,}`, 3.5},
	{"vault-service-token", "s.", `[a-zA-Z0-9]{24}`, 3.5},
	{"vercel-token", "vercel_", `[a-zA-Z0-9_]{24,}`, 3.5},
	{"xai-api-key", "xai-", `[a-zA-Z0-9]{60,}`, 1.5},
	{"groq-api-key", "gsk_", `[a-zA-Z0-9]{40,}`, 1.5},
	{"yandex-access-token", "t1.", `[\w-]+=?=?\.[\w-]{86}={0,2}`, 3},
	{"yandex-api-key", "AQVN", `[\w-]{35,38}`, 3},
	{"authorization-header", "Bearer", `\s+[\w=~@.+/-]{20,}`, 3.5},
	{"authorization-header", "bearer", `\s+[\w=~@.+/-]{20,}`, 3.5},
	{"authorization-header", "Basic", `\s+[a-zA-Z0-9+/]{16,}={0,3}`, 3},
}

// tokenWindow bounds what a pattern is tried on, and so the time that a
// prefix can cost; a longer token is found by its first bytes all the same.
const tokenWindow = 2048

// A shapeIndex answers which shapes may begin with two bytes.
type shapeIndex struct {
	begins  [1 << 16]bool
	byBytes map[string][]int
	pattern [len(shapes)]lazyPattern
}

var indexShapes = sync.OnceValue(func() *shapeIndex {
	x := &shapeIndex{byBytes: map[string][]int{}}
	for i, sh := range shapes {
		x.begins[pair(sh.prefix)] = true
		x.byBytes[sh.prefix[:2]] = append(x.byBytes[sh.prefix[:2]], i)
		x.pattern[i].source = `\A` + regexp.QuoteMeta(sh.prefix) + `(` + sh.rest + `)`
	}
	return x
})

func pair(s string) int { return int(s[0])<<8 | int(s[1]) }

// A lazyPattern is compiled when it is first used.
type lazyPattern struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
}

func (p *lazyPattern) get() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.source) })
	return p.re
}

// tokens finds the shapes.
func (s *scanner) tokens() {
	x := indexShapes()
	text := s.text
	for i := 0; i+1 < len(text); i++ {
		if !x.begins[pair(text[i:])] || !wordStart(text, i) {
			continue
		}
		for _, k := range x.byBytes[text[i:i+2]] {
			sh := &shapes[k]
			if !strings.HasPrefix(text[i:], sh.prefix) {
				continue
			}
			end := x.match(k, text, i)
			if end == 0 {
				continue
			}
			s.add(sh.rule, i, end, weightShape)
			break
		}
	}
}

// match returns where a token of shape k that begins at i ends, 0 if none
// does. One that was broken into lines is put together first.
func (x *shapeIndex) match(k int, text string, i int) int {
	window := text[i:min(len(text), i+tokenWindow)]
	if n := x.matchIn(k, window); n > 0 {
		return i + n
	}
	nl := strings.IndexByte(window, '\n')
	if nl < len(shapes[k].prefix) || strings.ContainsAny(window[:nl], " \t") {
		return 0
	}
	joined, ends := unwrap(window)
	if n := x.matchIn(k, joined); n > 0 {
		return i + ends[n-1]
	}
	return 0
}

// matchIn returns the length of a token of shape k at the start of a text.
func (x *shapeIndex) matchIn(k int, text string) int {
	sh := &shapes[k]
	m := x.pattern[k].get().FindStringSubmatchIndex(text)
	if m == nil || goesOn(text, m[1]) || harmlessShape(sh, text[:m[1]]) {
		return 0
	}
	if sh.entropy > 0 && (entropy(text[m[2]:m[3]]) <= sh.entropy || filler(text[:m[1]])) {
		return 0
	}
	return m[1]
}

// unwrap joins the lines of a text that is one word broken into lines, without
// the marks of quotes and tables before them, up to the first that holds more.
// ends says where each byte of it ends in the text.
func unwrap(text string) (joined string, ends []int) {
	var b strings.Builder
	for at := 0; at < len(text); {
		line := text[at:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		part := strings.TrimRight(line, " \t\r\\|")
		lead := len(part) - len(strings.TrimLeft(part, " \t>|"))
		if at == 0 {
			lead = 0
		}
		for j := at + lead; j < at+len(part); j++ {
			if text[j] == ' ' || text[j] == '\t' {
				return b.String(), ends
			}
			b.WriteByte(text[j])
			ends = append(ends, j+1)
		}
		if len(part) == lead {
			break
		}
		at += len(line) + 1
	}
	return b.String(), ends
}

// harmlessShape knows what has a shape and is nothing secret: a placeholder in
// words, Amazon's example keys, and names in programs that begin as some short
// prefixes do.
func harmlessShape(sh *shape, token string) bool {
	rest := token[len(sh.prefix):]
	for _, word := range [...]string{"your", "example", "placeholder", "replace"} {
		if strings.Contains(rest, word) {
			return true
		}
	}
	switch sh.rule {
	case "aws-access-token":
		return strings.HasSuffix(token, "EXAMPLE")
	case "infracost-api-token", "vault-service-token", "huggingface-token":
		return !mixedCase(rest) || sh.prefix == "s." && !random(token)
	}
	return false
}

// wordStart reports whether a token may begin at i: after anything but a
// letter or digit, or after an escape such as \n or %3D.
func wordStart(text string, i int) bool {
	if i == 0 || !alnum(text[i-1]) {
		return true
	}
	return i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrt", text[i-1]) >= 0 ||
		i >= 3 && text[i-3] == '%' && hexDigit(text[i-2]) && hexDigit(text[i-1])
}

// goesOn reports whether the word at hand has more letters at i than the
// pattern wanted, so that it is something else.
func goesOn(text string, i int) bool {
	return i < len(text) && (alnum(text[i]) || text[i] == '_') && alnum(text[i-1])
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f'
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	h, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}
