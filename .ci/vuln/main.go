// Command vuln judges what govulncheck -format json found, read from standard
// input: it fails on vulnerable code that our modules bring and we call, and
// only prints what a newer Go release mends.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

type message struct {
	OSV *struct {
		ID      string
		Summary string
	}
	Finding *finding
}

// finding is one vulnerability at one depth: its trace names only a module when
// that is required, a package too when that is imported, a function when called.
type finding struct {
	OSV          string
	FixedVersion string `json:"fixed_version"`
	Trace        []struct{ Module, Version, Package, Function string }
}

func (f finding) called() bool { return f.Trace[0].Function != "" }
func (f finding) ofGo() bool {
	return f.Trace[0].Module == "stdlib" || f.Trace[0].Module == "toolchain"
}

func main() {
	bad, err := judge(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vuln:", err)
		os.Exit(2)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

func judge(in io.Reader, out io.Writer) (bad int, err error) {
	summary := map[string]string{}
	worst := map[string]finding{}
	for d := json.NewDecoder(in); ; {
		var m message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, fmt.Errorf("govulncheck's answer: %w", err)
		}
		if m.OSV != nil {
			summary[m.OSV.ID] = m.OSV.Summary
		}
		if f := m.Finding; f != nil && len(f.Trace) > 0 {
			if old, ok := worst[f.OSV]; !ok || f.called() && !old.called() {
				worst[f.OSV] = *f
			}
		}
	}
	ids := make([]string, 0, len(worst))
	for id := range worst {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	uncalled := 0
	for _, id := range ids {
		f := worst[id]
		t := f.Trace[0]
		switch {
		case !f.called():
			uncalled++
			continue
		case f.ofGo():
			fmt.Fprintf(out, "note: %s in Go %s, mended in %s: %s\n", id, t.Version, orNone(f.FixedVersion), summary[id])
		default:
			bad++
			fmt.Fprintf(out, "FAIL: %s in %s %s (%s.%s), mended in %s: %s\n", id, t.Module, t.Version, t.Package, t.Function, orNone(f.FixedVersion), summary[id])
		}
	}
	fmt.Fprintf(out, "%d vulnerabilities in what our modules bring; %d more in code that is not called\n", bad, uncalled)
	return bad, nil
}

func orNone(version string) string {
	if version == "" {
		return "no version yet"
	}
	return version
}
