package gate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// stream is one request of an HTTP/2 connection in the form of a connection of HTTP/1.1: fasthttp
// reads the request from it and writes the response to it. It is read and written by one goroutine.
type stream struct {
	parent *Conn
	gone   context.Context // ends when the client gives up

	head   []byte // of the request, not read yet
	body   io.Reader
	size   int64  // of the request's body; negative: unknown
	chunks []byte // framed part of a body of unknown size that is not read yet
	ended  bool   // the last chunk was framed

	w        http.ResponseWriter
	bodiless bool   // the response has no body, whatever its head says
	answer   []byte // head of the response, while it is incomplete
	started  bool   // the head is written
	left     int64  // bytes of the response's body that are still to come
	parts    *dechunker
	sent     atomic.Int64 // bytes of the body that the client has allowed and the network has taken

	mu      sync.Mutex // guards control, which must not be used after the handler
	control *http.ResponseController
	over    bool

	cut atomic.Bool // the gate has given it up
}

const (
	chunkSize  = 16 << 10
	chunkFrame = 16      // bytes of its frame at most
	maxAnswer  = 1 << 20 // bytes of a response's head; the program's own are smaller
)

var errAnswer = errors.New("gate: the response cannot be translated")

func (s *stream) Read(p []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	if s.size >= 0 {
		return s.body.Read(p)
	}
	if len(s.chunks) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		if err := s.chunk(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.chunks)
	s.chunks = s.chunks[:copy(s.chunks, s.chunks[n:])]
	return n, nil
}

// chunk frames the next part of a body of unknown size.
func (s *stream) chunk() error {
	var part [chunkSize]byte
	n, err := s.body.Read(part[:])
	if n > 0 {
		s.chunks = appendInt(s.chunks, int64(n), 16)
		s.chunks = append(append(append(s.chunks, "\r\n"...), part[:n]...), "\r\n"...)
	}
	if errors.Is(err, io.EOF) {
		s.ended = true
		s.chunks = append(s.chunks, "0\r\n\r\n"...)
		return nil
	}
	return err
}

func appendInt(to []byte, n int64, base int) []byte { return strconv.AppendInt(to, n, base) }

// Write translates the response that fasthttp writes.
func (s *stream) Write(p []byte) (int, error) {
	n := len(p)
	if !s.started {
		var err error
		if p, err = s.start(p); err != nil {
			return 0, err
		}
	}
	if err := s.write(p); err != nil {
		return 0, err
	}
	return n, nil
}

var headEnd = []byte("\r\n\r\n")

// start collects the head, writes it when it is complete, and returns what follows it.
func (s *stream) start(p []byte) (rest []byte, err error) {
	if len(s.answer) > 0 {
		s.answer = append(s.answer, p...)
		p = s.answer
	}
	end := bytes.Index(p, headEnd)
	if end < 0 {
		if len(s.answer) == 0 {
			s.answer = append(s.answer, p...)
		}
		if len(s.answer) > maxAnswer {
			return nil, errAnswer
		}
		return nil, nil
	}
	s.started = true
	return p[end+len(headEnd):], s.translate(p[:end+2])
}

// translate writes the head of the response.
func (s *stream) translate(head []byte) error {
	line, fields, _ := bytes.Cut(head, headEnd[:2])
	if len(line) < len("HTTP/1.1 200") {
		return errAnswer
	}
	status, err := strconv.Atoi(string(line[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	if err != nil || status < http.StatusOK {
		return errAnswer
	}
	h := s.w.Header()
	h["Content-Type"] = nil // none unless the handler sets it
	for len(fields) > 0 {
		var field []byte
		field, fields, _ = bytes.Cut(fields, headEnd[:2])
		colon := bytes.IndexByte(field, ':')
		if colon < 0 {
			return errAnswer
		}
		name, value := string(field[:colon]), string(bytes.TrimLeft(field[colon+1:], " "))
		switch name {
		case "Transfer-Encoding":
			s.parts = &dechunker{}
			continue
		case "Content-Length":
			if s.left, err = strconv.ParseInt(value, 10, 64); err != nil {
				return errAnswer
			}
		case "Connection":
			continue
		}
		h[name] = append(h[name], value)
	}
	if s.bodiless = s.bodiless || status == http.StatusNoContent || status == http.StatusNotModified; s.bodiless {
		s.left, s.parts = 0, nil
	}
	s.w.WriteHeader(status)
	return nil
}

// write writes a part of the body.
func (s *stream) write(p []byte) error {
	if s.bodiless {
		return nil
	}
	if s.parts != nil {
		return s.parts.write(p, s.pass)
	}
	s.left -= int64(len(p))
	return s.pass(p)
}

// pass writes the bytes of a body in pieces, so that the sweep sees a slow client make progress.
func (s *stream) pass(p []byte) error {
	for len(p) > 0 {
		n, err := s.w.Write(p[:min(len(p), frameSize)])
		s.sent.Add(int64(n))
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// finish ends the use of the request and reports whether the response is complete.
func (s *stream) finish() bool {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	return !s.cut.Load() && s.started && s.left == 0 && (s.parts == nil || s.parts.done())
}

// SetReadDeadline ends a read in progress if the deadline has passed.
func (s *stream) SetReadDeadline(t time.Time) error {
	return s.deadline(func() error { return s.control.SetReadDeadline(t) })
}

// SetWriteDeadline resets the stream if the deadline has passed.
func (s *stream) SetWriteDeadline(t time.Time) error {
	return s.deadline(func() error { return s.control.SetWriteDeadline(t) })
}

// SetDeadline sets both.
func (s *stream) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

func (s *stream) deadline(set func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	return set()
}

func (*stream) Close() error           { return nil } // ends with its handler
func (s *stream) LocalAddr() net.Addr  { return s.parent.LocalAddr() }
func (s *stream) RemoteAddr() net.Addr { return s.parent.RemoteAddr() }
