// Package deliver is the loop by which a worker hands rows of a queue to somebody
// else: letters to a mail server, events to webhooks.
//
// A row is claimed by a lease in the database: whoever has it does it, and when that
// process dies, another gets it after the lease. So a row is done at least once, and
// not by two at a time. The loop looks at the queue when it is woken, which the
// process that queues a row does after its commit, and now and then for what others
// have queued and for what is to be tried again.
package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/secret"
)

// Loop does the rows of a queue.
type Loop[Row any] struct {
	// Claim leases rows whose time has come, at most so many.
	Claim func(ctx context.Context, most int) ([]Row, error)
	// Do does a row and notes what became of it. worker is the number of who
	// does it, from 0: each may keep a connection of its own.
	Do func(ctx context.Context, worker int, row Row) error
	// Idle tells a worker that there is nothing to do at the moment; it may be nil.
	Idle func(worker int)

	Workers int
	Ahead   int           // rows that are claimed for each worker; those of one who has another to do wait
	Batch   int           // rows of one claim at most
	Lease   time.Duration // of a claim; a row that nobody has begun after half of it is left to the next claim
	Every   time.Duration // between two looks without a wake
	What    string        // for the log: "letters"

	once sync.Once
	bell chan struct{}
}

func (l *Loop[Row]) ring() chan struct{} {
	l.once.Do(func() { l.bell = make(chan struct{}, 1) })
	return l.bell
}

// Wake lets the loop look at the queue at once. It never waits.
func (l *Loop[Row]) Wake() {
	select {
	case l.ring() <- struct{}{}:
	default:
	}
}

// claimed is a row and when its lease is half over.
type claimed[Row any] struct {
	row   Row
	until time.Time
}

// Run does rows until the context ends. A failure of the queue is logged once until it
// works again.
func (l *Loop[Row]) Run(ctx context.Context, log *slog.Logger) {
	rows := make(chan claimed[Row])
	done := make(chan struct{}, l.Workers*l.Ahead)
	var workers sync.WaitGroup
	for n := range l.Workers {
		workers.Go(func() { l.work(ctx, n, rows, done, log) })
	}
	l.feed(ctx, rows, done, log)
	close(rows)
	workers.Wait()
}

// feed claims as many rows as there are places for, and hands them to the workers.
func (l *Loop[Row]) feed(ctx context.Context, rows chan<- claimed[Row], done <-chan struct{}, log *slog.Logger) {
	tick := time.NewTicker(l.Every)
	defer tick.Stop()
	var waiting []claimed[Row]
	most, under := l.Workers*l.Ahead, 0 // rows that may be claimed, and those that are
	look, failing := true, false
	for ctx.Err() == nil {
		if look && most-under >= l.Ahead {
			asked := min(most-under, l.Batch)
			got, err := l.Claim(ctx, asked)
			if err != nil && !failing && ctx.Err() == nil {
				log.Warn(l.What+" are not looked at; they are later", "error", secret.Mask(err.Error()))
			}
			failing = err != nil
			until := time.Now().Add(l.Lease / 2)
			for _, row := range got {
				waiting = append(waiting, claimed[Row]{row, until})
			}
			under += len(got)
			look = len(got) == asked
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
			under--
		case <-l.ring():
			look = true
		case <-tick.C:
			look = true
		}
	}
}

// restTime is how long a worker keeps what it has at hand when there is nothing to do.
const restTime = 10 * time.Second

// work does rows one after the other.
func (l *Loop[Row]) work(ctx context.Context, n int, rows <-chan claimed[Row], done chan<- struct{}, log *slog.Logger) {
	rest := time.NewTimer(restTime)
	defer rest.Stop()
	idle := func() {
		if l.Idle != nil {
			l.Idle(n)
		}
	}
	defer idle()
	for {
		rest.Reset(restTime)
		select {
		case <-rest.C:
			idle()
			rest.Reset(restTime)
		case c, more := <-rows:
			if !more {
				return
			}
			if time.Now().Before(c.until) {
				if err := l.Do(ctx, n, c.row); err != nil && ctx.Err() == nil {
					log.Warn("one of the "+l.What+" could not be done; it is tried again", "error", secret.Mask(err.Error()))
				}
			}
			done <- struct{}{}
		}
	}
}
