package resizer

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"vitrine/internal/limiter"
	"vitrine/internal/shop"
)

// Errors of the pool.
var (
	// ErrBusy: the queue is full; the caller may retry in a moment.
	ErrBusy = errors.New("resizer: busy")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("resizer: closed")
	// ErrPanic: the work panicked, which is a bug of the program.
	ErrPanic = errors.New("resizer: panic")
)

// outcome is the result of a piece of work.
type outcome struct {
	picture encoded
	info    Info // of the source
}

// work runs with the decoder of the worker that executes it.
type work func(*decoder) (outcome, error)

// flight is work that one or more callers wait for.
type flight struct {
	key     string
	shop    shop.CompanyID // whose turn it takes
	work    work
	waiting int           // number of callers; guarded by pool.mu
	place   *list.Element // in the queue, nil once started; guarded by pool.mu
	done    chan struct{} // closed when result and err are set
	result  outcome
	err     error
}

// pool runs work on a fixed number of threads behind a bounded queue, which shops share as
// package limiter divides slots: a shop may queue more while it has less in the queue than is
// free, and shops take turns. Concurrent requests for the same work share one flight. Work that no caller waits for any more is removed
// from the queue; work that has started always completes, since its result will be cached.
// (Package singleflight cannot stop waiting, and a semaphore does not count its waiters, so
// neither could refuse work when the queue is full.)
type pool struct {
	mu       sync.Mutex
	filled   *sync.Cond
	queue    *list.List // of *flight, in the order in which they came
	turns    limiter.Turns
	flights  map[string]*flight
	capacity int // maximum of waiting and running flights
	running  int
	dropped  int64
	closed   bool
	workers  sync.WaitGroup
}

// newPool starts a worker for each decoder.
func newPool(decoders []*decoder, queue int) *pool {
	p := &pool{queue: list.New(), flights: map[string]*flight{}, capacity: len(decoders) + queue}
	p.filled = sync.NewCond(&p.mu)
	for _, d := range decoders {
		p.workers.Go(func() { p.worker(d) })
	}
	return p
}

// do returns the result of work, run now or by a flight in progress. If ctx ends first, it
// returns its error.
func (p *pool) do(ctx context.Context, company shop.CompanyID, key string, work work) (outcome, error) {
	f, err := p.join(company, key, work)
	if err != nil {
		return outcome{}, err
	}
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		p.leave(f)
		return outcome{}, ctx.Err()
	}
}

// join joins the flight of a key or adds one to the end of the queue.
func (p *pool) join(company shop.CompanyID, key string, work work) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.flights[key]; f != nil {
		f.waiting++
		return f, nil
	}
	if p.closed {
		return nil, ErrClosed
	}
	if limiter.Room(p.turns.Waiting(company), p.capacity-p.queue.Len()-p.running, p.capacity) == 0 {
		return nil, ErrBusy
	}
	f := &flight{key: key, shop: company, work: work, waiting: 1, done: make(chan struct{})}
	f.place = p.queue.PushBack(f)
	p.turns.Wait(company)
	p.flights[key] = f
	p.filled.Signal()
	return f, nil
}

// leave stops waiting; the last caller removes a flight that has not started from the
// queue.
func (p *pool) leave(f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.waiting--
	if f.waiting == 0 && f.place != nil {
		p.queue.Remove(f.place)
		p.turns.Leave(f.shop)
		f.place = nil
		delete(p.flights, f.key)
		p.dropped++
	}
}

// worker runs flights until the pool is closed.
func (p *pool) worker(d *decoder) {
	defer d.open()()
	for {
		f := p.next()
		if f == nil {
			return
		}
		f.result, f.err = safely(f.work, d)
		p.finish(f)
	}
}

func (p *pool) next() *flight {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queue.Len() == 0 && !p.closed {
		p.filled.Wait()
	}
	if p.closed {
		return nil
	}
	first := p.queue.Front()
	for place := first.Next(); place != nil; place = place.Next() {
		if p.turns.Before(place.Value.(*flight).shop, first.Value.(*flight).shop) {
			first = place
		}
	}
	f := p.queue.Remove(first).(*flight)
	f.place = nil
	p.turns.Leave(f.shop)
	p.turns.Begin(f.shop)
	p.running++
	return f
}

func (p *pool) finish(f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.turns.End(f.shop)
	delete(p.flights, f.key)
	close(f.done)
}

// safely turns a panic into an error, so that it fails only one request.
func safely(work work, d *decoder) (result outcome, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			stack := make([]byte, 4<<10)
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, reason, stack[:runtime.Stack(stack, false)])
		}
	}()
	return work(d)
}

// close refuses waiting flights, and returns when the running ones have completed.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for p.queue.Len() > 0 {
		f := p.queue.Remove(p.queue.Front()).(*flight)
		f.place, f.err = nil, ErrClosed
		delete(p.flights, f.key)
		close(f.done)
	}
	p.filled.Broadcast()
	p.mu.Unlock()
	p.workers.Wait()
}

// load returns how many flights are running and waiting, and how many were dropped so far.
func (p *pool) load() (running, waiting int, dropped int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running, p.queue.Len(), p.dropped
}
