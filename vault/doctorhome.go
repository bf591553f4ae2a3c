package vault

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// homeTroubles looks at the person's settings, and at who may change them.
func (h *Home) homeTroubles(fix bool) []Trouble {
	out := []Trouble{}
	path := h.configFile()
	if _, err := h.config(); err != nil {
		t := trouble("config", SeverityError, path, "%s", told(err))
		var bad *configError
		if errors.As(err, &bad) {
			t.Line = bad.line
			t.Message = bad.problem + "; mend it in an editor: until then nothing is read or written"
		}
		t.Scope = UserScope
		out = append(out, t)
	}
	if runtime.GOOS == "windows" {
		return out
	}
	var open []string
	for _, p := range []string{h.dir, path, filepath.Join(h.dir, "projects"), filepath.Join(h.dir, "state")} {
		if fi, err := os.Stat(p); err == nil && fi.Mode().Perm()&0o002 != 0 {
			open = append(open, p)
		}
	}
	if len(open) > 0 {
		d := &doctor{fix: fix}
		d.mend(trouble("permission", SeverityWarning, open[0], "anybody on this machine may change it"),
			"chmod o-w '"+strings.Join(open, "' '")+"'", func() (string, error) { return "", closeToOthers(open) })
		d.found[0].Scope = UserScope
		out = append(out, d.found[0])
	}
	return out
}

func closeToOthers(paths []string) error {
	var failed error
	for _, p := range paths {
		fi, err := os.Stat(p)
		if err == nil {
			err = os.Chmod(p, fi.Mode().Perm()&^0o002)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// withoutConfig is the home with the default settings: what is to be looked at
// is there, whatever they should be.
func (h *Home) withoutConfig() *Home {
	c := Config{Durability: "full", Git: "auto", Sync: syncManual, LockTimeout: 30 * time.Second}
	return &Home{opt: h.opt, dir: h.dir, config: func() (Config, error) { return c, nil }}
}
