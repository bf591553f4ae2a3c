package wiring

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gitvault/internal/clients"
	"gitvault/internal/configedit"
	"gitvault/internal/fsys"
	"gitvault/internal/fsys/faultfs"
)

// A desk is a person's home with a project in it.
type desk struct {
	t       require.TestingT
	dir     string
	state   State
	project string
}

func newDesk(t require.TestingT, dir string) *desk {
	d := &desk{t: t, dir: dir, project: filepath.Join(dir, "w")}
	require.NoError(t, os.MkdirAll(d.project, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "state"), 0o755))
	d.state = State{Disk: fsys.OS{}, Dir: filepath.Join(dir, "state")}
	return d
}

func (d *desk) job(name, project string) Job {
	c, ok := clients.Find(name)
	require.True(d.t, ok)
	at := clients.Place{OS: "linux", Home: d.dir, Project: project,
		Env: func(string) (string, bool) { return "", false },
		Exists: func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		}}
	p := clients.Program{Command: "/opt/my vault/vault", Env: map[string]string{"VAULT_HOME": "/data/\"v\""}, Text: "Use vault.",
		Hook: func(event string) string { return "'/opt/my vault/vault'" + clients.HookArguments(event, name) }}
	return Job{Client: name, Kind: Install, Project: project, Parts: c.Parts(at, p)}
}

func (d *desk) put(job Job) []Change {
	changes, err := d.state.Put(context.Background(), job)
	require.NoError(d.t, err)
	return changes
}

func (d *desk) take(job Job) []Change {
	changes, err := d.state.Take(context.Background(), job)
	require.NoError(d.t, err)
	return changes
}

func (d *desk) write(name, text string) {
	path := filepath.Join(d.dir, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o644))
}

func (d *desk) read(name string) string {
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	require.NoError(d.t, err)
	return string(data)
}

// tree is all that is there but the state: folders, files and links.
func (d *desk) tree() map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(d.dir, path)
		switch {
		case name == "state":
			return filepath.SkipDir
		case e.IsDir():
			out[name] = "folder"
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[name] = "-> " + to
			return err
		default:
			fi, err := e.Info()
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			out[name] = fi.Mode().String() + "\n" + string(data)
			return err
		}
		return nil
	})
	require.NoError(d.t, err)
	return out
}

func names() []string {
	var out []string
	for _, c := range clients.All() {
		out = append(out, c.Name)
	}
	return out
}

// startingPoints are files as people have them, of every form.
var startingPoints = map[string][]string{
	".claude.json":                      {"", "{}", "{\"numStartups\":1,\"mcpServers\":{}}", "\ufeff{\r\n\t\"projects\": {},\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"a\"}\r\n\t}\r\n}"},
	".claude/settings.json":             {"{ }", "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [], // none\n  },\n}\n", "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}"},
	".claude/CLAUDE.md":                 {"# Mine", "# Mine\r\n\r\n- a\r\n", "\n\n"},
	".codex/config.toml":                {"", "model = 'x'", "\ufeff[mcp_servers]\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n# end"},
	".codex/hooks.json":                 {"{\"hooks\": {}}"},
	".gemini/settings.json":             {"{\n    \"theme\": \"x\"\n}"},
	".cursor/hooks.json":                {"{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}"},
	".config/opencode/opencode.jsonc":   {"// mine\n{ \"mcp\": { /* none */ } }"},
	".config/Code/User/mcp.json":        {"{\n\t\"servers\": {},\n\t\"inputs\": []\n}\n"},
	".codewhale/mcp.json":               {"{\"mcpServers\": {\"a\": {}}}"},
	".codeium/windsurf/mcp_config.json": {"{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}"},
	"w/AGENTS.md":                       {"# Agents", "text\r\n"},
	"w/.cursor/rules/vault.mdc":         {"---\nalwaysApply: false\n---\nmine\n"},
	"w/.github/instructions/x.md":       {"x"},
	"w/.mcp.json":                       {"{\"mcpServers\":{\"a\":{\"command\":\"a\"},}}"},
	"w/.vscode/mcp.json":                {"{}\n"},
	"w/opencode.json":                   {"{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"},
}

