package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"gitvault/internal/recall"
)

// program is a backend that is run for each query: it reads one JSON document
// on standard input and writes one on standard output.
type program struct {
	config Config
	world  World
}

// A Question is what a program reads.
type Question struct {
	Query string   `json:"query"`
	Kinds []string `json:"kinds,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Limit int      `json:"limit"`
}

// maxAnswer bounds what is read of a backend's answer, in bytes.
const maxAnswer = 4 << 20

func (p program) Recall(ctx context.Context, q recall.Query) ([]recall.Hit, error) {
	ask := Question{Query: q.Text, Tags: q.Tags, Limit: limitOf(q)}
	for _, k := range q.Kinds {
		ask.Kinds = append(ask.Kinds, string(k))
	}
	in, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, p.config.Command[0], p.config.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), limited(&out), limited(&errs)
	cmd.Env, cmd.Dir = p.world.Environ, p.world.Dir
	cmd.WaitDelay = DefaultTimeout / 10
	if err := cmd.Run(); err != nil {
		if said := strings.Join(strings.Fields(errs.String()), " "); said != "" {
			return nil, fmt.Errorf("%s: %w: %.200s", p.config.Command[0], err, said)
		}
		return nil, fmt.Errorf("%s: %w", p.config.Command[0], err)
	}
	var answer struct {
		Hits []found `json:"hits"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("%s answered no JSON: %w", p.config.Command[0], err)
	}
	return p.world.hits(ctx, p.config.Name, answer.Hits[:min(len(answer.Hits), limitOf(q))], q)
}

// limited takes as much as an answer may have, and drops the rest.
func limited(b *bytes.Buffer) io.Writer { return &limiter{b} }

type limiter struct{ b *bytes.Buffer }

func (l *limiter) Write(p []byte) (int, error) {
	if room := maxAnswer - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
