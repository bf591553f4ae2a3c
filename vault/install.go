package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gitvault/internal/clients"
	"gitvault/internal/fsys"
	"gitvault/internal/wiring"
	"gitvault/templates"
)

// An Install says which agent client to wire up, or to take vault out of.
type Install struct {
	Client  string // see Clients
	Project bool   // in the files of the folder's project, which others may share; by default in the person's own
	DryRun  bool   // only say what would change
	Program string // how the client is to start vault: an absolute path, or a name on PATH
	OwnHome bool   // the home is not where a vault looks for it by itself
}

// A Wired is what wiring a client up, or taking vault out of it, changed.
type Wired struct {
	Client string      `json:"client"`
	Scope  string      `json:"scope"` // user or project
	Files  []WiredFile `json:"files"`
	Notes  []string    `json:"notes,omitempty"` // what the person has to know or do
	DryRun bool        `json:"dry_run"`         // nothing was changed
}

// A WiredFile is what became of one file of a client's.
type WiredFile struct {
	Path   string   `json:"path"`
	Change string   `json:"change"`         // created, changed, removed or unchanged
	What   []string `json:"what,omitempty"` // of vault's is in it
	Diff   string   `json:"diff,omitempty"` // unified
}

// Clients lists the names of the agent clients that vault can be wired into.
func Clients() []string {
	var out []string
	for _, c := range clients.All() {
		out = append(out, c.Name)
	}
	return out
}

// Install puts vault's server, hooks and instructions into a client's files.
// All files are planned and checked before the first is written; where one
// can't be, those before it are put back. A second time changes nothing.
func (h *Home) Install(ctx context.Context, in Install) (Wired, error) {
	job, client, at, err := h.wiring(in)
	if err != nil {
		return Wired{}, err
	}
	changes, err := h.wires().Put(ctx, job)
	if err != nil {
		return Wired{}, h.wireError(err)
	}
	out := wired(in, changes)
	if client.Notes != nil {
		out.Notes = append(out.Notes, client.Notes(at)...)
	}
	if list, err := h.wires().Installed(); err == nil && client.HasHooks(at) && slices.ContainsFunc(list, func(i wiring.Installed) bool {
		return i.Client == in.Client && i.Project != at.Project && (i.Project == "" || at.Project == "")
	}) {
		out.Notes = append(out.Notes, client.Title+" has vault for you and for a project: there its hooks run twice; one of the two is enough")
	}
	if in.Project && in.OwnHome {
		out.Notes = append(out.Notes, "the project's files name no home, since others have theirs: set VAULT_HOME where the client is started")
	}
	return out, nil
}

// Uninstall takes vault out of a client's files: each is left byte for byte as
// it was, apart from what the person changed in it since; files and folders
// that Install made go.
func (h *Home) Uninstall(ctx context.Context, in Install) (Wired, error) {
	job, _, _, err := h.wiring(in)
	if err != nil {
		return Wired{}, err
	}
	changes, err := h.wires().Take(ctx, job)
	if err != nil {
		return Wired{}, h.wireError(err)
	}
	return wired(in, changes), nil
}

func wired(in Install, changes []wiring.Change) Wired {
	out := Wired{Client: in.Client, Scope: UserScope, Files: []WiredFile{}, DryRun: in.DryRun}
	if in.Project {
		out.Scope = ProjectScope
	}
	for _, c := range changes {
		out.Files = append(out.Files, WiredFile{Path: c.File, Change: c.Does, What: c.What, Diff: c.Diff()})
		out.Notes = append(out.Notes, c.Notes...)
	}
	return out
}

func (h *Home) wires() wiring.State {
	return wiring.State{Disk: fsys.OS{}, Dir: filepath.Join(h.dir, "state")}
}

// wiring is what there is to put into a client's files.
func (h *Home) wiring(in Install) (wiring.Job, clients.Client, clients.Place, error) {
	client, ok := clients.Find(in.Client)
	if !ok {
		return wiring.Job{}, client, clients.Place{}, invalid("use "+strings.Join(Clients(), ", "), "no client %q is known", shortened(in.Client))
	}
	at, err := h.place(in.Project)
	if err != nil {
		return wiring.Job{}, client, at, err
	}
	return h.job(in, client, at), client, at, nil
}

// wiringOf is the same for a project by its folder, or with "" for the person.
func (h *Home) wiringOf(in Install, project string) (wiring.Job, error) {
	client, ok := clients.Find(in.Client)
	if !ok {
		return wiring.Job{}, invalid("", "no client %q is known", shortened(in.Client))
	}
	at, err := h.place(false)
	at.Project = project
	return h.job(in, client, at), err
}

func (h *Home) job(in Install, client clients.Client, at clients.Place) wiring.Job {
	p := clients.Program{Command: in.Program, Text: templates.Default().File(templates.Clients).Part("instructions").Text()}
	home := ""
	if in.OwnHome && !in.Project {
		home = h.dir
		p.Env = map[string]string{"VAULT_HOME": home}
	}
	p.Hook = func(event string) string { return hookCommand(in.Program, home, event, in.Client) }
	return wiring.Job{Client: in.Client, Kind: wiring.Install, Project: at.Project, Parts: client.Parts(at, p), DryRun: in.DryRun}
}

// place is where the person's files are, and with project the project's.
func (h *Home) place(project bool) (clients.Place, error) {
	at := clients.Place{OS: runtime.GOOS, Home: h.opt.UserHome, Env: h.opt.Env, Exists: func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}}
	if at.Home == "" {
		return at, invalid("set HOME", "no home folder of the person is known")
	}
	if project {
		ws, err := h.Workspace()
		if err != nil {
			return at, err
		}
		at.Project = ws.Root
	}
	return at, nil
}

// hookCommand is a shell's command line that runs a hook.
func hookCommand(program, home, event, client string) string {
	words := shellWord(program)
	if home != "" {
		words += " --home " + shellWord(home)
	}
	return words + clients.HookArguments(event, client)
}

// shellWord writes a path as one word, for sh and, on Windows, for cmd too.
func shellWord(s string) string {
	if runtime.GOOS == "windows" {
		s = filepath.ToSlash(s)
	}
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == "" {
		return s
	}
	if runtime.GOOS == "windows" {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// wireError says in the package's words why a client could not be wired up.
func (h *Home) wireError(err error) error {
	var p *wiring.Problem
	switch {
	case errors.As(err, &p) && p.Foreign:
		return &Error{Code: Refused, Message: oneLine(p.Error()), Hint: p.Do, Err: err}
	case errors.As(err, &p):
		return &Error{Code: Invalid, Message: oneLine(p.Error()), Hint: p.Do, Err: err}
	case errors.Is(err, wiring.ErrBusy):
		return &Error{Code: Busy, Message: err.Error(), Err: err}
	case errors.Is(err, context.Canceled):
		return err
	}
	return &Error{Code: Failed, Message: told(err), Err: err}
}

// An InstalledClient is a client that vault was wired into.
type InstalledClient struct {
	Client  string
	Project string // the project's folder, "" for the person's own files
}

// InstalledClients lists what Install did and Uninstall did not take back.
func (h *Home) InstalledClients() ([]InstalledClient, error) {
	list, err := h.wires().Installed()
	if err != nil {
		return nil, h.wireError(err)
	}
	var out []InstalledClient
	for _, i := range list {
		out = append(out, InstalledClient{i.Client, i.Project})
	}
	slices.SortFunc(out, func(a, b InstalledClient) int {
		return strings.Compare(a.Client+"\x00"+a.Project, b.Client+"\x00"+b.Project)
	})
	return out, nil
}
