package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// trustFile has a line for each vault inside a workspace that a person trusts.
// A line that cannot be read is kept, and trusts nothing.
func (o Options) trustFile() string { return filepath.Join(o.Home, "state", "trust") }

type trustLine struct {
	Path  statePath `json:"path"`
	Stamp string    `json:"stamp,omitempty"` // tells this folder from a later one at the same path
}

// IsTrusted reports whether a person trusts the vault in a folder, given by
// its absolute path. Another folder at the same path is not trusted for it.
func IsTrusted(vault string, o Options) bool {
	lines, err := o.readTrust()
	if err != nil {
		return false
	}
	for _, text := range lines {
		if line, ok := trustOf(text); ok && samePath(string(line.Path), vault) {
			now := stamp(vault)
			return now == line.Stamp
		}
	}
	return false
}

// Trust notes durably that a person trusts the vault in a folder, or no longer
// does.
func Trust(vault string, trusted bool, o Options) error {
	if o.Home == "" {
		return errors.New("no home folder is given to keep trust in")
	}
	unlock, err := o.lockState()
	if err != nil {
		return err
	}
	defer unlock()
	lines, err := o.readTrust()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, text := range lines {
		if line, ok := trustOf(text); !ok || !samePath(string(line.Path), vault) {
			out.WriteString(text + "\n")
		}
	}
	if trusted {
		text, err := json.Marshal(trustLine{Path: statePath(vault), Stamp: stamp(vault)})
		if err != nil {
			return err
		}
		out.Write(append(text, '\n'))
	}
	return o.writeFile(o.trustFile(), out.Bytes())
}

func (o Options) readTrust() ([]string, error) {
	if o.Home == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.trustFile())
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read which vaults are trusted: %w", err)
	}
	var lines []string
	for text := range strings.Lines(string(data)) {
		if text = strings.TrimRight(text, "\r\n"); strings.TrimSpace(text) != "" {
			lines = append(lines, text)
		}
	}
	return lines, nil
}

func trustOf(text string) (trustLine, bool) {
	var line trustLine
	err := json.Unmarshal([]byte(text), &line)
	return line, err == nil && filepath.IsAbs(string(line.Path))
}

// HereDir is where the vault of an identity's workspace is or would be: in the
// main worktree, which all share.
func HereDir(id Identity) string {
	if id.Here != "" {
		return id.Here
	}
	root := id.Root
	if id.repo != nil {
		root = rootOrMain(id.repo)
	}
	return filepath.Join(root, hereName)
}

// HideHere has the code's git pass the workspace's vault over, by its exclude
// file, which is no part of the repository. It does nothing outside of one.
func HideHere(id Identity, o Options) error {
	if id.repo == nil {
		return nil
	}
	const line = "/" + hereName + "/"
	file := filepath.Join(id.repo.CommonDir, "info", "exclude")
	data, err := os.ReadFile(file)
	if err != nil && !missing(err) {
		return fmt.Errorf("cannot hide the vault from git: %w", err)
	}
	for have := range strings.Lines(string(data)) {
		if strings.TrimSpace(have) == line {
			return nil
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return o.writeFile(file, append(data, line+"\n"...))
}

// TracksHere reports whether the code's repository itself holds the files of
// the vault in its workspace, so that who can push there can change them.
func TracksHere(id Identity) bool {
	if id.repo == nil {
		return false
	}
	index, err := os.ReadFile(filepath.Join(id.repo.GitDir, "index"))
	return err == nil && bytes.Contains(index, []byte(hereName+"/"))
}
