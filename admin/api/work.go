package api

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// callTimeout bounds the work of one call. How long its body may take is the
// listener's business.
const callTimeout = 60 * time.Second

// work is the time of one call, which begins again with each part of its body:
// a slow line does not take it away.
type work struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

func newWork() *work {
	w := &work{}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.timer = time.AfterFunc(callTimeout, func() { w.cancel(context.DeadlineExceeded) })
	return w
}

// again gives the work all of its time, unless it is over.
func (w *work) again() {
	if w.timer.Stop() {
		w.timer.Reset(callTimeout)
	}
}

func (w *work) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain says of an error that it came from the end of the time.
func (w *work) explain(err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(w.ctx), context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}
