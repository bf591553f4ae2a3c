package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const in = `
{"config":{"db":"file:///db"}}
{"osv":{"id":"GO-1","summary":"ours"}}
{"osv":{"id":"GO-2","summary":"Go's own"}}
{"osv":{"id":"GO-3","summary":"not called"}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.org/m","version":"v1.0.0"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.org/m","version":"v1.0.0","package":"example.org/m/p","function":"F"},{"module":"gitvault"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.1.0","trace":[{"module":"example.org/m","version":"v1.0.0","package":"example.org/m/p"}]}}
{"finding":{"osv":"GO-2","fixed_version":"v1.26.9","trace":[{"module":"stdlib","version":"v1.26.8","package":"net/http","function":"Get"}]}}
{"finding":{"osv":"GO-3","trace":[{"module":"example.org/n","version":"v0.1.0","package":"example.org/n"}]}}`
	var out bytes.Buffer
	bad, err := judge(strings.NewReader(in), &out)
	if err != nil || bad != 1 {
		t.Fatalf("judge: %d, %v, want 1 that fails\n%s", bad, err, &out)
	}
	for _, want := range []string{
		"FAIL: GO-1 in example.org/m v1.0.0 (example.org/m/p.F), mended in v1.1.0: ours\n",
		"note: GO-2 in Go v1.26.8, mended in v1.26.9: Go's own\n",
		"1 vulnerabilities in what our modules bring; 1 more in code that is not called\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q in\n%s", want, &out)
		}
	}
	if _, err := judge(strings.NewReader(`{"finding"`), &out); err == nil {
		t.Error("an answer cut short passed")
	}
}
