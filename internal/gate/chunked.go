package gate

import (
	"bytes"
	"strconv"
)

// dechunker takes the chunks that fasthttp frames a body of unknown length into apart again: a
// hexadecimal size, the bytes, and after the last chunk, of size 0, an empty line.
type dechunker struct {
	line  []byte // incomplete line of a size
	left  int64  // bytes of the chunk that are still to come
	state chunkState
}

type chunkState int

const (
	atSize chunkState = iota
	inChunk
	afterChunk // before the line end that follows a chunk
	atEnd      // after the last chunk
	ended
)

func (d *dechunker) done() bool { return d.state == ended }

// write passes on the bytes of the chunks.
func (d *dechunker) write(p []byte, pass func([]byte) error) error {
	for len(p) > 0 {
		if d.state == inChunk {
			n := min(int64(len(p)), d.left)
			if err := pass(p[:n]); err != nil {
				return err
			}
			p = p[n:]
			if d.left -= n; d.left == 0 {
				d.state = afterChunk
			}
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			if d.line = append(d.line, p...); len(d.line) > chunkFrame {
				return errAnswer
			}
			return nil
		}
		line := bytes.TrimSuffix(append(d.line, p[:end]...), []byte("\r"))
		d.line, p = d.line[:0], p[end+1:]
		if err := d.read(line); err != nil {
			return err
		}
	}
	return nil
}

// read reads a line between chunks.
func (d *dechunker) read(line []byte) error {
	switch {
	case d.state == atSize:
		size, err := strconv.ParseInt(string(line), 16, 64)
		if err != nil || size < 0 {
			return errAnswer
		}
		if d.left, d.state = size, inChunk; size == 0 {
			d.state = atEnd
		}
	case len(line) > 0 || d.state == ended:
		return errAnswer
	case d.state == afterChunk:
		d.state = atSize
	case d.state == atEnd:
		d.state = ended
	}
	return nil
}
