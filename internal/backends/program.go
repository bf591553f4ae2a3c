package backends

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

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
	name := p.config.Command[0]
	c, err := p.world.start(ctx, p.config.Command)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_, _ = c.stdin.Write(in)
		_ = c.stdin.Close()
	}()
	var answer struct {
		Hits []found `json:"hits"`
	}
	failed := json.NewDecoder(io.LimitReader(c.stdout, maxAnswer)).Decode(&answer)
	ended := c.end()
	switch {
	case failed != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case ended != nil:
		return nil, c.said(fmt.Errorf("%s: %w", name, ended))
	case failed != nil:
		return nil, c.said(fmt.Errorf("%s answered no JSON: %w", name, failed))
	}
	return p.world.hits(ctx, p.config.Name, answer.Hits[:min(len(answer.Hits), limitOf(q))], q)
}
