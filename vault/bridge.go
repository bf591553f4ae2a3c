package vault

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gitvault/generate"
	"gitvault/internal/clients"
	"gitvault/internal/wiring"
	"gitvault/templates"
)

// A Bridge says which agent's own memory to bring in, and where the vault's
// index goes for it to read.
type Bridge struct {
	Client  string // see Clients
	Into    string // the file that gets the index; by default one that the client reads
	NoIndex bool   // only bring in
	Remove  bool   // only take the index out again
	DryRun  bool   // only say what would change
}

// A Bridged is what a bridge did.
type Bridged struct {
	Client string      `json:"client"`
	Import *Imported   `json:"import,omitempty"` // what was brought in, all of it held for review
	Files  []WiredFile `json:"files"`            // that hold the index
	Notes  []string    `json:"notes,omitempty"`
	DryRun bool        `json:"dry_run"`
}

// maxBridgeIndex bounds the section with the index in another program's file,
// in bytes: it is in every session.
const (
	maxBridgeIndex = 4000
	bridgeMarks    = 100 // of it for the lines that mark it
)

// Bridge takes what the client's own memory holds about the folder's project
// into the vault, held for review, and writes the project's index into a file
// that the client reads, in a marked section. Doing it again brings in only
// what is new, and what a person did not keep stays away.
func (h *Home) Bridge(ctx context.Context, in Bridge) (Bridged, error) {
	out := Bridged{Client: in.Client, Files: []WiredFile{}, DryRun: in.DryRun}
	client, ok := clients.Find(in.Client)
	if !ok {
		return out, invalid("use "+strings.Join(Clients(), ", "), "no client %q is known", shortened(in.Client))
	}
	at, err := h.place(true)
	if err != nil {
		return out, err
	}
	memory := h.claudeMemory(at)
	if client.Name == "claude-code" && !in.Remove {
		if err := h.bridgeIn(ctx, in, memory, &out); err != nil {
			return out, err
		}
	}
	if in.NoIndex {
		return out, nil
	}
	if client.Name == "claude-code" && in.Into == "" && memory == "" {
		return out, nil // it has been said
	}
	return out, h.bridgeOut(ctx, in, client, at, memory, &out)
}

// claudeMemory is the folder of Claude Code's memory of the project, "" where
// it has none yet.
func (h *Home) claudeMemory(at clients.Place) string {
	for _, dir := range []string{at.Project, h.opt.Dir} {
		at.Project = dir
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			at.Project = real
		}
		memory := clients.ClaudeMemory(at)
		if fi, err := os.Stat(filepath.Dir(memory)); err == nil && fi.IsDir() {
			return memory
		}
	}
	return ""
}

// bridgeIn brings in what was not brought in before.
func (h *Home) bridgeIn(ctx context.Context, in Bridge, memory string, out *Bridged) error {
	if fi, err := os.Stat(memory); memory == "" || err != nil || !fi.IsDir() {
		out.Notes = append(out.Notes, "Claude Code has no memory of this project yet")
		return nil
	}
	brought, err := h.readBrought()
	if err != nil {
		return err
	}
	done, err := h.Import(ctx, Import{Format: "claude-code", Paths: []string{memory}, Hold: true, DryRun: in.DryRun, brought: brought})
	if err != nil {
		return err
	}
	out.Import = &done
	if in.DryRun || len(done.keys) == 0 {
		return nil
	}
	for _, key := range done.keys {
		brought[key] = true
	}
	return h.writeBrought(brought)
}

// bridgeOut writes the index, or takes it out where there is nothing to show.
func (h *Home) bridgeOut(ctx context.Context, in Bridge, client clients.Client, at clients.Place, memory string, out *Bridged) error {
	text, err := h.bridgeText(ctx)
	if err != nil {
		return err
	}
	part := client.Index(at, text)
	if client.Name == "claude-code" && memory != "" {
		part.File = filepath.Join(memory, "MEMORY.md")
	}
	if in.Into != "" {
		file := in.Into
		if !filepath.IsAbs(file) {
			file = filepath.Join(h.opt.Dir, file)
		}
		if ext := filepath.Ext(file); ext != ".md" && ext != ".mdc" {
			return invalid("name a .md or .mdc file, such as AGENTS.md", "the index can't go into %s", in.Into)
		}
		if rel, err := filepath.Rel(at.Project, file); h.opt.Writer.IsAgent() && (err != nil || !filepath.IsLocal(rel)) {
			return refused("a person can run it", "an agent writes the index only into files of the project, and %s is none", in.Into)
		}
		part = clients.IndexIn(file, clients.FrontFor(file), text)
	}
	job := wiring.Job{Client: in.Client, Kind: wiring.Index, Project: at.Project, Parts: []clients.Part{part}, DryRun: in.DryRun}
	do := h.wires().Put
	if in.Remove || text == "" {
		do = h.wires().Take
	}
	changes, err := do(ctx, job)
	if err != nil {
		return h.wireError(err)
	}
	for _, c := range changes {
		out.Files = append(out.Files, WiredFile{Path: c.File, Change: c.Does, What: c.What, Diff: c.Diff()})
		out.Notes = append(out.Notes, c.Notes...)
	}
	if text == "" && !in.Remove {
		out.Notes = append(out.Notes, "the project's scope has nothing to show yet")
	}
	return nil
}

// bridgeText is the project's index; "" where it holds nothing. What is the
// person's own stays out: the file may be shared.
func (h *Home) bridgeText(ctx context.Context) (string, error) {
	s, err := h.project()
	if err != nil || !s.Exists() {
		return "", err
	}
	head := templates.Default().File(templates.Clients).Part("index").Text() + "\n\n"
	in, _, err := h.contextInput(ctx, ContextQuery{Scope: ProjectScope, Bytes: maxBridgeIndex - bridgeMarks - len(head)})
	if err != nil {
		return "", err
	}
	in.Format, in.Templates = generate.Markdown, templates.Default()
	res := generate.Context(in)
	shown := 0
	for _, share := range res.Scopes {
		shown += share.Shown
	}
	if shown == 0 {
		return "", nil
	}
	return head + strings.TrimSpace(res.Text), nil
}

// What bridges brought in is kept by what it says, so that what a person did
// not keep, or forgot, does not come back.
func (h *Home) broughtFile() string { return filepath.Join(h.dir, "state", "bridge.json") }

type broughtDocument struct {
	Brought []string `json:"brought"`
}

func (h *Home) readBrought() (map[string]bool, error) {
	data, err := os.ReadFile(h.broughtFile())
	out := map[string]bool{}
	if errors.Is(err, os.ErrNotExist) {
		return out, nil
	}
	var d broughtDocument
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		return nil, &Error{Code: Failed, Message: h.broughtFile() + " can't be read", Hint: told(err), Err: err}
	}
	for _, key := range d.Brought {
		out[key] = true
	}
	return out, nil
}

func (h *Home) writeBrought(brought map[string]bool) error {
	var d broughtDocument
	for key := range brought {
		d.Brought = append(d.Brought, key)
	}
	slices.Sort(d.Brought)
	data, err := json.MarshalIndent(d, "", " ")
	if err == nil {
		err = h.wires().WriteFile(h.broughtFile(), append(data, '\n'))
	}
	if err != nil {
		return h.wireError(err)
	}
	return nil
}
