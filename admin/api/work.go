package api

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// callTimeout limits the work of one call. The listener limits the time for reading its body.
const callTimeout = 60 * time.Second

// deadline is the time limit of one call. It restarts with each chunk of the body, so that a
// slow connection does not use it up.
type deadline struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func newDeadline() *deadline {
	w := &deadline{}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.timer = time.AfterFunc(callTimeout, func() { w.cancel(context.DeadlineExceeded) })
	return w
}

// restart restarts the time limit, unless it has expired.
func (w *deadline) restart() {
	if w.timer.Stop() {
		w.timer.Reset(callTimeout)
	}
}

func (w *deadline) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain turns the cancellation of expired work into context.DeadlineExceeded.
func (w *deadline) explain(err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(w.ctx), context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}
