// Package picture makes the steps of new pictures in the background (document 1,
// 4.4): the widths that pages ask for, and the colour that stands in a picture's
// place until it is there.
//
// What is to be made stands in the database, as pictures whose content is not
// the one that was last prepared. So an upload is answered at once, a restart
// goes on where the last process was, replaced bytes are prepared again, and any
// worker may do it; one at a time does. The steps lie in the cache of the worker's
// data directory, which an edge on the same machine shares; anywhere else, and
// after the cache has dropped them, a step is cut when it is asked for.
package picture

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// Prepare makes the steps of the picture with these bytes and returns what
// they say of it. ErrHopeless says that trying again is of no use.
type Prepare func(ctx context.Context, sha256 string) (mediadb.Picture, error)

// ErrHopeless: the bytes are no picture that steps can be made of.
var ErrHopeless = errors.New("picture: no steps can be made")

const (
	every = time.Second      // between two looks at what waits
	pause = 10 * time.Second // after a look in which something failed
	batch = 50               // pictures of one question to the database
)

// Worker prepares the pictures of all shops.
type Worker struct {
	store   *store.Store
	prepare Prepare
	log     *slog.Logger
	done    atomic.Int64
}

// Prepared counts the pictures that were prepared since New.
func (w *Worker) Prepared() int64 { return w.done.Load() }

// New takes what does the work on one picture.
func New(s *store.Store, prepare Prepare, log *slog.Logger) *Worker {
	return &Worker{store: s, prepare: prepare, log: log}
}

// Run prepares what waits until the context ends. A failure is logged once until
// it works again.
func (w *Worker) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := w.Round(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			w.log.Warn("pictures cannot be prepared; their steps are cut when asked for", "error", err)
		}
		failing = err != nil
		timer.Reset(every)
		if failing {
			timer.Reset(pause)
		}
	}
}

// Round prepares everything that waits now, unless another process is at it. A
// picture that fails does not keep the others, and waits for the next round.
func (w *Worker) Round(ctx context.Context) error {
	first, err := mediadb.PicturesWaiting(ctx, w.store, mediadb.Waiting{}, 1)
	if err != nil || len(first) == 0 {
		return err
	}
	_, err = w.store.Alone(ctx, "pictures", w.all)
	return err
}

func (w *Worker) all(ctx context.Context) (failed error) {
	var last mediadb.Waiting
	for {
		list, err := mediadb.PicturesWaiting(ctx, w.store, last, batch)
		if err != nil || len(list) == 0 {
			return errors.Join(failed, err)
		}
		for _, p := range list {
			err := w.one(ctx, p)
			if errors.Is(err, shop.ErrUnavailable) || ctx.Err() != nil {
				return err // visitors come first
			}
			if err != nil {
				failed = err
			}
		}
		last = list[len(list)-1]
	}
}

func (w *Worker) one(ctx context.Context, p mediadb.Waiting) error {
	known, err := w.prepare(ctx, p.SHA256)
	if err != nil && !errors.Is(err, ErrHopeless) {
		return err
	}
	err = w.store.Write(ctx, p.Company, func(tx *store.Tx) error { return mediadb.Prepared(ctx, tx, p.ID, p.SHA256, known) })
	if err == nil {
		w.done.Add(1)
	}
	return err
}
