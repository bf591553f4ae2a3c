package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gitvault/internal/safetext"
	"gitvault/internal/secrets"
	"gitvault/vault"
)

// A world is all that the program takes from around it.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	flush          func() error                // of a stdout that is written in large pieces; nil where it is not
	lookup         func(string) (string, bool) // the environment
	dir            string
	inTerminal     bool // a person can be asked
	outTerminal    bool // a person is reading
	errTerminal    bool // a person is waiting
	columns        int  // the person's terminal; 0 where lines may be of any length
}

// process is the world of a real process.
func process() world {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	w := world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, dir: dir,
		inTerminal:  term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if w.outTerminal {
		w.columns, _, _ = term.GetSize(int(os.Stdout.Fd()))
	} else {
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		w.stdout, w.flush = out, out.Flush
	}
	return w
}

// drop forgets what is held back for stdout, and that it could not be written.
func (w world) drop() {
	if b, ok := w.stdout.(*bufio.Writer); ok {
		b.Reset(io.Discard)
	}
}

// live is stdout for a verb whose reader waits for each piece of it.
func (w world) live() io.Writer { return liveWriter{w} }

type liveWriter struct{ world }

func (l liveWriter) Write(p []byte) (int, error) {
	n, err := l.stdout.Write(p)
	if err == nil && l.flush != nil {
		err = l.flush()
	}
	return n, err
}

// finish writes out what is still held back; that it can't is a failure of
// what otherwise went well.
func (w world) finish(code int) int {
	if w.flush == nil {
		return code
	}
	if err := w.flush(); err != nil && code == 0 {
		fmt.Fprintln(w.stderr, "vault: standard output: "+oneLine(err.Error()))
		return 1
	}
	return code
}

func (w world) getenv(name string) string {
	value, _ := w.lookup(name)
	return value
}

// An app is one run of the program: the world, and the flags that every verb
// takes.
type app struct {
	world
	chdir   string
	home    string
	scope   string
	agent   string
	args    []string // the command line
	json    bool
	quiet   bool
	noColor bool
	yes     bool
	allow   []string // rules of the secret scan to override
}

// exitCodes are the documented exit statuses.
var exitCodes = map[vault.Code]int{
	vault.Failed: 1, vault.Invalid: 2, vault.NotFound: 3, vault.Refused: 4, vault.Conflict: 5, vault.Busy: 75,
}

// errFailed ends a verb that has said all there is to say with exit status 1.
var errFailed = errors.New("failed")

// run is the program: it returns the exit status.
func run(ctx context.Context, args []string, w world) int {
	a := &app{world: w, args: args}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	c, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil, a.forgive(c, err):
		return 0
	case errors.Is(err, errFailed):
		return 1
	}
	var e *vault.Error
	if !errors.As(err, &e) {
		e = &vault.Error{Code: vault.CodeOf(err), Message: err.Error()}
	}
	a.json = a.json || wantsJSON(args)
	a.report(e)
	return exitCodes[e.Code]
}

// report prints an error as one line, or as JSON.
func (a *app) report(e *vault.Error) {
	if a.json {
		printJSON(a.stderr, errorDocument{errorFields{e.Code, a.tellable(e.Message), a.tellable(e.Hint)}})
		return
	}
	fmt.Fprintln(a.stderr, "vault: "+a.tellable(e.Error()))
}

// tellable is what may be told of something that did not go as meant: one line,
// and no secret, even where it quotes the command line.
func (a *app) tellable(message string) string {
	return safetext.Line(secrets.Redact(message, strings.Join(a.args, " ")))
}

// An errorDocument is what --json prints of an error.
type errorDocument struct {
	Error errorFields `json:"error"`
}

type errorFields struct {
	Code    vault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// command is the whole command line.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "vault",
		Short: "Memory for AI agents and people, as plain Markdown in git",
		Long: `Memory for AI agents and the people who work with them, as plain Markdown in git.

Each scope (yours, and one for each project) is a git repository of Markdown;
each change is a commit, so nothing is lost and everything can be undone.`,
		Example: `  vault remember "Answer in short sentences."
  vault remember --kind decision --title "Queue in Postgres" "One system less to run."
  vault list
  vault get gk2m`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = checkGlobals
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCmd())
	f := root.PersistentFlags()
	f.StringVarP(&a.chdir, "directory", "C", "", "act as if started in `DIR`")
	f.StringVar(&a.home, "home", "", "the vault's home `DIR` (default $VAULT_HOME, else the user's data folder)")
	f.StringVar(&a.scope, "scope", "", "only this scope: user, project or a `NAME` from 'vault scopes'")
	f.StringVar(&a.agent, "agent", "", "act for the agent `NAME` (or set VAULT_AGENT)")
	f.BoolVar(&a.json, "json", false, "print one JSON document")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes and no progress")
	f.BoolVar(&a.noColor, "no-color", false, "no colour (or set NO_COLOR)")
	f.BoolVarP(&a.yes, "yes", "y", false, "answer yes where a person would be asked")
	f.StringArrayVar(&a.allow, "allow-secret", nil, "let in what this `RULE` takes for a secret; a person's to say")
	cobra.EnableCommandSorting = false
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, verb := range g.verbs {
			c := verb(a)
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(groups[len(groups)-1].title)
	return root
}

