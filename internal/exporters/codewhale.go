package exporters

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"gitvault/internal/entryfile"
	"gitvault/internal/importers"
	"gitvault/internal/safetext"
)

// CodeWhale exports and imports its memories as rows of JSON. Facts:
// Hmbown/CodeWhale, crates/memory/src/{store,import}.rs.

type whaleRow struct {
	Schema string      `json:"schema"`
	Memory whaleMemory `json:"memory"`
}

type whaleMemory struct {
	ID          string     `json:"id"`
	Revision    int        `json:"revision"`
	Status      string     `json:"status"`
	CreatedAt   int64      `json:"created_at"`
	UpdatedAt   int64      `json:"updated_at"`
	ContentHash string     `json:"content_hash"`
	Draft       whaleDraft `json:"draft"`
}

type whaleDraft struct {
	Scope        whaleScope        `json:"scope"`
	Kind         string            `json:"kind"`
	Title        string            `json:"title"`
	Body         string            `json:"body"`
	Tags         []string          `json:"tags"`
	Evidence     []whaleEvidence   `json:"evidence"`
	Revision     string            `json:"repository_revision,omitempty"`
	Dependencies map[string]string `json:"dependencies"`
	ExpiresAt    int64             `json:"expires_at,omitempty"`
	Parents      []string          `json:"parent_ids"`
}

type whaleScope struct {
	Tenant    string `json:"tenant"`
	User      string `json:"user"`
	Workspace string `json:"workspace,omitempty"`
	Session   string `json:"session,omitempty"`
}

type whaleEvidence struct {
	Kind       string `json:"kind"`
	URI        string `json:"uri"`
	Locator    string `json:"locator"`
	ObservedAt int64  `json:"observed_at"`
}

// whaleKinds says what kinds become; reading them back gives the same kinds.
var whaleKinds = map[entryfile.Kind]string{
	entryfile.Decision: "decision", entryfile.Convention: "constraint", entryfile.FailedPath: "lesson",
	entryfile.OpenThread: "commitment", entryfile.Preference: "preference", entryfile.SessionTrace: "episode",
}

func writeCodewhale(items []Item) ([]File, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range items {
		if err := enc.Encode(whaleRow{"codewhale.memory.export.v1", whaleOf(&items[i])}); err != nil {
			return nil, err
		}
	}
	return []File{{Data: safetext.JSON(b.Bytes())}}, nil
}

func whaleOf(it *Item) whaleMemory {
	created, updated := unix(it.Created), unix(it.Changed())
	m := whaleMemory{
		ID: it.ID, Revision: 1, Status: "active", CreatedAt: created, UpdatedAt: updated, ContentHash: sum(it.Title + "\n" + it.Body),
		Draft: whaleDraft{
			Scope: whaleScope{Tenant: "local", User: "owner", Session: it.Session},
			Kind:  whaleKinds[it.Kind], Title: it.Title, Body: it.Body, Tags: append([]string{}, it.Tags...),
			Evidence: []whaleEvidence{}, Revision: it.Code, Dependencies: map[string]string{}, ExpiresAt: unix(it.Expires), Parents: append([]string{}, it.Supersedes...),
		},
	}
	if it.Scope != importers.User {
		m.Draft.Scope.Workspace = it.Scope
		if it.Remote != "" {
			m.Draft.Scope.Workspace = sum(it.Remote)
		}
	}
	if it.Evidence != "" {
		m.Draft.Evidence = append(m.Draft.Evidence, whaleEvidence{Kind: "import", URI: it.Evidence, ObservedAt: created})
	}
	for _, p := range it.Paths {
		name, seen, _ := strings.Cut(p, "@")
		m.Draft.Dependencies[name] = seen
	}
	switch {
	case it.Proposal != nil:
		m.Status = "candidate"
	case len(it.SupersededBy) > 0:
		m.Status = "superseded"
	}
	return m
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// unix is a date or time in seconds, 0 for none.
func unix(s string) int64 {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix()
		}
	}
	return 0
}
