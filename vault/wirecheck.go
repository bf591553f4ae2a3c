package vault

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gitvault/internal/fsys"
	"gitvault/internal/wiring"
)

// wireTimeout is how long a client's server may take to answer.
const wireTimeout = 10 * time.Second

// A ClientCheck is how a client's wiring does.
type ClientCheck struct {
	Client   string    `json:"client"`
	Scope    string    `json:"scope"`             // user or project
	Dir      string    `json:"dir,omitempty"`     // the project's folder
	Command  string    `json:"command,omitempty"` // that the client starts
	Tools    int       `json:"tools"`             // that the server listed
	Findings []Finding `json:"findings"`          // what is wrong; none where all is well
}

// CheckClients tests every client that Install wired up: whether all is still
// in its files, and whether its server starts as the client starts it, answers
// and lists its tools. program and ownHome are as in Install.
func (h *Home) CheckClients(ctx context.Context, program string, ownHome bool) ([]ClientCheck, error) {
	list, err := h.InstalledClients()
	if err != nil {
		return nil, err
	}
	out := []ClientCheck{}
	for _, i := range list {
		out = append(out, h.checkClient(ctx, i, program, ownHome))
	}
	return out, nil
}

func (h *Home) checkClient(ctx context.Context, i InstalledClient, program string, ownHome bool) ClientCheck {
	c := ClientCheck{Client: i.Client, Scope: UserScope, Dir: i.Project, Findings: []Finding{}}
	in := Install{Client: i.Client, Program: program, OwnHome: ownHome}
	if i.Project != "" {
		c.Scope, in.Project, in.Program = ProjectScope, true, "vault"
	}
	fail := func(severity, file string, line int, format string, args ...any) {
		c.Findings = append(c.Findings, Finding{Rule: "client", Severity: severity, Scope: c.Scope, File: file, Line: line, Message: i.Client + ": " + oneLine(fmt.Sprintf(format, args...))})
	}
	job, err := h.wiringOf(in, i.Project)
	if err != nil {
		fail(SeverityError, i.Project, 0, "%s", err)
		return c
	}
	server, err := wiring.FindServer(fsys.OS{}, job)
	if err != nil {
		file, line := h.problemAt(err)
		fail(SeverityError, file, line, "%s", h.wireError(err))
		return c
	}
	if gone, err := h.wires().Missing(job); err == nil {
		for _, m := range gone {
			fail(SeverityWarning, m.File, 0, "%s are not as 'vault install %s' writes them: run it again", strings.Join(m.What, " and "), i.Client)
		}
	}
	programs, off := wiring.HookPrograms(fsys.OS{}, job)
	for _, file := range sortedKeys(programs) {
		for _, p := range programs[file] {
			if _, err := exec.LookPath(p); err != nil {
				fail(SeverityError, file, 0, "its hooks run %s, which is not there: 'vault install %s' puts it right", p, i.Client)
			}
		}
	}
	if off != "" {
		fail(SeverityWarning, off, 0, "the client runs no hooks: disableAllHooks is set")
	}
	if server == nil {
		return c // it has instructions only
	}
	c.Command = strings.Join(server.Command, " ")
	if c.Tools, err = h.startServer(ctx, server, i.Project); err != nil {
		fail(SeverityError, server.File, server.Line, "%s does not work: %s", c.Command, told(err))
	}
	return c
}

func (h *Home) problemAt(err error) (string, int) {
	if p, ok := err.(*wiring.Problem); ok {
		return p.File, p.Line
	}
	return "", 0
}

// startServer starts a server as its client would and counts its tools.
func (h *Home) startServer(ctx context.Context, s *wiring.Server, dir string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, wireTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env = h.opt.Environ
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if cmd.Dir = dir; dir == "" {
		cmd.Dir = h.opt.Dir
	}
	if !filepath.IsAbs(s.Command[0]) && cmd.Err != nil {
		return 0, fmt.Errorf("%s is not on PATH: install it there, or run 'vault install' again", s.Command[0])
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "vault-doctor", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return 0, fmt.Errorf("no answer from it: %w", err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("it lists no tools: %w", err)
	}
	if len(tools.Tools) == 0 {
		return 0, fmt.Errorf("it has no tools")
	}
	return len(tools.Tools), nil
}
