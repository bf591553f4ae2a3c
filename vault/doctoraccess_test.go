package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gitvault/internal/fsys"
)

// TestDoctorLooksAtPermissions takes rights away, as a copy from elsewhere or a
// command run as root does: each is named with what mends it, and mended where
// that is the owner's to do. It looks at the bits, so it holds for root, too.
func TestDoctorLooksAtPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its permissions are no bits")
	}
	for _, test := range []struct {
		path string // below the project's scope
		mode os.FileMode
		want string
	}{
		{".", 0o500, "its owner can't read and write it: the folder's permissions are -r-x------"},
		{".git", 0o500, "the folder's permissions are -r-x------"},
		{".git/objects", 0o500, "the folder's permissions"},
		{".git/refs/heads", 0o500, "the folder's permissions"},
		{".git/vault/state", 0o600, "the folder's permissions are -rw-------"},
		{".git/HEAD", 0o000, "its owner can't read it: the file's permissions are ----------"},
		{".git/refs/heads/main", 0o000, "its owner can't read it"},
		{".git/config", 0o000, "its owner can't read it"},
		{".git/index", 0o000, "its owner can't read it"},
		{".git/vault/state/lock", 0o400, "its owner can't read and write it"},
		{"decisions.md", 0o000, "its owner can't read it"},
		{"decisions.md", 0o646, "anybody on this machine may change it"},
		{".git/hooks", 0o777, "anybody on this machine may change it, and 1 more"},
	} {
		t.Run(fmt.Sprintf("%s %v", test.path, test.mode), func(t *testing.T) {
			l := newLab(t)
			someEntries(t, l)
			spoil(t, filepath.Join(l.project(), ".git", "hooks", "post-commit"), "#!/bin/sh\n")
			path := filepath.Join(l.project(), filepath.FromSlash(test.path))
			if strings.HasSuffix(test.path, "hooks") {
				if err := os.Chmod(filepath.Join(path, "post-commit"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(path, test.mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
			found, err := l.open(t).Doctor(ctx, Checkup{})
			if err != nil || len(found) == 0 || found[0].Rule != "permission" || found[0].File != test.path || !strings.Contains(found[0].Message, test.want) || !strings.HasPrefix(found[0].Fix, "chmod ") {
				t.Fatalf("%v %+v", err, found)
			}
			for _, f := range l.fixed(t) {
				if !f.Fixed {
					t.Errorf("not mended: %+v", f)
				}
			}
			if left := l.fixed(t); len(left) > 0 {
				t.Errorf("still: %+v", left)
			}
			l.remember(t, Decision, "", "Written afterwards.")
		})
	}
}

// TestDoctorNamesOwners gives files to somebody else; mending that takes root.
func TestDoctorNamesOwners(t *testing.T) {
	l := newLab(t)
	someEntries(t, l)
	fi, err := os.Stat(l.project())
	if err != nil {
		t.Fatal(err)
	}
	owner := int(fsys.Identify(fi).UID)
	if runtime.GOOS == "windows" {
		t.Skip("its owners have no numbers")
	}
	found, err := l.open(t).Doctor(ctx, Checkup{UID: owner + 1, Scope: UserScope})
	want := fmt.Sprintf("the folder belongs to user %d, and you are user %d: its owner, or root, gives it to you with chown -R %d '%s'", owner, owner+1, owner+1, l.user())
	if err != nil || len(found) != 1 || found[0].Message != want {
		t.Errorf("%v %+v", err, found)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	for _, name := range []string{"decisions.md", ".git/index"} {
		if err := os.Chown(filepath.Join(l.project(), name), owner+1, -1); err != nil {
			t.Fatal(err)
		}
	}
	found, err = l.open(t).Doctor(ctx, Checkup{Fix: true})
	want = fmt.Sprintf("it belongs to another user than the scope's folder, as do 1 more: sudo chown -R %d '%s' gives all to one", owner, l.project())
	if err != nil || len(found) != 1 || found[0].Message != want || found[0].Fixed {
		t.Errorf("%v %+v", err, found)
	}
}

// TestDoctorLooksAtTheHome opens the home to everybody.
func TestDoctorLooksAtTheHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its permissions are no bits")
	}
	l := newLab(t)
	someEntries(t, l)
	for _, name := range []string{"home", "home/config.yaml"} {
		if err := os.Chmod(l.path(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	found := l.fixed(t)
	want := fmt.Sprintf("chmod o-w '%s' '%s'", l.path("home"), l.path("home/config.yaml"))
	if len(found) != 1 || found[0].Fix != want || !found[0].Fixed {
		t.Errorf("%+v", found)
	}
	if left := l.fixed(t); len(left) > 0 {
		t.Errorf("still: %+v", left)
	}
}
