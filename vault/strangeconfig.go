package vault

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	"gitvault/internal/gitconfig"
)

// harmless are the settings of a repository by which git runs nothing, and
// nothing is taken from elsewhere or made in another name.
var harmless = []string{
	"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
	"core.precomposeunicode", "core.symlinks", "core.autocrlf", "gc.", "branch.", "pack.",
}

// runs lists the settings and hooks of a scope's own repository by which git
// could be made to run somebody else's programs, to talk to somewhere, or to take
// somebody else for the person.
func (s *Scope) runs() []string {
	git := filepath.Join(s.dir, ".git")
	cfg, err := gitconfig.Load(gitconfig.Options{GitDir: git, CommonDir: git})
	if err != nil {
		return []string{"its configuration can't be read: " + told(err)}
	}
	var out []string
	for _, e := range cfg.Entries() {
		if e.Scope != gitconfig.Local && e.Scope != gitconfig.Worktree || isHarmless(e) {
			continue
		}
		out = append(out, e.Key+" = "+e.Value)
	}
	hooks, _ := os.ReadDir(filepath.Join(git, "hooks")) // none is the usual case
	for _, h := range hooks {
		if !strings.HasSuffix(h.Name(), ".sample") {
			out = append(out, "hook "+h.Name())
		}
	}
	sort.Strings(out)
	return out
}

func isHarmless(e gitconfig.Entry) bool {
	for _, key := range harmless {
		if e.Key == key || strings.HasSuffix(key, ".") && strings.HasPrefix(e.Key, key) {
			return true
		}
	}
	if strings.HasPrefix(e.Key, "remote.") && strings.HasSuffix(e.Key, ".fetch") {
		return true // which names go where; the remote's url is listed
	}
	return e.Key == "merge.vault.name" || e.Key == "merge.vault.driver" && e.Value == "vault merge-file %O %A %B %L %P"
}