// Whatever is there, whoever is wired up in whatever order, and taken out in
// whatever other: in the end all is as it was. A second time changes nothing.
func TestWhatGoesInComesOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "wiring")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		d := newDesk(t, dir)
		for _, name := range slices.Sorted(maps.Keys(startingPoints)) {
			texts := startingPoints[name]
			if rapid.Bool().Draw(t, "has "+name) {
				d.write(name, rapid.SampledFrom(texts).Draw(t, name))
			}
		}
		before := d.tree()
		type wired struct{ client, project string }
		var all []wired
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names()), 1, 3, rapid.ID).Draw(t, "clients") {
			all = append(all, wired{name, ""}, wired{name, d.project})
		}
		for _, w := range rapid.Permutation(all).Draw(t, "in") {
			d.put(d.job(w.client, w.project))
			once := d.tree()
			for _, c := range d.put(d.job(w.client, w.project)) {
				require.Equal(t, Unchanged, c.Does, c.File)
			}
			require.Equal(t, once, d.tree())
		}
		for _, w := range rapid.Permutation(all).Draw(t, "out") {
			d.take(d.job(w.client, w.project))
		}
		require.Equal(t, before, d.tree())
		records, err := d.state.read()
		require.NoError(t, err)
		require.Empty(t, records.Installs)
	})
}

// Without the record it is found by its marks: nothing of vault's is left, and
// nothing of the person's is lost.
func TestWithoutTheRecord(t *testing.T) {
	d := newDesk(t, t.TempDir())
	for name, texts := range startingPoints {
		d.write(name, texts[len(texts)-1])
	}
	for _, name := range names() {
		d.put(d.job(name, ""))
		d.put(d.job(name, d.project))
	}
	require.NoError(t, os.Remove(d.state.file()))
	for _, name := range names() {
		d.take(d.job(name, ""))
		d.take(d.job(name, d.project))
	}
	for name, text := range d.tree() {
		require.NotContains(t, text, "/opt/my vault", name)
		require.NotContains(t, text, "Use vault.", name)
	}
	require.Equal(t, "// mine\n{ \"mcp\": { /* none */\n} }", strings.ReplaceAll(d.read(".config/opencode/opencode.jsonc"), "\n    ", "\n"))
	require.Equal(t, "\ufeff[mcp_servers]\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n# end\r\n", d.read(".codex/config.toml"))
}

// A program that writes its whole file anew, and a person who edits, in between.
func TestWhatChangedSinceStays(t *testing.T) {
	d := newDesk(t, t.TempDir())
	d.write(".claude.json", `{"numStartups":1}`)
	d.write(".claude/CLAUDE.md", "# Mine\n")
	job := d.job("claude-code", "")
	d.put(job)
	var v map[string]any
	require.NoError(t, json.Unmarshal([]byte(d.read(".claude.json")), &v))
	v["numStartups"] = 2
	text, err := json.MarshalIndent(v, "", "\t")
	require.NoError(t, err)
	d.write(".claude.json", string(text))
	d.write(".claude/CLAUDE.md", strings.Replace(d.read(".claude/CLAUDE.md"), "# Mine\n", "# Mine and more\n", 1)+"\n- last\n")
	settings := d.read(".claude/settings.json")
	settings = strings.Replace(settings, `"hooks": [`, `"hooks": [ {"type": "command", "command": "mine"},`, 1)
	settings = strings.Replace(settings, "\"timeout\": 10", "\"timeout\": 20", 1)
	d.write(".claude/settings.json", settings)
	d.take(job)
	require.Equal(t, "{\n\t\"numStartups\": 2\n}", d.read(".claude.json"))
	require.Equal(t, "# Mine and more\n\n- last\n", d.read(".claude/CLAUDE.md"))
	require.NoError(t, json.Unmarshal([]byte(d.read(".claude/settings.json")), &v))
	require.Equal(t, map[string]any{"SessionStart": []any{map[string]any{
		"matcher": "startup|resume|clear|compact", "hooks": []any{map[string]any{"type": "command", "command": "mine"}}}}}, v["hooks"])
}

