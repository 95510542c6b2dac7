package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// spoolHead is how much of a long response is written before it begins. A shorter response has a
// Content-Length, and can be refused as a whole.
const spoolHead = 64 << 10

// spooled is a long response in an unlinked temporary file, which is read while it is written: neither
// the writer nor the reader waits for the slower of both, and memory stays small.
type spooled struct {
	file  *os.File
	stop  context.CancelFunc // ends the writer
	limit int64
	large error // returned to the writer beyond limit bytes

	failed func(error) // hears of what cuts the response off

	mu      sync.Mutex
	changed sync.Cond // written or ended
	written int64
	ended   bool
	err     error // of the writer, once it has ended
	read    int64
}

// spool runs write, which gets a context that outlives ctx and ends when the response is closed. It returns
// once the response can begin, with its length, or -1 if that is not known yet. failed hears of an error that
// occurs later: then the connection ends before the response is complete.
func spool(
	ctx context.Context, limit int64, large error, write func(context.Context, io.Writer) error, failed func(error),
) (s *spooled, length int, err error) {
	s = &spooled{limit: limit, large: large, failed: failed}
	s.changed.L = &s.mu
	if s.file, err = os.CreateTemp("", "vitrine-answer-"); err != nil {
		return nil, 0, err
	}
	if err := os.Remove(s.file.Name()); err != nil {
		return nil, 0, errors.Join(err, s.file.Close())
	}
	var own context.Context
	own, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		err := safely(func() error { return write(own, s) })
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended, s.err = true, err
		s.changed.Broadcast()
	}()
	abandoned := context.AfterFunc(ctx, s.stop)
	s.mu.Lock()
	for !s.ended && s.written < spoolHead {
		s.changed.Wait()
	}
	length, err = -1, s.err
	if s.ended {
		length = int(s.written)
	}
	s.mu.Unlock()
	if !abandoned() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, 0, errors.Join(err, s.Close())
	}
	return s, length, nil
}

func safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// Write is called by the writer.
func (s *spooled) Write(p []byte) (int, error) {
	if s.written+int64(len(p)) > s.limit {
		return 0, s.large
	}
	n, err := s.file.Write(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written += int64(n)
	s.changed.Broadcast()
	return n, err
}

// Read waits until there is more to read.
func (s *spooled) Read(p []byte) (int, error) {
	s.mu.Lock()
	for s.read == s.written && !s.ended {
		s.changed.Wait()
	}
	left, err := s.written-s.read, s.err
	s.mu.Unlock()
	if left == 0 {
		if err == nil {
			return 0, io.EOF
		}
		s.failed(err)
		return 0, err
	}
	n, err := s.file.ReadAt(p[:min(int64(len(p)), left)], s.read)
	s.read += int64(n)
	return n, err
}

// Close ends the writer and waits for it.
func (s *spooled) Close() error {
	s.stop()
	s.mu.Lock()
	for !s.ended {
		s.changed.Wait()
	}
	s.mu.Unlock()
	return s.file.Close()
}
