package wiring

import (
	"fmt"
	"slices"

	"gitvault/internal/clients"
	"gitvault/internal/fsys"
)

// A Server is how a client starts vault, as its files have it.
type Server struct {
	File    string
	Line    int
	Command []string
	Env     map[string]string
}

// FindServer reads the entry of vault's server out of a client's files. A file
// that lacks it is a Problem; a client that has none for these files is nil.
func FindServer(disk fsys.FS, job Job) (*Server, error) {
	for _, part := range job.Parts {
		if part.Format != clients.JSON && part.Format != clients.TOML {
			continue
		}
		f, err := find(disk, part.File)
		if err != nil {
			return nil, err
		}
		d, err := open(part.File, part.Format, job.Client, f.data)
		if err != nil {
			return nil, err
		}
		var entry any
		s := &Server{File: part.File}
		switch d := d.(type) {
		case *jsonDocument:
			entry, s.Line, _, err = d.Get(d.entry(part)...)
		case *tomlDocument:
			entry, _ = d.Get(part.Path...)
			s.Line = d.Line(part.Path...)
		}
		if err != nil {
			return nil, problem(part.File, err, shape)
		}
		if !isServer(entry) {
			return nil, &Problem{part.File, 0, "vault's server is not in it", fmt.Sprintf("'vault install %s' puts it there again", job.Client), false}
		}
		s.read(entry.(map[string]any))
		return s, nil
	}
	return nil, nil
}

func (s *Server) read(entry map[string]any) {
	switch command := entry["command"].(type) {
	case string:
		s.Command = []string{command}
		list, _ := entry["args"].([]any)
		s.add(list)
	case []any:
		s.add(command)
	}
	s.Env = map[string]string{}
	for _, key := range []string{"env", "environment"} {
		env, _ := entry[key].(map[string]any)
		for name, value := range env {
			if text, ok := value.(string); ok {
				s.Env[name] = text
			}
		}
	}
}

func (s *Server) add(words []any) {
	for _, w := range words {
		if text, ok := w.(string); ok {
			s.Command = append(s.Command, text)
		}
	}
}

// HookPrograms are the programs that vault's hooks run, by file; off names a
// file in which the person switched all hooks off.
func HookPrograms(disk fsys.FS, job Job) (programs map[string][]string, off string) {
	programs = map[string][]string{}
	for _, part := range job.Parts {
		if part.Format != clients.Hooks {
			continue
		}
		f, err := find(disk, part.File)
		if err != nil {
			continue
		}
		d, err := open(part.File, part.Format, job.Client, f.data)
		doc, ok := d.(*jsonDocument)
		if err != nil || !ok {
			continue
		}
		for _, h := range part.Hooks {
			for _, command := range doc.commands(h) {
				if p := h.Program(command, job.Client); p != "" && !slices.Contains(programs[part.File], p) {
					programs[part.File] = append(programs[part.File], p)
				}
			}
		}
		if v, _, _, _ := doc.Get("disableAllHooks"); v == true {
			off = part.File
		}
	}
	return programs, off
}

// Missing lists the parts that are not in their files any more.
func (s State) Missing(job Job) ([]Change, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	job.DryRun = true
	changes, err := s.putting(job, &all)
	var out []Change
	for _, c := range changes {
		if c.Does != Unchanged {
			out = append(out, c)
		}
	}
	return out, err
}
