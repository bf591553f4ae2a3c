package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gitvault/gitstore"
	"gitvault/internal/entryfile"
	"gitvault/internal/workspace"
)

// A Stranger is a vault that came with somebody else's repository, and what is
// in it: what a person looks at before they trust it.
type Stranger struct {
	Scope   string         `json:"scope"`
	Path    string         `json:"path"`
	Trusted bool           `json:"trusted"`
	Tracked bool           `json:"tracked"`        // the code's repository holds its files: who can push there can change them
	Commits int            `json:"commits"`        // 0 where it is no repository of its own
	Authors map[string]int `json:"authors"`        // commits by name and address
	Entries []Entry        `json:"entries"`        // whole, as they would be offered
	Pending int            `json:"pending"`        // changes of agents that came with it
	Secrets int            `json:"secrets"`        // entries that hold what looks like a secret
	Runs    []string       `json:"runs,omitempty"` // settings and hooks of its repository by which git could run programs

	digest string // of all of it
	scope  *Scope
}

// untrustedFile marks a repository of the home that was cloned and that nobody
// has looked at yet.
const untrustedFile = "untrusted"

func (s *Scope) untrustedMark() string {
	return filepath.Join(s.dir, ".git", "vault", "state", untrustedFile)
}

// IsTrusted reports whether what is in the scope may be offered. Only a scope
// that was cloned, and that no person has looked at since, is not.
func (s *Scope) IsTrusted() bool {
	_, err := os.Lstat(s.untrustedMark())
	return err != nil
}

// maySee reports whether whoever acts gets to see a scope: an agent does not
// before a person trusts it.
func (h *Home) maySee(s *Scope) bool { return !h.opt.Writer.IsAgent() || s.IsTrusted() }

// Distrust marks a scope that was cloned: nothing of it is offered until a
// person trusts it.
func (s *Scope) Distrust() error { return s.fail(distrust(filepath.Dir(s.untrustedMark()))) }

// distrust leaves the mark in a repository's state folder.
func distrust(state string) error {
	if err := os.MkdirAll(state, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(state, untrustedFile))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Stranger tells what is in the vault that serves the folder, or would if it
// were trusted: the one in the workspace, or the cloned scope. There being
// none is a NotFound error.
func (h *Home) Stranger(ctx context.Context, scope string) (Stranger, error) {
	if err := h.personOnly("trusting a vault"); err != nil {
		return Stranger{}, err
	}
	s, err := h.strangeScope(scope)
	if err != nil {
		return Stranger{}, err
	}
	out := Stranger{Scope: s.name, Path: s.dir, Trusted: s.IsTrusted(), Authors: map[string]int{}, Entries: []Entry{}, scope: s}
	if s.workspace != nil && s.workspace.Here == s.dir {
		out.Trusted = s.workspace.HereTrusted
		out.Tracked = workspace.TracksHere(*s.workspace)
	}
	t, err := s.looked(ctx, &out)
	if err != nil {
		return out, err
	}
	list, err := t.entries(ctx)
	if err != nil {
		return out, s.fail(err)
	}
	for _, l := range list {
		out.Entries = append(out.Entries, present(s.name, l))
		if hasSecret(l.Entry) {
			out.Secrets++
		}
	}
	out.Pending = len(t.cardPaths())
	if s.Exists() {
		out.Runs = s.runs()
	}
	out.digest, err = t.digest(out.Runs)
	return out, s.fail(err)
}

// strangeScope is the scope that trust is about.
func (h *Home) strangeScope(name string) (*Scope, error) {
	if name != "" && name != ProjectScope {
		return h.Scope(name)
	}
	id, err := h.Workspace()
	if id.Here != "" && (err == nil || CodeOf(err) == NotFound) {
		return h.hereScope(id), nil
	}
	if list := h.distrusted(); name == "" && len(list) > 0 {
		return list[len(list)-1], nil
	}
	if err != nil {
		return nil, err
	}
	s, err := h.project()
	if err == nil && !s.Exists() {
		err = notFound("a vault in the workspace is a folder .vault there", "no vault came with %s", id.Root)
	}
	return s, err
}

// looked reads a scope that may be trusted or not, or that is no repository.
func (s *Scope) looked(ctx context.Context, out *Stranger) (*tree, error) {
	if !s.Exists() {
		return s.plainTree()
	}
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	r, err := gitstore.Open(s.dir, o)
	if err != nil {
		return nil, s.fail(err)
	}
	defer r.Close()
	head, err := r.Head()
	if err != nil {
		return nil, s.fail(err)
	}
	for c, err := range r.Log(ctx, head) {
		if err != nil {
			return nil, s.fail(err)
		}
		out.Commits++
		out.Authors[c.Author.Name+" <"+c.Author.Email+">"]++
	}
	v, err := r.View(ctx)
	if err != nil {
		return nil, s.fail(err)
	}
	t, _, err := s.treeOf(ctx, r, v)
	if err != nil {
		return nil, err
	}
	for _, f := range t.files { // before the repository is closed
		if _, err := f.bytes(); err != nil {
			return nil, s.fail(err)
		}
	}
	return t, nil
}

// maxStrangeFiles bounds the files that are read of a folder that is no repository.
const maxStrangeFiles = 20_000

// plainTree reads the vault's files of a folder that is no repository.
func (s *Scope) plainTree() (*tree, error) {
	t := &tree{files: map[string]*file{}, blocked: map[string]string{}}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, s.fail(err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if _, ok := entryfile.KindOf(name); !ok && !entryfile.IsCard(name) && name != manifestFile {
			return nil
		}
		if len(t.files) == maxStrangeFiles {
			return errors.New("it holds too many files")
		}
		data, err := fs.ReadFile(root.FS(), name)
		if err == nil {
			t.files[name] = textFile(name, data)
		}
		return err
	})
	return t, s.fail(err)
}