// vault moved: its path is put right, and what the person added stays.
func TestAnotherPath(t *testing.T) {
	d := newDesk(t, t.TempDir())
	for _, name := range []string{"claude-code", "codex", "opencode"} {
		before := d.tree()
		d.put(d.job(name, ""))
		moved := d.job(name, "")
		for i := range moved.Parts {
			p := &moved.Parts[i]
			data, err := json.Marshal(p.Value)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(bytes.ReplaceAll(data, []byte("/opt/my vault"), []byte("/new")), &p.Value))
			for k, f := range p.Value {
				if list, ok := f.Value.([]any); ok {
					p.Value[k].Value = list
				}
				if f.Name == "env" || f.Name == "environment" {
					p.Value = append(p.Value[:k:k], p.Value[k+1:]...)
					break
				}
			}
			for k := range p.Hooks {
				p.Hooks[k].Command = strings.Replace(p.Hooks[k].Command, "/opt/my vault", "/new", 1)
			}
			p.Text = strings.ReplaceAll(p.Text, "/opt/my vault", "/new")
		}
		d.put(moved)
		for file, text := range d.tree() {
			require.NotContains(t, text, "/opt/my vault", file)
		}
		d.take(moved)
		require.Equal(t, before, d.tree(), name)
	}
}

// Links of people who keep their configuration elsewhere are followed, and
// files keep their modes.
func TestLinksAndModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are Unix's")
	}
	d := newDesk(t, t.TempDir())
	d.write("dotfiles/config.toml", "a = 1\n")
	require.NoError(t, os.Chmod(filepath.Join(d.dir, "dotfiles/config.toml"), 0o664))
	require.NoError(t, os.MkdirAll(filepath.Join(d.dir, ".codex"), 0o755))
	require.NoError(t, os.Symlink("../dotfiles/config.toml", filepath.Join(d.dir, ".codex/config.toml")))
	require.NoError(t, os.Symlink(filepath.Join(d.dir, "dotfiles/hooks.json"), filepath.Join(d.dir, ".codex/hooks.json")))
	before := d.tree()
	d.put(d.job("codex", ""))
	require.Contains(t, d.read("dotfiles/config.toml"), "vault")
	require.Contains(t, d.read("dotfiles/hooks.json"), "vault")
	fi, err := os.Lstat(filepath.Join(d.dir, "dotfiles/config.toml"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o664), fi.Mode().Perm())
	d.take(d.job("codex", ""))
	require.Equal(t, before, d.tree())

	require.NoError(t, os.Remove(filepath.Join(d.dir, ".codex/hooks.json")))
	require.NoError(t, os.Symlink("hooks.json", filepath.Join(d.dir, ".codex/hooks.json")))
	_, err = d.state.Put(context.Background(), d.job("codex", ""))
	require.ErrorContains(t, err, "its links go round in a circle")
}

// A project that somebody else made can't have vault write elsewhere.
func TestLinksOutOfAProjectAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are Unix's")
	}
	for _, link := range [][2]string{{"../outside.md", "AGENTS.md"}, {"..", ".codex"}, {"../../missing/x.toml", ".codex/config.toml"}} {
		d := newDesk(t, t.TempDir())
		d.write("outside.md", "mine")
		name := filepath.Join(d.project, link[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.Symlink(link[0], name))
		before := d.tree()
		_, err := d.state.Put(context.Background(), d.job("codex", d.project))
		require.ErrorContains(t, err, "a link leads out of the project", link)
		require.Equal(t, before, d.tree())
	}
	d := newDesk(t, t.TempDir())
	d.write("w/CLAUDE.md", "mine")
	require.NoError(t, os.Symlink("CLAUDE.md", filepath.Join(d.project, "AGENTS.md")))
	before := d.tree()
	d.put(d.job("codex", d.project))
	d.put(d.job("claude-code", d.project))
	require.Equal(t, 1, strings.Count(d.read("w/CLAUDE.md"), "Use vault."))
	d.take(d.job("codex", d.project))
	require.Equal(t, 1, strings.Count(d.read("w/CLAUDE.md"), "Use vault."))
	d.take(d.job("claude-code", d.project))
	require.Equal(t, before, d.tree())
}