// groups are the verbs as help lists them, by what a person is about.
var groups = []struct {
	title string
	verbs []func(*app) *cobra.Command
}{
	{"Remember and find:", []func(*app) *cobra.Command{rememberCmd, listCmd, getCmd, recallCmd, editCmd, forgetCmd, purgeCmd, resolveCmd, promoteCmd, traceCmd}},
	{"Look back and take back:", []func(*app) *cobra.Command{logCmd, showCmd, diffCmd, atCmd, blameCmd, undoCmd, restoreCmd}},
	{"Review what agents wrote:", []func(*app) *cobra.Command{reviewCmd, keepCmd}},
	{"Serve agents:", []func(*app) *cobra.Command{contextCmd, mcpCmd, hookCmd, memoryToolCmd, installCmd, uninstallCmd}},
	{"Scopes and their state:", []func(*app) *cobra.Command{statusCmd, checkCmd, doctorCmd, scopesCmd, initCmd, linkCmd, trustCmd}},
	{"In, out, and between machines:", []func(*app) *cobra.Command{importCmd, exportCmd, bridgeCmd, cloneCmd, remoteCmd, syncCmd, settleCmd, mergeFileCmd}},
	{"The program itself:", []func(*app) *cobra.Command{completionCmd, manCmd, versionCmd}},
}

// verb makes a command; args is what cobra checks the arguments with.
func verb(use, short, example string, args cobra.PositionalArgs, fn func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example,
		Args:                  func(c *cobra.Command, list []string) error { return checkArgs(c, list, args) },
		RunE:                  fn,
		DisableFlagsInUseLine: true,
	}
}

// open opens the home that the flags and the environment name.
func (a *app) open() (*vault.Home, error) { return a.openWith(nil) }

// openWith opens the home for a verb that shows its progress.
func (a *app) openWith(progress func(what string, done, of int)) (*vault.Home, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	o.Progress = progress
	return vault.Open(o)
}

// options are what a home is opened with.
func (a *app) options() (vault.Options, error) {
	dir := a.dir
	if a.chdir != "" {
		dir = a.chdir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(a.dir, dir)
		}
		fi, err := os.Stat(dir)
		if err != nil || !fi.IsDir() {
			return vault.Options{}, &vault.Error{Code: vault.Invalid, Message: "no folder " + a.chdir, Hint: "give -C a folder that is there"}
		}
	}
	host, _ := os.Hostname()
	userHome, _ := os.UserHomeDir()
	git, _ := exec.LookPath("git")
	return vault.Options{
		Home: a.homeDir(), Dir: dir, Env: a.lookup, UserHome: userHome, Account: account(a.getenv), Host: host, Git: git,
		Writer:       a.writer(),
		AllowSecrets: a.allow,
		Environ:      os.Environ(),
		Notice:       a.note,
		Changed:      func(scope, dir string) { syncBehind(a.homeDir(), scope, dir) },
	}, nil
}

// homeDir is the vault's home, as the flags and the environment name it.
func (a *app) homeDir() string {
	home := a.home
	switch {
	case home != "" && !filepath.IsAbs(home):
		home = filepath.Join(a.dir, home)
	case home == "":
		home = a.getenv("VAULT_HOME")
	}
	if home == "" {
		home = filepath.Join(xdg.DataHome, "vault")
	}
	return home
}

// account is the login name, for people git knows no name of.
func account(getenv func(string) string) string {
	for _, key := range []string{"USER", "LOGNAME", "USERNAME"} {
		if name := getenv(key); name != "" {
			return name
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// note tells a person something that is no data and no error.
func (a *app) note(message string) {
	if !a.quiet {
		fmt.Fprintln(a.stderr, a.tellable(message))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