// digest stands for all that a tree holds.
func (t *tree) digest(more []string) (string, error) {
	h := sha256.New()
	h.Write([]byte(strings.Join(more, "\n") + "\n"))
	for _, p := range sortedKeys(t.files) {
		hash, err := t.files[p].contentHash()
		if err != nil {
			return "", err
		}
		h.Write([]byte(p + "\x00" + hash + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Trust lets a vault be offered from now on. What is in it must still be what
// the person was shown.
func (h *Home) Trust(ctx context.Context, shown Stranger) error {
	name := shown.Scope
	if shown.scope.workspace != nil && shown.scope.workspace.Here == shown.Path {
		name = ProjectScope
	}
	now, err := h.Stranger(ctx, name)
	if err != nil {
		return err
	}
	if now.Path != shown.Path || now.digest != shown.digest {
		return conflict("look at it again", "what is in %s has changed since it was shown", shown.Path)
	}
	s := now.scope
	if s.workspace == nil || s.workspace.Here != s.dir {
		if err := os.Remove(s.untrustedMark()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return s.fail(err)
		}
		return nil
	}
	return h.trustHere(ctx, s)
}

// trustHere trusts the vault in the workspace. One that came as plain files
// becomes a repository of its own.
func (h *Home) trustHere(ctx context.Context, s *Scope) error {
	if err := s.forgetTheirs(); err != nil {
		return err
	}
	if err := workspace.Trust(s.dir, true, h.workspaceOptions()); err != nil {
		return workspaceError(err)
	}
	h.forgetWorkspace()
	if err := workspace.HideHere(*s.workspace, h.workspaceOptions()); err != nil {
		return workspaceError(err)
	}
	if s.Exists() {
		_, err := s.readAll(ctx) // what is there now has been seen, and what comes later not
		return err
	}
	for _, step := range []func(*txn) error{(*txn).init, (*txn).reindex} { // the second adopts what stands there
		if err := s.write(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// forgetTheirs removes what a vault's repository brought along of what each
// machine keeps for itself, and which would be believed: what is known of the
// files, what was looked at, a purge that is under way.
func (s *Scope) forgetTheirs() error {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return s.fail(err)
	}
	defer root.Close()
	for _, name := range []string{"cache", "state/unseen.json", "state/" + intentFile} {
		if err := root.RemoveAll(".git/vault/" + name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return s.fail(err)
		}
	}
	return nil
}

// init makes a scope that is not there yet.
func (t *txn) init() error {
	if t.tx != nil {
		return nil
	}
	_, err := t.commit(message{op: "init", title: t.scope.name, source: t.scope.home.opt.Writer.source()}, nil)
	return err
}

// Revoke takes trust back: nothing of the vault is offered any more.
func (h *Home) Revoke(_ context.Context, scope string) (string, error) {
	if err := h.personOnly("taking trust back"); err != nil {
		return "", err
	}
	s, err := h.strangeScope(scope)
	if err != nil {
		return "", err
	}
	if s.workspace == nil || s.workspace.Here != s.dir {
		return s.dir, s.Distrust()
	}
	err = workspace.Trust(s.dir, false, h.workspaceOptions())
	h.forgetWorkspace()
	return s.dir, workspaceError(err)
}

// InitHere makes the folder's project a vault of its own in its workspace,
// hidden from the code's git, and trusts it.
func (h *Home) InitHere(ctx context.Context) (*Scope, bool, error) {
	if err := h.personOnly("keeping a vault in the workspace"); err != nil {
		return nil, false, err
	}
	id, err := h.Workspace()
	switch {
	case err != nil && CodeOf(err) != NotFound:
		return nil, false, err
	case id.HereTrusted:
		return h.hereScope(id), false, nil
	case id.Here != "":
		return nil, false, refused("'vault trust' shows what is in it", "a vault that nobody trusts yet is in %s", id.Here)
	case id.FoundBy == workspace.ByLink:
		return nil, false, invalid("the link goes first", "this folder is linked to %s", id.Key)
	case workspace.HoldsEverything(h.opt.Dir, h.workspaceOptions()):
		return nil, false, refused("go to a project's folder", "%s holds everything you have and is no project", h.opt.Dir)
	}
	if err == nil {
		if s, err := h.project(); err == nil && s.Exists() {
			return nil, false, conflict("'vault export' and 'vault import' carry it over", "this project's memory is in %s already", s.dir)
		}
	}
	dir := workspace.HereDir(id)
	if _, err := os.Lstat(dir); err == nil {
		return nil, false, conflict("move it away", "%s is there and is no vault", dir)
	}
	s := h.newScope(orDefault(id.Key, strings.TrimSuffix(filepath.ToSlash(filepath.Dir(dir)), "/")), dir)
	if err := s.write(ctx, (*txn).init); err != nil {
		return nil, false, err
	}
	h.forgetWorkspace()
	if err := workspace.Trust(dir, true, h.workspaceOptions()); err != nil {
		return nil, false, workspaceError(err)
	}
	h.forgetWorkspace()
	if err := workspace.HideHere(id, h.workspaceOptions()); err != nil {
		return nil, false, workspaceError(err)
	}
	s, err = h.project()
	return s, true, err
}

// distrusted lists the folder's scopes that nobody trusts yet.
func (h *Home) distrusted() []*Scope {
	var out []*Scope
	all := []*Scope{h.userScope()}
	if s, err := h.project(); err == nil {
		all = append(all, s)
	}
	if shared, err := h.sharedScopes(); err == nil {
		all = append(all, shared...)
	}
	for _, s := range all {
		if s.Exists() && !s.IsTrusted() {
			out = append(out, s)
		}
	}
	return out
}
