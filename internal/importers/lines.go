package importers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// jsonLines calls each for every line of a file that is not blank, with its
// number and without its end. A line that is too long is refused by its number
// and passed over.
func (s *source) jsonLines(f file, each func(n int, line []byte) error) error {
	r, err := f.open()
	if err != nil {
		s.refuse(f.show, "%s", plainError(err))
		return nil
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for n := 1; ; n++ {
		if n%256 == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		var long bool
		line, long, err = readLine(in, line[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			s.refuse(at(f, n), "%s", plainError(err))
			return nil
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if text := bytes.TrimSpace(line); long {
			s.refuse(at(f, n), "the line is longer than %d MiB", maxLine>>20)
		} else if len(text) > 0 {
			if err := each(n, text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// readLine reads up to the next line end into buf. Of a line that is too long
// it keeps nothing.
func readLine(in *bufio.Reader, buf []byte) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			buf = append(buf, part...)
			if len(buf) > maxLine {
				long, buf = true, buf[:0]
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, long, err
		}
	}
}
