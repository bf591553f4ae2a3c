package vault

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"gitvault/gitstore"
)

// seenRefs hold what was last seen of each remote's branch. Plain git's own
// notes, refs/remotes, follow a rewritten remote without a word; these do not.
const seenRefs = "refs/vault/seen/"

func seenRef(m gitstore.Remote) string { return seenRefs + m.Name + "/" + m.Branch }

// lastSeen is where the remote's branch was when it was last synced or fetched.
func (s *Scope) lastSeen(r *gitstore.Repo, m gitstore.Remote) (gitstore.Hash, error) {
	seen, err := r.Ref(seenRef(m))
	if err != nil || !seen.IsZero() {
		return seen, err
	}
	return r.Ref("refs/remotes/" + m.Name + "/" + m.Branch)
}

// A remoteState is how the last syncs with a remote went.
type remoteState struct {
	Synced time.Time `json:"synced"`
	Tried  time.Time `json:"tried"`
	Error  string    `json:"error,omitempty"` // of the last try
}

func syncStateFile(dir string) string { return filepath.Join(dir, "sync.json") }

// readSyncState reads what is known; a file that can't be read says nothing.
func readSyncState(dir string) map[string]remoteState {
	state := map[string]remoteState{}
	if data, err := os.ReadFile(syncStateFile(dir)); err == nil {
		if json.Unmarshal(data, &state) != nil {
			return map[string]remoteState{}
		}
	}
	return state
}

func writeSyncState(dir string, state map[string]remoteState) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "sync.json.*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), syncStateFile(dir))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// moveRef points a ref beside the scope's branch to a commit; zero removes it.
func moveRef(r *gitstore.Repo, tx *gitstore.Tx, name string, to gitstore.Hash) error {
	now, err := r.Ref(name)
	if err != nil || now == to {
		return err
	}
	return tx.UpdateRef(name, now, to)
}
