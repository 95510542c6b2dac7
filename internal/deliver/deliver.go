// Package deliver is the loop by which workers deliver the rows of a queue: e-mails to a
// mail server, events to webhooks.
//
// A row is claimed by a lease in the database: the process with the lease delivers it, and
// if that process dies, another one claims the row after the lease has expired. So a row is
// delivered at least once, and not by two processes at a time. The loop checks the queue
// when it is woken, which the process that queues a row does after its commit, and
// periodically for rows queued by other processes and for retries.
package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/secret"
	"vitrine/internal/span"
)

// Loop delivers the rows of a queue.
type Loop[Row any] struct {
	// Claim leases due rows, at most most of them.
	Claim func(ctx context.Context, most int) ([]Row, error)
	// Deliver delivers a row and records the result. worker is the number of the worker, from 0:
	// each may keep its own connection.
	Deliver func(ctx context.Context, worker int, row Row) error
	// Idle is called if a worker has had nothing to do for a while, and when it ends; it may
	// be nil.
	Idle func(worker int)

	Workers   int
	PerWorker int           // rows claimed per worker; they wait while the worker is busy
	Batch     int           // maximum rows per claim
	Lease     time.Duration // duration of a claim; a row not started after half of it is left to the next claim
	Interval  time.Duration // interval of checks without a wake
	Name      string        // plural name of the rows for the log, such as "letters"

	once sync.Once
	wake chan struct{}
}

func (l *Loop[Row]) wakeChannel() chan struct{} {
	l.once.Do(func() { l.wake = make(chan struct{}, 1) })
	return l.wake
}

// Wake makes the loop check the queue at once. It never blocks.
func (l *Loop[Row]) Wake() {
	select {
	case l.wakeChannel() <- struct{}{}:
	default:
	}
}

// claimed is a row and the time at which half of its lease is over.
type claimed[Row any] struct {
	row   Row
	until time.Time
}

// Run delivers rows until the context ends. A failure of the queue is logged once until it
// works again.
func (l *Loop[Row]) Run(ctx context.Context, log *slog.Logger) {
	rows := make(chan claimed[Row])
	done := make(chan struct{}, l.Workers*l.PerWorker)
	var workers sync.WaitGroup
	for n := range l.Workers {
		workers.Go(func() { l.work(ctx, n, rows, done, log) })
	}
	l.feed(ctx, rows, done, log)
	close(rows)
	workers.Wait()
}

// feed claims as many rows as the workers have capacity for, and passes them to the
// workers.
func (l *Loop[Row]) feed(ctx context.Context, rows chan<- claimed[Row], done <-chan struct{}, log *slog.Logger) {
	tick := time.NewTicker(l.Interval)
	defer tick.Stop()
	var waiting []claimed[Row]
	most, taken := l.Workers*l.PerWorker, 0 // rows that may be claimed at once, and rows claimed now
	check, failing := true, false
	for ctx.Err() == nil {
		if check && most-taken >= l.PerWorker {
			asked := min(most-taken, l.Batch)
			got, err := l.Claim(ctx, asked)
			if err != nil && !failing && ctx.Err() == nil {
				log.Warn(l.Name+" could not be claimed; retrying", "error", secret.Mask(err.Error()))
			}
			failing = err != nil
			until := time.Now().Add(l.Lease / 2)
			for _, row := range got {
				waiting = append(waiting, claimed[Row]{row, until})
			}
			taken += len(got)
			check = len(got) == asked
		}
		var out chan<- claimed[Row]
		var next claimed[Row]
		if len(waiting) > 0 {
			out, next = rows, waiting[0]
		}
		select {
		case <-ctx.Done():
		case out <- next:
			waiting = waiting[1:]
		case <-done:
			taken--
		case <-l.wakeChannel():
			check = true
		case <-tick.C:
			check = true
		}
	}
}

// idleAfter is the time without work after which Idle is called.
const idleAfter = 10 * time.Second

// work delivers rows one after the other.
func (l *Loop[Row]) work(ctx context.Context, n int, rows <-chan claimed[Row], done chan<- struct{}, log *slog.Logger) {
	timer := time.NewTimer(idleAfter)
	defer timer.Stop()
	idle := func() {
		if l.Idle != nil {
			l.Idle(n)
		}
	}
	defer idle()
	for {
		timer.Reset(idleAfter)
		select {
		case <-timer.C:
			idle()
			timer.Reset(idleAfter)
		case c, more := <-rows:
			if !more {
				return
			}
			if time.Now().Before(c.until) {
				within, traced := span.Work(ctx, "worker "+l.Name)
				err := l.Deliver(within, n, c.row)
				traced.EndWith(err)
				if err != nil && ctx.Err() == nil {
					log.Warn("one of the "+l.Name+" failed; retrying", "error", secret.Mask(err.Error()))
				}
			}
			done <- struct{}{}
		}
	}
}