// Whatever fails, wherever: all is as it was, or all is done.
func TestAFailureLeavesNothingHalfDone(t *testing.T) {
	for step := 1; ; step++ {
		d := newDesk(t, t.TempDir())
		d.write(".claude/settings.json", "{}")
		d.write(".claude.json", "{\"a\": 1}")
		before := d.tree()
		failing := faultfs.New(fsys.OS{}, faultfs.Plan{At: step, Kind: faultfs.Fail, Err: syscall.ENOSPC})
		d.state.Disk = failing
		_, err := d.state.Put(context.Background(), d.job("claude-code", ""))
		d.state.Disk = fsys.OS{}
		if !failing.Fired() {
			require.NoError(t, err)
			require.Greater(t, step, 10)
			return
		}
		if err == nil { // it did not matter
			continue
		}
		require.Equal(t, before, d.tree(), fmt.Sprintf("step %d: %v", step, err))
	}
}

// edits are what a person does to a file between install and uninstall.
func (d *desk) edit(t *rapid.T, name, text string) string {
	switch {
	case strings.HasSuffix(name, ".json"), strings.HasSuffix(name, ".jsonc"):
		j, err := configedit.ParseJSON([]byte(text))
		require.NoError(t, err)
		for _, path := range [][]string{{"aa"}, {"mcpServers", "mine"}, {"hooks", "Mine"}} {
			_, _, found, err := j.Get(path[0])
			if err == nil && (found || len(path) == 1) && rapid.Bool().Draw(t, strings.Join(path, ".")) {
				require.NoError(t, j.Set(path, configedit.Object{{Name: "k", Value: 1}}))
			}
		}
		return string(j.Bytes())
	case strings.HasSuffix(name, ".toml"):
		return rapid.SampledFrom([]string{"# first\n", "first = 1\n"}).Draw(t, "first") + strings.TrimPrefix(text, "\ufeff") +
			rapid.SampledFrom([]string{"", "\n[last]\nx = 1\n", "# last"}).Draw(t, "last")
	case strings.HasSuffix(name, ".js"):
		return text
	}
	return text + "\nlast\n"
}

func meaning(t require.TestingT, name, text string) any {
	switch filepath.Ext(name) {
	case ".json", ".jsonc":
		j, err := configedit.ParseJSON([]byte(text))
		require.NoError(t, err, text)
		v, _, _, err := j.Get()
		require.NoError(t, err)
		return v
	case ".toml":
		v := map[string]any{}
		require.NoError(t, toml.Unmarshal([]byte(text), &v), text)
		return v
	}
	return text
}

