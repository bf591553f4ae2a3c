package exporters

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// manifestName is the file by which an export knows its own files again.
const manifestName = ".vault-export.json"

type manifest struct {
	Format string            `json:"format"`
	Files  map[string]string `json:"files"`            // SHA-256 by path
	Before map[string]string `json:"before,omitempty"` // while it is under way, what was there
}

// ErrNotOurs is the error of an export that would overwrite what it did not
// write, or what was changed since.
var ErrNotOurs = errors.New("not written by an export, or changed since")

// SaveFile writes an export's only file, whole or not at all. One that is there
// with other bytes is overwritten only with force.
func SaveFile(name string, data []byte, force bool) error {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	base := filepath.Base(name)
	switch old, err := dir.ReadFile(base); {
	case err == nil && slices.Equal(old, data):
		return nil
	case err == nil && !force:
		return fmt.Errorf("%s is there already: %w", name, ErrNotOurs)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return replace(dir, base, data)
}

// SaveFolder writes an export's files into a folder, which it makes. What an
// earlier export wrote there and nobody changed is replaced, and taken away
// where it is no longer part of it; anything else stays, and where it is in the
// way, nothing is written at all without force.
func SaveFolder(dir, format string, files []File, force bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	before := readManifest(root)
	now := manifest{Format: format, Files: make(map[string]string, len(files))}
	var write []File
	for _, f := range files {
		hash := hashOf(f.Data)
		now.Files[f.Path] = hash
		old, err := root.ReadFile(filepath.FromSlash(f.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			write = append(write, f)
		case err != nil:
			return err
		case hashOf(old) == hash:
		case !force && !before.wrote(f.Path, old):
			return fmt.Errorf("%s is there already: %w", filepath.Join(dir, filepath.FromSlash(f.Path)), ErrNotOurs)
		default:
			write = append(write, f)
		}
	}
	// Both what was and what will be ours, in case this is stopped half-way.
	if err := writeManifest(root, manifest{format, now.Files, before.all()}); err != nil {
		return err
	}
	made := map[string]bool{".": true}
	for _, f := range write {
		if d := path.Dir(f.Path); !made[d] {
			if err := root.MkdirAll(filepath.FromSlash(d), 0o755); err != nil {
				return err
			}
			made[d] = true
		}
		if err := replace(root, filepath.FromSlash(f.Path), f.Data); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(before.all()) {
		local := filepath.FromSlash(name)
		if _, still := now.Files[name]; still || !filepath.IsLocal(local) {
			continue
		}
		if old, err := root.ReadFile(local); err == nil && before.wrote(name, old) {
			if err := root.Remove(local); err != nil {
				return err
			}
		}
	}
	return writeManifest(root, now)
}

// wrote reports whether a file is as an export wrote it.
func (m manifest) wrote(name string, data []byte) bool {
	hash := hashOf(data)
	return hash == m.Files[name] || hash == m.Before[name]
}

// all are the files that an export may have left, with what it left last.
func (m manifest) all() map[string]string {
	out := map[string]string{}
	maps.Copy(out, m.Before)
	maps.Copy(out, m.Files)
	return out
}

// replace writes a file beside its place and then moves it there.
func replace(root *os.Root, name string, data []byte) error {
	temp := name + ".vault-new"
	if err := root.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		_ = root.Remove(temp)
		return err
	}
	return nil
}

// readManifest is what an earlier export wrote down; nothing where there is
// none, or one that can't be read.
func readManifest(root *os.Root) manifest {
	m := manifest{Files: map[string]string{}}
	data, err := root.ReadFile(manifestName)
	if err == nil && json.Unmarshal(data, &m) != nil || m.Files == nil {
		m.Files = map[string]string{}
	}
	return m
}

func writeManifest(root *os.Root, m manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return replace(root, manifestName, append(data, '\n'))
}

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
