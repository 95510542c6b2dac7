package api

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slowly returns a byte every ten seconds.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(10 * time.Second) // on the bubble's clock
	return s.Reader.Read(p[:1])
}

// A body on a slow connection does not use up the time of the call; a call that works too long
// still expires.
func TestReadingTheBodyDoesNotUseUpTheTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDeadline()
		defer w.end()
		body := &bodyStream{from: slowly{strings.NewReader(`{"item":{"name":"Tea"}}`)}, deadline: w}
		if _, err := io.ReadAll(body); err != nil {
			t.Error(err)
		}
		time.Sleep(callTimeout - time.Second)
		if err := w.ctx.Err(); err != nil {
			t.Errorf("the work ended early: %v", err)
		}
		time.Sleep(2 * time.Second)
		if err := w.explain(w.ctx.Err()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the work ended with %v", err)
		}
		if err := w.explain(io.EOF); err != io.EOF {
			t.Errorf("another error became %v", err)
		}
	})
}
