package resizer

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Errors of the pool.
var (
	// ErrBusy: as much work waits as may wait; try again in a moment.
	ErrBusy = errors.New("resizer: busy")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("resizer: closed")
	// ErrPanic: the work ended in a panic, which is a defect of the program.
	ErrPanic = errors.New("resizer: panic")
)

// outcome is what a piece of work made.
type outcome struct {
	picture encoded
	info    Info // of the source
}

// work makes something with the decoder of the worker that takes it.
type work func(*decoder) (outcome, error)

// flight is work that one caller has asked for and others wait for too.
type flight struct {
	key     string
	work    work
	waiting int           // callers; guarded by pool.mu
	place   *list.Element // in the queue, nil once started; guarded by pool.mu
	done    chan struct{} // closed when result and err are set
	result  outcome
	err     error
}

// pool runs work on a fixed number of threads behind a bounded queue. The same
// work asked for twice is done once. Work that nobody waits for any more leaves
// the queue; work that has begun always ends, since its result will be kept.
// (Package singleflight has no way to stop waiting, and a semaphore does not count
// who waits, so neither could refuse work when the queue is full.)
type pool struct {
	mu      sync.Mutex
	filled  *sync.Cond
	queue   *list.List // of *flight, first come first served
	flights map[string]*flight
	room    int // flights that may be waiting or running
	running int
	dropped int64
	closed  bool
	workers sync.WaitGroup
}

// newPool starts a worker for each decoder.
func newPool(decoders []*decoder, queue int) *pool {
	p := &pool{queue: list.New(), flights: map[string]*flight{}, room: len(decoders) + queue}
	p.filled = sync.NewCond(&p.mu)
	for _, d := range decoders {
		p.workers.Go(func() { p.worker(d) })
	}
	return p
}

// do returns what work returns, done now or in a flight under way. When ctx
// ends first the caller leaves with its error.
func (p *pool) do(ctx context.Context, key string, work work) (outcome, error) {
	f, err := p.board(key, work)
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

// board joins the flight of a key or begins one at the end of the queue.
func (p *pool) board(key string, work work) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.flights[key]; f != nil {
		f.waiting++
		return f, nil
	}
	if p.closed {
		return nil, ErrClosed
	}
	if p.queue.Len()+p.running >= p.room {
		return nil, ErrBusy
	}
	f := &flight{key: key, work: work, waiting: 1, done: make(chan struct{})}
	f.place = p.queue.PushBack(f)
	p.flights[key] = f
	p.filled.Signal()
	return f, nil
}

// leave gives up waiting; the last one takes a flight that has not begun out of
// the queue.
func (p *pool) leave(f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.waiting--
	if f.waiting == 0 && f.place != nil {
		p.queue.Remove(f.place)
		f.place = nil
		delete(p.flights, f.key)
		p.dropped++
	}
}

// worker takes flights until the pool is closed.
func (p *pool) worker(d *decoder) {
	defer d.open()()
	for {
		f := p.next()
		if f == nil {
			return
		}
		f.result, f.err = guarded(f.work, d)
		p.land(f)
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
	f := p.queue.Remove(p.queue.Front()).(*flight)
	f.place = nil
	p.running++
	return f
}

func (p *pool) land(f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	delete(p.flights, f.key)
	close(f.done)
}

// guarded turns a panic into an error, so that one picture costs one request.
func guarded(work work, d *decoder) (result outcome, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			stack := make([]byte, 4<<10)
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, reason, stack[:runtime.Stack(stack, false)])
		}
	}()
	return work(d)
}

// close refuses what waits, and returns when what has begun has ended.
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

// load is how many flights run and wait, and how many were dropped so far.
func (p *pool) load() (running, waiting int, dropped int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running, p.queue.Len(), p.dropped
}
