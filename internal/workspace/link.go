package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// maxKey bounds a key, in bytes.
const maxKey = 1024

// Link binds a folder to a project: its whole repository, with all worktrees,
// or the plain folder with all below it. With key "" a repository is bound to
// what its remote or root commit says now, and a plain folder to itself.
func Link(dir, key string, o Options) (Identity, error) {
	if err := checkKey(key); err != nil {
		return Identity{}, err
	}
	path, git, natural, err := o.linkTarget(dir)
	if err != nil {
		return Identity{}, err
	}
	if key == "" {
		key = natural
	}
	line, err := json.Marshal(bindingLine{Path: statePath(path), Binding: Binding{Key: key, Git: git}})
	if err != nil {
		return Identity{}, err
	}
	err = o.changeBindings(func(b *bindings) ([]string, error) {
		return append(b.without(path, git), string(line)), nil
	})
	if err != nil {
		return Identity{}, err
	}
	return Find(dir, o)
}

// HoldsEverything reports whether a folder is one that is no project unless a
// person links it on purpose: their home folder, or the root of a file system.
func HoldsEverything(dir string, o Options) bool {
	dir, err := realDir(dir)
	return err == nil && o.isNobodys(dir)
}

// Unlink takes back the binding that serves a folder, and gives it. Nothing
// that was remembered is lost by it.
func Unlink(dir string, o Options) (Binding, error) {
	dir, err := realDir(dir)
	if err != nil {
		return Binding{}, err
	}
	var taken Binding
	err = o.changeBindings(func(b *bindings) ([]string, error) {
		found := false
		if repo, err := discoverWorkspace(dir); err == nil && repo != nil {
			taken, found = b.find(repo.CommonDir, true)
		}
		if !found {
			taken, found = b.above(dir)
		}
		if !found {
			return nil, fmt.Errorf("%s is not linked", oneLine(dir))
		}
		return b.without(taken.Path, taken.Git), nil
	})
	return taken, err
}

// linkTarget is what a link in dir binds, and the key it has by nature.
func (o Options) linkTarget(dir string) (path string, git bool, natural string, err error) {
	dir, err = realDir(dir)
	if err != nil {
		return "", false, "", err
	}
	if o.isOwn(dir) {
		return "", false, "", fmt.Errorf("%s belongs to vault itself and cannot be linked", oneLine(dir))
	}
	repo, err := discoverWorkspace(dir)
	var broken *brokenError
	if err != nil && !errors.As(err, &broken) {
		return "", false, "", err
	}
	if repo != nil {
		cfg, err := o.config(repo)
		if err != nil {
			return "", false, "", err
		}
		repo.settle(cfg)
		if !o.isNobodys(rootOrMain(repo)) || samePath(dir, repo.Root) {
			natural, _ := o.remoteOf(repo, cfg, nil)
			if natural.Key == "" {
				rec, _ := o.readRecord(repo.CommonDir)
				natural, _ = o.withoutRemote(repo, rec)
			}
			return repo.CommonDir, true, natural.Key, nil
		}
	}
	return dir, false, pathKey(dir), nil
}

func checkKey(key string) error {
	switch {
	case len(key) > maxKey:
		return fmt.Errorf("the project's name is longer than 1 KiB")
	case strings.ContainsFunc(key, unicode.IsControl) || strings.TrimSpace(key) != key:
		return fmt.Errorf("%q is no project's name: it holds control characters or blanks at its ends", key)
	}
	return nil
}
