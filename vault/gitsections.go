package vault

import (
	"bytes"
	"strings"
)

// addRemoteSection appends a remote to a git configuration. The first one is
// what plain git pulls from and pushes to.
func addRemoteSection(config []byte, n NewRemote, first bool) []byte {
	var b bytes.Buffer
	b.Write(config)
	if len(config) > 0 && config[len(config)-1] != '\n' {
		b.WriteByte('\n')
	}
	fetch := "*"
	if n.Branch != "" {
		fetch = n.Branch
	}
	b.WriteString("[remote \"" + n.Name + "\"]\n\turl = " + quoteValue(n.URL) + "\n\tfetch = " +
		quoteValue("+refs/heads/"+fetch+":refs/remotes/"+n.Name+"/"+fetch) + "\n")
	if first && n.Branch != "" {
		b.WriteString(upstreamSection(n.Name, n.Branch))
	}
	return b.Bytes()
}

func upstreamSection(remote, branch string) string {
	return "[branch \"" + scopeBranch + "\"]\n\tremote = " + remote + "\n\tmerge = " + quoteValue("refs/heads/"+branch) + "\n"
}

// quoteValue writes a value so that git reads it as it is.
func quoteValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(s) + `"`
}

// dropRemoteSections takes out the sections of a remote, and of the branch that
// follows it. All other bytes stay.
func dropRemoteSections(config []byte, name string) []byte {
	var out bytes.Buffer
	for _, part := range configParts(config) {
		if part.section == `remote "`+name+`"` || part.section == `branch "`+scopeBranch+`"` && part.get("remote") == name {
			continue
		}
		out.Write(part.text)
	}
	return out.Bytes()
}

// setRemoteBranch has a remote fetch only the scope's branch there.
func setRemoteBranch(config []byte, name, branch string) []byte {
	var out bytes.Buffer
	upstream, done := false, false
	for _, part := range configParts(config) {
		upstream = upstream || part.section == `branch "`+scopeBranch+`"`
		if part.section != `remote "`+name+`"` || done {
			out.Write(part.text)
			continue
		}
		done = true
		text, written := []byte(nil), false
		line := "\tfetch = " + quoteValue("+refs/heads/"+branch+":refs/remotes/"+name+"/"+branch) + "\n"
		for l := range bytes.Lines(part.text) {
			key, _, _ := bytes.Cut(bytes.TrimSpace(l), []byte("="))
			if strings.EqualFold(strings.TrimSpace(string(key)), "fetch") {
				if !written {
					text = append(text, line...)
					written = true
				}
				continue
			}
			text = append(text, l...)
		}
		if !written {
			if len(text) > 0 && text[len(text)-1] != '\n' {
				text = append(text, '\n')
			}
			text = append(text, line...)
		}
		out.Write(text)
	}
	if done && !upstream {
		if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteByte('\n')
		}
		out.WriteString(upstreamSection(name, branch))
	}
	return out.Bytes()
}

// A configPart is a section's header with the lines up to the next one.
type configPart struct {
	section string // as in remote "origin"; "" before the first header
	text    []byte
}

func configParts(config []byte) []configPart {
	parts := []configPart{{}}
	for line := range bytes.Lines(config) {
		s := strings.TrimSpace(string(line))
		if strings.HasPrefix(s, "[") {
			head, _, _ := strings.Cut(s[1:], "]")
			name, sub, _ := strings.Cut(head, " ")
			section := strings.ToLower(name)
			if sub != "" {
				section += " " + strings.TrimSpace(sub)
			}
			parts = append(parts, configPart{section: section})
		}
		last := &parts[len(parts)-1]
		last.text = append(last.text, line...)
	}
	return parts
}

// get gives the last value of a key in the part, unquoted if it is simple.
func (p configPart) get(key string) string {
	value := ""
	for line := range strings.Lines(string(p.text)) {
		k, v, ok := strings.Cut(line, "=")
		if ok && strings.EqualFold(strings.TrimSpace(k), key) {
			value = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return value
}