// Whatever a person changes in a file between, the rest comes out and that
// stays.
func TestEditsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "wiring")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		d := newDesk(t, dir)
		for name, texts := range startingPoints {
			d.write(name, strings.TrimPrefix(texts[len(texts)-1], "\ufeff"))
		}
		client := rapid.SampledFrom(names()).Draw(t, "client")
		project := rapid.SampledFrom([]string{"", d.project}).Draw(t, "project")
		before := d.tree()
		job := d.job(client, project)
		d.put(job)
		want := map[string]any{}
		wired := d.tree()
		for _, name := range slices.Sorted(maps.Keys(wired)) {
			_, text, isFile := strings.Cut(wired[name], "\n")
			if !isFile {
				continue
			}
			edited := d.edit(t, name, text)
			if edited == text {
				continue
			}
			d.write(name, edited)
			_, old, _ := strings.Cut(before[name], "\n")
			if filepath.Ext(name) == ".md" || filepath.Ext(name) == ".mdc" {
				want[name] = "last"
				continue
			}
			v := meaning(t, name, edited)
			if m, ok := v.(map[string]any); ok {
				original, _ := meaning(t, name, old).(map[string]any)
				version := m["version"]
				strip(m, original)
				if version != nil && len(m) > 0 {
					m["version"] = version // the person's own hooks need it
				}
			}
			want[name] = v
		}
		d.take(job)
		after := d.tree()
		for name, v := range want {
			_, text, isFile := strings.Cut(after[name], "\n")
			if !isFile {
				require.Empty(t, v, name)
				continue
			}
			require.NotContains(t, text, "/opt/my vault", name)
			if v == "last" {
				require.Contains(t, text, "\nlast\n", name)
				require.NotContains(t, text, "Use vault.", name)
				continue
			}
			got, _ := meaning(t, name, text).(map[string]any)
			require.Equal(t, v, got, name)
		}
	})
}

// strip takes out of a document what vault put in: by name, and containers
// that the original had not.
func strip(m, original map[string]any) {
	for key, v := range m {
		had, isThere := original[key]
		sub, isMap := v.(map[string]any)
		list, isList := v.([]any)
		switch {
		case key == "vault":
			delete(m, key)
		case key == "version" && !isThere && len(original) == 0:
			delete(m, key)
		case isMap && key != "aa" && key != "mine" && key != "Mine":
			before, _ := had.(map[string]any)
			strip(sub, before)
			if len(sub) == 0 && !isThere {
				delete(m, key)
			}
		case isList && (isThere || len(list) > 0):
			if isThere {
				m[key] = had
			} else {
				delete(m, key)
			}
		}
	}
}

// An index that is written again and again leaves a record of one change, and
// what a person took out by hand is in nobody's way.
func TestARecordDoesNotGrow(t *testing.T) {
	d := newDesk(t, t.TempDir())
	d.write("w/AGENTS.md", "# Agents")
	before := d.tree()
	c, _ := clients.Find("codex")
	var job Job
	for i := range 20 {
		job = Job{Client: "codex", Kind: Index, Project: d.project, Parts: []clients.Part{c.Index(clients.Place{Project: d.project}, strings.Repeat("text ", i))}}
		d.put(job)
	}
	records, err := d.state.read()
	require.NoError(t, err)
	require.Len(t, records.Installs[0].Files[0].Layers, 1)
	d.write("w/AGENTS.md", "# Agents")
	d.put(job)
	d.take(job)
	require.Equal(t, before, d.tree())
}

// A machine that stops at any moment, in or out, leaves what a second run and
// then uninstalling take back to the last byte.
func TestAfterACrash(t *testing.T) {
	for _, out := range []bool{false, true} {
		for step := 1; ; step++ {
			d := newDesk(t, t.TempDir())
			d.write(".claude/settings.json", "{}")
			before := d.tree()
			job := d.job("claude-code", "")
			if out {
				d.put(job)
			}
			dying := faultfs.New(fsys.OS{}, faultfs.Plan{At: step, Kind: faultfs.Torn})
			d.state.Disk = dying
			run := d.state.Put
			if out {
				run = d.state.Take
			}
			_, _ = run(context.Background(), job)
			d.state.Disk = fsys.OS{}
			if step%2 == 0 && !out {
				d.put(job)
			}
			d.take(job)
			after := d.tree()
			for name := range after {
				if strings.HasSuffix(name, ".new") { // of no harm; the next write takes its place
					delete(after, name)
				}
			}
			require.Equal(t, before, after, "step %d", step)
			if !dying.Fired() {
				require.Greater(t, step, 10)
				break
			}
		}
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "25") // each is a home with many files
	}
	os.Exit(m.Run())
}
