package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds one message, in bytes.
const maxLine = 16 << 20

// noBatches is the first protocol version without batches.
const noBatches = "2025-06-18"

// sift passes the lines on that are messages, and answers the others.
func sift(in io.Reader, messages *io.PipeWriter, answers io.Writer) {
	r := bufio.NewReaderSize(in, 64<<10)
	version := ""
	for {
		line, tooLong, err := readLine(r)
		if line = bytes.TrimSpace(line); tooLong {
			refuse(answers, jsonrpc.CodeInvalidRequest, "the message is over 16 MiB")
		} else if len(line) > 0 {
			code, reason := int64(0), ""
			if code, reason = wrong(line, version); code == 0 {
				version = asked(line, version)
				if _, err := messages.Write(append(line, '\n')); err != nil {
					return
				}
			} else {
				refuse(answers, code, reason)
			}
		}
		if err != nil {
			messages.CloseWithError(err)
			return
		}
	}
}

// readLine reads one line; of one that is too long it keeps nothing.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			line, tooLong = nil, true
		} else if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// wrong says what is wrong with a line; 0 if nothing is.
func wrong(line []byte, version string) (int64, string) {
	if !json.Valid(line) {
		return jsonrpc.CodeParseError, "the line is not JSON"
	}
	list := []json.RawMessage{line}
	if line[0] == '[' {
		if version >= noBatches {
			return jsonrpc.CodeInvalidRequest, "batches are not part of protocol version " + version
		}
		list = nil // or its first element would be decoded in place, over the line
		if json.Unmarshal(line, &list) != nil || len(list) == 0 {
			return jsonrpc.CodeInvalidRequest, "the batch is empty"
		}
	}
	for _, m := range list {
		if _, err := jsonrpc.DecodeMessage(m); err != nil {
			return jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message"
		}
	}
	return 0, ""
}

// asked is the protocol version that a client has asked for so far.
func asked(line []byte, version string) string {
	if !bytes.Contains(line, []byte(`"initialize"`)) {
		return version
	}
	var m struct {
		Method string `json:"method"`
		Params struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &m) == nil && m.Method == "initialize" {
		return m.Params.ProtocolVersion
	}
	return version
}

func refuse(w io.Writer, code int64, reason string) {
	data, err := encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": reason}})
	if err == nil {
		_, _ = w.Write(append(data, '\n'))
	}
}

// cancelled is the request that a notification takes back.
func cancelled(r *jsonrpc.Request) jsonrpc.ID {
	var p struct {
		RequestID any `json:"requestId"`
	}
	_ = json.Unmarshal(r.Params, &p)
	id, _ := jsonrpc.MakeID(p.RequestID)
	return id
}
