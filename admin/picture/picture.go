// Package picture prepares new pictures in the background (document 1, 4.4): the widths that
// pages request, called steps, and the placeholder colour shown until a picture has loaded.
//
// The work is queued in the database, as pictures whose content differs from the content prepared
// last. An upload therefore returns at once, a restart continues where the last process stopped,
// replaced bytes are prepared again, and any worker can do it; only one does at a time. The steps
// are stored in the cache of the worker's data directory, which an edge on the same machine
// shares. On other machines, and after the cache has evicted a step, it is created on request.
package picture

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/span"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// Prepare creates the steps of the picture with these bytes and returns what it learned about the
// picture. ErrHopeless means that retrying is useless.
type Prepare func(ctx context.Context, sha256 string) (mediadb.Picture, error)

// ErrHopeless means that the bytes are not a picture from which steps can be made.
var ErrHopeless = errors.New("picture: no steps can be made")

const (
	interval     = time.Second      // between two checks for pictures to prepare
	failurePause = 10 * time.Second // after a round with a failure
	batch        = 50               // pictures per database query
)

// Worker prepares the pictures of all shops.
type Worker struct {
	store   *store.Store
	prepare Prepare
	log     *slog.Logger
	done    atomic.Int64
}

// Prepared returns the number of pictures prepared since New.
func (w *Worker) Prepared() int64 { return w.done.Load() }

// New returns a Worker; prepare does the work for one picture.
func New(s *store.Store, prepare Prepare, log *slog.Logger) *Worker {
	return &Worker{store: s, prepare: prepare, log: log}
}

// Run prepares pictures until the context ends. A failure is logged once until a round succeeds.
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
			w.log.Warn("pictures cannot be prepared; their steps are created on request", "error", err)
		}
		failing = err != nil
		timer.Reset(interval)
		if failing {
			timer.Reset(failurePause)
		}
	}
}

// Round prepares all pictures that are not prepared yet, unless another process is doing it. A
// picture that fails does not block the others, and is retried in the next round.
func (w *Worker) Round(ctx context.Context) error {
	first, err := mediadb.PicturesWaiting(ctx, w.store, mediadb.UnpreparedPicture{}, 1)
	if err != nil || len(first) == 0 {
		return err
	}
	_, err = w.store.RunExclusive(ctx, "pictures", w.all)
	return err
}

func (w *Worker) all(ctx context.Context) (failed error) {
	var last mediadb.UnpreparedPicture
	for {
		list, err := mediadb.PicturesWaiting(ctx, w.store, last, batch)
		if err != nil || len(list) == 0 {
			return errors.Join(failed, err)
		}
		for _, p := range list {
			err := w.one(ctx, p)
			if errors.Is(err, shop.ErrUnavailable) || ctx.Err() != nil {
				return err // the image service is busy with visitors' requests
			}
			if err != nil {
				failed = err
			}
		}
		last = list[len(list)-1]
	}
}

func (w *Worker) one(ctx context.Context, p mediadb.UnpreparedPicture) (err error) {
	ctx, traced := span.Work(ctx, "worker pictures")
	defer func() { traced.EndWith(err) }()
	known, err := w.prepare(ctx, p.SHA256)
	if err != nil && !errors.Is(err, ErrHopeless) {
		return err
	}
	err = w.store.Write(ctx, p.Company, func(tx *store.Tx) error { return mediadb.MarkPrepared(ctx, tx, p.ID, p.SHA256, known) })
	if err == nil {
		w.done.Add(1)
	}
	return err
}
