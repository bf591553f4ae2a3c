package vault

import (
	"slices"
	"strings"

	"gitvault/internal/entryfile"
	"gitvault/internal/secrets"
)

// allowKey is the key of an entry that names the rules by which a person let
// something in that looks like a secret and is none.
const allowKey = "allow_secret"

// checkAllowed refuses overrides of the secret scan that are not a person's, or
// that name no rule.
func (o Options) checkAllowed() error {
	if len(o.AllowSecrets) > 0 && o.Writer.IsAgent() {
		return refused("ask the person to let it in", "letting in what looks like a secret is a person's to do, and %s is an agent", o.Writer.Agent)
	}
	for _, rule := range o.AllowSecrets {
		if !secrets.IsRule(rule) {
			return invalid("the refusal names the rule, and 'vault remember --help' says how to allow it", "no rule of the secret scan is called %q", shortened(rule))
		}
	}
	return nil
}

// secretsOf finds what looks like a secret in an entry, and no person let in.
func secretsOf(e entryfile.Entry) []secrets.Place {
	return secrets.ScanEntry(e, allowedIn(e)...)
}

// hasSecret reports whether an entry holds what looks like a secret: a person
// may have typed it by hand, and no agent is to see it.
func hasSecret(e entryfile.Entry) bool { return len(secretsOf(e)) > 0 }

// allowedIn lists the rules that a person overrode for an entry.
func allowedIn(e entryfile.Entry) []string {
	for _, f := range e.Extra {
		if f.Key == allowKey {
			return strings.FieldsFunc(f.Value, func(r rune) bool { return strings.ContainsRune("[], \"'", r) })
		}
	}
	return nil
}

// check refuses what must not be in an entry; before is what stood there, nil
// for nothing. Where a person lets something in that looks like a secret, the
// entry says so from then on.
func (t *txn) check(e, before *entryfile.Entry) error {
	if err := entryfile.Check(*e); err != nil {
		return &Error{Code: Invalid, Message: err.Error(), Err: err}
	}
	h := t.scope.home
	found := secrets.ScanEntry(*e)
	let, fresh := h.letIn(found, before), found
	if before != nil {
		fresh = newPlaces(*e, slices.Clone(found), *before)
	}
	for _, p := range fresh {
		if h.opt.Writer.IsAgent() || !slices.Contains(let, p.Rule) {
			return h.refuseSecret(p)
		}
	}
	setAllowed(e, let)
	return nil
}

// letIn lists the rules that a person overrode for what stood before, and those
// that they override now and that found something.
func (h *Home) letIn(found []secrets.Place, before *entryfile.Entry) []string {
	var let []string
	if before != nil {
		let = allowedIn(*before)
	}
	for _, p := range found {
		if slices.Contains(h.opt.AllowSecrets, p.Rule) && !slices.Contains(let, p.Rule) {
			let = append(let, p.Rule)
		}
	}
	return let
}

// newPlaces are the findings in an entry that were not there before.
func newPlaces(e entryfile.Entry, found []secrets.Place, before entryfile.Entry) []secrets.Place {
	had := map[string]int{}
	for _, p := range secrets.ScanEntry(before) {
		had[p.Rule+"\x00"+secretText(before, p)]++
	}
	return slices.DeleteFunc(found, func(p secrets.Place) bool {
		key := p.Rule + "\x00" + secretText(e, p)
		had[key]--
		return had[key] >= 0
	})
}

// secretText is what a finding is about, to be compared and never shown.
func secretText(e entryfile.Entry, p secrets.Place) string {
	text := map[string]string{
		"title": e.Title, "description": e.Description, "body": e.Body, "evidence": e.Evidence, "outcome": e.Outcome,
		"tags": strings.Join(e.Tags, "\n"), "paths": strings.Join(e.Paths, "\n"), "code": e.Code, "session": e.Session,
	}[p.Field]
	if p.End > len(text) {
		return p.Field
	}
	return text[p.Start:p.End]
}

func setAllowed(e *entryfile.Entry, rules []string) {
	e.Extra = slices.DeleteFunc(slices.Clone(e.Extra), func(f entryfile.Field) bool { return f.Key == allowKey })
	if len(rules) > 0 {
		e.Extra = append(e.Extra, entryfile.Field{Key: allowKey, Value: "[" + strings.Join(rules, ", ") + "]"})
	}
	if len(e.Extra) == 0 {
		e.Extra = nil
	}
}

// refuseSecret names the rule and the place of a secret, and never the secret.
func (h *Home) refuseSecret(p secrets.Place) error {
	field := p.Field
	switch field {
	case "tags", "paths":
		field = "text of the " + field
	case "extra":
		field = "text of another field, such as a file's path,"
	}
	return refused(h.secretHint(p.Rule), "the %s looks like a secret (%s) at line %d, column %d", field, p.Rule, p.Line, p.Column)
}

func (h *Home) secretHint(rule string) string {
	if h.opt.Writer.IsAgent() {
		return "take it out; only a person may let it in"
	}
	return "take it out; if it is none, --allow-secret " + rule + " lets it in"
}

// refuseSecretText refuses a text that becomes part of a commit's message.
func (h *Home) refuseSecretText(field, text string) error {
	for _, f := range secrets.Without(secrets.Scan(text), h.opt.AllowSecrets...) {
		return h.refuseSecret(secrets.Place{Field: field, Finding: f})
	}
	return nil
}
