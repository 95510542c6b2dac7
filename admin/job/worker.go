package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/secret"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
)

const (
	lease       = 15 * time.Second
	extendEvery = 2 * time.Second // progress is stored as often
	pollEvery   = time.Second
	atOnce      = 2 // of one process: a job may read a whole shop
	attempts    = 3
	retryAfter  = 30 * time.Second
	stopTimeout = 5 * time.Second // for returning a job when the process stops
)

// Running is a job with the lease of this worker.
type Running struct {
	jobdb.Claimed

	mu          sync.Mutex
	done, total int64
}

// Progress notes how many steps of how many are done. It is stored every few seconds.
func (r *Running) Progress(done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.total = done, total
}

func (r *Running) progress() (done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done, r.total
}

// Worker returns the background loop that runs jobs.
func (js *Jobs) Worker(log *slog.Logger) *deliver.Loop[jobdb.Claimed] {
	run := map[jobdb.Kind]Kind{}
	var kinds []jobdb.Kind
	for _, k := range js.Kinds {
		run[k.Name] = k
		kinds = append(kinds, k.Name)
	}
	return &deliver.Loop[jobdb.Claimed]{
		Name: "jobs", Workers: atOnce, PerWorker: 1, Batch: atOnce, Lease: lease, Interval: pollEvery,
		Claim: func(ctx context.Context, most int) ([]jobdb.Claimed, error) {
			now := js.Now()
			return jobdb.Claim(ctx, js.Store, kinds, now, now.Add(lease), most)
		},
		Deliver: func(ctx context.Context, _ int, c jobdb.Claimed) error { return js.carry(ctx, run[c.Kind], c, log) },
	}
}

// carry runs a claimed job and records how it ended.
func (js *Jobs) carry(ctx context.Context, k Kind, c jobdb.Claimed, log *slog.Logger) error {
	if c.Attempts > attempts { // each of the former workers ended without a word
		return js.fail(ctx, c, errDied)
	}
	r := &Running{Claimed: c}
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		js.keep(working, r, cancel)
	}()
	err := js.run(working, k, r)
	cancel(nil)
	<-kept
	if err == nil || errors.Is(context.Cause(working), jobdb.ErrLost) || errors.Is(err, jobdb.ErrLost) {
		return nil
	}
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer stop()
	switch {
	case ctx.Err() != nil:
		return jobdb.Return(ending, js.Store, c, js.Now(), true)
	case final(err) || c.Attempts == attempts:
		if !final(err) {
			log.Error("a job failed", "job", c.ID, "kind", c.Kind, "company", c.Company, "error", secret.Mask(err.Error()))
		}
		return js.fail(ending, c, err)
	}
	return errors.Join(err, jobdb.Return(ending, js.Store, c, js.Now().Add(retryAfter), false))
}

func (js *Jobs) fail(ctx context.Context, c jobdb.Claimed, why error) error {
	err := jobdb.Fail(ctx, js.Store, c, reason(why), js.Now())
	if err == nil {
		js.discard(ctx, c.ID)
	}
	return err
}

var errDied = errors.New("the processes that ran the job ended")

// run does the work of a job and ends it in the transaction that stores its effects.
func (js *Jobs) run(ctx context.Context, k Kind, r *Running) error {
	result, effects, err := k.Run(ctx, r)
	if err != nil {
		return err
	}
	return js.Store.Write(ctx, r.Company, func(tx *store.Tx) error {
		if effects != nil {
			if err := effects(tx); err != nil {
				return err
			}
		}
		done, total := r.progress()
		return jobdb.Finish(ctx, tx, r.Claimed, result, max(done, total), js.Now())
	})
}

// keep extends the lease of a job until its work ends, and ends the work once the job is lost. It is
// lost too when the database was unavailable for so long that another worker may have it.
func (js *Jobs) keep(ctx context.Context, r *Running, lost context.CancelCauseFunc) {
	tick := time.NewTicker(extendEvery)
	defer tick.Stop()
	held := time.Now().Add(lease)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		done, total := r.progress()
		asked := time.Now()
		still, err := jobdb.Extend(ctx, js.Store, r.Claimed, done, total, js.Now().Add(lease))
		switch {
		case err == nil && still:
			held = asked.Add(lease)
		case err == nil || time.Now().After(held):
			lost(jobdb.ErrLost)
			return
		}
	}
}
